"""What every piece of a long prediction run shares: settings, processes, and a store of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.common import kept
from capability_transfer.common.files import hash_project, hash_settings, hash_table
from joblib import Parallel

DRAWS = 1000
Counting = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""A context of a label and a total that yields a callback for pieces that were finished."""


@dataclass(frozen=True, eq=False)
class Task:
    """What every fold shares.

    Attributes:
        joined: cells with raw features.
        vectors: URIEL features by language.
        engine: of the GLMMs.
        draws: of the predictive distributions.
        seed: see ``draws``.
        cache: where finished folds are kept, or None.
        workers: processes.
    """

    joined: pd.DataFrame
    vectors: pd.DataFrame
    engine: str = "laplace"
    draws: int = DRAWS
    seed: int = 0
    cache: Path | None = None
    workers: int = 2

    def data_hash(self) -> str:
        """Of the cells and vectors."""
        return hash_settings(hash_table(self.joined), hash_table(self.vectors.reset_index()))


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

    One that cannot be read counts as not there.
    """

    def __init__(self, task: Task):
        self.task, self.data, self.kept = task, task.data_hash(), {}

    def _path(self, name: str, what: object) -> Path | None:
        if self.task.cache is None:
            return None
        task = self.task
        model = repr(predictor(name))
        key = hash_settings(
            hash_project(), self.data, name, model, what, task.engine, task.draws, task.seed
        )
        return Path(task.cache) / "unseen" / f"{name}-{key}.npz"

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
