"""Coverage of the intervals on simulated languages, whose true accuracies are known.

A world is simulated from the fit to all languages but one. Effects of models stay as fitted, and
all effects that involve languages are drawn again: those of a language, of a model in it, and of
families and base models across languages. Its counts are drawn and refitted, and the language left
out is predicted. That language, too, is drawn many times given the others, so that each world gives
the share of its possible languages that the intervals cover.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction.evaluate import Counting, Store, Task, in_parallel
from capability_transfer.analysis.prediction.folds import Split, leave_one_out, split
from capability_transfer.analysis.prediction.models import FittedPairs, totals
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.analysis.prediction.scores import NOMINAL, add_intervals
from joblib import delayed
from scipy.special import expit

MODELS = ("family", "base_model", "variant")
"""Terms that stay at their modes: the models are the same in every world."""

TRUTHS = 200
"""How often the language that is predicted is drawn in a world."""


def coverage(task: Task, names: Sequence[str], worlds: int, counting: Counting) -> pd.DataFrame:
    """Coverage of the intervals of predictors of pairs, in worlds that their own model makes.

    Each language is left out of as many worlds as every other, give or take one. Finished worlds
    are kept: more of them later take up where fewer ended.

    Returns predictor, level (pair, language), nominal, worlds, coverage, std_error (over worlds:
    what is predicted in one shares the fit).
    """
    folds = leave_one_out(task.joined["language"].unique())
    store, jobs = Store(task), []
    for name in names:
        for place, fold in enumerate(folds):
            numbers = range(place, worlds, len(folds))
            if missing := [n for n in numbers if not store.has(name, ("world", n))]:
                parts = split(task.joined, fold)
                fitted = predictor(name).fit(parts.train, task.vectors, task.engine)
                jobs += [delayed(_world)(task, name, fitted, parts, number) for number in missing]
    for name, number, found in in_parallel(task, jobs, "simulated worlds", counting):
        store.put(found, name, ("world", number))
    tables = [
        store.get(name, ("world", number)).assign(predictor=name)
        for name in names
        for number in range(worlds)
    ]
    table = pd.concat(tables, ignore_index=True)
    groups = table.groupby(["predictor", "level", "nominal"], sort=False)["inside"]
    summary = groups.agg(worlds="size", coverage="mean", std_error="sem").reset_index()
    return summary.sort_values(["predictor", "level", "nominal"], ignore_index=True)


def _world(
    task: Task, name: str, fitted: FittedPairs, parts: Split, number: int
) -> tuple[str, int, pd.DataFrame]:
    """Shares of the language's pairs, and of its means, inside each interval, over its truths."""
    generator = np.random.default_rng([task.seed, number])
    held, train = totals(parts.held), fitted.data.copy()
    truth = fitted.posterior.world(MODELS, TRUTHS, generator)
    world = replace(fitted, posterior=truth)
    eta = world.extend_posterior(train, task.vectors).draws(train, generator)[:, 0]
    train["n_correct"] = generator.binomial(train["n_total"], expit(eta))
    again = predictor(name).fit(train, task.vectors, task.engine, fitted.start)
    prediction = again.predict(held, task.vectors, task.draws, task.seed)
    trials = held["n_total"].to_numpy()
    table, _ = add_intervals(prediction, trials, number)
    truths = world.extend_posterior(held, task.vectors).draws(held, generator)
    pairs = generator.binomial(trials[:, None], expit(truths)) / trials[:, None]
    observed = np.vstack([pairs, pairs.mean(axis=0)])
    found = []
    for nominal in NOMINAL:
        low, high = (table[f"{side}_{round(100 * nominal)}"] for side in ("low", "high"))
        inside = (observed >= low.to_numpy()[:, None]) & (observed <= high.to_numpy()[:, None])
        found.append(("pair", nominal, inside[:-1].mean()))
        found.append(("language", nominal, inside[-1].mean()))
    return name, number, pd.DataFrame(found, columns=["level", "nominal", "inside"])
