"""How much data is needed: templates, instances, rankings (Appendix A.4, Table 2, Figure 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis.arguments import several, speaking_python, whole
from capability_transfer.analysis.data import Outcomes, Study, outcomes
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, Sheet
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.published import values
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some, suggest
from scipy.stats import rankdata

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TEMPLATES = (1, 2, 5, 10, 20, 50, 75, 100)
INSTANCES = (1, 2, 5, 10, 20)
WANTED = (5.0, 3.0, 2.0, 1.0)
"""Standard errors (accuracy points) for which the templates needed are listed."""

DRAWS = 40
THINNINGS = 20
REFERENCES = ("own_split", "symbolic")
"""What a budget's ranking is compared with: the full ranking of its own split (Table 2), or that
of the symbolic split for both."""

SPLITS = ("original", "symbolic")
SHOWN = (10, 20, 50, 75, 100)
"""Budgets of Table 2."""

PANELS = ("precision", "ranking", "instances")
COLORS = {"symbolic": plots.OURS, "original": plots.PUBLISHED}
DASHES = {"symbolic": "o-", "original": "s--"}
FARTHEST = 400
"""Templates up to which the precision of a score is drawn."""

Grid = tuple[np.ndarray, np.ndarray]
"""Correct and all answers, each variants × languages × templates."""


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Result):
    """Precision of scores and stability of rankings by budget.

    Attributes:
        found: ``templates``, ``instances``, ``needed`` and ``claims`` by name.
        source: in words, which data these are.
        seed: of the draws of templates and instances.
    """

    found: dict[str, pd.DataFrame]
    source: str
    seed: int

    folder = "sample_size"
    title = "Sample size"

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source, seed=self.seed)

    @property
    def templates(self) -> pd.DataFrame:
        """split, templates, rank_reference, rank_correlation, …, std_error (accuracy points)."""
        return self.found["templates"].copy()

    @property
    def instances(self) -> pd.DataFrame:
        """split, instances, std_error (accuracy points), template_share."""
        return self.found["instances"].copy()

    @property
    def needed(self) -> pd.DataFrame:
        """split, std_error (accuracy points), templates: how many give it."""
        return self.found["needed"].copy()

    @property
    def claims(self) -> pd.DataFrame:
        """statistic, value, published: the figures that Appendix A.4 states in words."""
        return self.found["claims"].copy()

    def frames(self) -> dict[str, pd.DataFrame]:
        return {name: table.copy() for name, table in self.found.items()}

    def tables(self) -> dict[str, Table]:
        table = budget_table(self.templates, self.note)
        return {table.name: table}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_09": lambda: by_budget(self.templates, self.instances, self.note)}

    def plot(self, what: str = "precision", ax: Axes | None = None) -> Axes:
        """``precision`` by templates, ``ranking`` by templates, or precision by ``instances``."""
        if what not in PANELS:
            raise InputError(
                f"what={what!r}: there are {name_some(PANELS)}.{suggest(what, PANELS)}"
            )
        with plots.axes(ax, 4.2, 3.4, self.note) as ax:
            if what == "instances":
                draw_instances(ax, self.instances)
                ax.set_ylabel("standard error, points")
            else:
                (draw_precision if what == "precision" else draw_ranking)(ax, self.templates)
                plots.legend_above(ax)
        return ax

    def findings(self) -> list[str]:
        told = []
        for row in self.claims.itertuples():
            beside = "" if pd.isna(row.published) else f" (published {row.published:g})"
            digits = 0 if "templates_for" in row.statistic else 3  # these are counts
            told.append(f"{row.statistic.replace('_', ' ')}: {number(row.value, digits)}{beside}")
        for row in self.needed.itertuples():
            told.append(
                f"{row.templates} {row.split} templates for a standard error of {row.std_error:g}"
            )
        return told

    def sheet(self) -> Sheet:
        facts = {
            f"standard error of {row.std_error:g} points": f"{row.templates} {row.split} templates"
            for row in self.needed.itertuples()
        }
        (table,) = self.tables().values()
        title = "Precision of one model's score in one language, by templates"
        return Sheet(title, facts | {"data": self.source}, table.display)


@speaking_python
def sample_size(
    study: Study | Outcomes | None = None,
    *,
    templates: int | Sequence[int] = TEMPLATES,
    instances: int | Sequence[int] = INSTANCES,
    wanted: float | Sequence[float] = WANTED,
) -> SampleSize:
    """How precise a score and how stable a ranking of models are on fewer templates or instances.

    Args:
        study: from ``load``; ``load(split=None)`` keeps both splits. The embedded study without.
            Cells alone are enough. Those without a split count as symbolic.
        templates: budgets of templates; those beyond what there is have no ranking.
        instances: budgets of instances per template; larger ones than there are left out.
        wanted: standard errors (accuracy points) for which the templates needed are listed.

    Raises InputError for budgets below one and for cells without a full grid: every variant and
    language has every template of a split.
    """
    data = outcomes(study)
    budgets, per_template = (
        [whole(name, value) for value in several(name, given)]
        for name, given in (("templates", templates), ("instances", instances))
    )
    errors = several("wanted", wanted)
    if bad := [value for value in errors if not value > 0]:
        raise InputError(f"a wanted standard error is positive, not {name_some(bad)}")
    with progress.working("resampling"):
        cells = data.cells if "split" in data.cells.columns else data.cells.assign(split="symbolic")
        grids = {split: grid(rows, split) for split, rows in cells.groupby("split", sort=True)}
        for split, (correct, total) in grids.items():
            if not np.ptp(correct / total, axis=-1).any():
                raise InputError(
                    f"{split}: every pair scores the same on all of its templates, or has one "
                    "alone: how precise more of them are cannot be told"
                )
        rng = np.random.default_rng(data.seed)
        by_template = by_templates(grids, budgets, rng)
        by_instance = by_instances(grids, per_template, rng)
    known = values("study_sample_size", "name", "value", data.is_study, kind="claim")
    stated = claims(grids, by_instance)
    found = {
        "templates": _beside_published(by_template, data.is_study),
        "instances": by_instance,
        "needed": templates_needed(grids, errors),
        "claims": stated.assign(published=stated["statistic"].map(known).astype(float)),
    }
    return SampleSize(found, data.source, data.seed)


def _beside_published(table: pd.DataFrame, is_study: bool) -> pd.DataFrame:
    """``by_templates`` with Table 2's figures, NaN for data that are not the study's.

    ``published`` is of std_error, ``published_rank`` of rank_correlation.
    """
    keys = pd.MultiIndex.from_arrays([table["split"], table["templates"].astype(str)])
    error, rank = (
        values("study_sample_size", ["split", "name"], "value", is_study, kind=kind)
        .reindex(keys)
        .to_numpy(dtype=float)
        for kind in ("std_error", "rank_correlation")
    )
    rank = np.where(table["rank_reference"] == "own_split", rank, np.nan)
    return table.assign(published=error, published_rank=rank)


def grid(cells: pd.DataFrame, split: str = "the outcomes") -> Grid:
    """Correct and all answers, each variants × languages × templates.

    Raises InputError, naming variants and languages, if a pair lacks a template.
    """
    index = pd.MultiIndex.from_product(
        [cells["variant"].unique(), cells["language"].unique(), cells["template"].unique()],
        names=["variant", "language", "template"],
    )
    table = cells.set_index(["variant", "language", "template"])[["n_correct", "n_total"]]
    table = table.reindex(index)
    if (lacking := table["n_total"].isna()).any():
        pairs = name_some(" / ".join(pair) for pair in index[lacking].droplevel(2).unique())
        raise InputError(
            f"{split}: {pairs} lacks templates that others have; a sample-size analysis needs the "
            "same templates everywhere"
        )
    shape = tuple(len(level) for level in index.levels)
    correct, total = (table[name].to_numpy(dtype=np.int64).reshape(shape) for name in table.columns)
    return correct, total


def template_sd(correct: np.ndarray, total: np.ndarray) -> float:
    """SD over templates of a pair's accuracies (n − 1), averaged over pairs; accuracy points."""
    return float(100 * (correct / total).std(axis=-1, ddof=1).mean())


def by_templates(
    grids: dict[str, Grid],
    budgets: Sequence[int],
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """Precision of a score and stability of the ranking by template budget (Table 2).

    The standard error is the template-to-template SD over √k, without a finite-population
    correction. The rank correlation is Spearman's between the runs' accuracies on k templates
    drawn without replacement and their ranking on all, by language, averaged over languages and
    draws.

    Returns split, templates, rank_reference, rank_correlation, rank_low, rank_high (the central
    95% of the draws), std_error (accuracy points), draws.
    """
    rows = []
    for split, (correct, total) in grids.items():
        sd = template_sd(correct, total)
        available = correct.shape[-1]
        accuracy = correct / total
        for budget in budgets:
            means = None
            if budget <= available:
                chosen = rng.random((draws, available)).argsort(axis=1, kind="stable")[:, :budget]
                means = [accuracy[..., chosen[draw]].mean(axis=-1) for draw in range(draws)]
            for reference in REFERENCES:
                against = grids.get(split if reference == "own_split" else "symbolic")
                if against is None or against[0].shape[:2] != correct.shape[:2]:
                    continue
                full = (against[0] / against[1]).mean(axis=-1)
                found = [] if means is None else [_spearman(mean, full) for mean in means]
                low, high = np.quantile(found, [0.025, 0.975]) if found else (np.nan, np.nan)
                rows.append(
                    {
                        "split": split,
                        "templates": budget,
                        "rank_reference": reference,
                        "rank_correlation": np.mean(found) if found else np.nan,
                        "rank_low": low,
                        "rank_high": high,
                        "std_error": sd / np.sqrt(budget),
                        "draws": draws if found else 0,
                    }
                )
    return pd.DataFrame(rows)


def _spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's correlation over rows, averaged over columns; ties take mean ranks.

    Accuracies are rounded first, lest the order of summation break ties. A column on which all
    rows tie has no correlation and is left out.
    """
    ranks = [rankdata(values.round(10), axis=0) for values in (first, second)]
    centred = [rank - rank.mean(axis=0) for rank in ranks]
    products = (centred[0] * centred[1]).sum(axis=0)
    scale = np.sqrt((centred[0] ** 2).sum(axis=0) * (centred[1] ** 2).sum(axis=0))
    return float(np.mean(products[scale > 0] / scale[scale > 0])) if (scale > 0).any() else np.nan


def variance_parts(correct: np.ndarray, total: np.ndarray) -> tuple[float, float]:
    """The across-template variance of an accuracy as template part and one instance's part.

    Var(p̂) = σ²(template) + E[q(1 − q)]/n, averaged over pairs; p̂(1 − p̂)·n/(n − 1) estimates
    q(1 − q) without bias. Returns σ²(template) and E[q(1 − q)], in squared accuracies.
    """
    accuracy = correct / total
    single = accuracy * (1 - accuracy) * total / (total - 1)
    whole = accuracy.var(axis=-1, ddof=1).mean()
    return float(whole - (single / total).mean()), float(single.mean())


def by_instances(
    grids: dict[str, Grid],
    budgets: Sequence[int],
    rng: np.random.Generator,
    thinnings: int = THINNINGS,
) -> pd.DataFrame:
    """Precision by instances per template, at all templates, of splits with several instances.

    A cell's instances are thinned to fewer by hypergeometric draws. The last row of a split,
    infinitely many instances, is the floor: the standard error at the full number times the root
    of the template share there.

    Returns split, instances, std_error (accuracy points), template_share.
    """
    rows = []
    for split, (correct, total) in grids.items():
        if total.min() <= 1:
            continue
        template, single = variance_parts(correct, total)
        root = np.sqrt(correct.shape[-1])
        most = int(total.min())
        for budget in sorted({*(b for b in budgets if b < most), most}):
            if budget == most:
                errors = [template_sd(correct, total) / root]
            else:
                thinned = (
                    rng.hypergeometric(correct, total - correct, budget) for _ in range(thinnings)
                )
                errors = [template_sd(k, np.full_like(total, budget)) / root for k in thinned]
            share = template / (template + single / budget)
            rows.append((split, float(budget), float(np.mean(errors)), share))
        floor = rows[-1][2] * np.sqrt(rows[-1][3])
        rows.append((split, np.inf, floor, 1.0))
    return pd.DataFrame(rows, columns=["split", "instances", "std_error", "template_share"])


def templates_needed(grids: dict[str, Grid], wanted: Sequence[float]) -> pd.DataFrame:
    """Templates for a wanted standard error: split, std_error (accuracy points), templates."""
    rows = [
        (split, error, ceil((template_sd(*counts) / error) ** 2))
        for split, counts in grids.items()
        for error in wanted
    ]
    return pd.DataFrame(rows, columns=["split", "std_error", "templates"])


def claims(grids: dict[str, Grid], by_instance: pd.DataFrame) -> pd.DataFrame:
    """The figures that Appendix A.4 states in words: statistic, value."""
    stated = {}
    symbolic, original = grids.get("symbolic"), grids.get("original")
    if symbolic is not None and original is not None:
        ratio = template_sd(*original) / template_sd(*symbolic)
        stated["precision_ratio"] = ratio
        number = symbolic[0].shape[-1]
        stated["original_templates_for_symbolic_precision"] = ceil(number * ratio**2)
    if symbolic is not None:
        stated["templates_for_half_the_error"] = 4 * symbolic[0].shape[-1]
    rows = by_instance[by_instance["split"] == "symbolic"].set_index("instances")
    if {5.0, 10.0, 20.0}.issubset(rows.index):
        error = rows["std_error"]
        stated["template_share"] = rows.loc[20.0, "template_share"]
        stated["removed_from_5_to_10_instances"] = 1 - error[10.0] / error[5.0]
        stated["removed_from_10_to_20_instances"] = 1 - error[20.0] / error[10.0]
        stated["removed_by_any_more_instances"] = 1 - error[np.inf] / error[20.0]
    return pd.DataFrame(list(stated.items()), columns=["statistic", "value"])


def budget_table(templates: pd.DataFrame, note: str) -> Table:
    """Table 2: what a template budget does to the ranking of models and to a single score.

    From ``sample_size/templates.csv``; published figures stand in brackets.
    """
    own = templates[templates["rank_reference"] == "own_split"]
    budgets = [k for k in SHOWN if k in set(own["templates"])] or sorted(own["templates"].unique())
    lines = []
    for budget in budgets:
        rows = own[own["templates"] == budget].set_index("split")
        line = [str(budget)]
        for value, known, digits in (
            ("rank_correlation", "published_rank", 3),
            ("std_error", "published", 2),
        ):
            for split in SPLITS:
                if split not in rows.index:
                    line.append("")
                    continue
                text = number(rows.loc[split, value], digits)
                if pd.notna(rows.loc[split, known]):
                    text += f" [{number(rows.loc[split, known], digits)}]"
                line.append(text)
        lines.append(line)
    headings = ["Templates", *(f"Rank correlation, {split}" for split in SPLITS)]
    headings += [f"SE, {split}" for split in SPLITS]
    beside = own["published"].notna().any()
    caption = "Table 2. Template budget, ranking of models and precision of a score"
    caption += "; published figures in brackets." if beside else "."
    explanation = (
        "Spearman correlation with the ranking on all templates of the same split, mean over "
        "languages and 40 draws; SE in accuracy points."
    )
    if beside:
        explanation += (
            " The published figures count a 47th run that answers next to nothing, which the "
            "study's model leaves out: with it these cells give the same. Standard errors of the "
            "original split follow from its totals, since a template has one original question; "
            "which were answered, and so the ranking on few of them, is drawn."
        )
    display = pd.DataFrame(lines, columns=headings)
    return Table("table_02", caption, f"{explanation} {note}", templates, display)


@plots.styled
def by_budget(templates: pd.DataFrame, instances: pd.DataFrame, note: str) -> Figure:
    """Figure 9, from ``sample_size/templates.csv`` and ``instances.csv``.

    Left: the standard error by templates, dotted beyond those there are. Middle: by instances per
    template. Right: the rank correlation with all templates; bands hold 95% of the draws.
    """
    figure = plots.new_figure(7.4, 3.2)
    left, middle, right = figure.subplots(1, 3)
    draw_precision(left, templates)
    draw_instances(middle, instances)
    middle.set(yscale="log", ylim=left.get_ylim(), yticks=left.get_yticks())
    middle.yaxis.set_major_formatter(left.yaxis.get_major_formatter())
    middle.yaxis.set_minor_formatter(left.yaxis.get_minor_formatter())
    middle.set_ylabel(left.get_ylabel())
    draw_ranking(right, templates)
    left.set_title("One score", fontsize=9)
    middle.set_title("One score, all templates", fontsize=9)
    right.set_title("Ranking of models", fontsize=9)
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=3, fontsize=8)
    shows = (
        "Standard error of a score by templates (dotted beyond those there are) and by "
        "instances per template, and the rank correlation with all templates; bands hold "
        "95% of the draws."
    )
    plots.add_note(figure, note, shows)
    return figure


def draw_precision(axes: Axes, templates: pd.DataFrame) -> None:
    """The standard error of a score by templates, on logarithmic scales."""
    for split, seen, color in _splits(templates):
        axes.plot(
            seen["templates"], seen["std_error"], DASHES.get(split, "o-"), color=color,
            markersize=3.5, label=plots.plain(f"{split} questions"),
        )  # fmt: skip
        last = seen.iloc[-1]
        far = np.geomspace(last["templates"], FARTHEST, 20)
        axes.plot(far, last["std_error"] * np.sqrt(last["templates"] / far), ":", color=color)
    _mark_published(axes, templates, "published")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([1, 10, 100, FARTHEST], ["1", "10", "100", str(FARTHEST)])
    axes.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
    axes.minorticks_off()
    axes.set(xlabel="templates", ylabel="standard error, points")
    plots.grid(axes)


def draw_ranking(axes: Axes, templates: pd.DataFrame) -> None:
    """The rank correlation of models with that on all templates; bands hold 95% of the draws."""
    for split, seen, color in _splits(templates):
        axes.fill_between(
            seen["templates"], seen["rank_low"], seen["rank_high"], color=color, alpha=0.18,
            linewidth=0,
        )  # fmt: skip
        axes.plot(
            seen["templates"], seen["rank_correlation"], DASHES.get(split, "o-"), color=color,
            markersize=3.5, label=plots.plain(f"{split} questions"),
        )  # fmt: skip
    _mark_published(axes, templates, "published_rank")
    axes.set_xscale("log")
    axes.set_xticks([1, 10, 100], ["1", "10", "100"])
    axes.minorticks_off()
    axes.set(xlabel="templates", ylabel="Spearman's ρ with all templates")
    plots.grid(axes)


def draw_instances(axes: Axes, instances: pd.DataFrame) -> None:
    """The standard error of a score on all templates by instances of each."""
    for split, rows in instances.groupby("split", sort=False):
        color = COLORS.get(split, plots.MUTED)
        finite = rows[np.isfinite(rows["instances"])]
        axes.plot(finite["instances"], finite["std_error"], "o-", color=color, markersize=3.5)
        floor = rows.loc[~np.isfinite(rows["instances"]), "std_error"].iloc[0]
        axes.axhline(floor, color=color, linewidth=0.9, linestyle="--")
        axes.annotate(
            "infinitely many", (1, floor), xycoords=("axes fraction", "data"), ha="right",
            va="top", xytext=(0, -3), textcoords="offset points", fontsize=7.5, color=plots.MUTED,
        )  # fmt: skip
        axes.set_ylim(0, 1.15 * finite["std_error"].max())
        axes.set_xticks(finite["instances"], [f"{n:g}" for n in finite["instances"]])
    axes.set_xlabel("instances per template")
    plots.grid(axes)


def _splits(templates: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, str]]:
    """Each split with its rows of budgets that there are, and its colour."""
    own = templates[templates["rank_reference"] == "own_split"]
    for split, rows in own[own["rank_correlation"].notna()].groupby("split", sort=False):
        yield split, rows, COLORS.get(split, plots.MUTED)


def _mark_published(axes: Axes, templates: pd.DataFrame, column: str) -> None:
    """Hollow marks where the study published a figure."""
    rows = templates[(templates["rank_reference"] == "own_split") & templates[column].notna()]
    if not rows.empty:
        axes.plot(
            rows["templates"], rows[column], "D", markersize=6, markerfacecolor="none",
            markeredgecolor=plots.MUTED, markeredgewidth=0.9, label="published (Table 2)",
        )  # fmt: skip
