"""Intervals on simulated languages, whose truth is known: do they cover what they promise?

A world is the fit to all data with models as they are and languages drawn anew: what is particular
to a language, to a model in it, and to families and base models across languages. Its counts are
drawn, one language is held out, everything is refitted, and the language is predicted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from joblib import delayed
from scipy.special import expit

from analysis.unseen.folds import Fold, split
from analysis.unseen.intervals import NOMINAL, predicted
from analysis.unseen.predictors import predictor
from analysis.unseen.predictors.pairs import FittedPairs, totals
from analysis.unseen.task import Counting, Task, in_parallel

MODELS = ("family", "base_model", "variant")
"""Terms that stay at their modes: the models are the same in every world."""


def coverage(task: Task, names: Sequence[str], worlds: int, counting: Counting) -> pd.DataFrame:
    """Coverage of the intervals of predictors of pairs, in worlds that their own model makes.

    Returns predictor, level (pair, language), nominal, worlds, coverage, std_error (over worlds,
    since a language's pairs share its effects).
    """
    everything = split(task.joined, Fold("none", "none", ())).train
    jobs = []
    for name in names:
        fitted = predictor(name).fit(everything, task.vectors, task.engine)
        jobs += [delayed(_world)(task, name, fitted, number) for number in range(worlds)]
    found = list(in_parallel(task, jobs, "simulated languages", counting))
    table = pd.DataFrame(
        [row for rows in found for row in rows], columns=["predictor", "level", "nominal", "inside"]
    )
    groups = table.groupby(["predictor", "level", "nominal"], sort=False)["inside"]
    summary = groups.agg(worlds="size", coverage="mean", std_error="sem").reset_index()
    return summary.sort_values(["predictor", "level", "nominal"], ignore_index=True)


def _world(task: Task, name: str, fitted: FittedPairs, number: int) -> list[tuple]:
    """Shares of one held-out language's pairs, and of its mean, inside each interval."""
    generator = np.random.default_rng([task.seed, number])
    rows = fitted.data.copy()
    eta = fitted.posterior.simulated(rows, MODELS, generator)
    rows["n_correct"] = generator.binomial(rows["n_total"], expit(eta))
    languages = sorted(rows["language"].unique())
    out = languages[number % len(languages)]
    parts = split(rows, Fold("language", out, (out,)))
    again = predictor(name).fit(parts.train, task.vectors, task.engine, fitted.start)
    held = totals(parts.held)
    prediction = again.predict(held, task.vectors, task.draws, task.seed)
    table = predicted(prediction, held["n_total"].to_numpy(), number)
    accuracy = (held["n_correct"] / held["n_total"]).to_numpy()
    observed = np.append(accuracy, accuracy.mean())
    found = []
    for nominal in NOMINAL:
        low, high = (table[f"{side}_{round(100 * nominal)}"] for side in ("low", "high"))
        inside = ((observed >= low) & (observed <= high)).to_numpy()
        found.append((name, "pair", nominal, inside[:-1].mean()))
        found.append((name, "language", nominal, float(inside[-1])))
    return found
