"""Are two versions of a language equally hard? Two one-sided tests (Appendices A.2 and A.3)."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.outcomes.cells import pair_totals
from capability_transfer.common.errors import InputError, name_some, suggest
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

MARGIN = 1.0
"""The study's equivalence margin, accuracy points."""

STUDY_PAIR = ("eng", "eng_metric")
"""English with imperial and with metric units: the pair that Table 12 tabulates."""

PUBLISHED = {
    ("eng", "eng_metric"): "equivalent, p < 0.01 (Appendix A.3)",
    ("isl", "isl_machine"): "not equivalent, p > 0.999 (Appendix A.2)",
}
"""What the study found, by (first, second); it tabulates no machine-translated Icelandic."""


def accuracies(outcomes: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Each run's accuracy on two languages, with 95% Wilson intervals.

    Args:
        outcomes: variant, language, n_correct, n_total; several rows of a pair are added up.
        first: values of ``language``.
        second: see ``first``.

    Returns one row per run that has both: variant, n_first, n_second (answers), first, second,
    first_low, first_high, second_low, second_high (all 0 to 1), difference (second − first,
    accuracy points). ``attrs["lacking"]`` names the runs that have only one.

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
    table = table.reset_index()
    table.attrs["lacking"] = sorted(set(totals["variant"]) - set(table["variant"]))
    return table


def equivalence(
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
