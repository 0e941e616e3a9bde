"""The ladder from the study's model to ours: what each step gains when languages are held out."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.prediction import scores
from capability_transfer.analysis.prediction.predictors import predictor

STEPS = ("study", "study_pairs", "slopes", "relatives", "smooth")
COLUMNS = ["predictor", "label", "mae", "pearson", "coverage_80", "coverage_95", "language_mae",
           "edges_mae", "edges_coverage_80", "log_lik", "df"]  # fmt: skip


def ladder(one: pd.DataFrame, edges: pd.DataFrame, fits: pd.DataFrame) -> pd.DataFrame:
    """One row a step that was predicted with, from held-out predictions (see ``loo.LeaveOut``).

    Columns: predictor, label, mae, pearson, coverage_80, coverage_95 (pairs, leave one language
    out), language_mae, edges_mae, edges_coverage_80 (pairs, whole edges held out), log_lik, df
    (fit to all data; NaN for the step on cells, whose likelihood is of other data).
    """
    means = scores.summary(one).set_index(["level", "predictor"])
    fits = fits.set_index("predictor")
    pairs = fits["nobs"].min()
    rows = []
    for name in (step for step in STEPS if step in set(one["predictor"])):
        own = one[(one["predictor"] == name) & (one["level"] == "pair")]
        far = (
            edges[(edges["predictor"] == name) & (edges["level"] == "pair")]
            if len(edges)
            else own[:0]
        )
        comparable = fits.loc[name, "nobs"] == pairs
        rows.append(
            {
                "predictor": name,
                "label": predictor(name).label,
                "mae": means.loc[("pair", name), "mae"],
                "pearson": means.loc[("pair", name), "pearson"],
                "coverage_80": scores.coverage(own, 0.8),
                "coverage_95": scores.coverage(own, 0.95),
                "language_mae": means.loc[("language", name), "mae"],
                "edges_mae": scores.POINTS * (far["plug_in"] - far["observed"]).abs().mean(),
                "edges_coverage_80": scores.coverage(far, 0.8),
                "log_lik": fits.loc[name, "log_lik"] if comparable else None,
                "df": fits.loc[name, "df"] if comparable else None,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS).astype({"log_lik": float, "df": float})
