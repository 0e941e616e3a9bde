"""``make loo-predict``: every predictor on every fold, scored, and the choice of a predictor.

The ladder shows what each step from the study's model to ours gains when languages are held out.
Nested cross-validation checks whether the predictor would have been chosen without the held-out
language: for each language in turn the predictor is chosen by holding out, one by one, the
languages that are left, and predicts that language. A fit without two languages is an inner fold
of either: 15 languages take 105 fits per predictor, not 210.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from capability_transfer.analysis import design, published, study
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.prediction import scores
from capability_transfer.analysis.prediction.evaluate import Counting, Task, evaluate
from capability_transfer.analysis.prediction.folds import (
    FEATURES,
    FEWEST_LANGUAGES,
    Fold,
    extrapolation,
    leave_one_out,
)
from capability_transfer.analysis.prediction.predictors import PREDICTORS, predictor
from capability_transfer.analysis.prediction.scores import COLUMNS, POINTS
from capability_transfer.common.errors import InputError
from capability_transfer.features import typology

PAIR_COLUMNS = ["language", "variant", "predictor", "observed", "predicted", *COLUMNS]
STEPS = ("study", "study_pairs", "slopes", "relatives", "smooth")
"""Of the ladder; nested cross-validation chooses among them."""

NESTED = ("study_pairs", "slopes", "relatives")
"""Of these, each has every term of the one before it, fitted to the same data."""

LADDER_COLUMNS = [
    "predictor", "label", "mae", "pearson", "coverage_80", "coverage_95", "language_mae",
    "edges_mae", "edges_coverage_80", "log_lik", "df",
]  # fmt: skip
ALL = "all"
"""Stands for the language where a row is about all of them."""


@dataclass(frozen=True)
class LeaveOut:
    """Predictions of held-out languages.

    Attributes:
        one: leave-one-language-out.
        edges: the extrapolation folds.
        fits: predictor, log_lik, df, nobs of the fits to all data.
        is_study: whether published figures stand beside ours.
    """

    one: pd.DataFrame
    edges: pd.DataFrame
    fits: pd.DataFrame
    is_study: bool

    def pairs(self) -> pd.DataFrame:
        """``loo/pairs.csv``: plug-in predictions, as in the study, and intervals."""
        table = self.one[self.one["level"] == "pair"].rename(columns={"plug_in": "predicted"})
        return table[PAIR_COLUMNS].reset_index(drop=True)

    def points(self) -> pd.DataFrame:
        """Both point predictions of every pair: plug_in and integrated."""
        table = self.one[self.one["level"] == "pair"]
        return table[["language", "variant", "predictor", "observed", "plug_in", "integrated"]]

    def beside_published(self) -> pd.DataFrame:
        """level, predictor, statistic, ours, published, difference, where published."""
        ours = scores.summary(self.one).melt(
            ["level", "predictor"], ["mae", "pearson"], "statistic", "ours"
        )
        known = published.read("study_predictions").query("k == 0")
        known = known[["level", "predictor", "statistic", "value"]]
        table = ours.merge(known.rename(columns={"value": "published"}))
        return table.assign(difference=table["ours"] - table["published"])


def prepare(inputs: Inputs, drop_missing: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cells with raw features (relative fertility over all data), and URIEL vectors.

    Features that the data can have no effect of (``design.left_out``) are not among the columns.
    """
    lacking = design.left_out(inputs.cells, inputs.features, drop_missing)
    features = [name for name in FEATURES if name not in lacking]
    joined, _ = design.join(inputs.cells, inputs.features, features, drop_missing)
    columns = ["variant", "language", "template", "base_model", "family", "n_correct", "n_total"]
    languages = inputs.features.languages
    languages = languages[languages["language"].isin(joined["language"].unique())]
    vectors = typology.vectors(languages.set_index("language")["uriel"])
    return joined[[*columns, *features]], vectors


def describe_left_out(inputs: Inputs, drop_missing: bool = False) -> tuple[str, ...]:
    """Sentences on what the predictors' models leave out, since these data cannot identify it."""
    return design.of_ours(study.MAIN, inputs.cells, inputs.features, drop_missing)[1]


def loo(
    inputs: Inputs,
    task: Task,
    counting: Counting,
    predictors: Sequence[str] = PREDICTORS,
    edges: bool = True,
    languages: Sequence[str] | None = None,
) -> LeaveOut:
    """Hold out every language, and the edges of what is known, under every predictor.

    ``languages`` are those to hold out, where not all are: there is nothing published of a part.

    Raises InputError for too few languages and for models that the data cannot identify.
    """
    known = task.joined["language"].unique()
    folds = leave_one_out(known if languages is None else languages)
    rows = inputs.features.languages
    far = extrapolation(rows[rows["language"].isin(known)]) if edges else []
    predictions, fits = evaluate(task, predictors, [*folds, *far], counting)
    single = predictions["kind"] == "language"
    is_study = inputs.is_study and len(folds) == len(known)
    return LeaveOut(predictions[single], predictions[~single], fits, is_study)


def ladder(one: pd.DataFrame, edges: pd.DataFrame, fits: pd.DataFrame) -> pd.DataFrame:
    """One row per step that was predicted with, from held-out predictions (see ``LeaveOut``).

    Columns: predictor, label, mae, pearson, coverage_80, coverage_95 (pairs, leave one language
    out), language_mae, edges_mae, edges_coverage_80 (pairs, whole edges held out), log_lik, df
    (fit to all data; NaN for the step on cells, whose likelihood is of other data).
    """
    fits = fits.set_index("predictor")
    rows = []
    for name in (step for step in STEPS if step in set(one["predictor"])):
        own, far = (table[table["predictor"] == name] for table in (one, edges))
        pairs, means = (own[own["level"] == level] for level in scores.LEVELS)
        beyond = scores.score(far[far["level"] == "pair"])
        comparable = fits.loc[name, "nobs"] == fits["nobs"].min()
        rows.append(
            {
                "predictor": name,
                "label": predictor(name).label,
                **scores.score(pairs),
                "coverage_95": scores.coverage(pairs, 0.95),
                "language_mae": scores.score(means)["mae"],
                "edges_mae": beyond["mae"],
                "edges_coverage_80": beyond["coverage_80"],
                "log_lik": fits.loc[name, "log_lik"] if comparable else None,
                "df": fits.loc[name, "df"] if comparable else None,
            }
        )
    return pd.DataFrame(rows, columns=LADDER_COLUMNS).astype({"log_lik": float, "df": float})


def nested(task: Task, counting: Counting, candidates: Sequence[str] = STEPS) -> pd.DataFrame:
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
    inner = [Fold("inner", " ".join(pair), pair) for pair in combinations(languages, 2)]
    folds = [*inner, *leave_one_out(languages)]
    table, _ = evaluate(replace(task, draws=0), candidates, folds, counting)
    table = table[table["level"] == "pair"]
    return choose(table[table["kind"] == "inner"], table[table["kind"] != "inner"], candidates)


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
        rows[-1] |= {"chosen": best, **_mean_errors(held)}
    table, every = pd.DataFrame(rows), pd.concat(predictions)
    over = {name: table[name].mean() for name in table if name.startswith("inner_")}
    last = {
        "language": ALL,
        **over,
        "chosen": table["chosen"].mode().iloc[0],
        **_mean_errors(every),
    }
    last["pearson"] = every["plug_in"].corr(every["observed"])
    return pd.concat([table, pd.DataFrame([last])], ignore_index=True)


def _mean_errors(pairs: pd.DataFrame) -> dict[str, float]:
    error = POINTS * (pairs["plug_in"] - pairs["observed"])
    by_language = error.groupby(pairs["language"]).mean().abs()
    return {"mae": error.abs().mean(), "language_mae": by_language.mean()}


def describe_nested(table: pd.DataFrame) -> str:
    """The outcome of the nested choice in a sentence."""
    folds, last = table[table["language"] != ALL], table[table["language"] == ALL].iloc[0]
    counts = folds["chosen"].value_counts()
    chosen = ", ".join(f"{name} {count} of {len(folds)} times" for name, count in counts.items())
    return (
        f"Chosen for each language by the pair MAE over the others alone ({chosen}), the pair MAE "
        f"is {last['mae']:.2f}, r {last['pearson']:.3f}, the language MAE "
        f"{last['language_mae']:.2f}."
    )
