"""Are two versions of a language equally hard? Two one-sided tests (Appendices A.2 and A.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Outcomes, Study, outcomes
from capability_transfer.analysis.outcomes.published import STUDY_LANGUAGES
from capability_transfer.analysis.outcomes.schema import pair_totals
from capability_transfer.analysis.outcomes.study import study_counts
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result
from capability_transfer.analysis.presentation.tables import Table, number, p_value
from capability_transfer.common.errors import InputError, name_some, option, suggest
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARGIN = 1.0
"""The study's equivalence margin, accuracy points."""

STUDY_PAIR = ("eng", "eng_metric")
"""English with imperial and with metric units: the pair that Table 12 tabulates."""

TRANSLATED = ("isl", "isl_machine")
"""Icelandic translated by people and by a machine, of which the study tabulates no scores."""

PUBLISHED = {
    STUDY_PAIR: "equivalent, p < 0.01 (Appendix A.3)",
    TRANSLATED: "not equivalent, p > 0.999 (Appendix A.2)",
}
"""What the study found, by (first, second)."""

FIGURES = {STUDY_PAIR: ("figure_19", "figure_08"), TRANSLATED: ("figure_18", "figure_07")}
"""All runs, and three of them, as numbered in the study."""

EMBEDDED = "the study's published cells, and Table 12 for what they lack; all 48 runs"


@dataclass(frozen=True, eq=False, repr=False)
class Equivalence(Result):
    """Two versions of a language compared.

    Attributes:
        first: the reference.
        second: the language compared with it.
        runs: ``accuracies`` of every run that has both.
        test: ``two_one_sided_tests`` of them.
        lacking: runs that have only one of the two.
        source: in words, which data these are.
    """

    first: str
    second: str
    runs: pd.DataFrame
    test: pd.DataFrame
    lacking: list[str]
    source: str

    folder = "equivalence"

    @property
    def title(self) -> str:
        return f"Equivalence of {self.first} and {self.second}"

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"table": self.test, "runs": self.runs}

    def tables(self) -> dict[str, Table]:
        return {"table_equivalence": test_table(self.test, self.first, self.second, self.note)}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        own = ("figure_equivalence", "figure_equivalence_selected")
        every, selected = FIGURES.get((self.first, self.second), own)
        remark = f"{self.note} The runs at the quartiles of accuracy."
        return {
            every: lambda: self._draw(self.runs, self.note),
            selected: lambda: self._draw(quartiles(self.runs), remark),
        }

    def notes(self) -> list[str]:
        return [f"left out, only one of the two: {', '.join(self.lacking)}"] if self.lacking else []

    def _draw(self, runs: pd.DataFrame, note: str) -> Figure:
        return both_versions(runs, self.test, self.first, self.second, note)


@speaking_python
def equivalence(
    study: Study | Outcomes | None = None,
    first: str = STUDY_PAIR[0],
    second: str = STUDY_PAIR[1],
    margin: float = MARGIN,
) -> Equivalence:
    """Two one-sided t-tests over the runs that were evaluated on both, on symbolic questions.

    Args:
        study: from ``load``; cells alone are enough. Without it: the study's totals of all 48 runs.
        first: a language of the outcomes, the reference.
        second: the language to compare with it.
        margin: of equivalence, accuracy points.

    Raises InputError for a language that is not there, for fewer than two runs with both, and for
    a margin that is not positive.
    """
    if study is None:
        source, cells = EMBEDDED, _embedded(first, second)
    else:
        data = outcomes(study)
        source, cells = data.source, data.cells
        if "split" in cells.columns:
            cells = cells[cells["split"] == "symbolic"]
    runs = accuracies(cells, first, second)
    either = cells.loc[cells["language"].isin([first, second]), "variant"]
    lacking = sorted(set(either) - set(runs["variant"]))
    test = two_one_sided_tests(runs, first, second, margin)
    return Equivalence(first, second, runs, test, lacking, source)


def _embedded(first: str, second: str) -> pd.DataFrame:
    """The study's symbolic totals of two languages."""
    known = dict.fromkeys((*STUDY_LANGUAGES, *STUDY_PAIR))
    if absent := [name for name in (first, second) if name not in known]:
        raise InputError(
            f"the study tabulates no scores of {absent[0]}.{suggest(absent[0], known)} It has "
            f"{name_some(known, 20)}; for others give {option('outcomes')} with both languages"
        )
    return study_counts(["symbolic"], dict.fromkeys((first, second)), include_excluded=True)


def accuracies(outcomes: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Each run's accuracy on two languages, with 95% Wilson intervals.

    Args:
        outcomes: variant, language, n_correct, n_total; several rows of a pair are added up.
        first: values of ``language``.
        second: see ``first``.

    Returns one row per run that has both: variant, n_first, n_second (answers), first, second,
    first_low, first_high, second_low, second_high (all 0 to 1), difference (second − first,
    accuracy points).

    Raises InputError for a language that is not there, and for fewer than two runs with both.
    """
    if first == second:
        raise InputError(f"{first} cannot be compared with itself: give two languages")
    for language in (first, second):
        if language not in set(outcomes["language"]):
            known = sorted(outcomes["language"].unique())
            raise InputError(
                f"the outcomes have no language {language!r}.{suggest(language, known)} "
                f"They have {name_some(known, 20)}"
            )
    kept = outcomes[outcomes["language"].isin([first, second])]
    totals = pair_totals(kept[["variant", "language", "n_correct", "n_total"]])
    totals["low"], totals["high"] = proportion_confint(
        totals["n_correct"], totals["n_total"], method="wilson"
    )
    sides = [
        totals[totals["language"] == language]
        .set_index("variant")[["n_total", "accuracy", "low", "high"]]
        .set_axis([f"n_{side}", side, f"{side}_low", f"{side}_high"], axis=1)
        for language, side in ((first, "first"), (second, "second"))
    ]
    table = sides[0].join(sides[1], how="inner")
    if len(table) < 2:
        raise InputError(
            f"{len(table)} runs were evaluated on both {first} and {second}; a test needs two"
        )
    table["difference"] = 100 * (table["second"] - table["first"])
    return table.reset_index()


def two_one_sided_tests(
    runs: pd.DataFrame, first: str, second: str, margin: float = MARGIN
) -> pd.DataFrame:
    """Two one-sided t-tests that the mean difference lies within ± ``margin``.

    The unit is the run; its accuracies are paired. ``p_value`` is the larger of the two: below
    .05 the two versions are equivalent within the margin at that level.

    Args:
        runs: from ``accuracies``.
        margin: accuracy points.

    Returns one row: comparison, n, mean_first, mean_second (0 to 1), difference (points), sd
    (points, over runs), conf_low, conf_high (90%: it lies within the margin exactly if
    p_value < .05), margin, statistic_lower, statistic_upper, p_value, equivalent.

    Raises InputError for a margin that is not positive.
    """
    if not margin > 0:
        raise InputError(f"the margin is a positive number of accuracy points, not {margin:g}")
    differences = DescrStatsW(runs["difference"].to_numpy())
    p_value, lower, upper = differences.ttost_mean(-margin, margin)
    conf_low, conf_high = differences.tconfint_mean(alpha=0.10)
    row = {
        "comparison": f"{second} − {first}",
        "n": len(runs),
        "mean_first": runs["first"].mean(),
        "mean_second": runs["second"].mean(),
        "difference": differences.mean,
        "sd": runs["difference"].std(ddof=1),
        "conf_low": conf_low,
        "conf_high": conf_high,
        "margin": margin,
        "statistic_lower": lower[0],
        "statistic_upper": upper[0],
        "p_value": p_value,
        "equivalent": bool(p_value < 0.05),
        "published": PUBLISHED.get((first, second), ""),
    }
    return pd.DataFrame([row])


def quartiles(runs: pd.DataFrame) -> pd.DataFrame:
    """The three runs at the quartiles of accuracy on the first language, weakest first."""
    ordered = runs.sort_values("first", ignore_index=True, kind="stable")
    places = [round(share * (len(ordered) - 1)) for share in (0.25, 0.5, 0.75)]
    return ordered.iloc[places].reset_index(drop=True)


def test_table(test: pd.DataFrame, first: str, second: str, note: str) -> Table:
    """The two one-sided tests as a table, from ``equivalence/table.csv``."""
    row = test.iloc[0]
    lines = [
        ("Runs", str(row["n"])),
        (f"Mean, {labels.language(first)} (%)", number(100 * row["mean_first"], 2)),
        (f"Mean, {labels.language(second)} (%)", number(100 * row["mean_second"], 2)),
        ("Difference (points)", number(row["difference"], 2)),
        (
            "90% interval (points)",
            f"[{number(row['conf_low'], 2)}, {number(row['conf_high'], 2)}]",
        ),
        ("Margin (points)", number(row["margin"], 2)),
        ("t against the lower bound", number(row["statistic_lower"], 2)),
        ("t against the upper bound", number(row["statistic_upper"], 2)),
        ("p (the larger)", p_value(row["p_value"])),
        ("Published", row["published"] or "not published"),
    ]
    display = pd.DataFrame(lines, columns=["", "Two one-sided tests"])
    caption = f"Equivalence of {labels.language(first)} and {labels.language(second)}."
    return Table("table_equivalence", caption, note, test, display)


@plots.styled
def both_versions(
    runs: pd.DataFrame, test: pd.DataFrame, first: str, second: str, note: str
) -> Figure:
    """Figures 19 and 8 (18 and 7): every run's accuracy on two versions of a language.

    From ``equivalence/runs.csv`` and ``table.csv``: strongest run on top, 95% Wilson intervals.
    ``runs`` may be a part of the runs behind ``test``.
    """
    table = runs.sort_values("first", ascending=False, ignore_index=True, kind="stable")
    rows = -table.index.to_numpy(dtype=float)
    found = test.iloc[0]
    figure = plots.new_figure(6.4, max(0.19 * len(table) + 1.5, 2.4))
    axes = figure.add_subplot()
    sides = (
        ("first", first, plots.OURS, "o", 0.17),
        ("second", second, plots.PUBLISHED, "D", -0.17),
    )
    for side, language, color, marker, shift in sides:
        positions = rows + shift
        axes.hlines(
            positions, 100 * table[f"{side}_low"], 100 * table[f"{side}_high"],
            color=color, linewidth=1.1,
        )  # fmt: skip
        counts = table[f"n_{side}"].unique()
        answers = f", n = {counts[0]:,} answers" if len(counts) == 1 else ""
        axes.plot(
            100 * table[side], positions, marker, color=color, markersize=3.5,
            label=f"{plots.plain(labels.language(language))}{answers}, 95% Wilson interval",
        )  # fmt: skip
    axes.set_yticks(rows, table["variant"].map(plots.plain), fontsize=7)
    axes.set_ylim(-len(table) + 0.3, 0.7)
    axes.set_xlim(-2, 102)
    axes.tick_params(axis="y", length=0)
    plots.grid(axes, "x")
    axes.set_xlabel("accuracy on symbolic questions, %")
    verdict = "equivalent" if found["equivalent"] else "not equivalent"
    axes.set_title(
        f"{found['n']} runs: mean difference {found['difference']:.2f} points, {verdict} "
        f"within ±{found['margin']:g} (p = {found['p_value']:.2g})".replace("-", "−"),
        fontsize=8,
        color=plots.MUTED,
    )
    figure.legend(loc="outside upper left", ncols=1 if len(table) < 9 else 2, fontsize=7.5)
    shows = (
        "Accuracy of every run on two versions of a language with 95% Wilson intervals, the "
        "strongest run on top."
    )
    plots.add_note(figure, note, shows)
    return figure
