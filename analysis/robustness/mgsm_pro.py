"""MGSM-Pro's published tables, and whether they agree with each other and with their own cells.

``analysis/data/mgsm_pro/README.md`` has their columns; figures are percent or points as printed.
Every figure that can be had twice is compared: ``comparisons`` holds each comparison, with what
rounding allows, and says whether it contradicts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from capability_transfer.analysis import published
from capability_transfer.analysis.robustness.rankings import simulated
from capability_transfer.analysis.robustness.scores import COLUMNS
from capability_transfer.common.seeds import DEFAULT_SEED

PERTURBATIONS = {
    "original": "D_O",
    "names": "SYM_N",
    "numbers": "SYM_#",
    "names_numbers": "SYM_N#",
    "context_names": "IC_N",
    "context_numbers": "IC_#",
    "context_names_numbers": "IC_N#",
}
"""The perturbations and how the paper writes them."""

INSTANCES = 5
"""Instances per question behind every accuracy of Tables 8–13 but the original's."""

HIGH_CLASSES, LOW_CLASSES = (5,), (1, 2)
"""Joshi classes of high- and low-resource languages (section 3)."""

MAIN_TABLES, APPENDIX_TABLES = (1, 2), (8, 9, 10, 11, 12, 13)
SOURCE = "MGSM-Pro, Tables 8–13 as published; five instances per question"
TABLES = "MGSM-Pro, Tables 1–4 and 8–13 as published"

HALF = 0.05
"""The most that printing with one decimal can shift a figure."""

QUESTIONS = 248
"""Questions per language (section 3.1)."""

COMPARED = [
    *("check", "table", "model", "language", "quantity"),
    *("printed", "expected", "difference", "allowed", "contradicts"),
]


def read(name: str) -> pd.DataFrame:
    """One of the packaged tables by its name, figures in percent as printed.

    Raises InputError for a name that is not there.
    """
    return published.read(f"mgsm_pro/{name}")


def published_scores() -> pd.DataFrame:
    """Tables 8–13 as scores: variant, language, perturbation, accuracy (0 to 1, NaN if missing).

    18 models × 9 languages × 7 perturbations = 1,134 rows, 27 of them without a figure. As
    printed: GPT-5's context_names are, from Japanese on, those of Table 9, which repeat its column
    numbers and contradict Table 1 (see ``comparisons``).
    """
    cells = read("accuracy")
    cells = cells[cells["table"].isin(APPENDIX_TABLES)].rename(columns={"model": "variant"})
    return cells.assign(accuracy=cells["accuracy"] / 100)[COLUMNS].reset_index(drop=True)


def resource_groups() -> pd.Series:
    """``high`` or ``low`` by language (Table 6; Joshi class 5 against 1 and 2)."""
    classes = read("languages").set_index("language")["joshi_class"]
    return classes.map(dict.fromkeys(HIGH_CLASSES, "high") | dict.fromkeys(LOW_CLASSES, "low"))


def published_stability(seed: int = DEFAULT_SEED) -> pd.DataFrame:
    """Expected stability of MGSM-Pro's ranking (Table 3) under three readings of its "±".

    The paper calls "±" a standard deviation, but over ten instances it is for every model smaller
    than over five, by a factor of about .62: a standard deviation would stay, a standard error
    shrink to .71. Returns the columns of ``rankings.simulated``, and reading.
    """
    rows = read("rankings")
    rows = rows[rows["languages"] == "all"].set_index("model")
    five, ten = (rows[rows["instances"] == number] for number in (5, 10))
    readings = {
        "SD of one instance is the ± of ten": (ten["accuracy"], ten["sd"]),
        "SD of one instance is the ± of five": (five["accuracy"], five["sd"]),
        "the ± of ten is a standard error": (ten["accuracy"], ten["sd"] * np.sqrt(10)),
    }
    return pd.concat(
        [
            simulated(means, sd, range(1, 11), seed=seed).assign(reading=reading)
            for reading, (means, sd) in readings.items()
        ],
        ignore_index=True,
    )


def comparisons() -> pd.DataFrame:
    """Every comparison of every check.

    Returns check, table, model, language, quantity (which figure), printed, expected (the other
    table's figure, or recomputed), difference (printed − expected), allowed (its largest size by
    rounding alone), contradicts. A comparison with a missing figure is not made.
    """
    found = pd.concat([check() for check in CHECKS], ignore_index=True)
    found = found.dropna(subset=["printed", "expected"])
    found["difference"] = found["printed"] - found["expected"]
    found["contradicts"] = found["difference"].abs() > found["allowed"] + 1e-9
    return found.reindex(columns=COMPARED).reset_index(drop=True)


def contradictions(found: pd.DataFrame | None = None) -> pd.DataFrame:
    """The comparisons that contradict."""
    found = comparisons() if found is None else found
    return found[found["contradicts"]].drop(columns="contradicts").reset_index(drop=True)


def summary(found: pd.DataFrame | None = None) -> pd.DataFrame:
    """check, compared, contradict: how many comparisons each check makes and how many fail."""
    found = comparisons() if found is None else found
    grouped = found.groupby("check", sort=False)["contradicts"]
    return grouped.agg(compared="size", contradict="sum").reset_index()


def main_against_appendix() -> pd.DataFrame:
    """Cells and averages of Tables 1–2 against the same ones of Tables 8–13."""
    cells = read("accuracy")
    averages = read("averages").assign(language="average")
    both = pd.concat([cells, averages], ignore_index=True)
    main = both[both["table"].isin(MAIN_TABLES)]
    appendix = both[both["table"].isin(APPENDIX_TABLES)]
    key = ["model", "language", "perturbation"]
    pairs = main.merge(appendix, on=key, suffixes=("", "_appendix"), validate="one_to_one")
    return pairs.assign(
        check="Tables 1–2 against 8–13",
        quantity=pairs["perturbation"] + ", Table " + pairs["table_appendix"].astype(str),
        printed=pairs["accuracy"],
        expected=pairs["accuracy_appendix"],
        allowed=0.0,
    )


def averages_of_rows() -> pd.DataFrame:
    """The row "Average" of Tables 1–2 and 8–13 against the mean of the nine languages above it."""
    key = ["table", "model", "perturbation"]
    means = read("accuracy").groupby(key)["accuracy"].agg(_mean).rename("expected")
    rows = read("averages").merge(means.reset_index(), on=key, validate="one_to_one")
    return rows.assign(
        check="Average of rows",
        language="average",
        quantity=rows["perturbation"],
        printed=rows["accuracy"],
        allowed=2 * HALF,
    )


def drops_of_main_tables() -> pd.DataFrame:
    """Δ Ave. and Δ Med. of Tables 1–2 against context_numbers − original over the five models."""
    cells = read("accuracy")
    wide = cells.pivot(
        index=["table", "language", "model"], columns="perturbation", values="accuracy"
    )
    drop = (wide["context_numbers"] - wide["original"]).groupby(["table", "language"])
    rows = []
    for name, expected in (("mean_drop", drop.agg(_mean)), ("median_drop", drop.median())):
        printed = read("drops").set_index(["table", "language"])[name]
        rows.append(pd.DataFrame({"printed": printed, "expected": expected}).assign(quantity=name))
    # either accuracy of a difference is rounded, and the printed summary again
    return (
        pd.concat(rows)
        .reset_index()
        .assign(check="Δ columns of Tables 1–2", model="five models", allowed=3 * HALF)
    )


def ranking_accuracies() -> pd.DataFrame:
    """Accuracies of Table 3 against means of the cells of Tables 8–13 (not for ten instances)."""
    means = _means_of_cells()
    rows = read("rankings").merge(means, how="inner")
    return rows.assign(
        check="Accuracies of Table 3",
        table=3,
        language=rows["languages"],
        quantity=rows["perturbation"],
        printed=rows["accuracy"],
        expected=rows["mean"],
        allowed=2 * HALF,
    )


def ranking_ranks() -> pd.DataFrame:
    """Ranks of Table 3 against those of its own accuracies and of the means of Tables 8–13.

    ``expected`` is the nearest rank that rounding leaves possible, so nothing more is allowed.
    """
    own = read("rankings")
    from_cells = own.merge(_means_of_cells(), how="inner")
    rows = []
    for label, table, value in (
        ("Ranks of Table 3, by its accuracies", own, "accuracy"),
        ("Ranks of Table 3, by the cells", from_cells, "mean"),
    ):
        for _, column in table.groupby(["languages", "perturbation", "instances"], sort=False):
            low, high = _possible_ranks(column[value].to_numpy())
            rank = column["rank"].astype(float)
            rows.append(column.assign(check=label, printed=rank, expected=rank.clip(low, high)))
    found = pd.concat(rows, ignore_index=True)
    return found.assign(
        table=3,
        language=found["languages"],
        quantity="rank, " + found["perturbation"] + " × " + found["instances"].astype(str),
        allowed=0.0,
    )


def ranking_changes() -> pd.DataFrame:
    """Table 3's mark that a rank is unchanged (1) or not (0) against the ranks of both columns."""
    rows = read("rankings")
    rows = rows[rows["languages"] == "all"].sort_values("instances", kind="stable")
    before = rows.groupby("model")["rank"].shift()
    rows = rows.assign(expected=(rows["rank"] == before).astype(float).where(before.notna()))
    return rows.assign(
        check="Change marks of Table 3",
        table=3,
        language="all",
        quantity="unchanged, " + rows["instances"].astype(str) + " instances",
        printed=(rows["change"] == "–").astype(float),
        allowed=0.0,
    )


def reasoning_language() -> pd.DataFrame:
    """Table 4: its Δ, its averages, and its English-reasoning figures against Tables 8–13."""
    table = read("reasoning_language")
    drop = table.assign(
        check="Δ of Table 4",
        quantity="numbers − original, " + table["reasoning_language"],
        printed=table["drop"],
        expected=table["numbers"] - table["original"],
        allowed=3 * HALF,
    )
    key = ["model", "reasoning_language", "language", "quantity"]
    long = table.melt(
        ["model", "reasoning_language", "language"],
        ["original", "numbers"],
        var_name="quantity",
        value_name="printed",
    )
    is_average = long["language"] == "average"
    means = long[~is_average].groupby(["model", "reasoning_language", "quantity"])["printed"]
    averages = long[is_average].merge(
        means.agg(_mean).rename("expected").reset_index(), validate="one_to_one"
    )
    averages = averages[[*key, "printed", "expected"]].assign(
        check="Averages of Table 4", allowed=2 * HALF
    )
    appendix = read("accuracy")
    appendix = appendix[appendix["table"].isin(APPENDIX_TABLES)].rename(
        columns={"perturbation": "quantity", "accuracy": "expected"}
    )
    english = long[long["reasoning_language"] == "english"].merge(
        appendix[["model", "language", "quantity", "expected"]], validate="one_to_one"
    )
    english = english.assign(check="Table 4 against 8–13", allowed=0.0)
    return pd.concat([drop, averages, english], ignore_index=True).assign(table=4)


def question_counts() -> pd.DataFrame:
    """Whether accuracies on the original questions are counts out of 248 (Tables 4 and 8–13).

    ``expected`` is the nearest k/248 in percent.
    """
    cells = read("accuracy")
    cells = cells[
        cells["table"].isin(APPENDIX_TABLES) & (cells["perturbation"] == "original")
    ].rename(columns={"accuracy": "printed"})
    native = read("reasoning_language")
    native = native[
        (native["reasoning_language"] == "native") & (native["language"] != "average")
    ].rename(columns={"original": "printed"})
    rows = pd.concat([cells, native.assign(table=4, perturbation="original, native")])
    return rows.assign(
        check="Counts out of 248 questions",
        quantity=rows["perturbation"],
        expected=100 * np.rint(rows["printed"] / 100 * QUESTIONS) / QUESTIONS,
        allowed=HALF,
    )


CHECKS: tuple[Callable[[], pd.DataFrame], ...] = (
    main_against_appendix,
    averages_of_rows,
    drops_of_main_tables,
    ranking_accuracies,
    ranking_ranks,
    ranking_changes,
    reasoning_language,
    question_counts,
)


def _mean(values: pd.Series) -> float:
    """The mean, missing where a value is missing."""
    return values.mean(skipna=False)


def _means_of_cells() -> pd.DataFrame:
    """Means of Tables 8–13 in the columns of Table 3: model, languages, perturbation, instances."""
    cells = read("accuracy")
    cells = cells[cells["table"].isin(APPENDIX_TABLES)]
    groups = resource_groups()
    rows = []
    for languages, perturbation, instances in (
        ("all", "original", 1),
        ("all", "context_names_numbers", 5),
        ("high", "context_names_numbers", 5),
        ("low", "context_names_numbers", 5),
    ):
        chosen = cells[cells["perturbation"] == perturbation]
        if languages != "all":
            chosen = chosen[chosen["language"].map(groups) == languages]
        means = chosen.groupby("model")["accuracy"].agg(_mean).rename("mean").reset_index()
        rows.append(
            means.assign(languages=languages, perturbation=perturbation, instances=instances)
        )
    return pd.concat(rows, ignore_index=True)


def _possible_ranks(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best and the worst rank that each rounded value can have."""
    ahead = values[None, :] - values[:, None]
    clearly = (ahead > 2 * HALF + 1e-9).sum(axis=1)
    perhaps = (ahead >= -2 * HALF - 1e-9).sum(axis=1) - 1
    return 1.0 + clearly, 1.0 + perhaps
