"""Two models on the same items: is one better, and in which languages? Paired, item by item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Outcomes, Study, outcomes
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result
from capability_transfer.analysis.presentation.tables import Table, number, p_value
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.features import names
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL = "all"
"""The row over all languages."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Two variants compared on the items that both answered.

    Attributes:
        first: the variant whose accuracy is in front of the minus sign.
        second: the other one.
        table: ``differences``.
        unpaired: items (pairs of template and language) that only one of them answered.
        source: in words, which data these are.
    """

    first: str
    second: str
    table: pd.DataFrame
    unpaired: int
    source: str

    folder = "comparison"
    about = (
        "`table.csv`: a row per language and one over all. `first`, `second`: accuracies (0 to 1). "
        "`difference`, `std_error`, `conf_low`, `conf_high` in accuracy points, over templates; "
        "`better`, `worse`, `tied`: templates on which the first is; `p_sign`: the exact test of "
        "`better` against `worse` (McNemar's where an item has one answer); `p_holm`: `p_value` "
        "over all languages by Holm's method.\n\n"
    )

    @property
    def title(self) -> str:
        return f"{self.first} against {self.second}"

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"table": self.table}

    def tables(self) -> dict[str, Table]:
        made = difference_table(self.table, self.first, self.second, self.note)
        return {"table_comparison": made}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_comparison": lambda: draw(self.table, self.first, self.second, self.note)}

    def findings(self) -> list[str]:
        row = self.table[self.table["language"] == ALL].iloc[0]
        apart = self.table[(self.table["language"] != ALL) & (self.table["p_holm"] < 0.05)]
        named = name_some([labels.language(code) for code in apart["language"]], 20)
        count = len(self.table) - 1
        told = "no interval: the same difference on every template"
        if not np.isnan(row["conf_low"]):
            told = (
                f"95% interval {number(row['conf_low'], 1)} to {number(row['conf_high'], 1)}, "
                f"p {p_value(row['p_value'])}"
            )
        return [
            f"{self.first} is {number(abs(row['difference']), 1)} points "
            f"{'above' if row['difference'] >= 0 else 'below'} {self.second} over "
            f"{count} language{'s' * (count != 1)} ({told}); better on "
            f"{row['better']}, worse on {row['worse']} of {row['templates']} templates",
            f"Apart by language (Holm, 5%): {named}"
            if len(apart)
            else "In no single language are they apart (Holm, 5%)",
        ]

    def notes(self) -> list[str]:
        if not self.unpaired:
            return []
        return [f"left out: {self.unpaired} items that only one of the two answered"]


@speaking_python
def compare(first: str, second: str, study: Study | Outcomes | None = None) -> Comparison:
    """The difference in accuracy of two variants on the items that both answered.

    Pairing takes the difficulty of the items out of the error: the unit is a template, whose
    difference is its mean over instances and, over all languages, over the languages that have it.

    Args:
        first: a variant, or the model or hub id of one, in any case and with any separators.
        second: the one that is subtracted.
        study: from ``load``; cells alone are enough. The embedded study without it.

    Raises InputError for a variant that is not there, and where fewer than two templates were
    answered by both.
    """
    data = outcomes(study)
    known = list(dict.fromkeys(data.cells["variant"]))
    first, second = (_variant(name, known) for name in (first, second))
    if first == second:
        raise InputError(f"{first} cannot be compared with itself: name two variants")
    items, unpaired = paired(data.cells, first, second)
    return Comparison(first, second, differences(items), unpaired, data.source)


def _variant(name: str, known: list[str]) -> str:
    base = str(name).rpartition("/")[2]  # of a hub id
    found = [name] if name in known else names.matching(name, known) or names.matching(base, known)
    modes = [names.in_mode(base, mode) for mode in ("on", "off")]
    found = found or [one for one in known if any(names.same(mode, one) for mode in modes)]
    if len(found) > 1:
        raise InputError(f"{name} fits several variants: say which of {name_some(found)}")
    if not found:
        raise InputError(
            f"the outcomes have no variant {name!r}.{suggest(name, known)} "
            f"They have {name_some(known, 12)}"
        )
    return found[0]


def paired(cells: pd.DataFrame, first: str, second: str) -> tuple[pd.DataFrame, int]:
    """The items that both variants answered, and how many only one of them did.

    Args:
        cells: variant, language, template, n_correct, n_total, and split where there are two.
        first: values of ``variant``.
        second: see ``first``.

    Returns language, template, first, second: the share of correct answers of each.
    """
    key = ["language", "template", *(["split"] if "split" in cells.columns else [])]
    sides = []
    for name in (first, second):
        own = cells[(cells["variant"] == name) & (cells["n_total"] > 0)]
        sides.append(
            (own["n_correct"] / own["n_total"]).set_axis(pd.MultiIndex.from_frame(own[key]))
        )
    both = pd.concat(sides, axis=1, keys=["first", "second"])
    kept = both.dropna().groupby(["language", "template"]).mean().reset_index()
    return kept, int(both.isna().any(axis=1).sum())


def differences(items: pd.DataFrame) -> pd.DataFrame:
    """Paired differences by language and over all (the first row), with t-intervals and tests.

    Args:
        items: ``paired``.

    Returns language, templates, first, second (0 to 1, means over templates), difference,
    std_error, conf_low, conf_high (accuracy points; t over templates), statistic, p_value, p_holm,
    better, worse, tied (templates), p_sign.

    Raises InputError where fewer than two templates were answered by both.
    """
    means = items.groupby("template")[["first", "second"]].mean()
    if len(means) < 2:
        raise InputError(f"{len(means)} templates were answered by both; a comparison needs two")
    groups = [(ALL, means), *items.groupby("language")[["first", "second"]]]
    table = pd.DataFrame([{"language": name} | _row(part) for name, part in groups])
    tested = table["p_value"].notna() & (table["language"] != ALL)
    table.loc[tested, "p_holm"] = table.loc[tested, "p_value"]
    if tested.sum() > 1:
        table.loc[tested, "p_holm"] = multipletests(table.loc[tested, "p_value"], method="holm")[1]
    return table


def _row(part: pd.DataFrame) -> dict[str, object]:
    difference = 100 * (part["first"] - part["second"]).to_numpy()
    better, worse = int((difference > 0).sum()), int((difference < 0).sum())
    spread = len(difference) > 1 and np.ptp(difference) > 0
    t = DescrStatsW(difference)
    low, high = t.tconfint_mean() if spread else (np.nan, np.nan)
    statistic, p, _ = t.ttest_mean() if spread else (np.nan, np.nan, 0)
    return {
        "templates": len(part),
        "first": part["first"].mean(),
        "second": part["second"].mean(),
        "difference": difference.mean(),
        "std_error": t.std_mean if spread else np.nan,
        "conf_low": low,
        "conf_high": high,
        "statistic": statistic,
        "p_value": p,
        "p_holm": np.nan,
        "better": better,
        "worse": worse,
        "tied": len(part) - better - worse,
        "p_sign": binomtest(better, better + worse).pvalue if better + worse else 1.0,
    }


def difference_table(table: pd.DataFrame, first: str, second: str, note: str) -> Table:
    """The comparison for a paper, from ``comparison/table.csv``."""
    display = pd.DataFrame(
        {
            "Language": [_language(code) for code in table["language"]],
            "Templates": table["templates"].astype(str),
            "First (%)": [number(100 * value, 1) for value in table["first"]],
            "Second (%)": [number(100 * value, 1) for value in table["second"]],
            "Difference": [number(value, 1) for value in table["difference"]],
            "95% interval": [
                "" if np.isnan(low) else f"[{number(low, 1)}, {number(high, 1)}]"
                for low, high in zip(table["conf_low"], table["conf_high"], strict=True)
            ],
            "p (Holm)": table["p_holm"].map(p_value),
            "Better / worse": [f"{row.better} / {row.worse}" for row in table.itertuples()],
        }
    )
    caption = f"Accuracy of {first} (first) and {second} (second) on the same items."
    explained = (
        "Difference in accuracy points with a t-interval over templates, paired; better, worse: "
        "templates on which the first is."
    )
    return Table("table_comparison", caption, f"{explained} {note}", table, display)


def _language(code: str) -> str:
    return "All languages" if code == ALL else labels.language(code)


@plots.styled
def draw(table: pd.DataFrame, first: str, second: str, note: str) -> Figure:
    """The differences by language with 95% intervals, all languages on top."""
    rest = table[table["language"] != ALL].sort_values("difference", ascending=False, kind="stable")
    shown = pd.concat([table[table["language"] == ALL], rest])
    figure = plots.new_figure(5.6, 0.27 * len(shown) + 1.1)
    axes = figure.add_subplot()
    languages = [_language(code) for code in shown["language"]]
    plots.forest(axes, shown, languages, "difference", "difference, 95% interval", fontsize=8)
    axes.set_xlabel(f"{plots.plain(first)} − {plots.plain(second)}, accuracy points")
    shows = (
        f"Accuracy of {first} minus that of {second} on the same items, by language and over all, "
        "with 95% t-intervals over templates."
    )
    plots.add_note(figure, note, shows)
    return figure
