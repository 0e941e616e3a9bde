"""The accuracy to expect of models in languages on one benchmark or several, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from capability_transfer.analysis.arguments import several, whole
from capability_transfer.analysis.data import Source, Study, located
from capability_transfer.analysis.glmm import result as fits
from capability_transfer.analysis.outcomes import benchmark_names, benchmarks
from capability_transfer.analysis.prediction import (
    describe,
    new_language,
    new_model,
    pooled,
    store,
)
from capability_transfer.analysis.prediction.scores import COLUMNS, answered, interval_ends
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, Sheet, View
from capability_transfer.common import progress
from capability_transfer.common.files import hash_table
from capability_transfer.common.kept import Store
from capability_transfer.common.tables import named
from capability_transfer.features import models as model_registry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EMBEDDED = "the study's published cells and MGSM-Pro's original questions"


@dataclass(frozen=True, eq=False, repr=False)
class BenchmarkPredictions(Result):
    """Predicted accuracies of models in languages on benchmarks.

    Attributes:
        table: benchmark, model, language, name, plug_in (what is new at its mean), integrated (the
            mean over what is not known), low_50 … high_95 (0–1), resource, resource_outside (SDs
            outside the languages learned from), size_outside (doublings outside the models learned
            from), seen (whether the outcomes have this pair).
        models: those that were meant.
        items: questions asked of each.
        source: which data the prediction was learned from.
        told: sentences on what was left out or skipped.
        seed: of the draws.
    """

    table: pd.DataFrame
    models: tuple[new_model.AskedModel, ...]
    items: int
    source: str
    told: tuple[str, ...]
    seed: int

    folder = "predictions"
    title = "Predicted accuracy on benchmarks"

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source, seed=self.seed)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"benchmarks": self.table}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_benchmarks": lambda: draw(self.table, self.note)}

    def views(self) -> list[View]:
        title = f"Predicted accuracy (%) on {self.items:,} questions"
        return [View(title, describe.benchmarks_in_percent(self.table))]

    def findings(self) -> list[str]:
        shown = list(map(describe.model_line, self.models)) if len(self.models) == 1 else []
        return [*shown, f"predictor: one model of all benchmarks (pooled); {describe.POINTS}"]

    def notes(self) -> list[str]:
        said = dict.fromkeys(note for model in self.models for note in model.notes)
        return [*said, *self.told, *describe.benchmark_remarks(self.table)]

    def sheet(self) -> Sheet:
        facts = {"learned from": self.source}
        (view,) = self.views()
        return Sheet(view.title, facts, view.display, (*self.findings(), *self.notes()))


@dataclass(frozen=True, eq=False)
class Learned:
    """What predictions on benchmarks are made from.

    Attributes:
        fitted: the pooled model on all outcomes, with draws of its effects.
        floors: chance level by benchmark; of those learned from, and of registered ones that are
            like them: a number is the answer.
        models: ``new_model``'s catalogue of them.
        languages: features of every known language.
        source: in words, which data.
        told: sentences on rows that were left out.
    """

    fitted: pooled.FittedPool
    floors: pd.Series
    models: pd.DataFrame
    languages: pd.DataFrame
    source: str
    told: tuple[str, ...]


def predict(
    study: Study,
    asked: Sequence[str],
    benchmark: str | Sequence[str],
    model: str | None,
    *,
    reasoning: bool | str | None,
    params: float | None,
    family: str | None,
    train: Source | None,
    items: int,
) -> BenchmarkPredictions:
    """``studies.predictions.predict`` for benchmarks.

    Args:
        study: whose languages file and cache count.
        asked: languages.
        benchmark: those to predict.
        model: one; every model that a benchmark has outcomes of without it and ``params``.
        reasoning: on or off.
        params: billions of parameters of a new model.
        family: of a new model.
        train: the user's own results, which are learned from beside the embedded ones.
        items: questions asked in each language.

    Raises InputError for what is not known.
    """
    items = whole("items", items)
    new_language.check_items(items)
    learned = learn(study, train, benchmark if isinstance(benchmark, str) else None)
    known = list(learned.floors.index)
    wanted = [benchmark_names.find(one, known) for one in several("benchmark", benchmark)]
    new = [name for name in wanted if name not in set(learned.fitted.data["benchmark"])]
    rows, skipped = new_language.find_languages(learned, asked)
    if model is None and params is None:
        data = learned.fitted.data
        there = data["benchmark"].isin(wanted) | bool(new)
        names = data["variant"][there].unique()
        chosen = [new_model.find_model(learned, name, None, None, None) for name in names]
    else:
        chosen = [
            new_model.find_model(learned, model, params, family, reasoning, size_needed=False)
        ]
    table = predicted(learned, chosen, wanted, rows, items, study.seed)
    lacking = rows["name"][rows["articles"].isna()]
    told = (
        *learned.told,
        *(f"{name} has no Wikipedia: it is taken to be what languages with as many pages have, and "
          "their spread is in the interval" for name in lacking),
        *(f"skipped: {line}" for line in skipped),
        *(describe.new_benchmark(name) for name in new),
    )  # fmt: skip
    return BenchmarkPredictions(table, tuple(chosen), items, learned.source, told, study.seed)


def learn(study: Study, train: Source | None = None, benchmark: str | None = None) -> Learned:
    """The pooled model on the embedded outcomes and a user's, fitted or read from the cache."""
    counts, source = [benchmarks.embedded()], EMBEDDED
    if train is not None:
        counts.append(benchmarks.read_counts(located(train), benchmark))
        source = f"{source}, and {Path(named(train, 'outcomes')).name}"
    languages = store.known_languages(
        study.inputs.features.languages, study.inputs.further_languages
    )
    key = (*map(hash_table, counts), hash_table(languages))

    def make() -> dict[str, object]:
        with progress.working("the pooled model (fitted at the first call, then kept)"):
            found = pooled.pool(counts, languages)
            fitted = pooled.fit(found).sampled(store.DRAWS, store.DRAWS_SEED)
        return {
            "fit": fits.dumps(fitted.fit),
            "tables": {"data": fitted.data, "constants": fitted.constants},
            "drawn": fitted.posterior.drawn(),
            "floors": found.benchmarks.reset_index(),
            "told": list(found.left_out),
        }

    def restore(plain: dict[str, object]) -> Learned:
        made = fits.loads(plain["fit"])
        fitted = pooled.restore(made, **plain["tables"], drawn=plain["drawn"])
        known = benchmark_names.registry().query("answers == 'a number'")["floor"]
        floors = plain["floors"].set_index("benchmark")["floor"].combine_first(known)
        models = catalogue(fitted)
        return Learned(fitted, floors, models, languages, source, tuple(plain["told"]))

    kept = Store(study.cache)
    found = kept.find("pooled", *key, of=restore)
    if found is None:
        plain = make()
        kept.get("pooled", *key, make=lambda: plain)
        found = restore(plain)
    return found


def catalogue(fitted: pooled.FittedPool) -> pd.DataFrame:
    """The models learned from, as ``new_model`` looks for them."""
    models = fitted.data[pooled.MODEL].drop_duplicates("variant")
    size = fitted.constants.set_index("feature").loc["size"]
    raw = models["size"] * size["sd"] + size["mean"]
    unknown = fitted.data.loc[models.index, "size_unknown"] > 0
    registered = model_registry.registry()[["variant", "hub_id", "tokenizer"]]
    models = models.assign(size=raw.mask(unknown)).merge(registered, on="variant", how="left")
    return models.fillna({"hub_id": "", "tokenizer": ""})


def predicted(
    learned: Learned,
    models: Sequence[new_model.AskedModel],
    wanted: Sequence[str],
    languages: pd.DataFrame,
    items: int,
    seed: int,
) -> pd.DataFrame:
    """``BenchmarkPredictions.table`` of every model in every language on every benchmark."""
    fitted = learned.fitted
    of_models = pd.DataFrame(
        [{name: getattr(one, name) for name in pooled.MODEL} for one in models]
    )
    rows = learned.floors[list(wanted)].rename_axis("benchmark").reset_index()
    columns = ["language", "name", *pooled.FEATURES]
    raw = rows.merge(of_models, how="cross").merge(languages[columns], how="cross")
    scaled = fitted.standardised(raw)
    accuracy = fitted.draws(scaled, seed)
    table = raw[["benchmark", "variant", "language", "name"]].rename(columns={"variant": "model"})
    table["plug_in"], table["integrated"] = fitted.plug_in(scaled), accuracy.mean(axis=1)
    table[COLUMNS] = interval_ends(answered(accuracy, items, (seed, 3)))
    table["resource"] = raw["resource"]
    known = fitted.languages.covariates["resource"]
    table["resource_outside"] = new_language.outside(scaled["resource"], known)
    table["size_outside"] = new_language.outside(
        raw["size"], learned.models["size"].dropna()
    ).fillna(0.0)
    pairs = set(map(tuple, fitted.data[pooled.PAIR].to_numpy()))
    table["seen"] = [row in pairs for row in map(tuple, raw[pooled.PAIR].to_numpy())]
    return table


COLOURS = (plots.OURS, plots.PUBLISHED, plots.INK, "#4d8b57")
MARKS = "oDs^v"


@plots.styled
def draw(table: pd.DataFrame, note: str) -> Figure:
    """Plug-in predictions with 80% intervals by language, a panel per benchmark; the languages are
    ordered by what is predicted on average."""
    means = table.groupby("name")["plug_in"].mean().sort_values(kind="stable")
    height = {name: place for place, name in enumerate(means.index)}
    panels = list(dict.fromkeys(table["benchmark"]))
    models = list(dict.fromkeys(table["model"]))
    figure = plots.new_figure(3.0 * len(panels) + 1.2, 0.26 * len(means) + 1.2)
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    known = benchmark_names.registry()["name"]
    for panel, (one, benchmark) in enumerate(zip(axes, panels, strict=True)):
        own = table[table["benchmark"] == benchmark]
        for place, model in enumerate(models):
            rows = own[own["model"] == model]
            shift = (place + 1) / (len(models) + 1) - 0.5
            at = rows["name"].map(height) - 0.8 * shift
            colour, mark = COLOURS[place % len(COLOURS)], MARKS[place % len(MARKS)]
            one.hlines(at, 100 * rows["low_80"], 100 * rows["high_80"], color=colour, alpha=0.4,
                       linewidth=2.2)  # fmt: skip
            one.plot(100 * rows["plug_in"], at, mark, color=colour, markersize=3.5,
                     label=plots.plain(model) if panel == 0 else None)  # fmt: skip
        one.set_title(known.get(benchmark, benchmark), fontsize=9)
        one.set_xlim(0, 100)
        one.set_xlabel("predicted accuracy (%)")
        one.tick_params(axis="y", length=0)
        plots.grid(one, "x")
    axes[0].set_yticks(range(len(means)), means.index.map(plots.plain))
    axes[0].set_ylim(-0.6, len(means) - 0.4)
    figure.legend(loc="outside upper left", ncols=min(len(models), 4), fontsize=8)
    shows = (
        "Predicted accuracy by language with 80% intervals, a panel per benchmark and a mark per "
        "model; languages with the highest mean prediction stand on top."
    )
    plots.add_note(figure, note, shows)
    return figure
