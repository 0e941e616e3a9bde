"""Measures of transfer from a source language by model, and whether the GLMM says the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import design
from capability_transfer.analysis.arguments import speaking_python, whole
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.degrees import few_levels
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, Sheet, View
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.transfer_metrics.comparison import (
    LABELS,
    SLOPES,
    compare,
    compared,
    determinants,
    glmm_effects,
    rank_correlations,
)
from capability_transfer.analysis.transfer_metrics.items import (
    ItemRates,
    TargetSet,
    item_rates,
    target_sets,
)
from capability_transfer.analysis.transfer_metrics.lines import old_and_new, on_the_line
from capability_transfer.analysis.transfer_metrics.metrics import DRAWS, contrast, metrics, profile
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.seeds import DEFAULT_SEED
from capability_transfer.features.languages import among
from capability_transfer.features.table import Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CONTRASTED = ("hat", "hat_corrected", "target_accuracy")
MIN_MODELS = 3
"""Models from which statistics across models are made."""

PROFILES = 6
"""Models whose transfer profiles are drawn, evenly spaced by HAT."""

NAMED = 5
"""Models named beside accuracy on the line: those farthest from it."""

COLOURS = {0: plots.OURS, 1: plots.PUBLISHED}
MODES = {0: "reasoning off", 1: "reasoning on"}
SHAPES = {0: "o", 1: "D"}
ON_LEVEL = {"xlt_gap": plots.PUBLISHED, "transfer_score": plots.MUTED, "hat": plots.OURS}


@dataclass(frozen=True, eq=False, repr=False)
class Measures(Result):
    """Measures of transfer from a source language, by model.

    Attributes:
        parts: every table by name, see ``transfer_tables``.
        study: the data.
        fit: the GLMM of the comparison, None where it was left out.
        draws: resamples of the items behind the intervals.
        told: what the GLMM is without, what was dropped, and what its fit warns of.
    """

    parts: dict[str, pd.DataFrame]
    study: Study
    fit: Fit | None
    draws: int
    told: tuple[str, ...] = ()

    folder = "transfer_metrics"
    title = "Transfer metrics"
    digits = 5

    @property
    def provenance(self) -> Provenance:
        seed, source = self.study.seed, self.table["source"].iloc[0]
        remark = (
            f"Source language {source}; {self.draws:,} bootstrap resamples of the items (seed "
            f"{seed}); items are templates."
        )
        return Provenance.of(self.study.source, self.fit, seed, remark)

    @property
    def table(self) -> pd.DataFrame:
        """One row per model: every metric over all target languages with its 95% interval."""
        return self.parts["metrics"].copy()

    @property
    def by_language(self) -> pd.DataFrame:
        """One row per model and target language, the columns of ``table``."""
        return self.parts["by_language"].copy()

    @property
    def comparison(self) -> pd.DataFrame:
        """One row per model: its features, the metrics, the GLMM's level, effect and slopes."""
        return self.parts.get("comparison", pd.DataFrame()).copy()

    @property
    def rank_correlations(self) -> pd.DataFrame:
        """first, second, spearman, models: how far two measures order models alike."""
        return self.parts.get("rank_correlations", pd.DataFrame()).copy()

    def frames(self) -> dict[str, pd.DataFrame]:
        return self.parts

    def tables(self) -> dict[str, Table]:
        """Metrics by model; correlations from three models on; the script contrast if there is one.

        The last is there where targets are of the source's script and of others.
        """
        made = [metrics_table(self.table, self.note)]
        if "script_contrast" in self.parts:
            made.append(script_table(self.parts["script_contrast"], self.note))
        if "comparison" in self.parts:
            made.append(correlations_table(self.comparison, self.rank_correlations, self.note))
        return {table.name: table for table in made}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        parts, note = self.parts, self.note
        made = {"figure_hat": lambda: hat_by_model(parts["metrics"], note)}
        ordered = self.table.dropna(subset="hat_corrected").sort_values(
            "hat_corrected", kind="stable"
        )["variant"]
        if len(ordered):
            places = {round(i * (len(ordered) - 1) / (PROFILES - 1)) for i in range(PROFILES)}
            chosen = [ordered.iloc[place] for place in sorted(places)]
            profiles = parts["profile"].set_index("variant").loc[chosen].reset_index()
            made["figure_transfer_profile"] = lambda: transfer_profiles(
                profiles, parts["metrics"], note
            )
        if "comparison" in parts:
            made["figure_transfer_comparison"] = lambda: scatter_matrix(
                parts["comparison"], parts["rank_correlations"], note
            )
            made["figure_on_the_line"] = lambda: accuracy_on_the_line(
                parts["metrics"], parts["line"], note
            )
        return made

    def views(self) -> list[View]:
        rows = self.table.sort_values("hat_corrected", ascending=False, kind="stable")
        shown = pd.DataFrame({"": rows["variant"]})
        for title, name in (("HAT", "hat"), ("corrected", "hat_corrected")):
            shown[title] = [f"{value:.3f}" for value in rows[name]]
        ends = zip(rows["hat_corrected_low"], rows["hat_corrected_high"], strict=True)
        shown["95%"] = [f"[{low:.3f}, {high:.3f}]" for low, high in ends]
        for title, name in (("τ", "transfer_score"), ("gap", "xlt_gap")):
            shown[title] = [f"{value:.3f}" for value in rows[name]]
        return [View("Transfer by model", shown)]

    def findings(self) -> list[str]:
        """Accuracy on the line, agreement, determinants, and what is undefined."""
        told = []
        if "line" in self.parts:
            line = self.parts["line"].iloc[0]
            told.append(
                f"Accuracy on the line: slope {line['slope']:.2f}, R² {line['r_squared']:.2f}"
            )
        return told + findings(self.parts)

    def notes(self) -> list[str]:
        return list(self.told)

    def readme(self) -> str:
        listed = "".join(f"\n- {sentence}" for sentence in findings(self.parts))
        return f"{self.note}\n{listed}"

    @speaking_python
    def plot(self, x: str = "glmm_level", y: str = "hat_corrected", ax: Axes | None = None) -> Axes:
        """One measure against another, a point per model; reasoning on is orange."""
        known = [name for name in LABELS if name in self.comparison.columns]
        for name in (x, y):
            if name not in known:
                raise InputError(
                    f"no measure {name!r}; there are {name_some(known, 20)}.{suggest(name, known)}"
                )
        with plots.axes(ax, 4.2, 3.6, self.note) as ax:
            points(ax, self.comparison, x, y, 24)
            plots.legend_above(ax)
            ax.set(xlabel=LABELS[x], ylabel=LABELS[y])
        return ax

    def sheet(self) -> Sheet:
        facts = {"source language": self.table["source"].iloc[0], "data": self.study.source}
        display = metrics_table(self.table, self.note).display
        return Sheet("Transfer by model, in percent", facts, display, self.told)


@speaking_python
def measures(
    study: Study | None = None,
    *,
    source: str = "eng",
    intersect: bool = False,
    draws: int = DRAWS,
    formula: str | None = SLOPES,
    engine: str = "laplace",
    drop_missing: bool = False,
) -> Measures:
    """Transfer from a source language by item pass rates, and whether the GLMM says the same.

    Args:
        study: from ``load``; the embedded study without it.
        source: the language transferred from.
        intersect: leave out items that not every language has, instead of raising.
        draws: bootstrap resamples of the items.
        formula: of the GLMM, with a random effect of variant; None leaves the GLMM out.
        engine: of the GLMM.
        drop_missing: drop rows that lack a feature the formula names, instead of raising.

    Raises InputError for a source without outcomes, unmatched items, and what the fit refuses.
    """
    study, draws = given(study), whole("draws", draws, 2)
    cells, features = study.inputs.cells, study.features
    source = among(source, cells["language"].unique())
    fit, effects, told = None, None, ()
    if formula is not None:
        ours = None if formula == SLOPES else formula
        model, told = design.chosen(ours, SLOPES, cells, features, drop_missing)
        built = design.build(cells, features, design.needed(model, features), drop_missing)
        with progress.fitting("GLMM of the comparison") as tell:
            fit = cached_fit(
                engine,
                model,
                built.data,
                study.cache,
                provenance=study.inputs.provenance,
                progress=tell,
            )
        effects = glmm_effects(fit, built.data)
        few = few_levels(fit, built.data, offered=False)
        told = (*told, *built.omissions(), *few, *fit.warnings())
    unmatched = "intersect" if intersect else "error"
    with progress.working("measures and their bootstrap"):
        parts = transfer_tables(cells, features, source, unmatched, draws, study.seed, effects)
    return Measures(parts, study, fit, draws, tuple(told))


def transfer_tables(
    cells: pd.DataFrame,
    features: Tables,
    source: str = "eng",
    unmatched: str = "error",
    draws: int = DRAWS,
    seed: int = DEFAULT_SEED,
    effects: pd.DataFrame | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables by name, each a CSV file of ``results/transfer_metrics``.

    Args:
        cells: one split.
        features: of its languages and models; a column ``cutoff`` (YYYY-MM) of the models adds the
            table ``cohorts``.
        source: see ``items.item_rates``.
        unmatched: see ``source``.
        draws: of the bootstrap.
        seed: see ``draws``.
        effects: from ``comparison.glmm_effects``.

    Returns metrics, subsets and by_language (``metrics.metrics``), profile, script_contrast and
    script_by_model (where targets are of both kinds), line, comparison, rank_correlations and
    determinants (from three models on), cohorts.

    Raises InputError for whatever the parts refuse.
    """
    rates = item_rates(cells, source, None, unmatched)
    sets = target_sets(features.languages, source, rates[0].languages)
    found = metrics(rates, sets, draws, seed)
    groups = dict(iter(found.groupby("grouping", sort=False)))
    tables = {
        "metrics": groups["all"],
        "subsets": found[~found["grouping"].isin(["all", "language"])],
        "by_language": groups["language"],
        "profile": pd.concat(
            [profile(model).assign(variant=model.variant) for model in rates], ignore_index=True
        ),
    }
    tables |= _script(rates, sets, found, draws, seed)
    if len(rates) >= MIN_MODELS:
        tables["line"] = on_the_line(groups["all"])
        table = compare(groups["all"], features.models, effects)
        tables["comparison"] = table
        tables["rank_correlations"] = rank_correlations(table)
        tables["determinants"] = determinants(table, groups["language"], features.languages)
    if "cutoff" in features.models.columns:
        dated = groups["all"].merge(features.models[["variant", "cutoff"]], on="variant")
        tables["cohorts"] = old_and_new(dated, seed=seed)
    return {name: table.reset_index(drop=True) for name, table in tables.items()}


def findings(tables: dict[str, pd.DataFrame]) -> list[str]:
    """What ``transfer_tables`` say: agreement, determinants, and every metric without a value."""
    told = []
    if "comparison" in tables:
        told.append(agreement_in_words(tables["rank_correlations"]))
        told += in_words(tables["determinants"])
    rows = pd.concat([tables["metrics"], tables["subsets"], tables["by_language"]])
    rows = rows[rows["undefined"] != ""]
    return told + [
        f"Undefined for {variant}: {reason} ({len(group)} target sets)."
        for (variant, reason), group in rows.groupby(["variant", "undefined"], sort=False)
    ]


def in_words(found: pd.DataFrame) -> list[str]:
    """``determinants`` as sentences, one per row."""
    return [_sentence(row) for row in found.itertuples()]


def agreement_in_words(correlations: pd.DataFrame, metric: str = "hat_corrected") -> str:
    """How far one metric orders models as every other does, closest first, in a sentence."""
    pairs = correlations[correlations[["first", "second"]].eq(metric).any(axis=1)].dropna()
    other = pairs["first"].where(pairs["first"] != metric, pairs["second"])
    pairs = pairs.assign(other=other).sort_values(
        "spearman", key=np.abs, ascending=False, kind="stable"
    )
    listed = ", ".join(
        f"{LABELS[row.other]} {number(row.spearman, 2)}" for row in pairs.itertuples()
    )
    return f"{LABELS[metric]} orders the models as others do with Spearman's ρ: {listed}."


def _sentence(row: object) -> str:
    name = LABELS.get(row.metric, row.metric)
    p_value = "p < .001" if row.p_value < 0.001 else f"p = {row.p_value:.3f}"
    clear = row.p_value < 0.05
    higher = "higher" if row.value > 0 else "lower"
    if row.statistic == "spearman":
        where = "in larger models" if row.determinant == "size" else "in better-resourced languages"
        over = "models without reasoning" if row.determinant == "size" else "target languages"
        verdict = f"is {higher} {where}" if clear else f"is not clearly different {where}"
        return f"{name} {verdict} (ρ = {number(row.value, 2)}, {p_value}, {row.n} {over})."
    unit = " log-odds" if row.metric.startswith("glmm") else ""
    amount = f"{row.value:+.3f}".replace("-", "−") + unit
    if row.determinant == "reasoning":
        verdict = f"is {higher}" if clear else "is not clearly different"
        detail = f"mean difference {amount}, {p_value}, {row.n} base models"
        return f"{name} {verdict} with reasoning ({detail})."
    return f"{name} is {amount} per SD on average over {row.n} models ({p_value})."


def _script(
    rates: Sequence[ItemRates],
    sets: Sequence[TargetSet],
    found: pd.DataFrame,
    draws: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    """The contrast of same and different script over the models that have all its metrics."""
    sides = {chosen.name: chosen for chosen in sets if chosen.grouping == "same_script"}
    if not {"same", "different"} <= set(sides):
        return {}
    complete = found[found["grouping"] == "same_script"].groupby("variant")[list(CONTRASTED)]
    defined = complete.apply(lambda rows: rows.notna().all(axis=None))
    kept = [model for model in rates if defined[model.variant]]
    if not kept:
        raise InputError("HAT is undefined for every model: no source item was ever answered")
    overall, single = [], []
    for metric in CONTRASTED:
        mean, models = contrast(kept, sides["same"], sides["different"], metric, draws, seed)
        overall.append(mean.assign(metric=metric))
        single.append(models.assign(metric=metric))
    return {
        "script_contrast": pd.concat(overall, ignore_index=True),
        "script_by_model": pd.concat(single, ignore_index=True),
    }


def metrics_table(metrics: pd.DataFrame, note: str) -> Table:
    """From ``metrics.csv``: one row per model, highest corrected HAT first."""
    data = metrics.sort_values("hat_corrected", ascending=False, ignore_index=True, kind="stable")
    percent = {
        "Source": "source_accuracy",
        "Target": "target_accuracy",
        "XLT gap": "xlt_gap",
        "τ": "transfer_score",
        "HAT": "hat",
        "HAT, corrected": "hat_corrected",
        "HAT, area": "hat_area",
    }
    ends = zip(data["hat_corrected_low"], data["hat_corrected_high"], strict=True)
    display = pd.DataFrame({"Model": data["variant"]})
    for title, name in percent.items():
        display[title] = [number(100 * value, 1) for value in data[name]]
    display.insert(len(display.columns) - 1, "95% interval", [_interval(*pair) for pair in ends])
    display["R²"] = [number(value, 2) for value in data["r_squared"]]
    caption = (
        "Transfer metrics by model, in percent, with a percentile bootstrap over items "
        "(of the corrected HAT)."
    )
    return Table("table_transfer_metrics", caption, note, data, display)


def correlations_table(comparison: pd.DataFrame, correlations: pd.DataFrame, note: str) -> Table:
    """From ``comparison.csv`` and ``rank_correlations.csv``: Spearman's ρ as a triangle."""
    names = compared(comparison)
    rho = correlations.set_index(["second", "first"])["spearman"]
    rows = [
        {
            "": LABELS[second],
            **{LABELS[first]: number(rho.get((second, first), np.nan), 2) for first in names},
        }
        for second in names[1:]
    ]
    display = pd.DataFrame(rows).drop(columns=LABELS[names[-1]])
    caption = "Spearman's ρ between metrics over models. A high XLT gap is poor transfer."
    return Table("table_transfer_correlations", caption, note, correlations, display)


def script_table(contrast: pd.DataFrame, note: str) -> Table:
    """From ``script_contrast.csv``, in the layout of the HAT paper's Table 1."""
    rows = []
    for metric, group in contrast.groupby("metric", sort=False):
        sides = group.set_index("side")
        row = {"Metric": LABELS.get(metric, metric)}
        for side, title in (
            ("same", "Same script (SD over models)"),
            ("different", "Different script (SD over models)"),
            ("difference", "Difference (SD)"),
        ):
            found = sides.loc[side]
            row[title] = f"{number(100 * found['mean'], 1)} ± {number(100 * found['sd'], 1)}"
        found = sides.loc["difference"]
        rows.append(row | {"95% interval": _interval(found["conf_low"], found["conf_high"])})
    models = int(contrast["models"].iloc[0])
    caption = (
        f"Transfer to languages in the source's script and in other scripts, in percent: mean over "
        f"{models} models; the interval is of the mean difference, over items."
    )
    return Table("table_script_contrast", caption, note, contrast, pd.DataFrame(rows))


def _interval(low: float, high: float) -> str:
    return f"{number(100 * low, 1)} to {number(100 * high, 1)}"


@plots.styled
def hat_by_model(metrics: pd.DataFrame, note: str) -> Figure:
    """From ``metrics.csv``: corrected HAT and 95% interval, highest on top; τ and plain HAT too."""
    table = metrics.sort_values("hat_corrected", ascending=False, kind="stable").rename(
        columns={"hat_corrected_low": "conf_low", "hat_corrected_high": "conf_high"}
    )
    positions = -np.arange(len(table), dtype=float)
    figure = plots.new_figure(6.6, 0.19 * len(table) + 1.4)
    axes = figure.add_subplot()
    plots.forest(
        axes,
        table,
        table["variant"],
        "hat_corrected",
        "HAT, noise-corrected, 95% interval",
        fontsize=7.5,
        reference=1,
    )
    axes.plot(
        table["hat"], positions, "|", color=plots.OURS, markersize=8, alpha=0.7,
        label="HAT as defined",
    )  # fmt: skip
    axes.plot(
        table["transfer_score"], positions, "D", markerfacecolor="none",
        markeredgecolor=plots.PUBLISHED, markersize=3.5, label="transfer score τ",
    )  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_xlabel("slope of target on source pass rate (1 = perfect transfer)")
    figure.legend(loc="outside upper left", ncols=3, fontsize=8)
    shows = (
        "Noise-corrected HAT with 95% intervals, highest on top, beside the transfer score "
        "τ and HAT as defined."
    )
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def accuracy_on_the_line(metrics: pd.DataFrame, line: pd.DataFrame, note: str) -> Figure:
    """Target against source accuracy, a point per model: ``metrics.csv`` and ``line.csv``."""
    fit = line.iloc[0]
    x, y = 100 * metrics["source_accuracy"], 100 * metrics["target_accuracy"]
    residual = y - 100 * fit["intercept"] - fit["slope"] * x
    ends = np.array([x.min(), x.max()])
    figure = plots.new_figure(5.4, 4.8)
    axes = figure.add_subplot()
    axes.plot([0, 100], [0, 100], color=plots.MUTED, linewidth=0.9, linestyle="--", label="parity")
    axes.plot(
        ends, 100 * fit["intercept"] + fit["slope"] * ends, color=plots.PUBLISHED, linewidth=1.4,
        label=f"least squares, slope {fit['slope']:.2f}, R² {fit['r_squared']:.2f}",
    )  # fmt: skip
    axes.plot(x, y, "o", color=plots.OURS, markersize=4.5, alpha=0.8, label="model")
    for index in residual.abs().nlargest(NAMED).index:
        axes.annotate(
            plots.plain(metrics.loc[index, "variant"]), (x[index], y[index]), xytext=(6, 0),
            textcoords="offset points", va="center", fontsize=7, color=plots.INK, zorder=1.5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
        )  # fmt: skip
    axes.set(xlim=(0, 102), ylim=(0, 102), aspect="equal")
    plots.grid(axes)
    axes.set_xlabel("accuracy in the source language (%)")
    axes.set_ylabel("mean accuracy in the target languages (%)")
    figure.legend(loc="outside upper left", ncols=3, fontsize=8)
    shows = (
        "Mean accuracy in the target languages against accuracy in the source language, a "
        "point per model, with the least-squares line."
    )
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def transfer_profiles(profiles: pd.DataFrame, metrics: pd.DataFrame, note: str) -> Figure:
    """Target against source pass rate, binned, with the line that HAT fits; a panel per model.

    Args:
        profiles: ``profile.csv``: variant and the columns of ``metrics.profile``, in the order of
            the panels.
        metrics: ``metrics.csv``, for the slopes.
        note: where the data come from.
    """
    names = list(profiles["variant"].unique())
    slopes = metrics.set_index("variant")[["hat", "hat_corrected"]]
    columns = 3
    rows = -(-len(names) // columns)
    figure = plots.new_figure(7.2, 2.35 * rows + 0.7)
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    top = max(1.0, float(slopes.loc[names, "hat_corrected"].max()))
    for axes, name in zip(panels.flat, names, strict=False):
        table = profiles[profiles["variant"] == name]
        x, y = table["source_rate"], table["target_rate"]
        defined, corrected = slopes.loc[name]
        axes.plot([0, 1], [0, 1], color=plots.MUTED, linewidth=0.8, linestyle="--")
        axes.plot(
            [0, 1], [0, corrected], color=plots.OURS, linewidth=1.4,
            label="line through the origin (HAT, corrected)",
        )  # fmt: skip
        axes.errorbar(
            x, y, yerr=table["std_error"], fmt="none", ecolor=plots.PUBLISHED, elinewidth=1
        )
        axes.scatter(
            x, y, s=8 + 90 * np.sqrt(table["items"] / table["items"].sum()), alpha=0.75,
            color=plots.PUBLISHED, linewidth=0,
            label="mean of a bin ± SE; size: number of items",
        )  # fmt: skip
        axes.set_title(plots.plain(name, 36), fontsize=8)
        axes.text(
            0.04, 0.95, f"HAT {defined:.2f}, corrected {corrected:.2f}",
            transform=axes.transAxes, va="top", fontsize=7.5,
        )  # fmt: skip
        axes.set(xlim=(0, 1.03), ylim=(0, 1.08 * top))
        plots.grid(axes)
    for axes in panels.flat[len(names) :]:
        axes.set_visible(False)
    for axes in panels[:, 0]:
        axes.set_ylabel("target pass rate")
    for axes in panels[-1]:
        axes.set_xlabel("source pass rate")
    handles, titles = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, titles, loc="outside upper left", ncols=2, fontsize=8)
    shows = (
        "Pass rate in the target against the source languages, items binned, with the line "
        "through the origin that HAT fits; a panel per model."
    )
    plots.add_note(figure, note, shows)
    return figure


DRAWN = (
    "target_accuracy", "xlt_gap", "transfer_score", "hat_corrected", "glmm_resource_slope",
)  # fmt: skip
"""The five measures that tell models apart in different ways."""


@plots.styled
def scatter_matrix(comparison: pd.DataFrame, correlations: pd.DataFrame, note: str) -> Figure:
    """The metrics over models, with Spearman's ρ above the diagonal.

    From ``comparison.csv`` and ``rank_correlations.csv``; the measures of ``DRAWN``, the others are
    in the table.
    """
    names = [name for name in compared(comparison) if name in DRAWN]
    rho = correlations.set_index(["first", "second"])["spearman"]
    size = len(names)
    figure = plots.new_figure(1.05 * size + 0.8, 1.05 * size + 0.9)
    panels = figure.subplots(size, size, sharex="col", squeeze=False)
    for row, second in enumerate(names):
        for column, first in enumerate(names):
            axes = panels[row, column]
            if row > column:
                points(axes, comparison, first, second, 7)
            elif row == column:
                axes.hist(comparison[first].dropna(), bins=12, color=plots.GRID, edgecolor="white")
            else:
                value = rho.loc[(second, first)]
                axes.text(
                    0.5, 0.5, number(value, 2), transform=axes.transAxes, ha="center", va="center",
                    fontsize=8 + 4 * np.nan_to_num(abs(value)),
                    color=plots.INK if abs(value) >= 0.3 else plots.MUTED,
                )  # fmt: skip
                axes.axis("off")
            axes.tick_params(labelsize=7, length=2)
            axes.locator_params(nbins=3)
            if column or row == column:
                axes.set_yticks([])
            if row == size - 1:
                axes.set_xlabel(_wrapped(first), fontsize=7)
            if column == 0:
                axes.set_ylabel(_wrapped(second), fontsize=7)
    handles, titles = panels[-1, 0].get_legend_handles_labels()
    figure.legend(handles, titles, loc="outside upper left", ncols=2, fontsize=8, markerscale=1.8)
    shows = (
        "Five transfer metrics, a point per model: each against each below the diagonal, its "
        "distribution on it (number of models), and Spearman's ρ above. Measures that agree have "
        "a ρ near 1, or near −1 with the gap and the slope, of which less is better."
    )
    plots.add_note(figure, note, shows)
    return figure


def points(axes: Axes, comparison: pd.DataFrame, first: str, second: str, size: float) -> None:
    """One metric against another, a point per model; reasoning on: orange diamonds."""
    modes = comparison["reasoning"].map({mode: mode for mode in COLOURS})
    axes.scatter(comparison[first][modes.isna()], comparison[second][modes.isna()], s=size,
                 c=plots.MUTED, linewidth=0)  # fmt: skip
    for mode in sorted(modes.dropna().unique()):
        rows = comparison[modes == mode]
        axes.scatter(rows[first], rows[second], s=size, c=COLOURS[mode], marker=SHAPES[mode],
                     alpha=0.75, linewidth=0, label=MODES[mode])  # fmt: skip


def against_level(axes: Axes, comparison: pd.DataFrame) -> None:
    """The gap to English, τ and HAT of every model against its level in the GLMM."""
    for name, colour in ON_LEVEL.items():
        axes.plot(comparison["glmm_level"], comparison[name], "o", color=colour, markersize=4,
                  alpha=0.75, markeredgewidth=0, label=LABELS[name])  # fmt: skip
    axes.axhline(0, color=plots.MUTED, linewidth=0.8)
    axes.set(xlabel="GLMM level (log-odds)", ylabel="measure")
    plots.grid(axes)


def _wrapped(name: str) -> str:
    words = LABELS[name].split(" ")
    half = -(-len(words) // 2)
    return " ".join(words[:half]) + ("\n" + " ".join(words[half:]) if words[half:] else "")
