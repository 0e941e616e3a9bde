"""Predict held-out languages, fold by fold and predictor by predictor, in parallel, resumably."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction.folds import Fold, split
from capability_transfer.analysis.prediction.intervals import place, predicted
from capability_transfer.analysis.prediction.prediction import mean_by_pair, pairs_of
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.analysis.prediction.task import Counting, Store, Task, in_parallel
from joblib import delayed


def evaluate(
    task: Task, predictors: Sequence[str], folds: Sequence[Fold], counting: Counting
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Every predictor's predictions of every fold, and its fit to all data.

    Args:
        task: data and settings.
        predictors: names.
        folds: what to hold out.
        counting: shows how much is done.

    Returns the predictions (kind, fold, predictor, level, language, variant, observed, plug_in,
    integrated, low_50 … high_95, place) and the fits (predictor, log_lik, df, nobs), the latter
    for predictors that are GLMMs. Folds that hold out the same languages are computed once.
    """
    held = list(dict.fromkeys(fold.held_out for fold in folds))
    store = Store(task)
    missing = [name for name in predictors if not store.has_all(name, held)]
    starts = dict.fromkeys(predictors)
    jobs = [delayed(fit_to_all)(task, name) for name in missing]
    for name, start, row in in_parallel(task, jobs, "fits to all data", counting):
        starts[name] = start
        store.put(pd.DataFrame([row]), name, "fit")
    todo = [(name, out) for name in missing for out in held if not store.has(name, out)]
    jobs = [delayed(_one_fold)(task, name, out, starts[name]) for name, out in todo]
    for name, out, table in in_parallel(task, jobs, "held-out languages", counting):
        store.put(table, name, out)
    tables = [
        store.get(name, fold.held_out).assign(kind=fold.kind, fold=fold.name, predictor=name)
        for name in predictors
        for fold in folds
    ]
    fits = pd.concat([store.get(name, "fit") for name in predictors], ignore_index=True)
    return pd.concat(tables, ignore_index=True), fits


def observed_accuracy(cells: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Pairs of cells, their accuracy (0–1; templates weigh equally) and their items."""
    pairs, codes = pairs_of(cells)
    share = cells["n_correct"].to_numpy() / cells["n_total"].to_numpy()
    items = np.bincount(codes, cells["n_total"], len(pairs)).astype(int)
    return pairs, mean_by_pair(share, codes, len(pairs)), items


def fit_to_all(task: Task, name: str) -> tuple[str, object, dict]:
    """The fit to all languages: where folds start from, and its likelihood."""
    everything = split(task.joined, Fold("none", "none", ()))
    fitted = predictor(name).fit(everything.train, task.vectors, task.engine)
    fit = getattr(fitted, "fit", None)
    row = {
        "predictor": name,
        "log_lik": np.nan if fit is None else fit.log_lik,
        "df": pd.NA if fit is None else fit.df,
        "nobs": pd.NA if fit is None else fit.nobs,
    }
    return name, fitted.start, row


def _one_fold(
    task: Task, name: str, out: tuple[str, ...], start: object
) -> tuple[str, tuple[str, ...], pd.DataFrame]:
    """Fit without some languages, predict them, and set what was observed beside it."""
    parts = split(task.joined, Fold("held out", "+".join(out), out))
    fitted = predictor(name).fit(parts.train, task.vectors, task.engine, start)
    prediction = fitted.predict(parts.held, task.vectors, task.draws, task.seed)
    pairs, accuracy, items = observed_accuracy(parts.held)
    if not prediction.pairs.equals(pairs):
        raise AssertionError(f"predictor {name} answers for other pairs than it was asked")
    table = predicted(prediction, items, task.seed)
    means = pd.Series(accuracy).groupby(pairs["language"].to_numpy(), sort=False).mean()
    table.insert(3, "observed", np.concatenate([accuracy, means.to_numpy()]))
    draws = table.attrs.pop("draws")
    table["place"] = np.nan if draws is None else place(table["observed"].to_numpy(), draws)
    return name, out, table
