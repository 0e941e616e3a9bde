"""The partial effect of resource: a smooth where the study has a line."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction.evaluate import Task, fit_to_all
from capability_transfer.analysis.prediction.models import FittedPairs

GROUPS = ("smooth", "smooth:family")
ALL = "mean over families"
POINTS = 50


def resource_slope(task: Task) -> float:
    """The straight line of the study's model on pair totals: log-odds per unit of resource."""
    fitted, rows = fit_to_all(task, "study_pairs")
    scale = rows.constants.set_index("feature").loc["resource", "sd"]
    return float(fitted.fit.coefficients["resource"] / scale)


def resource_shape(fitted: FittedPairs, constants: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The effect of resource on the log-odds, against its value at the highest resource observed.

    Every other feature at its mean, reasoning off; the line and the smooths together, of every
    family and of their mean. Between families base models of average size.

    Returns curve, resource (log10 pages), effect, low, high (80% interval, log-odds).
    """
    known = fitted.languages.covariates["resource"]
    grid = np.linspace(known.min(), known.max(), POINTS)
    families = sorted(fitted.data["family"].unique())
    labels = [f"at {number}" for number in range(POINTS)]
    rows = pd.concat(
        [
            pd.DataFrame({"language": labels, "resource": grid, "family": family})
            for family in families
        ],
        ignore_index=True,
    )
    rows = rows.assign(
        **{name: 0.0 for name in constants["feature"] if name != "resource"},
        reasoning=0,
        base_model="",
        variant="",
    )
    centre = fitted.languages.vectors.mean()
    vectors = pd.DataFrame([centre] * POINTS, index=pd.Index(labels, name="language"))
    posterior = fitted.extend_posterior(rows, vectors)
    shape = (len(families), POINTS)
    mean = posterior.linear_predictor(rows, GROUPS).reshape(shape)
    draws = posterior.draws(rows, np.random.default_rng(seed), GROUPS)
    draws = draws.reshape(*shape, posterior.count)
    mean, draws = mean - mean[:, -1:], draws - draws[:, -1:]
    scale = constants.set_index("feature").loc["resource"]
    tables = []
    for number, curve in enumerate([*families, ALL]):
        own = draws.mean(axis=0) if curve == ALL else draws[number]
        low, high = np.quantile(own, [0.1, 0.9], axis=1)
        effect = mean.mean(axis=0) if curve == ALL else mean[number]
        raw = scale["mean"] + scale["sd"] * grid
        tables.append(
            pd.DataFrame(
                {"curve": curve, "resource": raw, "effect": effect, "low": low, "high": high}
            )
        )
    return pd.concat(tables, ignore_index=True)
