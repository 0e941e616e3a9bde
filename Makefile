# Every target sets itself up first; `make help` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup features outcomes glmm transfer-metrics hat-noise robustness ceiling penalty equivalence sample-size templates evaluate-scripted ingest stages compliance compute from-logs scale mutations loo-predict few-templates predict levers interval-check all specifications overview power tables figures report notebooks bench coverage docs test test-browser test-pymer4 lint format lock clean

ENGINE    ?=
OUT       ?=
OUTCOMES  ?=
MODELS    ?=
LANGUAGES ?=
FORMULA   ?=
SEED      ?=
ARGS      ?=
LOGS      ?=
SCHEDULER ?=

# one thread a fit: parallelism is over fits
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1

transfer := .venv/bin/transfer $(if $(SCHEDULER),--scheduler '$(SCHEDULER)')
inputs   := $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(MODELS),--models '$(MODELS)') \
            $(if $(LANGUAGES),--languages '$(LANGUAGES)') $(if $(SEED),--seed $(SEED)) \
            $(if $(OUT),--out '$(OUT)')
fit      := $(if $(FORMULA),--formula '$(FORMULA)') $(if $(ENGINE),--engine $(ENGINE))

# logs of one's own, or those of the scripted provider with a model that four languages can carry
scripted       := results/cache/evaluation/logs
four_languages := ~ resource + size + reasoning + (1 | template) + (1 | language) + (1 | variant:language)
paths          := $(if $(LOGS),$(LOGS) $(if $(OUT),--out '$(OUT)'),$(scripted) --out results/scripted) \
                  $(if $(MODELS),--models '$(MODELS)')
of_logs        := $(paths) $(if $(LANGUAGES),--languages '$(LANGUAGES)') \
                  $(if $(LOGS),$(fit),--formula '$(or $(FORMULA),$(four_languages))')

help: ## list the targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'
	@echo "  Variables: OUTCOMES=file MODELS=file LANGUAGES=file FORMULA='~ ...' ENGINE=name SEED=n OUT=dir LOGS=paths SCHEDULER=address"

setup: ## create .venv from the locks, install R and lme4 where allowed (quick when nothing changed)
	@$(if $(filter laplace,$(ENGINE)),WITHOUT_R=$${WITHOUT_R:-1}) tools/setup.sh

features: setup ## language, model and pair features -> results/features/
	$(transfer) features $(if $(MODELS),--models '$(MODELS)') $(if $(LANGUAGES),--languages '$(LANGUAGES)') $(if $(OUT),--out '$(OUT)') $(ARGS)

outcomes: setup ## published counts, template layer reconstructed -> results/outcomes/, results/cache/cells.parquet
	$(transfer) outcomes $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out '$(OUT)') $(ARGS)

glmm: setup ## the study's GLMM (Table 3, Table 4, Figure 2) -> results/glmm/, tables/, figures/
	$(transfer) glmm $(inputs) $(fit) $(ARGS)

transfer-metrics: setup ## HAT, gap and τ from a source language, beside the GLMM -> results/transfer_metrics/
	$(transfer) transfer-metrics $(inputs) $(fit) $(ARGS)

hat-noise: setup ## bias and coverage of HAT on simulated passes -> results/transfer_metrics/{noise,coverage}.csv
	$(transfer) hat-noise $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out '$(OUT)') $(ARGS)

robustness: setup ## original against perturbed questions, MGSM-Pro's tables checked -> results/robustness/
	$(transfer) robustness $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(ENGINE),--engine $(ENGINE)) \
	    $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out '$(OUT)') $(ARGS)

ceiling: setup ## the model without saturated cells (Table 7) -> results/ceiling/
	$(transfer) ceiling $(inputs) $(if $(FORMULA),--formula '$(FORMULA)') $(ARGS)

penalty: setup ## original against symbolic questions (Appendix D, Figures 10, 11) -> results/penalty/
	$(transfer) penalty $(inputs) $(ARGS)

equivalence: setup ## metric against imperial English (Appendix A.3, Figures 8, 19) -> results/equivalence/
	$(transfer) equivalence $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(OUT),--out '$(OUT)') $(ARGS)

sample-size: setup ## precision and rankings by templates and instances (Table 2, Figure 9) -> results/sample_size/
	$(transfer) sample-size $(if $(OUTCOMES),--outcomes '$(OUTCOMES)') $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out '$(OUT)') $(ARGS)

templates: setup ## quality checks on a language's templates (LANGUAGE=dan or a folder)
	$(transfer) templates --language '$(or $(LANGUAGE),eng)' $(ARGS)

ingest: setup ## LOGS='paths' to outcomes, with a report -> OUT/outcomes.parquet (then OUTCOMES=that file)
	$(transfer) ingest $(LOGS) --out '$(or $(OUT),transfer-results)/outcomes.parquet' $(ARGS)

stages: setup $(if $(LOGS),,$(scripted)) ## how far answers get (Table 6, Figures 3, 17) from LOGS='paths'; without: scripted ones
	$(transfer) stages $(of_logs) $(ARGS)

compliance: setup $(if $(LOGS),,$(scripted)) ## who answers in the format asked for, from LOGS='paths'; without: scripted ones
	$(transfer) compliance $(of_logs) $(ARGS)

compute: setup $(if $(LOGS),,$(scripted)) ## tokens and compute of reasoning (Figure 13) from LOGS='paths'; without: scripted ones
	$(transfer) compute $(paths) $(ARGS)

from-logs: setup $(scripted) ## evaluation, ingest and GLMM end to end on scripted answers -> results/scripted/
	$(transfer) ingest $(scripted) --out results/cache/scripted/outcomes.parquet
	$(transfer) glmm --outcomes results/cache/scripted/outcomes.parquet --engine laplace \
	    --formula '$(four_languages)' --out results/scripted $(ARGS)

$(scripted):
	tools/evaluate_scripted.sh

evaluate-scripted: setup ## the evaluation offline, scripted answers -> results/cache/evaluation/ (OUT=dir)
	tools/evaluate_scripted.sh $(OUT)

specifications: setup ## alternatives to the main model (Appendix A.1) -> results/specifications/
	$(transfer) specifications $(inputs) $(if $(FORMULA),--formula '$(FORMULA)') $(ARGS)

loo-predict: setup ## predict languages held out (Figures 5, 6, 14; ours beside the study's) -> results/loo/
	$(transfer) loo-predict $(inputs) $(if $(ENGINE),--engine $(ENGINE)) $(ARGS)

overview: setup ## runs, families, languages, models (Tables 8-12, Figures 12, 16) -> results/overview/
	$(transfer) overview $(if $(OUT),--out '$(OUT)') $(ARGS)

few-templates: setup ## what a few templates in a language add to its prediction (Table 5) -> results/loo/
	$(transfer) few-templates $(inputs) $(ARGS)

power: setup ## what a planned study would detect, by simulation (minutes; N given in ARGS) -> results/power/
	$(transfer) power $(inputs) $(if $(FORMULA),--formula '$(FORMULA)') $(ARGS)

all: setup ## the whole study, in parallel, skipping what is up to date -> results/, index in results/README.md
	$(transfer) all $(if $(OUT),--out '$(OUT)') $(ARGS)

tables: setup ## everything that makes the study's tables -> results/tables/
	$(transfer) all --tables $(if $(OUT),--out '$(OUT)') $(ARGS)

figures: setup ## everything that makes the study's figures -> results/figures/
	$(transfer) all --figures $(if $(OUT),--out '$(OUT)') $(ARGS)

report: setup ## the results on one page, with predictions to explore -> results/report/index.html
	$(transfer) report $(inputs) $(ARGS)

notebooks: setup ## run the notebooks top to bottom, keep their outputs (minutes; ARGS=02: one) -> notebooks/
	.venv/bin/python -m tools.notebooks $(ARGS)

bench: setup ## engines side by side at 25, 100 and 400 templates (about an hour) -> results/bench/
	.venv/bin/python -m benchmarks.compare $(if $(OUT),--out '$(OUT)/bench') $(ARGS)

coverage: setup ## do 95% intervals cover the truth? simulated data (many minutes) -> results/coverage/
	.venv/bin/python -m benchmarks.coverage $(if $(OUT),--out '$(OUT)/coverage') $(ARGS)

predict: setup ## accuracy to expect anywhere: ARGS='--model Qwen/Qwen3-8B --reasoning on --language swh'
	@$(transfer) predict $(ARGS)

levers: setup ## the gap to English by size and reasoning, cost in size (Figures 4, 15) -> results/levers/
	$(transfer) levers $(inputs) $(ARGS)

interval-check: setup ## coverage of predictive intervals on simulated languages -> results/loo/
	$(transfer) interval-check $(ARGS)

docs: setup ## the documentation, no warning allowed -> site/index.html
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet
	@echo "Wrote site/; open site/index.html"

test: setup ## all tests (minutes)
	.venv/bin/python -m pytest

test-browser: setup ## the report in a real browser: explorer, widths, keyboard, print, accessibility
	@tools/browser.sh
	.venv/bin/python -m pytest -m browser tests/browser

test-pymer4: setup ## our fits beside lme4's through pymer4, in an environment of its own
	@tools/pymer4.sh
	.venv/bin/python -m pytest -m pymer4 tests/analysis/glmm/test_pymer4.py

scale: setup ## size, cluster and end-to-end checks (minutes)
	.venv/bin/python -m pytest -m slow tests/analysis/outcomes tests/analysis/unseen tests/common tests/test_from_logs.py

mutations: setup ## plant known faults one by one; the tests must notice (many minutes; ARGS='word of names')
	.venv/bin/python -m tools.mutations $(ARGS)

lint: setup ## style and common errors
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

format: setup ## put the sources into the house style
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

lock: ## rewrite the locks from what is installed in .venv
	tools/lock.sh

clean: ## remove caches and byte code; never a tracked file
	rm -rf results/cache .pytest_cache .ruff_cache *.egg-info
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
