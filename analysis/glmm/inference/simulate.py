"""New outcomes from a fitted model."""

from __future__ import annotations

import numpy as np
from capability_transfer.analysis.glmm.laplace import Model, Optimum
from capability_transfer.analysis.glmm.laplace.model import one_thread


def simulate(model: Model, optimum: Optimum, rng: np.random.Generator) -> np.ndarray:
    """Successes for every row of the model's data, with all random effects drawn anew.

    Fixed effects and SDs are the optimum's; trials are the model's. ``rng`` makes every draw.
    """
    likelihood, layout = model.likelihood, model.design.layout
    gamma = optimum.point.phi[: len(model.design.names)]
    effects = rng.standard_normal(model.design.effects)
    with one_thread():  # rounding, and so the draws, must not depend on the number of threads
        b = likelihood.relative(optimum.point.modes.blocks, effects)
        probability = likelihood.cells_at(gamma, b).probability[layout.unit, layout.column]
    return rng.binomial(model.trials.astype(np.int64), probability)
