"""Would the predictor have been chosen without the held-out language? Nested cross-validation.

For each language in turn the predictor is chosen by holding out, one by one, the languages that
are left, and predicts that language. A fit without two languages is an inner fold of either: 15
languages take 105 fits a predictor, not 210.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction.evaluate import evaluate
from capability_transfer.analysis.prediction.folds import FEWEST_LANGUAGES, Fold, leave_one_out
from capability_transfer.analysis.prediction.scores import POINTS
from capability_transfer.analysis.prediction.task import Counting, Task
from capability_transfer.common.errors import InputError

CANDIDATES = ("study", "study_pairs", "slopes", "relatives", "smooth")
ALL = "all"
"""Stands for the language where a row is about all of them."""


def nested(task: Task, counting: Counting, candidates: Sequence[str] = CANDIDATES) -> pd.DataFrame:
    """Choose by the inner folds' mean absolute error over pairs, and predict with what was chosen.

    Args:
        task: data and settings; predictions are plug-in, so that its draws are not used.
        counting: shows how much is done.
        candidates: predictors to choose from.

    Returns language, inner_<candidate> (accuracy points), chosen, mae (of the held-out language's
    pairs), language_mae, pearson (missing for a language: only over all are models and languages
    compared); a last row over all languages, its ``chosen`` the most frequent one.

    Raises InputError for too few languages.
    """
    languages = sorted(task.joined["language"].unique())
    if len(languages) < FEWEST_LANGUAGES + 2:
        raise InputError(
            f"nested cross-validation holds out two languages and learns from "
            f"{FEWEST_LANGUAGES} at least: {len(languages)} languages are too few"
        )
    table, _ = evaluate(replace(task, draws=0), candidates, _folds(languages), counting)
    table = table[table["level"] == "pair"]
    return choose(table[table["kind"] == "inner"], table[table["kind"] != "inner"], candidates)


def _folds(languages: Sequence[str]) -> list[Fold]:
    inner = [Fold("inner", " ".join(pair), pair) for pair in combinations(languages, 2)]
    return [*inner, *leave_one_out(languages)]


def choose(inner: pd.DataFrame, outer: pd.DataFrame, candidates: Sequence[str]) -> pd.DataFrame:
    """``nested`` from predictions of pairs: ``fold`` of inner ones names the two held out."""
    error = POINTS * (inner["plug_in"] - inner["observed"]).abs()
    inner = inner.assign(error=error)
    rows, predictions = [], []
    for language in sorted(outer["language"].unique()):
        without = np.array([language in fold.split() for fold in inner["fold"]])
        own = inner[without & (inner["language"] != language)]
        means = own.groupby("predictor")["error"].mean()[list(candidates)]
        best = means.idxmin()
        held = outer[(outer["language"] == language) & (outer["predictor"] == best)]
        predictions.append(held)
        rows.append({"language": language, **means.add_prefix("inner_")})
        rows[-1] |= {"chosen": best, **_errors(held)}
    table, every = pd.DataFrame(rows), pd.concat(predictions)
    over = {name: table[name].mean() for name in table if name.startswith("inner_")}
    last = {"language": ALL, **over, "chosen": table["chosen"].mode().iloc[0], **_errors(every)}
    last["pearson"] = every["plug_in"].corr(every["observed"])
    return pd.concat([table, pd.DataFrame([last])], ignore_index=True)


def _errors(pairs: pd.DataFrame) -> dict[str, float]:
    error = POINTS * (pairs["plug_in"] - pairs["observed"])
    by_language = error.groupby(pairs["language"]).mean().abs()
    return {"mae": error.abs().mean(), "language_mae": by_language.mean()}


def sentence(table: pd.DataFrame) -> str:
    """What nested choice came to, for a note."""
    folds, last = table[table["language"] != ALL], table[table["language"] == ALL].iloc[0]
    counts = folds["chosen"].value_counts()
    chosen = ", ".join(f"{name} {count} of {len(folds)} times" for name, count in counts.items())
    return (
        f"Chosen for each language by the pair MAE over the others alone ({chosen}), the pair MAE "
        f"is {last['mae']:.2f}, r {last['pearson']:.3f}, the language MAE "
        f"{last['language_mae']:.2f}."
    )
