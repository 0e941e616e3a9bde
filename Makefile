# Every target sets itself up first, with the extras it needs; `make help` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup features outcomes glmm transfer-metrics hat-noise robustness ceiling penalty equivalence sample-size items sensitivity items-power templates evaluate-scripted ingest stages compliance compute from-logs scale mutations loo-predict few-templates predict levers interval-check pooled-check all specifications overview power tables figures report notebooks bench coverage docs test test-all test-wheel test-browser test-pymer4 lint format lock clean

ENGINE    ?=
OUT       ?=
OUTCOMES  ?=
MODELS    ?=
LANGUAGES ?=
FORMULA   ?=
SEED      ?=
ARGS      ?=
LOGS      ?=
TEMPLATES ?=
SCHEDULER ?=
EXTRAS    ?=
PYTHON    ?=
WITHOUT_R ?=
WORKERS   ?= logical
RANDOM    ?=

# one thread per fit: parallelism is over fits
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1

transfer := .venv/bin/transfer $(if $(SCHEDULER),--scheduler '$(SCHEDULER)')
inputs   := $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(MODELS),--models '$(MODELS)') \
            $(if $(LANGUAGES),--languages '$(LANGUAGES)') $(if $(SEED),--seed $(SEED)) \
            $(if $(OUT),--out '$(OUT)')
formula  := $(if $(FORMULA),--formula '$(FORMULA)')
fit      := $(formula) $(if $(ENGINE),--engine $(ENGINE))

# .venv with what every target needs and the extras named after it, added the first time
needs  = @tools/setup.sh $(if $(SCHEDULER),dask) $(if $(filter lme4%,$(ENGINE)),lme4)
# where R was left out, now or before, our engine alone fits the study's model
left_out = $(if $(WITHOUT_R),$(filter-out 0 no false,$(WITHOUT_R)),$(wildcard .venv/setup/without-r))
engine   = $(if $(ENGINE),--engine $(ENGINE),$(if $(left_out),--engine laplace))
judge  = $(if $(filter laplace,$(ENGINE)),,lme4)

# the user's logs, or those of the scripted provider with a model that four languages can carry
scripted       := results/cache/evaluation/logs
four_languages := ~ resource + size + reasoning + (1 | template) + (1 | language) + (1 | variant:language)
paths          := $(if $(LOGS),$(LOGS) $(if $(OUT),--out '$(OUT)'),$(scripted) --out results/scripted) \
                  $(if $(MODELS),--models '$(MODELS)')
of_logs        := $(paths) $(if $(LANGUAGES),--languages '$(LANGUAGES)') \
                  $(if $(LOGS),$(fit),--formula '$(or $(FORMULA),$(four_languages))')

help: ## list the targets
	@grep -hE '^[a-z][a-z0-9-]*:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'
	@echo "  Variables: OUTCOMES=file MODELS=file LANGUAGES=file FORMULA='~ ...' ENGINE=name SEED=n OUT=dir LOGS=paths TEMPLATES=name SCHEDULER=address"
	@echo "  Tests: WORKERS=n (processes; 0: this one), ARGS='-k word'"
	@echo "  Set-up: EXTRAS='names' PYTHON=/path/to/python WITHOUT_R=1 (our engine alone; WITHOUT_R=0 takes R in again)"

setup: ## .venv under the lock, R with lme4 where allowed; EXTRAS='templates dask': these too
	$(needs) lme4 $(EXTRAS)

features: ## language, model and pair features -> results/features/
	$(needs)
	$(transfer) features $(if $(MODELS),--models '$(MODELS)') $(if $(LANGUAGES),--languages '$(LANGUAGES)') $(if $(OUT),--out '$(OUT)') $(ARGS)

outcomes: ## the study's cells and totals -> results/outcomes/, results/cache/cells.parquet
	$(needs)
	$(transfer) outcomes $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(OUT),--out '$(OUT)') $(ARGS)

glmm: ## the study's GLMM (Table 3, Table 4, Figure 2) -> results/glmm/, tables/, figures/
	$(needs) $(judge)
	$(transfer) glmm $(inputs) $(formula) $(engine) $(ARGS)

transfer-metrics: ## HAT, gap and τ from a source language, beside the GLMM -> results/transfer_metrics/
	$(needs)
	$(transfer) transfer-metrics $(inputs) $(fit) $(ARGS)

hat-noise: ## bias and coverage of HAT on simulated passes -> results/transfer_metrics/{noise,coverage}.csv
	$(needs)
	$(transfer) hat-noise $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out '$(OUT)') $(ARGS)

robustness: ## original against perturbed questions, MGSM-Pro's tables checked -> results/robustness/
	$(needs)
	$(transfer) robustness $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(ENGINE),--engine $(ENGINE)) \
	    $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out '$(OUT)') $(ARGS)

ceiling: ## the model without saturated cells (Table 7) -> results/ceiling/
	$(needs)
	$(transfer) ceiling $(inputs) $(if $(FORMULA),--formula '$(FORMULA)') $(ARGS)

penalty: ## original against symbolic questions (Appendix D, Figures 10, 11) -> results/penalty/
	$(needs)
	$(transfer) penalty $(inputs) $(ARGS)

equivalence: ## metric against imperial English (Appendix A.3, Figures 8, 19) -> results/equivalence/
	$(needs)
	$(transfer) equivalence $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(OUT),--out '$(OUT)') $(ARGS)

sample-size: ## precision and rankings by templates and instances (Table 2, Figure 9) -> results/sample_size/
	$(needs)
	$(transfer) sample-size $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out '$(OUT)') $(ARGS)

items: ## items that are broken in one language, as answers show (page: index.html) -> results/items/
	$(needs) templates
	$(transfer) items $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(OUT),--out '$(OUT)') $(ARGS)

sensitivity: ## the study's conclusions without its flagged items (minutes) -> results/items/sensitivity_*.csv
	$(needs)
	$(transfer) sensitivity $(inputs) $(ARGS)

items-power: ## what the screen of items finds in simulated worlds (minutes) -> results/items_power/
	$(needs)
	.venv/bin/python -m benchmarks.items $(if $(OUT),--out '$(OUT)/items_power') $(ARGS)

templates: ## quality checks on a language's templates (TEMPLATES=dan or a folder)
	$(needs) templates
	$(transfer) templates --language '$(or $(TEMPLATES),eng)' $(ARGS)

ingest: ## LOGS='paths' to outcomes, with a report -> OUT/outcomes.parquet (then OUTCOMES=that file)
	$(needs) logs
	$(transfer) ingest $(LOGS) --out '$(or $(OUT),transfer-results)/outcomes.parquet' $(ARGS)

stages: $(if $(LOGS),,$(scripted)) ## how far answers get (Table 6, Figures 3, 17) from LOGS='paths'; without: scripted ones
	$(needs) logs
	$(transfer) stages $(of_logs) $(ARGS)

compliance: $(if $(LOGS),,$(scripted)) ## who answers in the format asked for, from LOGS='paths'; without: scripted ones
	$(needs) logs
	$(transfer) compliance $(of_logs) $(ARGS)

compute: $(if $(LOGS),,$(scripted)) ## tokens and compute of reasoning (Figure 13) from LOGS='paths'; without: scripted ones
	$(needs) logs
	$(transfer) compute $(paths) $(ARGS)

from-logs: $(scripted) ## evaluation, ingest and GLMM end to end, on scripted answers -> results/scripted/
	$(needs) evaluation
	$(transfer) ingest $(scripted) --out results/cache/scripted/outcomes.parquet
	$(transfer) glmm --outcomes results/cache/scripted/outcomes.parquet --engine laplace \
	    --formula '$(four_languages)' --out results/scripted $(ARGS)

$(scripted):
	$(needs) evaluation
	tools/evaluate_scripted.sh

evaluate-scripted: ## the evaluation offline, scripted answers -> results/cache/evaluation/ (OUT=dir)
	$(needs) evaluation
	tools/evaluate_scripted.sh $(OUT)

specifications: ## alternatives to the main model (Appendix A.1) -> results/specifications/
	$(needs)
	$(transfer) specifications $(inputs) $(if $(FORMULA),--formula '$(FORMULA)') $(ARGS)

loo-predict: ## predict languages held out (Figures 5, 6, 14; ours beside the study's) -> results/loo/
	$(needs)
	$(transfer) loo-predict $(inputs) $(if $(ENGINE),--engine $(ENGINE)) $(ARGS)

overview: ## runs, families, languages, models (Tables 8-12, Figures 12, 16) -> results/overview/
	$(needs)
	$(transfer) overview $(if $(OUT),--out '$(OUT)') $(ARGS)

few-templates: ## what a few templates in a language add to its prediction (Table 5) -> results/loo/
	$(needs)
	$(transfer) few-templates $(inputs) $(ARGS)

power: ## what a planned study would detect, by simulation (minutes; N given in ARGS) -> results/power/
	$(needs)
	$(transfer) power $(inputs) $(if $(FORMULA),--formula '$(FORMULA)') $(ARGS)

all: ## the whole study, in parallel, skipping what is up to date -> results/, index in results/README.md
	$(needs) templates $(judge)
	$(transfer) all $(engine) $(if $(OUT),--out '$(OUT)') $(ARGS)

tables: ## everything that makes the study's tables -> results/tables/
	$(needs) $(judge)
	$(transfer) all --tables $(engine) $(if $(OUT),--out '$(OUT)') $(ARGS)

figures: ## everything that makes the study's figures -> results/figures/
	$(needs) $(judge)
	$(transfer) all --figures $(engine) $(if $(OUT),--out '$(OUT)') $(ARGS)

report: ## the results on one page, with predictions to explore -> results/report/index.html
	$(needs)
	$(transfer) report $(inputs) $(ARGS)

notebooks: ## run the notebooks top to bottom, keep their outputs (minutes; ARGS=02: one) -> notebooks/
	$(needs) notebooks
	.venv/bin/python -m tools.notebooks $(ARGS)

bench: ## engines side by side, all fits of the study, growth (about an hour) -> transfer-results/bench/
	$(needs) bench lme4
	.venv/bin/python -m benchmarks.compare $(if $(OUT),--out '$(OUT)/bench') $(ARGS)

coverage: ## do 95% intervals cover the truth? simulated data (many minutes) -> results/coverage/
	$(needs)
	.venv/bin/python -m benchmarks.coverage $(if $(OUT),--out '$(OUT)/coverage') $(ARGS)

predict: ## accuracy to expect anywhere: ARGS='--model Qwen/Qwen3-8B --reasoning on --language swh'
	$(needs)
	@$(transfer) predict $(ARGS)

levers: ## the gap to English by size and reasoning, cost in size (Figures 4, 15) -> results/levers/
	$(needs)
	$(transfer) levers $(inputs) $(ARGS)

interval-check: ## coverage of predictive intervals on simulated languages -> results/loo/
	$(needs)
	$(transfer) interval-check $(ARGS)

pooled-check: ## errors of the pooled predictor, held out of all benchmarks -> results/pooled/
	$(needs)
	$(transfer) pooled-check $(ARGS)

docs: ## the documentation, no warning allowed -> site/index.html
	$(needs) docs
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet
	@echo "Wrote site/; open site/index.html"

# what some test needs; without it, that test is skipped by name
tests := test templates tokenizers evaluation logs dask notebooks docs
# in a process for each core, up to four
pytest := .venv/bin/python -m pytest --numprocesses $(WORKERS) --maxprocesses 4 --dist worksteal

test: ## the quick tests: units, beside lme4, commands (some three minutes on two cores)
	$(needs) $(tests) lme4
	$(pytest) -m quick $(ARGS)

test-all: ## all that CI runs: also results, documentation, notebooks, wheel, pymer4, browser
	$(needs) $(tests) lme4 browser
	$(pytest) $(ARGS)
	$(MAKE) --jobs=2 --output-sync=target test-browser test-wheel test-pymer4

test-browser: ## the report in a real browser: explorer, widths, keyboard, print, accessibility
	$(needs) test browser
	@tools/browser.sh
	.venv/bin/python -m pytest -m browser tests/browser

test-wheel: ## the package as a user installs it: one top-level name, in a new environment
	$(needs)
	tools/check_wheel.sh

test-pymer4: ## our fits beside lme4's through pymer4, in its own environment
	$(needs) test lme4
	@tools/pymer4.sh
	.venv/bin/python -m pytest -m pymer4 tests/analysis/glmm/test_pymer4.py

scale: ## size, cluster and end-to-end checks, documented commands that take long (many minutes)
	$(needs) $(tests)
	.venv/bin/python -m pytest -m slow $(ARGS)

mutations: ## plant known faults one by one; the tests must notice (minutes; ARGS='word of names'; RANDOM=n SEED=n: drawn)
	$(needs) $(tests)
	.venv/bin/python -m tools.mutations $(if $(RANDOM),--random $(RANDOM)) $(if $(SEED),--seed $(SEED)) $(ARGS)

lint: ## style and common errors
	$(needs) lint
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

format: ## put the sources into the house style
	$(needs) lint
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

lock: ## rewrite requirements.lock, resolved afresh for every Python
	$(needs)
	tools/lock.sh

clean: ## remove caches and byte code; never a tracked file
	rm -rf results/cache build .pytest_cache .ruff_cache *.egg-info
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
