"""How cells spread over templates, beside what the study publishes of its own (Appendix A.4)."""

from __future__ import annotations

import numpy as np
import pandas as pd

PUBLISHED = {
    "template_sd": 22.9,  # Table 2's symbolic standard error at 100 templates × √100
    "standard_error": 2.29,  # Table 2
    "precision_ratio": 1.46,  # "more precise by a factor of 1.46"
    "template_share": 0.93,  # "at n = 20 the template-level term is already 93%"
}


def calibration(cells: pd.DataFrame) -> pd.DataFrame:
    """The template statistics of cells: statistic, value, published, one row each.

    - ``template_sd``: SD over templates of a pair's cell accuracies (n − 1), averaged over pairs;
      symbolic split, accuracy points.
    - ``standard_error``: that over the root of the number of templates, accuracy points.
    - ``precision_ratio``: the original split's ``template_sd`` over the symbolic split's; missing
      if there is no original split.
    - ``template_share``: share of the across-template variance of cell accuracies that is not
      sampling of instances, both averaged over pairs; an unbiased estimate of the sampling part
      is p̂(1 − p̂)/(n − 1).

    Args:
        cells: variant, language, template, split, n_correct, n_total.
    """
    pairs = cells.assign(accuracy=cells["n_correct"] / cells["n_total"])
    pairs["sampling"] = pairs["accuracy"] * (1 - pairs["accuracy"]) / (pairs["n_total"] - 1)
    grouped = pairs.groupby(["split", "variant", "language"], sort=False)
    variance = grouped["accuracy"].var()
    sd = 100 * np.sqrt(variance).groupby("split").mean()
    sampling = grouped["sampling"].mean().loc["symbolic"].mean()
    values = {
        "template_sd": sd["symbolic"],
        "standard_error": sd["symbolic"] / np.sqrt(cells["template"].nunique()),
        "precision_ratio": sd.get("original", np.nan) / sd["symbolic"],
        "template_share": 1 - sampling / variance.loc["symbolic"].mean(),
    }
    return pd.DataFrame(
        {"statistic": name, "value": value, "published": PUBLISHED[name]}
        for name, value in values.items()
    )
