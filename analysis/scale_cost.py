"""What a language's scarcity costs in model size (Appendix G, Figure 15).

Two definitions, which differ. The *exchange rate* (the study's) turns a language's observed
log-odds of error, less English's, into doublings of parameters at the average worth of a doubling,
β / SD of size. The *implied size* asks the model: which size in this language predicts what the
reference size predicts in English? It counts what the features explain alone, at that point of the
curve, interactions included.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.design import Design, pair_means, standardise
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.levers import REFERENCE
from capability_transfer.common.errors import InputError

REFERENCE_B = 8.0


def exchange_rates(fit: Fit, design: Design) -> pd.Series:
    """Log-odds of a doubling of parameters and of pages, and how many of these the first is worth.

    Entries: parameters, pages (log-odds per doubling), doublings (of pages per doubling of
    parameters), times (2 to that power: the multiple of pages).
    """
    sd = design.constants.set_index("feature")["sd"]
    effect = fit.coefficients
    parameters = effect["size"] / sd["size"]
    pages = effect["resource"] / sd["resource"] * np.log10(2)
    doublings = parameters / pages
    return pd.Series(
        {"parameters": parameters, "pages": pages, "doublings": doublings, "times": 2**doublings}
    )


def scale_cost(
    fit: Fit, design: Design, cells: pd.DataFrame, languages: pd.DataFrame
) -> pd.DataFrame:
    """The size multiple of every language, against English, by both definitions.

    Args:
        fit: the main model.
        design: that of the fit.
        cells: its outcomes.
        languages: raw features by language.

    Returns language, accuracy (0–1, mean over runs), doublings, multiple (exchange rate),
    implied_doublings, implied_multiple (at ``REFERENCE_B`` billions in English, reasoning off),
    largest first. Raises InputError without English, or if size does not help.
    """
    accuracy = pair_means(cells).groupby("language")["accuracy"].mean()
    if REFERENCE not in accuracy.index:
        raise InputError(f"scale cost is against English ({REFERENCE}), which the data do not have")
    worth = exchange_rates(fit, design)["parameters"]
    if worth <= 0:
        raise InputError("size does not raise accuracy in these data: nothing can be paid in it")
    error = np.log((1 - accuracy) / accuracy)
    doublings = (error - error[REFERENCE]) / worth
    languages = languages.set_index("language").loc[accuracy.index]
    implied = _implied(fit, design, languages)
    table = pd.DataFrame(
        {
            "accuracy": accuracy,
            "doublings": doublings,
            "multiple": 2**doublings,
            "implied_doublings": implied,
            "implied_multiple": 2**implied,
        }
    )
    return (
        table.sort_values("doublings", ascending=False, kind="stable")
        .rename_axis("language")
        .reset_index()
    )


def _implied(fit: Fit, design: Design, languages: pd.DataFrame) -> pd.Series:
    """Doublings of the reference size with which a language's η is English's at that size.

    η is linear in size; where size has no positive slope the answer is NaN.
    """
    start = np.log2(REFERENCE_B)
    at = [_predictor(fit, design, languages, size) for size in (start, start + 1)]
    slope = at[1] - at[0]
    return (at[0][REFERENCE] - at[0]).where(slope > 0) / slope


def _predictor(fit: Fit, design: Design, languages: pd.DataFrame, size: float) -> pd.Series:
    rows = languages[["resource", "distance"]].assign(size=size, reasoning=0)
    if "fertility" in set(design.constants["feature"]):
        rows["fertility"] = 0.0
    scaled, _ = standardise(rows, list(design.constants["feature"]), design.constants)
    eta = fit.fixed_matrix(scaled) @ fit.coefficients.to_numpy()
    return pd.Series(eta, index=languages.index)
