"""How well accuracy in a language is predicted without having tested it (Figures 5, 6 and 14).

Each language is held out in turn, and whole edges of what is known: a predictor learns from the
other languages and says what every model does in these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.arguments import several, speaking_python, whole
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.glmm.engines import ENGINES
from capability_transfer.analysis.prediction import loo, scores
from capability_transfer.analysis.prediction.evaluate import DRAWS, Task
from capability_transfer.analysis.prediction.partial_effect import (
    ALL,
    resource_shape,
    resource_slope,
)
from capability_transfer.analysis.prediction.predictors import PREDICTORS
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, Sheet, View
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.published import read
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.files import rounded
from capability_transfer.common.parallel import replaced_quietly
from capability_transfer.common.seeds import DEFAULT_SEED
from capability_transfer.features.languages import among
from scipy.stats import binom

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVELS = {"pair": "models in a language", "language": "language means"}
COLOURS = {"study": plots.PUBLISHED, "smooth": plots.OURS}
SHAPES = {"study": "D", "smooth": "o"}
SIGNS = {"study": "◇", "smooth": "●"}
TITLES = {"study": "the study's model", "smooth": "smooth resource and relatives (ours)"}
"""The predictors that Figures 5, 6 and 14 show."""

DIGITS = 6
"""Decimals of the values in ``loo/``."""

CELL = ["variant", "language", "template", "n_correct", "n_total"]
TITLE = "Predictions for held-out languages"
ABOUT = """Accuracies are shares (0–1), errors accuracy points. Leave-one-language-out:

- `pairs.csv`, `by_language.csv`, `summary.csv`: `predicted` is the plug-in prediction (modes, new
  effects zero); intervals are predictive: effects, their SDs and the binomial noise of the items
  asked are drawn. The means have none, nor `size_reasoning`, which no table shows: the integrated
  prediction of these is the plug-in one (`--predictor size_reasoning` draws).
- `points.csv`, `points_summary.csv`: the plug-in prediction beside the integrated one (the mean
  over the new effects).
- `intervals.csv`, `calibration.csv`: coverage, width and interval score.
- `published.csv`: the study's figures beside ours. `ladder.csv`: from its model to ours.
- `fits.csv`: fits to all data. `resource_shape.csv`: the smooth of resource.
- `nested.csv` (`--nested --out results`): each language predicted by the predictor with the
  smallest error over the others, `inner_…` (pair MAE with two languages held out).

`extrapolation.csv` and `extrapolation_intervals.csv` hold out whole edges: the three languages
with least text, the three most distant from English, the languages of each script.
`few_templates.csv` and `few_templates_coverage.csv` are of `make few-templates`: the error after k
templates of the language were seen. `simulated_coverage.csv` is of `make interval-check`: what
intervals cover in worlds drawn from the fitted models.

"""
"""Of the folder ``loo``, which three analyses write to."""


@dataclass(frozen=True, eq=False)
class Shape:
    """The effect of resource.

    Attributes:
        curves: ``partial_effect.resource_shape``.
        slope: the straight line of the study's model, log-odds per unit of resource.
        languages: language, resource of those in the data.
    """

    curves: pd.DataFrame
    slope: float
    languages: pd.DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut(Result):
    """Predictions of languages held out one at a time, beside what was observed.

    Attributes:
        result: predictions and fits.
        names: of the languages, by code.
        source: which data.
        left_out: what the models are without, since these data cannot tell it, and which
            predictors are left out.
        seed: of the draws.
        nested: ``loo.nested``, None unless it was asked for.
        shape: of the effect of resource, None unless it was asked for.
    """

    result: loo.LeaveOut
    names: pd.Series
    source: str
    left_out: tuple[str, ...] = ()
    seed: int = 0
    nested: pd.DataFrame | None = None
    shape: Shape | None = None

    folder = "loo"
    title = TITLE
    about = ABOUT

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source, seed=self.seed)

    @property
    def pairs(self) -> pd.DataFrame:
        """language, variant, predictor, observed, predicted, low_50 … high_95 (0–1)."""
        return self.result.pairs()

    @property
    def summary(self) -> pd.DataFrame:
        """level, predictor, n, mae, rmse (accuracy points), pearson, spearman, coverage_80."""
        return scores.summary(self.result.one)

    @property
    def by_language(self) -> pd.DataFrame:
        """language, predictor, observed, predicted (0–1), error (points)."""
        return scores.by_language(self.result.one)

    @property
    def intervals(self) -> pd.DataFrame:
        """predictor, level, nominal, n, coverage, width, interval_score (points)."""
        return scores.intervals(self.result.one)

    @property
    def calibration(self) -> pd.DataFrame:
        """predictor, level, nominal (5% to 95%), coverage of the interval of that size."""
        return scores.calibration(self.result.one)

    @property
    def ladder(self) -> pd.DataFrame:
        """From the study's model to ours, one row per step: see ``loo.ladder``."""
        return loo.ladder(self.result.one, self.result.edges, self.result.fits)

    @property
    def predictors(self) -> list[str]:
        """The predictors that were compared."""
        return list(dict.fromkeys(self.result.one["predictor"]))

    def frames(self) -> dict[str, pd.DataFrame]:
        result = self.result
        points = [
            scores.summary(result.one, point).assign(point=point)
            for point in ("plug_in", "integrated")
        ]
        frames = {
            "pairs": self.pairs,
            "summary": self.summary,
            "by_language": self.by_language,
            "points": result.points(),
            "points_summary": pd.concat(points),
            "intervals": self.intervals,
            "calibration": self.calibration,
            "fits": result.fits,
            "ladder": self.ladder,
        }
        if not result.edges.empty:
            frames["extrapolation"] = scores.extrapolation(result.edges)
            frames["extrapolation_intervals"] = scores.intervals(result.edges)
        if result.is_study:
            frames["published"] = result.beside_published()
        if self.shape is not None:
            frames["resource_shape"] = self.shape.curves
        if self.nested is not None:
            frames["nested"] = self.nested
        return {name: rounded(frame, DIGITS) for name, frame in frames.items()}

    def tables(self) -> dict[str, Table]:
        steps = self.ladder
        return {} if steps.empty else {"table_ladder": ladder_table(steps, self.note)}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        one, known = self.result.one, read("study_predictions").query("k == 0")
        known = known if self.result.is_study else known[:0]
        figures = {}  # of the predictors that were asked for
        if set(self.predictors) & set(TITLES):
            figures["figure_05"] = lambda: forecast_of_means(one, known, self.note)
            figures["figure_06"] = lambda: forecast_of_pairs(self.pairs, known, self.note)
            figures["figure_14"] = lambda: pairs_by_language(self.pairs, self.names, self.note)
        if not (calibration := self.calibration).empty:
            figures["figure_calibration"] = lambda: coverage_by_size(
                calibration, self.note, len(self.by_language["language"].unique())
            )
        if not (steps := self.ladder).empty:
            figures["figure_ladder"] = lambda: errors_by_step(steps, self.pairs, self.note)
        if (shape := self.shape) is not None:
            figures["figure_resource_shape"] = lambda: effect_of_resource(
                shape.curves, shape.slope, shape.languages, self.note
            )
        return figures

    def views(self) -> list[View]:
        table = self.summary
        display = pd.DataFrame(
            {
                "": [
                    f"{row.predictor}, {LEVELS[row.level]}" for row in table.itertuples(index=False)
                ],
                "mean absolute error": [number(value, 2) for value in table["mae"]],
                "r": [number(value, 3) for value in table["pearson"]],
                "80% covers": [
                    "" if value != value else f"{value:.0%}" for value in table["coverage_80"]
                ],
            }
        )
        return [View("Held-out languages, errors in accuracy points", display)]

    def findings(self) -> list[str]:
        lines = []
        if self.result.is_study:
            lines += [
                f"published {row.level} {row.predictor} {row.statistic}: {row.published:g}, "
                f"ours {row.ours:.3f}"
                for row in self.result.beside_published().itertuples()
            ]
        if self.nested is not None:
            lines.append(loo.describe_nested(self.nested))
        return lines

    def notes(self) -> list[str]:
        return list(self.left_out)

    def sheet(self) -> Sheet:
        held = self.result.one["language"].unique()
        facts = {
            "held out": f"{len(held)} languages, one at a time: {' '.join(sorted(held))}",
            "data": self.source,
        }
        (view,) = self.views()
        return Sheet(view.title, facts, view.display, (*self.findings(), *self.notes()))

    @speaking_python
    def plot(
        self, predictor: str | None = None, level: str = "language", ax: Axes | None = None
    ) -> Axes:
        """Predicted against observed accuracies of one predictor (the last without a name).

        ``level``: language means with their 80% intervals (language), or every model in every
        language (pair).
        """
        known = self.predictors
        name = predictor or known[-1]
        if name not in known:
            raise InputError(
                f"{name} was not held out; there are {name_some(known)}.{suggest(name, known)}"
            )
        if level not in LEVELS:
            raise InputError(f"level={level!r}: there are {name_some(LEVELS)}")
        colour = COLOURS.get(name, plots.MUTED)
        with plots.axes(ax, 4.2, 4.2, self.note) as ax:
            if level == "pair":
                scatter_pairs(ax, self.pairs[self.pairs["predictor"] == name], colour)
            else:
                one = self.result.one
                scatter_means(ax, one[one["predictor"] == name], colour)
            ax.set(title=plots.plain(TITLES.get(name, name)), ylabel=PREDICTED)
        return ax


@speaking_python
def hold_out(
    study: Study | None = None,
    predictors: str | Sequence[str] = ("study", "smooth"),
    languages: str | Sequence[str] | None = None,
    *,
    edges: bool = False,
    nested: bool = False,
    shape: bool = False,
    engine: str = "laplace",
    draws: int = DRAWS,
    workers: int = 2,
    drop_missing: bool = False,
) -> HeldOut:
    """Hold out languages one at a time, and predict every model there from the others.

    Args:
        study: from ``load``; the embedded study without it.
        predictors: names out of ``analysis.prediction.predictors.PREDICTORS``: ``study`` (the
            study's GLMM), ``smooth`` (ours; both take seconds per language), and simpler, faster
            ones; "all": every one that the engine can fit, those that the ladder does not show
            without intervals.
        languages: those to hold out; every language of the study without it.
        edges: also hold out whole edges of the languages, to see the extrapolation.
        nested: also choose the predictor anew for each language, by the others alone (minutes).
        shape: also describe the effect of resource in ``smooth``, if that is among the predictors
            (a fit to all languages).
        engine: of the study's GLMMs.
        draws: of the predictive distributions.
        workers: folds at once.
        drop_missing: drop rows that lack a feature, instead of leaving the feature out.

    Raises InputError for a predictor, language or engine that is not there, and for too few
    languages.
    """
    if engine not in ENGINES:
        raise InputError(
            f"no engine {engine!r}; there are {', '.join(ENGINES)}.{suggest(engine, ENGINES)}"
        )
    study, names = given(study), several("predictors", predictors)
    draws, workers = whole("draws", draws, 2), whole("workers", workers)
    left_out = loo.describe_left_out(study.inputs, drop_missing)
    pointwise = ()
    if names == ["all"]:
        names = [name for name, one in PREDICTORS.items() if engine in (one.engines or ENGINES)]
        if others := [name for name in PREDICTORS if name not in names]:
            left_out += (f"left out, fitted by our engine alone: {', '.join(others)}",)
        pointwise = tuple(name for name in names if name not in loo.STEPS)
    joined, vectors = study.prepared(drop_missing)
    held = None if languages is None else held_languages(joined, languages)
    task = Task(joined, vectors, engine, draws, study.seed, study.cache, workers, pointwise)
    with replaced_quietly():
        result = loo.loo(study.inputs, task, progress.counting, names, edges, held)
        return HeldOut(
            result,
            study.inputs.features.languages.set_index("language")["name"],
            study.source,
            left_out,
            study.seed,
            loo.nested(task, progress.counting) if nested else None,
            _shape(study, task, drop_missing) if shape and "smooth" in names else None,
        )


def held_languages(joined: pd.DataFrame, languages: str | Sequence[str] | None) -> list[str]:
    """The languages to hold out, all that there are outcomes in for None; else InputError."""
    known = sorted(joined["language"].unique())
    if languages is None:
        return known
    return list(dict.fromkeys(among(code, known) for code in several("languages", languages)))


def _shape(study: Study, task: Task, drop_missing: bool) -> Shape:
    """The effect of resource in the fit that predictions are made from."""
    if drop_missing:  # another fit than that to all rows
        study = replace(study, inputs=replace(study.inputs, cells=task.joined[CELL]))
    bundle = study.bundle
    languages = bundle.languages[
        bundle.languages["language"].isin(task.joined["language"].unique())
    ]
    curves = resource_shape(bundle.fitted, bundle.constants, task.seed)
    return Shape(curves, resource_slope(task), languages)


SHOWN = {
    "mae": ("MAE, pairs", 2),
    "pearson": ("r", 3),
    "language_mae": ("MAE, languages", 2),
    "edges_mae": ("MAE, edges", 2),
    "log_lik": ("logLik", 1),
    "df": ("df", 0),
}
SHARES = {
    "coverage_80": "80% covers",
    "coverage_95": "95% covers",
    "edges_coverage_80": "80% covers, edges pooled",
}


def ladder_table(ladder: pd.DataFrame, note: str) -> Table:
    """From the study's model to ours, step by step (``loo.ladder``).

    Errors in accuracy points, likelihoods of fits to all pairs.
    """
    display = pd.DataFrame({"": ladder["label"]})
    for column, (title, digits) in SHOWN.items():
        display[title] = [number(value, digits) for value in ladder[column]]
    for column, title in SHARES.items():
        display[title] = [f"{number(100 * value, 0)}%" for value in ladder[column]]
    caption = (
        "From the study's model to ours: errors (accuracy points) and coverage when each language "
        "is held out, and when whole edges are (least text, most distant, one script)."
    )
    note = f"{note} Log-likelihoods are those of pair totals; the first step's, of cells, is not."
    return Table("table_ladder", caption, note, ladder, display)


TICKS = [40, 50, 60, 70, 80, 90, 100]
PREDICTED = "predicted accuracy (%), language held out"
OBSERVED = "observed accuracy (%)"
CLOSEST = 2.4  # percent between two names on one side


@plots.styled
def forecast_of_means(predictions: pd.DataFrame, published: pd.DataFrame, note: str) -> Figure:
    """Figure 5: language means predicted with each language held out, with 80% intervals.

    From ``loo.LeaveOut.one``; one panel per predictor of ``TITLES``.
    """

    def draw(axes: Axes, name: str) -> None:
        known = published.query("level == 'language' and predictor == @name")
        more = "".join(f"\npublished MAE {value:.2f}" for value in known["value"])
        rows = predictions[predictions["predictor"] == name]
        scatter_means(axes, rows, COLOURS[name], more)

    shows = (
        "Predicted against observed mean accuracy of every language when it is held out; bars: "
        "80% predictive intervals."
    )
    return _panels(predictions, draw, note, shows)


@plots.styled
def forecast_of_pairs(pairs: pd.DataFrame, published: pd.DataFrame, note: str) -> Figure:
    """Figure 6: every pair of a model and a language predicted with its language held out.

    From ``loo/pairs.csv``; one panel per predictor of ``TITLES``.
    """

    def draw(axes: Axes, name: str) -> None:
        known = published.query("level == 'pair' and predictor == @name")
        known = known.set_index("statistic")["value"]
        more = f"\npublished {known['mae']:.2f}, {known['pearson']:.3f}" if len(known) else ""
        scatter_pairs(axes, pairs[pairs["predictor"] == name], COLOURS[name], more)

    count = (pairs["predictor"] == pairs["predictor"].iloc[0]).sum()
    shows = (
        "Predicted against observed accuracy of every model in a language that is held out: "
        f"{count} pairs of a model and a language."
    )
    return _panels(pairs, draw, note, shows)


def _panels(
    table: pd.DataFrame, draw: Callable[[Axes, str], None], note: str, shows: str
) -> Figure:
    """A panel per predictor of ``TITLES`` that is in the table."""
    names = [name for name in TITLES if name in set(table["predictor"])]
    figure = plots.new_figure(3.6 * len(names) + 0.2, 4.2)
    panels = figure.subplots(1, len(names), sharex=True, sharey=True, squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        draw(axes, name)
        axes.set_title(TITLES[name])
    panels[0].set_ylabel(PREDICTED)
    plots.add_note(figure, note, shows)
    return figure


def scatter_means(
    axes: Axes, predictions: pd.DataFrame, colour: str = plots.OURS, more: str = ""
) -> None:
    """One predictor's language means against the observed ones, with 80% intervals where known."""
    rows = predictions[predictions["level"] == "language"]
    _percent(axes)
    observed, predicted = rows["observed"].to_numpy(), rows["plug_in"].to_numpy()
    axes.vlines(
        100 * observed, 100 * rows["low_80"], 100 * rows["high_80"], color=colour, linewidth=0.9,
        alpha=0.5,
    )  # fmt: skip
    axes.plot(100 * observed, 100 * predicted, "o", color=colour, markersize=4.5)
    _name_means(axes, rows)
    _say_errors(axes, observed, predicted, more)
    shown = 100 * np.array([*rows["low_80"], *rows["high_80"], *predicted, *observed])
    low, high = np.nanmin(shown) - 4, np.nanmax(shown) + 6
    axes.set(xlim=(low, high), ylim=(low, high), xticks=TICKS, yticks=TICKS)
    axes.set_xlabel("observed accuracy (%), mean over models")


def scatter_pairs(
    axes: Axes, pairs: pd.DataFrame, colour: str = plots.OURS, more: str = ""
) -> None:
    """One predictor's pairs against what was observed."""
    _percent(axes)
    axes.plot(
        100 * pairs["observed"], 100 * pairs["predicted"], "o", color=colour, markersize=3,
        alpha=0.45, markeredgewidth=0,
    )  # fmt: skip
    _say_errors(axes, pairs["observed"].to_numpy(), pairs["predicted"].to_numpy(), more)
    axes.set_xlabel(OBSERVED)


def _percent(axes: Axes) -> None:
    """Percent on both axes and the line of perfect prediction."""
    axes.plot([0, 100], [0, 100], color=plots.MUTED, linewidth=0.8, zorder=1)
    axes.set(xlim=(-2, 102), ylim=(-2, 102), aspect="equal")
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_yticks([0, 25, 50, 75, 100])
    plots.grid(axes)


def _say_errors(axes: Axes, observed: np.ndarray, predicted: np.ndarray, more: str) -> None:
    """Mean absolute error (points) and r in the corner; ``observed`` and ``predicted`` are 0–1.

    Without r where one of them does not vary, as with one language.
    """
    mae = 100 * np.mean(np.abs(predicted - observed))
    vary = np.ptp(observed) > 0 and np.ptp(predicted) > 0
    r = f"\nr = {np.corrcoef(observed, predicted)[0, 1]:.3f}" if vary else ""
    text = f"MAE {mae:.2f} points{r}{more}"
    axes.text(0.04, 0.96, text, transform=axes.transAxes, va="top", fontsize=8, color=plots.INK)


def _name_means(axes: Axes, rows: pd.DataFrame) -> None:
    """Languages beside their points, above the line to the left of them, below it to the right.

    Names on one side are moved apart where they would stand on each other.
    """
    line = {"arrowstyle": "-", "color": plots.MUTED, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2}
    for side in (-1, 1):
        own = rows[np.sign(rows["observed"] - rows["plug_in"]) == side]
        height = -np.inf
        for row in own.sort_values("plug_in", kind="stable").itertuples():
            height = max(100 * row.plug_in + 1.5 * -side, height + CLOSEST)
            axes.annotate(
                plots.plain(row.language), (100 * row.observed, 100 * row.plug_in),
                xytext=(100 * row.observed + 2.6 * side, height), va="center", fontsize=6.5,
                ha="left" if side > 0 else "right", color=plots.INK, arrowprops=line,
            )  # fmt: skip


COLUMNS = 5
"""Panels side by side in Figure 14."""


def _marked(name: str) -> dict[str, str]:
    """How a predictor's points are drawn: its mark, hollow for the study's."""
    colour = COLOURS[name]
    hollow = "none" if name == "study" else colour
    return {"marker": SHAPES[name], "linestyle": "", "color": colour, "markerfacecolor": hollow}


@plots.styled
def pairs_by_language(pairs: pd.DataFrame, names: pd.Series, note: str) -> Figure:
    """Figure 14: Figure 6 language by language, in the order of their mean accuracy.

    From ``loo/pairs.csv`` and the languages' names by code.
    """
    from matplotlib.lines import Line2D

    shown = [name for name in TITLES if name in set(pairs["predictor"])]
    means = pairs.groupby("language")["observed"].mean()
    order = means.sort_values(ascending=False, kind="stable").index
    lines = -(-len(order) // COLUMNS)
    figure = plots.new_figure(8.4, 1.62 * lines + 0.9)
    panels = figure.subplots(lines, COLUMNS, sharex=True, sharey=True, squeeze=False).ravel()
    for axes in panels[len(order) :]:
        axes.remove()
    for axes, language in zip(panels, order, strict=False):
        _percent(axes)
        axes.set_title(plots.plain(names.get(language, language)), fontsize=9)
        for place, name in enumerate(shown):
            rows = pairs[(pairs["language"] == language) & (pairs["predictor"] == name)]
            axes.plot(
                100 * rows["observed"], 100 * rows["predicted"], markersize=2.6, alpha=0.7,
                markeredgewidth=0.5, **_marked(name),
            )  # fmt: skip
            error = 100 * np.abs(rows["predicted"] - rows["observed"]).mean()
            axes.text(
                0.05, 0.95 - 0.13 * place, f"{SIGNS[name]} {error:.1f}",
                transform=axes.transAxes, va="top", fontsize=7.5, color=COLOURS[name],
            )  # fmt: skip
    handles = [Line2D([], [], markersize=4, label=TITLES[name], **_marked(name)) for name in shown]
    figure.legend(handles=handles, loc="outside upper left", ncols=2, fontsize=8)
    figure.supylabel(PREDICTED, fontsize=9, color=plots.INK)
    bottom = panels[: len(order)][-COLUMNS:]
    bottom[len(bottom) // 2].set_xlabel(OBSERVED)
    shows = (
        "Predicted against observed accuracy of every model in each language when it is held out, "
        "a panel per language; in the corner: mean absolute error in points."
    )
    plots.add_note(figure, note, shows)
    return figure


PANELS = {"pair": "pairs (model, language)", "language": "language means"}
CURVES = {
    "study": (COLOURS["study"], 1.6, "--", TITLES["study"]),
    "smooth": (COLOURS["smooth"], 1.8, "-", TITLES["smooth"]),
    "pair": (plots.OURS, 1.6, "-", PANELS["pair"]),
    "language": (plots.PUBLISHED, 1.6, "--", PANELS["language"]),
}
"""Colour, width, line and label of a predictor's or a level's curve of coverage."""

OTHER = ("#c4cbd2", 0.9, "-", None)
INSIDE = "observations inside (%)"


@plots.styled
def coverage_by_size(calibration: pd.DataFrame, note: str, languages: int) -> Figure:
    """How often central predictive intervals hold what was observed, against what they promise.

    From ``loo/calibration.csv``; predictors other than the study's and ours in grey. Means are of
    so many ``languages``.
    """
    figure = plots.new_figure(7.2, 3.95)
    for axes, (level, title) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
        number = languages if level == "language" else None
        draw_coverage(axes, calibration[calibration["level"] == level], "predictor", number)
        axes.set_title(title)
    figure.axes[0].set_ylabel(INSIDE)
    if calibration["predictor"].isin(TITLES).any():
        figure.axes[0].legend(fontsize=7.5, loc="lower right")
    figure.axes[1].legend(*_bands(figure.axes[1]), fontsize=7.5, loc="lower right")
    shows = (
        "How often central predictive intervals hold what was observed, against what they "
        "promise, languages held out in turn; grey lines: the other predictors; grey band: where "
        f"95% of the coverages over {languages} languages lie if the intervals are right."
    )
    plots.add_note(figure, note, shows)
    return figure


def _bands(axes: Axes) -> tuple[list, list[str]]:
    """The legend's entry of the band, which the curves' legend beside it leaves out."""
    handles, names = axes.get_legend_handles_labels()
    shown = [at for at, name in enumerate(names) if name.startswith("95%")]
    return [handles[at] for at in shown], [names[at] for at in shown]


def draw_coverage(
    axes: Axes, calibration: pd.DataFrame, by: str, number: int | None = None
) -> None:
    """The coverage of intervals over their size, a curve per value of ``by``.

    That is ``predictor`` for rows of one level, ``level`` for rows of one predictor. With
    ``number``, of what the coverage is a mean, a band holds 95% of the coverages that intervals of
    the stated size have by chance.
    """
    axes.plot([0, 100], [0, 100], color=plots.MUTED, linewidth=0.8, linestyle=":")
    if number is not None:
        nominal = np.linspace(0.001, 0.999, 200)
        low, high = 100 * np.array(binom.interval(0.95, number, nominal)) / number
        axes.fill_between(
            100 * nominal, low, high, color=plots.GRID, alpha=0.6, linewidth=0, zorder=0,
            label=f"95% of right intervals, n = {number}",
        )  # fmt: skip
    for name, rows in calibration.groupby(by, sort=False):
        colour, width, line, label = CURVES.get(name, OTHER)
        axes.plot(
            100 * rows["nominal"], 100 * rows["coverage"], zorder=3 if name in CURVES else 2,
            color=colour, linewidth=width, linestyle=line, label=label,
        )  # fmt: skip
    axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
    axes.set_xlabel("size of the central interval (%)")
    plots.grid(axes)


MARKS = {
    "mae": (plots.OURS, "o", "pairs"),
    "language_mae": (plots.PUBLISHED, "D", "language means"),
    "edges_mae": (plots.MUTED, "s", "pairs, edges held out"),
}


@plots.styled
def errors_by_step(ladder: pd.DataFrame, pairs: pd.DataFrame, note: str) -> Figure:
    """From the study's model to ours, a row per step: errors (points) when a language is held out.

    From ``loo/ladder.csv`` and ``loo/pairs.csv``. Steps whose models nest are joined
    (``loo.NESTED``). On the right, how far a step's errors are from the first one's, language by
    language: the mean with its bootstrap interval over languages.
    """
    figure = plots.new_figure(7.2, 0.5 * len(ladder) + 1.6)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    positions = -ladder.index.to_numpy(dtype=float)
    joined = ladder["predictor"].isin(loo.NESTED).to_numpy()
    apart = _errors_apart(ladder["predictor"], pairs)
    right.axvline(0, color=plots.MUTED, linewidth=0.8)
    for lift, (column, (colour, mark, label)) in zip((0.12, -0.12, 0), MARKS.items(), strict=True):
        drawn = {"color": colour, "marker": mark, "markersize": 5}
        if ladder[column].notna().any():
            left.plot(ladder[column], positions, linestyle="", label=label, **drawn)
            left.plot(ladder[column][joined], positions[joined], color=colour, linewidth=0.8)
        for step, (mean, low, high) in apart.get(column, {}).items():
            at = positions[ladder["predictor"] == step] + lift
            right.hlines(at, low, high, color=colour, linewidth=1.4)
            right.plot([mean], at, **drawn)
    left.set_yticks(positions, [plots.plain(label) for label in ladder["label"]], fontsize=7.5)
    left.set_xlim(left=0)
    left.set_ylim(positions.min() - 0.5, 0.5)
    left.set_xlabel("mean absolute error (points)")
    right.set_xlabel("difference from the first row (points)")
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
        plots.grid(axes, "x")
    figure.legend(loc="outside upper left", ncols=3, fontsize=8)
    shows = (
        "From the study's predictor to ours, a row per step. Left: mean absolute error (points) "
        "when a language is held out; lines join models that nest. Right: the difference from the "
        "first row, with 95% bootstrap intervals over the languages; below 0 the step errs less."
    )
    plots.add_note(figure, note, shows)
    return figure


def _errors_apart(
    steps: pd.Series, pairs: pd.DataFrame
) -> dict[str, dict[str, tuple[float, float, float]]]:
    """By column of ``MARKS`` and step after the first: mean difference of errors, and its ends."""
    gap = 100 * (pairs["predicted"] - pairs["observed"])
    by = [pairs["language"], pairs["predictor"]]
    errors = {
        "mae": gap.abs().groupby(by).mean().unstack(),
        "language_mae": gap.groupby(by).mean().abs().unstack(),
    }
    found: dict[str, dict[str, tuple[float, float, float]]] = {}
    for column, table in errors.items():
        more = table[steps[1:]].sub(table[steps[0]], axis=0)
        found[column] = {
            step: (
                more[step].mean(),
                *scores.interval_of_mean(
                    more[step].to_numpy(), np.random.default_rng(DEFAULT_SEED)
                ),
            )
            for step in steps[1:]
        }
    return found


@plots.styled
def effect_of_resource(
    curves: pd.DataFrame, slope: float, languages: pd.DataFrame, note: str
) -> Figure:
    """The resource effect as a smooth, with an interval, beside the study's straight line.

    From ``loo/resource_shape.csv``; ``slope`` is the line's (log-odds per unit of resource).
    """
    figure = plots.new_figure(6.6, 4.2)
    axes = figure.add_subplot()
    for curve, rows in curves.groupby("curve", sort=False):
        if curve != ALL:
            axes.plot(rows["resource"], rows["effect"], color="#b4bdc6", linewidth=0.9)
            continue
        axes.fill_between(
            rows["resource"], rows["low"], rows["high"], color=plots.OURS, alpha=0.18, linewidth=0
        )
        axes.plot(
            rows["resource"], rows["effect"], color=plots.OURS, linewidth=2.2, zorder=4,
            label="smooth, mean over families, 80% interval",
        )  # fmt: skip
        line = slope * (rows["resource"] - rows["resource"].max())
        axes.plot(
            rows["resource"], line, color=plots.PUBLISHED, linewidth=1.3, linestyle="--", zorder=3,
            label="the study's line",
        )  # fmt: skip
    ends = curves[curves["curve"] != ALL].groupby("curve").first()["effect"]
    left = curves["resource"].min()
    gap = 0.045 * (curves["effect"].max() - curves["effect"].min())
    height = -float("inf")
    for curve, effect in ends.sort_values(kind="stable").items():
        height = max(effect, height + gap)
        axes.annotate(
            plots.plain(curve), (left, height), xytext=(-4, 0), textcoords="offset points",
            ha="right", va="center", fontsize=7, color=plots.MUTED,
        )  # fmt: skip
    last, lift = -float("inf"), 0
    foot = axes.get_xaxis_transform()
    for row in languages.sort_values("resource", kind="stable").itertuples():
        lift = lift + 14 if row.resource - last < 0.06 else 0
        last = row.resource
        axes.annotate(
            plots.plain(row.language), (row.resource, 0.0), xytext=(0, 4 + lift), xycoords=foot,
            textcoords="offset points", ha="center", fontsize=6, rotation=90, color=plots.INK,
        )  # fmt: skip
        axes.plot([row.resource], [0.0], "|", color=plots.MUTED, markersize=6, transform=foot)
    bottom, top = axes.get_ylim()
    axes.set_ylim(bottom - 0.18 * (top - bottom), top)
    axes.set_xlim(left - 0.55, curves["resource"].max() + 0.05)
    axes.set_xlabel(labels.RAW["resource"])
    axes.set_ylabel("log-odds, against the most resourced language")
    plots.grid(axes, "y")
    figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    shows = (
        "The effect of resource level as a smooth with its interval, beside the study's straight "
        "line. Other features at their means, reasoning off; grey: families."
    )
    plots.add_note(figure, note, shows)
    return figure
