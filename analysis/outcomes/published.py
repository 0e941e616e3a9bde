"""What the study published of its outcomes: Tables 11 and 12, and the counts they imply.

Table 12 prints, for every run, language and split, an accuracy in percent and its 95% Wilson
interval, each to one decimal, but neither the number of scored examples nor the number correct.
The width of the interval gives them back: only a few pairs (k, n) print the same three figures.
``data/README.md`` says where each file comes from.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError, name_some, suggest

STUDY_LANGUAGES = (
    *("ara", "dan", "deu", "eng", "est", "fra", "hin", "isl"),
    *("ita", "jpn", "mar", "nld", "rus", "ukr", "zho"),
)
"""The 15 languages of the study's model, ISO 639-3; Table 12 also reports ``eng_metric``."""

DENOMINATORS = {
    "symbolic": (2000, 4000, 6000),
    "original": (100, 200, 300, 400, 500),
}
"""Examples that a row of Table 12 can pool: one to several runs over the same questions."""

COMMON_DENOMINATOR = {"symbolic": 2000, "original": 100}
"""Examples of a single run, to which pooled counts are rescaled."""

_KEY = ["variant", "language", "split"]


def read_accuracy() -> pd.DataFrame:
    """Table 12, tidy: variant, language, split, accuracy, conf_low, conf_high.

    48 variants × 16 languages × 2 splits = 1,536 rows; the figures are percent, as printed.
    """
    return _read("study_accuracy.csv")


def read_candidates() -> pd.DataFrame:
    """Every count that prints as Table 12 does: variant, language, split, n, k.

    One row per candidate: ``k`` correct of ``n`` scored examples. ``invert_interval`` on
    ``read_accuracy`` gives the same rows.
    """
    return _read("study_counts.csv")


def read_overview() -> pd.DataFrame:
    """Table 11: one row per run, averages over the 15 languages in percent, as printed.

    Columns: variant, reasoning (on, off), params_b (billions), original, symbolic, english,
    non_english, gap (english − non_english), worst_accuracy, worst_language, in_study (whether
    the run enters the study's model). ``english`` to ``worst_accuracy`` are on the symbolic split.
    """
    return _read("study_overview.csv")


def invert_interval(
    accuracy: float, low: float, high: float, denominators: Iterable[int]
) -> list[tuple[int, int]]:
    """The counts whose accuracy and 95% Wilson interval print as given.

    Args:
        accuracy: percent with one decimal, as printed.
        low: likewise, the lower end of the interval.
        high: likewise, the upper end.
        denominators: the numbers of examples to consider.

    Returns the pairs (n, k), in the order of the denominators and then of k; empty if none fits.
    """
    shown = tuple(f"{value:.1f}" for value in (accuracy, low, high))
    return [(n, k) for n in denominators for k in _counts_by_figures(n).get(shown, ())]


def published_counts(
    split: str = "symbolic",
    languages: Iterable[str] = STUDY_LANGUAGES,
    include_excluded: bool = False,
) -> pd.DataFrame:
    """One count per (variant, language) of a split, all over the same number of examples.

    Of the candidates of a row, the smallest fitting n is taken, and its median k; the two are
    rescaled to 2,000 examples (symbolic) or 100 (original) and rounded to a whole count.

    Args:
        split: ``symbolic`` or ``original``.
        languages: the languages to keep; the study's 15 by default.
        include_excluded: keep the two runs that the study reports but does not model.

    Returns variant, language, split, n_correct, n_total, n_published, k_published (half a count
    where two candidates share the middle), shift (accuracy points that rescaling and rounding
    add: 100·n_correct/n_total − 100·k_published/n_published). 690 rows by default.

    Raises InputError for a split or a language that Table 12 does not have.
    """
    candidates = read_candidates()
    languages = list(languages)
    _require(split, DENOMINATORS, "split")
    for language in languages:
        _require(language, candidates["language"].unique(), "language")
    keep = (candidates["split"] == split) & candidates["language"].isin(languages)
    if not include_excluded:
        overview = read_overview()
        keep &= candidates["variant"].isin(overview.loc[overview["in_study"], "variant"])
    candidates = candidates[keep]
    smallest = candidates.groupby(_KEY)["n"].transform("min")
    counts = (
        candidates[candidates["n"] == smallest]
        .groupby(_KEY, sort=False, as_index=False)
        .agg(n_published=("n", "first"), k_published=("k", "median"))
    )
    total = COMMON_DENOMINATOR[split]
    accuracy = counts["k_published"] / counts["n_published"]
    counts.insert(3, "n_correct", np.rint(accuracy * total).astype(np.int64))
    counts.insert(4, "n_total", total)
    counts["shift"] = 100 * (counts["n_correct"] / total - accuracy)
    return counts


@cache
def _counts_by_figures(n: int) -> dict[tuple[str, str, str], list[int]]:
    """The counts k of n, by the three figures that they print."""
    from statsmodels.stats.proportion import proportion_confint  # a second, seldom needed

    counts = np.arange(n + 1)
    low, high = proportion_confint(counts, n, method="wilson")
    figures: dict[tuple[str, str, str], list[int]] = {}
    proportions = np.column_stack([counts / n, np.clip(low, 0, 1), np.clip(high, 0, 1)])
    for k, row in enumerate(proportions.tolist()):
        figures.setdefault(tuple(map(_as_printed, row)), []).append(k)
    return figures


def _as_printed(proportion: float) -> str:
    """Percent to one decimal, ties broken by the binary value of the proportion.

    At n = 2,000 every odd k is a tie (103 of 2,000 is 5.15%), and this is the rule by which the
    study printed: it explains all rows, rounding half to even or half up leaves 48 or more out.
    """
    return f"{proportion:.1%}".removesuffix("%")


def _read(name: str) -> pd.DataFrame:
    with (files("capability_transfer.analysis.outcomes") / "data" / name).open(
        encoding="utf-8"
    ) as stream:
        return pd.read_csv(stream, keep_default_na=False)


def _require(value: str, known: Iterable[str], what: str) -> None:
    known = list(known)
    if value not in known:
        raise InputError(
            f"Table 12 has no {what} {value!r}; it has {name_some(known, 16)}."
            f"{suggest(value, known)}"
        )
