"""Predict held-out languages, fold by fold and predictor by predictor, in parallel, resumably."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.prediction.folds import Fold, Split, keep_all, split
from capability_transfer.analysis.prediction.models import (
    Fitted,
    check_engine,
    mean_by_pair,
    pairs_of,
)
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.analysis.prediction.scores import add_intervals, place
from capability_transfer.common import kept
from capability_transfer.common.files import hash_settings, hash_table
from joblib import Parallel, delayed

DRAWS = 1000
Counting = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""A context of a label and a total that yields a callback for pieces that were finished."""


@dataclass(frozen=True, eq=False)
class Task:
    """The data and settings that all folds share.

    Attributes:
        joined: cells with raw features.
        vectors: URIEL features by language.
        engine: of the GLMMs.
        draws: of the predictive distributions.
        seed: see ``draws``.
        cache: where finished folds are kept, or None.
        workers: processes.
        pointwise: predictors without distributions: their intervals are not shown.
    """

    joined: pd.DataFrame
    vectors: pd.DataFrame
    engine: str = "laplace"
    draws: int = DRAWS
    seed: int = 0
    cache: Path | None = None
    workers: int = 2
    pointwise: tuple[str, ...] = ()

    def __sizeof__(self) -> int:
        """Bytes, tables included, by which joblib sends a task to Dask's workers once, not with
        every fold."""
        return int(
            sum(table.memory_usage(index=True).sum() for table in (self.joined, self.vectors))
        )

    def draws_of(self, name: str) -> int:
        """Draws of a predictor's distributions; 0 for points alone."""
        return 0 if name in self.pointwise else self.draws

    def data_hash(self) -> str:
        """Of the cells and vectors."""
        return hash_settings(hash_table(self.joined), hash_table(self.vectors.reset_index()))


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

    Raises InputError for predictors that are unknown or that the task's engine cannot fit.
    """
    check_engine([predictor(name) for name in predictors], task.engine)
    held = list(dict.fromkeys(fold.held_out for fold in folds))
    store = Store(task)
    missing = [name for name in predictors if not store.has_all(name, held)]
    starts = dict.fromkeys(predictors)
    jobs = [delayed(_fit_row)(task, name) for name in missing]
    for name, start, row in in_parallel(task, jobs, "fits to all data", counting):
        starts[name] = start
        store.put(pd.DataFrame([row]), name, "fit")
    jobs = []
    for out in held:
        if todo := {name: starts[name] for name in missing if not store.has(name, out)}:
            jobs.append(delayed(_one_fold)(task, out, todo))
    for out, found in in_parallel(task, jobs, "held-out languages", counting):
        for name, table in found.items():
            store.put(table, name, out)
    tables = [
        store.get(name, fold.held_out).assign(kind=fold.kind, fold=fold.name, predictor=name)
        for name in predictors
        for fold in folds
    ]
    fits = pd.concat([store.get(name, "fit") for name in predictors], ignore_index=True)
    return pd.concat(tables, ignore_index=True), fits


def fit_to_all(task: Task, name: str) -> tuple[Fitted, Split]:
    """A predictor fitted to all languages, and the rows and constants that it was fitted with."""
    everything = keep_all(task.joined)
    return predictor(name).fit(everything.train, task.vectors, task.engine), everything


def observed_accuracy(cells: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Pairs of cells, their accuracy (0–1; templates weigh equally) and their items."""
    pairs, codes = pairs_of(cells)
    share = cells["n_correct"].to_numpy() / cells["n_total"].to_numpy()
    items = np.bincount(codes, cells["n_total"], len(pairs)).astype(int)
    return pairs, mean_by_pair(share, codes, len(pairs)), items


def _fit_row(task: Task, name: str) -> tuple[str, object, dict]:
    """The fit to all languages: where folds start from, and its likelihood."""
    fitted, _ = fit_to_all(task, name)
    fit, start = getattr(fitted, "fit", None), fitted.start
    if task.draws_of(name) and isinstance(start, laplace.WarmStart):
        start = replace(start, shape=fitted.posterior.shape())
    row = {
        "predictor": name,
        "log_lik": np.nan if fit is None else fit.log_lik,
        "df": pd.NA if fit is None else fit.df,
        "nobs": pd.NA if fit is None else fit.nobs,
    }
    return name, start, row


def _one_fold(
    task: Task, out: tuple[str, ...], starts: dict[str, object]
) -> tuple[tuple[str, ...], dict[str, pd.DataFrame]]:
    """Fit without some languages, predict them, and set what was observed beside it: a table per
    predictor of ``starts``."""
    parts = split(task.joined, Fold("held out", "+".join(out), out))
    pairs, accuracy, items = observed_accuracy(parts.held)
    means = pd.Series(accuracy).groupby(pairs["language"].to_numpy(), sort=False).mean()
    found = {}
    for name, start in starts.items():
        fitted = predictor(name).fit(parts.train, task.vectors, task.engine, start)
        prediction = fitted.predict(parts.held, task.vectors, task.draws_of(name), task.seed)
        if not prediction.pairs.equals(pairs):
            raise AssertionError(f"predictor {name} answers for other pairs than it was asked")
        table, draws = add_intervals(prediction, items, task.seed)
        table.insert(3, "observed", np.concatenate([accuracy, means.to_numpy()]))
        table["place"] = np.nan if draws is None else place(table["observed"].to_numpy(), draws)
        found[name] = table
    return out, found


def in_parallel(task: Task, jobs: Sequence, label: str, counting: Counting) -> Iterator:
    """Results of ``joblib.delayed`` jobs as they finish, counted."""
    if not jobs:
        return
    with counting(label, len(jobs)) as tell:
        results = Parallel(n_jobs=task.workers, return_as="generator_unordered")(jobs)
        for result in results:
            tell(1)
            yield result


class Store:
    """Finished pieces on disk, keyed by data, predictor and settings; in memory without a cache.

    A file that cannot be read counts as missing.
    """

    def __init__(self, task: Task):
        self.task, self.data, self.kept = task, task.data_hash(), {}

    def _path(self, name: str, what: object) -> Path | None:
        task, model = self.task, repr(predictor(name))
        settings = (self.data, model, what, task.engine, task.draws_of(name), task.seed)
        return kept.Store(task.cache).path("prediction", *settings)

    def has(self, name: str, what: object) -> bool:
        if (name, what) not in self.kept:
            table = kept.found(self._path(name, what), pd.DataFrame)
            if table is not None:
                self.kept[name, what] = table
        return (name, what) in self.kept

    def has_all(self, name: str, held: list) -> bool:
        return all(self.has(name, what) for what in [*held, "fit"])

    def put(self, table: pd.DataFrame, name: str, what: object) -> None:
        self.kept[name, what] = table
        if path := self._path(name, what):
            kept.write(table, path)

    def get(self, name: str, what: object) -> pd.DataFrame:
        """A piece that is there (``has``); raises KeyError otherwise."""
        if not self.has(name, what):
            raise KeyError((name, what))
        return self.kept[name, what]
