"""Warm refits of our engine: leave-one-language-out folds and bootstrap refits."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.inference import simulate
from capability_transfer.analysis.glmm.laplace import Model, Settings, warm_start

from benchmarks.apart import table_apart
from benchmarks.designs import main_design, main_model

TEMPLATES = 100
BOOTSTRAP = 20
LIMIT = 900.0  # seconds
COLUMNS = ["refit", "name", "seconds", "evaluations", "log_lik", "converged"]


def measure(seed: int) -> pd.DataFrame:
    """One row per refit of the main design, ``COLUMNS``.

    ``fold`` leaves one language out and starts at the full fit, its structure found anew;
    ``fold, cold`` starts from nothing; ``bootstrap`` refits simulated outcomes. All take standard
    errors that hold the SDs as known; ``seconds`` is building and optimising.
    """
    data, formula = main_design(TEMPLATES, seed), main_model()
    quick = Settings(hessian="working")
    full = Model(formula, data, settings=quick)
    optimum = full.optimise()
    start = warm_start(full, optimum)
    rows = []

    def timed(refit: str, name: str, build, begin) -> None:
        began = time.perf_counter()
        model = build()
        found = model.optimise(begin)
        seconds = time.perf_counter() - began
        log_lik = found.point.value + model.constant
        rows.append((refit, name, seconds, found.evaluations, log_lik, found.converged))

    for language in data["language"].unique():
        kept = data[data["language"] != language].reset_index(drop=True)
        for refit, begin in (("fold", start), ("fold, cold", None)):
            timed(refit, language, lambda d=kept: Model(formula, d, settings=quick), begin)
    rng = np.random.default_rng(seed)
    for i in range(BOOTSTRAP):
        success = simulate(full, optimum, rng)
        build = lambda s=success: full.refit(s)  # noqa: E731
        timed("bootstrap", str(i), build, replace(start, modes=None))
    return pd.DataFrame(rows, columns=COLUMNS)


def measure_apart(seed: int) -> pd.DataFrame:
    """``measure`` in a separate process, one thread."""
    return table_apart("benchmarks.warm", seed, LIMIT, COLUMNS, "warm refits")


if __name__ == "__main__":
    print(json.dumps({"rows": measure(int(sys.argv[1])).to_numpy().tolist()}))
