"""The accuracy to expect of a model in any language, tested or not, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
from capability_transfer.analysis.arguments import several, speaking_python, whole
from capability_transfer.analysis.data import Source, Study, given, located
from capability_transfer.analysis.inputs import unused_columns
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.prediction import describe, loo, new_language, new_model
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.analysis.prediction.store import DEFAULT
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, Sheet, View
from capability_transfer.analysis.studies import benchmarks
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, option
from capability_transfer.common.tables import named

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PREDICTOR = f"{predictor(DEFAULT).label} ({DEFAULT})"

WIDTHS = {95: 1.2, 80: 3.2, 50: 6.0}
"""Lines of the intervals, in points."""


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Result):
    """Predicted accuracies of one model.

    Attributes:
        table: language, name, resource, distance, plug_in (accuracy with the new effects at
            zero), integrated (its mean over them), low_50 … high_95 (0–1), fertility and where it
            comes from, how far outside the training languages (SDs), seen, templates.
        model: the model that was meant.
        items: questions asked of it in each language.
        skipped: languages of "all" that lack a feature, and which.
        reaching: language, params_b, limit_b, best, reasoning_on: what would reach ``target``;
            None without one.
        target: the accuracy to reach (0–1), or None.
        source: which data the prediction was learned from.
        calibrated: which data it was calibrated with, empty where there are none.
        left_out: what was assumed of the outcomes to calibrate with and left out of them, and what
            the model is without, since these data cannot tell it.
        seed: of the draws.
    """

    table: pd.DataFrame
    model: new_model.AskedModel
    items: int
    skipped: tuple[str, ...]
    reaching: pd.DataFrame | None
    target: float | None
    source: str
    calibrated: str
    left_out: tuple[str, ...]
    seed: int

    folder = "predictions"
    title = "Predicted accuracy"

    @property
    def provenance(self) -> Provenance:
        calibrated = self.calibrated and f"; calibrated with {self.calibrated}"
        return Provenance(f"{self.source}{calibrated}", seed=self.seed)

    def frames(self) -> dict[str, pd.DataFrame]:
        frames = {"predictions": self.table}
        return frames if self.reaching is None else frames | {"target": self.reaching}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_predictions": lambda: draw_intervals(self.table, self.note)}

    def views(self) -> list[View]:
        title = f"Predicted accuracy (%) on {self.items:,} questions"
        return [View(title, describe.in_percent(self.table))]

    def findings(self) -> list[str]:
        return [
            describe.model_line(self.model),
            f"predictor: {PREDICTOR}; {describe.POINTS}",
            f"× size: {describe.MULTIPLE}",
            *self._answers(),
        ]

    def notes(self) -> list[str]:
        return [*self.model.notes, *self.left_out, *describe.remarks(self.table)]

    def remarks(self) -> list[str]:
        """What a reader must know: extrapolation, guesses, calibration, what reaches a target."""
        return [*self.notes(), *self._answers()]

    def _answers(self) -> list[str]:
        lines = [f"skipped: {line}" for line in self.skipped]
        if self.reaching is not None:
            lines += describe.target_lines(self.reaching, self.target)
            if self.calibrated:
                lines.append("what would reach the target is predicted without your templates")
        return lines

    def plot(self, ax: Axes | None = None) -> Axes:
        """The plug-in prediction of every language with its 50, 80 and 95% intervals."""
        with plots.axes(ax, 6.0, _height(self.table), self.note) as ax:
            intervals(ax, self.table)
            plots.legend_above(ax, 4)
        return ax

    def sheet(self) -> Sheet:
        facts = {
            "model": describe.model_line(self.model),
            "learned from": self.provenance.data,
            "predictor": f"{PREDICTOR}; {describe.POINTS}",
            "× size": describe.MULTIPLE,
        }
        (view,) = self.views()
        return Sheet(view.title, facts, view.display, tuple(self.remarks()))


@speaking_python
def predict(
    language: str | Sequence[str],
    model: str | None = None,
    *,
    reasoning: bool | str | None = None,
    params: float | None = None,
    family: str | None = None,
    target: float | None = None,
    outcomes: Source | None = None,
    study: Study | None = None,
    items: int = new_language.ITEMS,
    benchmark: str | Sequence[str] | None = None,
    train: Source | None = None,
) -> Predictions | benchmarks.BenchmarkPredictions:
    """The accuracy to expect of a model in any language.

    Args:
        language: a code or an English name, or several, or "all": every language that the
            templates are in.
        model: a variant, base model or hub id, in any case; another model is described by its
            name or by ``params`` (billions of parameters) and, where it is known, ``family``.
        reasoning: on (True) or off (False); needed where a model has both.
        params: see ``model``.
        family: see ``model``.
        target: an accuracy (0–1): what would have to change to reach it?
        outcomes: the few templates that you evaluated in these languages, to calibrate with.
        study: what to learn from; the embedded study without it.
        items: questions you would ask in each language; their noise is in the intervals.
        benchmark: predict on this benchmark, or on several, by the pooled model; every model that
            they have outcomes of without ``model`` and ``params``.
        train: with ``benchmark``: your own results, on any benchmarks, to learn from beside the
            embedded ones (benchmark, model, language, n_correct, n_total).

    Raises InputError for a language or model that is not known, or lacks a feature, and for a
    target that nothing reaches.
    """
    study, asked, items = given(study), several("language", language), whole("items", items)
    if benchmark is not None:
        for name, value in (("outcomes", outcomes), ("target", target)):
            if value is not None:
                raise InputError(
                    f"{option(name)} is not for {option('benchmark')}: leave one out",
                    parameter=name,
                )
        return benchmarks.predict(
            study, asked, benchmark, model, reasoning=reasoning, params=params, family=family,
            train=train, items=items,
        )  # fmt: skip
    if train is not None:
        raise InputError(f"{option('train')} goes with {option('benchmark')}", parameter="train")
    new_language.check_items(items)
    if target is not None:
        new_language.check_target(target)
    known = study.catalogue  # what cannot be asked is said before the fit
    chosen = new_model.find_model(known, model, params, family, reasoning)
    rows, skipped = new_language.find_languages(known, asked)
    cells, calibrated, said = None, "", []
    if outcomes is not None:
        own, where = read_outcomes(located(outcomes)), named(outcomes, "outcomes")
        calibrated, said = own.attrs["data_source"], unused_columns(own)
        cells, notes = new_model.select_cells(own, chosen, model, rows["language"], where)
        said += notes
    with progress.working("the model (fitted at the first call, then kept)"):
        bundle = study.bundle
    if cells is not None:
        templates = cells["template"].drop_duplicates()
        if known := int(templates.isin(bundle.item_model.easiness.index).sum()):
            said.append(
                f"{known} of your {len(templates)} templates have names of templates learned from, "
                "and are taken to be these"
            )
    tables, sizes = [], []
    with progress.counting("languages", len(rows)) as tell:
        for place in range(len(rows)):  # one by one: a language does not depend on the others
            one = rows.iloc[[place]]
            tables.append(new_language.predict(bundle, chosen, one, items, study.seed, cells))
            if target is not None:
                sizes.append(new_language.what_reaches(bundle, chosen, one, target))
            tell(1)
    reaching = pd.concat(sizes, ignore_index=True) if sizes else None
    if reaching is not None:
        describe.target_lines(reaching, target)  # a target that nothing reaches is an error
    return Predictions(
        table=pd.concat(tables, ignore_index=True),
        model=chosen,
        items=items,
        skipped=tuple(skipped),
        reaching=reaching,
        target=target,
        source=study.source,
        calibrated=calibrated,
        left_out=(*said, *loo.describe_left_out(study.inputs)),
        seed=study.seed,
    )


@plots.styled
def draw_intervals(table: pd.DataFrame, note: str) -> Figure:
    """Predictions with their intervals, from ``predictions/predictions.csv``."""
    figure = plots.new_figure(6.0, _height(table))
    intervals(figure.add_subplot(), table)
    figure.legend(loc="outside upper left", ncols=4, fontsize=8)
    shows = "Predicted accuracy with its predictive intervals."
    plots.add_note(figure, note, shows)
    return figure


def intervals(axes: Axes, table: pd.DataFrame) -> None:
    """A row per prediction, the first on top; the points are the plug-in ones."""
    positions = -table.reset_index(drop=True).index.to_numpy(dtype=float)
    for level, width in WIDTHS.items():
        axes.hlines(
            positions, 100 * table[f"low_{level}"], 100 * table[f"high_{level}"],
            color=plots.OURS, alpha=0.35, linewidth=width, label=f"{level}%",
        )  # fmt: skip
    axes.plot(
        100 * table["plug_in"], positions, "o", color=plots.OURS, markersize=5,
        markeredgecolor="white", label="plug-in prediction",
    )  # fmt: skip
    names = table["name"] + " (" + table["language"] + ")"
    plots.name_rows(axes, positions, names, [f"{100 * value:.0f}" for value in table["plug_in"]])
    axes.set_ylim(positions.min() - 0.6, 0.6)
    axes.set_xlim(0, 100)
    axes.set_xlabel("predicted accuracy (%)")


def _height(table: pd.DataFrame) -> float:
    """Inches of a chart of these predictions."""
    return 0.3 * len(table) + 1.0
