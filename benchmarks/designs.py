"""The study's main design at several numbers of templates, for timing."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis import design, study
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.laplace import fit
from capability_transfer.analysis.glmm.predict import linear_predictor
from capability_transfer.analysis.inputs import load
from capability_transfer.features.table import FEATURES
from scipy.special import expit

TEMPLATES = (25, 100, 400)
INSTANCES = 20


def main_model() -> Formula:
    """Eq. 1."""
    return parse(study.MAIN)


def main_design(templates: int, seed: int) -> pd.DataFrame:
    """46 variants × 15 languages × ``templates`` cells of 20 instances, ready to fit.

    Up to 100 templates these are the first of the embedded cells. More are simulated: pairs keep
    the effects that the model finds in those cells, templates are drawn anew from its SD.
    """
    inputs = load(None, None, None, seed)
    names = [feature.name for feature in FEATURES if feature.name in main_model().variables()]
    data = design.build(inputs.cells, inputs.features, names).data
    known = data["template"].unique()
    if templates <= len(known):
        return data[data["template"].isin(known[:templates])].reset_index(drop=True)
    found = fit(main_model(), data)
    groups = [term.group for term in found.formula.random if term.group != "template"]
    pairs = data.drop_duplicates(["variant", "language"]).reset_index(drop=True)
    rng = np.random.default_rng(seed)
    drawn = rng.normal(0.0, found.sd("template", INTERCEPT), templates)
    eta = linear_predictor(found, pairs, groups)[:, None] + drawn
    cells = pairs.loc[pairs.index.repeat(templates)].reset_index(drop=True)
    cells["template"] = np.tile([f"s{number:03d}" for number in range(templates)], len(pairs))
    cells["n_total"] = INSTANCES
    cells["n_correct"] = rng.binomial(INSTANCES, expit(eta)).ravel()
    return cells
