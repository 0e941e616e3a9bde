"""``make loo-predict``: every predictor on every fold, scored, beside the published figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from capability_transfer.analysis import design, study
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.prediction import scores
from capability_transfer.analysis.prediction.evaluate import evaluate
from capability_transfer.analysis.prediction.folds import FEATURES, extrapolation, leave_one_out
from capability_transfer.analysis.prediction.intervals import COLUMNS
from capability_transfer.analysis.prediction.predictors import PREDICTORS
from capability_transfer.analysis.prediction.task import Counting, Task
from capability_transfer.common.files import write_table
from capability_transfer.features import typology

PAIR_COLUMNS = ["language", "variant", "predictor", "observed", "predicted", *COLUMNS]
DIGITS = 6


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
        """``loo/pairs.csv``: the study's kind of point prediction, and intervals."""
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
        known = study.published_predictions().query("k == 0")
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
    languages = languages[languages["language"].isin(joined["language"])]
    vectors = typology.vectors(languages.set_index("language")["uriel"])
    return joined[[*columns, *features]], vectors


def without(inputs: Inputs, drop_missing: bool = False) -> tuple[str, ...]:
    """What the predictors' models are without, since these data cannot tell it: sentences."""
    return design.of_ours(study.MAIN, inputs.cells, inputs.features, drop_missing)[1]


def loo(
    inputs: Inputs,
    task: Task,
    counting: Counting,
    predictors: Sequence[str] = PREDICTORS,
    edges: bool = True,
) -> LeaveOut:
    """Hold out every language, and the edges of what is known, under every predictor.

    Raises InputError for too few languages and for models that the data cannot identify.
    """
    folds = leave_one_out(task.joined["language"].unique())
    languages = inputs.features.languages
    languages = languages[languages["language"].isin(task.joined["language"])]
    far = extrapolation(languages) if edges else []
    predictions, fits = evaluate(task, predictors, [*folds, *far], counting)
    single = predictions["kind"] == "language"
    return LeaveOut(predictions[single], predictions[~single], fits, inputs.is_study)


def write(result: LeaveOut, directory: Path) -> list[Path]:
    """The tables of ``results/loo``."""
    tables = {
        "pairs": result.pairs(),
        "summary": scores.summary(result.one),
        "by_language": scores.by_language(result.one),
        "points": result.points(),
        "points_summary": pd.concat(
            [
                scores.summary(result.one, point).assign(point=point)
                for point in ("plug_in", "integrated")
            ]
        ),
        "intervals": scores.intervals(result.one, ["predictor"]),
        "calibration": scores.calibration(result.one),
        "fits": result.fits,
    }
    if not result.edges.empty:
        tables["extrapolation"] = scores.extrapolation(result.edges)
        tables["extrapolation_intervals"] = scores.intervals(result.edges, ["predictor"])
    if result.is_study:
        tables["published"] = result.beside_published()
    return [
        write_table(table.round(DIGITS), Path(directory) / "loo" / f"{name}.csv")
        for name, table in tables.items()
    ]
