"""What perturbing the questions costs, and how it reorders models: the study's and MGSM-Pro's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Outcomes
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.outcomes.study import TABLE_12, table_12_counts
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance, note
from capability_transfer.analysis.presentation.result import Result, View
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.robustness import mgsm_pro
from capability_transfer.analysis.robustness.rankings import (
    THRESHOLD,
    agreement,
    enough,
    observed,
    rank_changes,
)
from capability_transfer.analysis.robustness.scores import (
    by_group,
    drop_data,
    drops,
    formula,
    from_cells,
    implied_counts,
    over_instances,
    over_languages,
    over_models,
    read_scores,
)
from capability_transfer.analysis.terciles import terciles
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, option
from capability_transfer.common.seeds import DEFAULT_SEED
from capability_transfer.features import resource
from capability_transfer.features.languages import resolve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = "context_names_numbers"
"""The perturbation whose ranking is shown, where there is one of this name; else the last."""

COLOURS = (plots.OURS, plots.PUBLISHED, "#4d8b57", "#7a5ea8")


@dataclass(frozen=True)
class Scored:
    """Scores of one source, analysed.

    Attributes:
        name: begins the names of their files.
        source: in words, which data they are.
        parts: tables by name, see ``score_tables``; ``glmm`` where the drop was modelled.
        fit: the drop model, None where it was left out.
    """

    name: str
    source: str
    parts: dict[str, pd.DataFrame]
    fit: Fit | None

    @property
    def note(self) -> str:
        """For captions."""
        return note(self.source)

    @property
    def shown(self) -> str:
        """The perturbation whose ranking is shown."""
        known = list(self.parts["ranks"]["perturbation"].unique())
        return SHOWN if SHOWN in known else known[-1]

    @property
    def label(self) -> str:
        """The same, for people."""
        return mgsm_pro.PERTURBATIONS.get(self.shown, self.shown)

    @property
    def ranks(self) -> pd.DataFrame:
        """Ranks on the original questions and on the perturbation that is shown."""
        rows = self.parts["ranks"]
        return rows[rows["perturbation"] == self.shown].drop(columns="perturbation")

    def table(self) -> Table:
        """Accuracies, drops and ranks by model."""
        groups = self.parts["groups"]
        caption = (
            f"Accuracy on original and perturbed questions ({self.label}) in percent, and ranks."
        )
        return ranks_table(
            f"table_robustness_{self.name}",
            self.label,
            self.ranks,
            groups[groups["perturbation"] == self.shown],
            caption,
            self.note,
        )

    def figures(self) -> dict[str, Callable[[], Figure]]:
        """Drops by group of languages, and changes of rank."""
        known = self.parts["ranks"]["perturbation"].nunique()
        over = self.label if known == 1 else f"mean of {known} perturbations"
        base = f"figure_robustness_{self.name}"
        return {
            f"{base}_groups": partial(drops_by_group, self.parts["groups"], self.note, over),
            f"{base}_ranks": partial(slopes_of_ranks, self.ranks, self.label, self.note),
        }

    def findings(self) -> list[str]:
        """A sentence per perturbation."""
        told = []
        for label, rows in self.parts["ranks"].groupby("perturbation", sort=False):
            agreed = agreement(rows["original"], rows["accuracy"])
            drop = 100 * (rows["accuracy"] - rows["original"]).mean()
            told.append(
                f"{self.name}, {label}: {drop:+.1f} points over {agreed['models']} models, "
                f"Kendall's τ with the original ranking {agreed['kendall']:.2f}, largest shift "
                f"{agreed['max_change']}"
            )
        return told


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Result):
    """Drops and rankings of one source of scores or more.

    Attributes:
        sources: each with its tables.
        seed: of the draws of instances.
        compared: MGSM-Pro's figures against each other (``mgsm_pro.comparisons``); no rows for a
            user's scores.
        stability: ``mgsm_pro.published_stability``; likewise.
    """

    sources: tuple[Scored, ...]
    seed: int
    compared: pd.DataFrame = field(default_factory=pd.DataFrame)
    stability: pd.DataFrame = field(default_factory=pd.DataFrame)

    folder = "robustness"
    title = "Robustness"
    digits = 5

    @property
    def provenance(self) -> Provenance:
        return Provenance(
            "; ".join(f"{one.name}: {one.source}" for one in self.sources),
            next((one.fit.engine for one in self.sources if one.fit is not None), ""),
            seed=self.seed,
        )

    def readme(self) -> str:
        return "\n".join(f"- `{one.name}_*.csv`: {one.note}" for one in self.sources)

    @property
    def contradictions(self) -> pd.DataFrame:
        """The comparisons of published figures that contradict."""
        return mgsm_pro.contradictions(self.compared)

    def frames(self) -> dict[str, pd.DataFrame]:
        found = {f"{one.name}_{label}": table for one in self.sources
                 for label, table in one.parts.items()}  # fmt: skip
        if self.compared.empty:
            return found
        return found | {
            "consistency": mgsm_pro.summary(self.compared),
            "contradictions": self.contradictions,
            "mgsm_pro_stability": self.stability,
        }

    def tables(self) -> dict[str, Table]:
        made = [one.table() for one in self.sources]
        if not self.compared.empty:
            made.append(contradictions_table(self.contradictions, note(mgsm_pro.TABLES)))
        return {table.name: table for table in made}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        made = {name: draw for one in self.sources for name, draw in one.figures().items()}
        if not self.stability.empty:
            text = "means and ± of MGSM-Pro's Table 3 as published, instances simulated from them"
            made["figure_rank_stability"] = partial(
                rank_stability, self.stability, THRESHOLD, note(text)
            )
        return made

    def views(self) -> list[View]:
        return []

    def findings(self) -> list[str]:
        told = [sentence for one in self.sources for sentence in one.findings()]
        if self.compared.empty:
            return told
        told.append(
            f"{len(self.contradictions)} of {len(self.compared)} comparisons between the "
            "published figures contradict"
        )
        for way, rows in self.stability.groupby("reading", sort=False):
            needed = enough(rows) or f"more than {rows['instances'].max()}"
            told.append(f"instances until τ ≥ {THRESHOLD}: {needed} ({way})")
        return told

    def notes(self) -> list[str]:
        fits = [one.fit for one in self.sources if one.fit is not None]
        return [warning for fit in fits for warning in fit.warnings()]


@speaking_python
def robustness(
    outcomes: Outcomes | None = None,
    scores: str | Path | None = None,
    engine: str | None = "laplace",
    seed: int = DEFAULT_SEED,
    cache: Path | None = None,
) -> Robustness:
    """Drops, rankings, their stability, and the drop as a GLMM.

    Args:
        outcomes: cells of both splits, from ``read_cells``.
        scores: a file of accuracies on perturbed questions (``scores.read_scores``). Without
            either: the study's splits, and MGSM-Pro's published tables, checked against each other.
        engine: of the drop model, None for none.
        seed: of the draws of instances.
        cache: a directory in which finished fits are kept.

    Raises InputError for scores that cannot be read or compared, and for two sources of them.
    """
    if outcomes is not None and scores is not None:
        raise InputError(
            f"give {option('outcomes')} or {option('scores')}, not both: they are two sources of "
            "scores"
        )
    own = outcomes is not None or scores is not None
    if scores is not None:
        tables = [("scores", f"scores of {Path(scores).name}", read_scores(scores))]
    elif outcomes is not None:
        tables = [("outcomes", outcomes.source, from_cells(outcomes.cells))]
    else:
        pro = implied_counts(mgsm_pro.published_scores(), mgsm_pro.QUESTIONS, mgsm_pro.INSTANCES)
        implied = (
            f"{mgsm_pro.SOURCE}; counts implied by the percentages; figures that contradict others "
            "(contradictions.csv) as printed"
        )
        study = from_cells(table_12_counts())
        tables = [("study", TABLE_12, study), ("mgsm_pro", implied, pro)]
    sources = []
    for name, source, table in tables:
        groups = mgsm_pro.resource_groups() if name == "mgsm_pro" else resource_groups(table)
        with progress.working(f"{name}: rankings"):
            parts = score_tables(table, groups, seed)
        fit = None
        if engine is not None and "n_total" in table.columns:
            fit = drop_model(table, groups, engine, cache, note(source))
            parts["glmm"] = fit.fixed_effects
        sources.append(Scored(name, source, parts, fit))
    if own:
        return Robustness(tuple(sources), seed)
    with progress.working("how stable a ranking is"):
        stability = mgsm_pro.published_stability(seed)
    return Robustness(tuple(sources), seed, mgsm_pro.comparisons(), stability)


def score_tables(
    scores: pd.DataFrame, groups: pd.Series, seed: int = DEFAULT_SEED
) -> dict[str, pd.DataFrame]:
    """Drops, summaries and rankings of one set of scores, each a CSV file of the results.

    Args:
        scores: see ``scores.check_scores``.
        groups: ``high`` or ``low`` by language; others are left out of the groups.
        seed: of the draws of instances.

    Returns drops, over_models, over_languages, groups, ranks (of every perturbation, see
    ``rankings.rank_changes``), and, for scores by instance, instance_sd and stability.
    """
    measured = drops(scores)
    perturbations = list(measured["perturbation"].unique())
    ranks = [rank_changes(scores, label).assign(perturbation=label) for label in perturbations]
    tables = {
        "drops": measured,
        "over_models": over_models(measured),
        "over_languages": over_languages(measured),
        "groups": by_group(measured, groups),
        "ranks": pd.concat(ranks, ignore_index=True),
    }
    if "instance" in scores.columns:
        tables["instance_sd"] = over_instances(scores).dropna(subset="sd").reset_index(drop=True)
        by_instance = scores.groupby("perturbation")["instance"].nunique()
        curves = [
            observed(scores, label, seed=seed).assign(perturbation=label)
            for label in perturbations
            if by_instance[label] > 2
        ]
        if curves:
            tables["stability"] = pd.concat(curves, ignore_index=True)
    return tables


def resource_groups(scores: pd.DataFrame) -> pd.Series:
    """Thirds of the scores' languages by Common Crawl pages (``high``, ``middle``, ``low``).

    By the codes that the scores use.
    """
    codes = list(scores["language"].unique())
    known = resource.build([resolve(code) for code in codes])
    return terciles(known["resource"].set_axis(codes))


def drop_model(
    scores: pd.DataFrame, groups: pd.Series, engine: str, cache: Path | None, source: str
) -> Fit:
    """The model of the drop, perturbation × resource group (high is 1, low 0; log-odds)."""
    high = groups.map({"high": 1.0, "low": 0.0}).dropna()
    data, names = drop_data(scores[scores["language"].isin(high.index)], high)
    with progress.fitting("drop model") as tell:
        return cached_fit(
            engine,
            formula(names),
            data,
            cache,
            provenance={"data_source": source},
            progress=tell,
        )


def ranks_table(
    name: str, label: str, ranks: pd.DataFrame, groups: pd.DataFrame, caption: str, note: str
) -> Table:
    """One row per model, in the order of the original ranking.

    Args:
        name: of the table's files.
        label: of the perturbation, for people.
        ranks: from ``rankings.rank_changes``.
        groups: rows of ``scores.by_group`` on the same perturbation (groups ``high`` and ``low``),
            or an empty table.
        caption: what the table shows.
        note: where the data come from.
    """
    data = ranks.copy()
    data["drop"] = 100 * (data["accuracy"] - data["original"])
    data["relative_drop"] = 100 * (data["accuracy"] / data["original"] - 1)
    shown = {
        "Model": data["variant"],
        "Original": [number(100 * value, 1) for value in data["original"]],
        label: [number(100 * value, 1) for value in data["accuracy"]],
        "Drop (points)": [number(value, 1) for value in data["drop"]],
        "Relative (%)": [number(value, 1) for value in data["relative_drop"]],
    }
    for group, title in (("high", "High-resource (%)"), ("low", "Low-resource (%)")):
        rows = groups[groups["group"] == group] if "group" in groups else groups
        if len(rows):
            data[f"relative_drop_{group}"] = data["variant"].map(
                rows.set_index("variant")["relative_drop"]
            )
            shown[title] = [number(value, 1) for value in data[f"relative_drop_{group}"]]
    shown["Rank"] = [
        f"{row.rank_original} → {row.rank}{'=' if row.tied else ''}" for row in data.itertuples()
    ]
    return Table(name, caption, note, data, pd.DataFrame(shown))


def contradictions_table(contradictions: pd.DataFrame, note: str) -> Table:
    """Where MGSM-Pro's published tables contradict each other, from ``contradictions.csv``."""
    display = pd.DataFrame(
        {
            "Check": contradictions["check"],
            "Table": contradictions["table"].astype(str),
            "Model": contradictions["model"],
            "Language": contradictions["language"],
            "Figure": contradictions["quantity"],
        }
    )
    for title, name, digits in (
        ("Printed", "printed", 1),
        ("Expected", "expected", 2),
        ("Difference", "difference", 2),
        ("Rounding allows", "allowed", 2),
    ):
        display[title] = [number(value, digits) for value in contradictions[name]]
    caption = "Figures of MGSM-Pro that contradict its other figures beyond rounding."
    return Table("table_contradictions", caption, note, contradictions, display)


@plots.styled
def drops_by_group(groups: pd.DataFrame, note: str, label: str) -> Figure:
    """From ``scores.by_group``: mean drop (points) over perturbations of groups high and low.

    Models with the smallest loss in low-resource languages stand on top. One model that would
    stretch the axis is cut off at its edge, with its value beside it. ``label`` says what the drop
    is averaged over.
    """
    table = groups.groupby(["variant", "group"])["drop"].mean().unstack("group")
    table = table.dropna().sort_values("low", kind="stable")
    positions = np.arange(len(table))
    ends, beyond = _ends(table[["high", "low"]])
    figure = plots.new_figure(6.2, 0.19 * len(table) + 1.5)
    axes = figure.add_subplot()
    axes.axvline(0, color=plots.MUTED, linewidth=0.8)
    axes.hlines(positions, *table[["low", "high"]].clip(*ends).T.to_numpy(), color=plots.GRID,
                linewidth=3)  # fmt: skip
    for group, colour, mark in (("high", plots.OURS, "o"), ("low", plots.PUBLISHED, "D")):
        values = table[group]
        inside = values.between(*ends)
        axes.plot(values[inside], positions[inside], mark, color=colour, markersize=5,
                  label=f"{group}-resource languages")  # fmt: skip
        for position, value in zip(positions[~inside], values[~inside], strict=True):
            up = bool(value > ends[1])
            axes.plot(ends[int(up)], position, "<>"[up], color=colour, markersize=6, clip_on=False)
            axes.annotate(
                f"{value:+.0f}".replace("-", "−"), (ends[int(up)], position), va="center",
                xytext=(-8 if up else 8, 0), textcoords="offset points", fontsize=7.5,
                ha="right" if up else "left",
            )  # fmt: skip
    axes.set_yticks(positions, table.index.map(plots.plain), fontsize=7.5)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.8, len(table) - 0.2)
    if beyond:
        axes.set_xlim(*ends)
    plots.grid(axes, "x")
    axes.set_xlabel(f"perturbed − original accuracy (points), {plots.plain(label)}")
    figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    shows = (
        "Accuracy on perturbed minus original questions (points) in high- and low-resource "
        "languages; models with the smallest loss in low-resource languages stand on top."
    )
    if beyond:
        shows += f" An arrow: {beyond} lies beyond the axis, at the value printed."
    plots.add_note(figure, note, shows)
    return figure


def _ends(table: pd.DataFrame) -> tuple[tuple[float, float], str]:
    """Ends of an axis for rows of values, and the one row left beyond them, "" for none.

    A row is left out that takes at least a quarter of the span to itself.
    """

    def ends(rows: pd.DataFrame) -> tuple[float, float]:
        low, high = min(0.0, rows.min(axis=None)), max(0.0, rows.max(axis=None))
        margin = 0.04 * (high - low)
        return low - margin, high + margin

    whole = ends(table)
    spans = {name: np.ptp(ends(table.drop(name))) for name in table.index if len(table) > 3}
    alone = min(spans, key=spans.__getitem__, default="")
    if alone == "" or spans[alone] > 3 / 4 * np.ptp(whole):
        return whole, ""
    return ends(table.drop(alone)), alone


@plots.styled
def slopes_of_ranks(ranks: pd.DataFrame, perturbation: str, note: str) -> Figure:
    """From ``rankings.rank_changes``; losers are orange and dashed, winners blue, the rest grey.

    ``perturbation``: its label for people.
    """
    # tied models share a rank but need a line of their own
    left = ranks["original"].rank(ascending=False, method="first")
    right = ranks["accuracy"].rank(ascending=False, method="first")
    figure = plots.new_figure(6.4, 0.23 * len(ranks) + 1.0)
    axes = figure.add_subplot()
    for row, start, end in zip(ranks.itertuples(), left, right, strict=True):
        drawn = {0: (plots.MUTED, "-"), 1: (plots.OURS, "-"), -1: (plots.PUBLISHED, "--")}
        colour, style = drawn[np.sign(row.change)]
        name, moved = plots.plain(row.variant), ""
        if row.change:
            moved = f" ({row.change:+d})".replace("-", "−")
        axes.plot(
            [0, 1], [start, end], marker="o", linestyle=style, color=colour, markersize=4,
            linewidth=1.3 if row.change else 0.8,
        )  # fmt: skip
        axes.text(-0.03, start, f"{name}  {row.rank_original}", ha="right", va="center", fontsize=8)
        axes.text(1.03, end, f"{row.rank}  {name}{moved}", ha="left", va="center", fontsize=8)
    axes.set(xlim=(-0.9, 1.95), ylim=(len(ranks) + 0.6, 0.2))
    axes.axis("off")
    for place, title in ((0, "original"), (1, plots.plain(perturbation))):
        axes.text(place, 0.1, title, ha="center", fontsize=9, weight="bold")
    shows = (
        "Ranks on original and on perturbed questions; blue: models that gain places, orange and "
        "dashed: models that lose some."
    )
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def rank_stability(stability: pd.DataFrame, threshold: float, note: str) -> Figure:
    """How the agreement of a ranking grows with the number of instances.

    From ``stability.csv``: reading, instances, kendall, mean_change.
    """
    figure = plots.new_figure(7.0, 3.4)
    left, right = figure.subplots(1, 2)
    left.axhline(threshold, color=plots.MUTED, linewidth=0.9, linestyle="--")
    for (colour, mark, style), (reading, table) in zip(
        zip(COLOURS, "oDs^", ("-", "--", "-.", ":"), strict=True),
        stability.groupby("reading", sort=False),
        strict=False,
    ):
        drawn = {"color": colour, "marker": mark, "markersize": 4, "linestyle": style}
        left.plot(table["instances"], table["kendall"], label=plots.plain(reading), **drawn)
        right.plot(table["instances"], table["mean_change"], **drawn)
    for axes in (left, right):
        axes.set_xlabel("instances per question")
        plots.grid(axes, "y")
    left.annotate(f"{threshold:g}", (1, threshold), xycoords=("axes fraction", "data"),
                  xytext=(3, 0), textcoords="offset points", va="center", fontsize=7.5,
                  color=plots.MUTED)  # fmt: skip
    left.set_title("Kendall's τ with the ranking by all means", fontsize=9)
    right.set_title("mean shift of a model (places)", fontsize=9)
    right.set_ylim(bottom=0)
    figure.legend(
        loc="outside upper left", ncols=1, fontsize=8,
        title="the ± that MGSM-Pro prints beside the mean of each of its models, read as:",
        alignment="left", title_fontsize=8,
    )  # fmt: skip
    shows = (
        "Agreement of the models' ranking with the reference ranking, and the mean shift of "
        "a model, by instances per question; a curve per reading of the published ±."
    )
    plots.add_note(figure, note, shows)
    return figure
