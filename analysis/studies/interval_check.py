"""Do predictive intervals cover what they promise? Simulated languages, whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.prediction import simulation
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, View
from capability_transfer.analysis.studies import held_out
from capability_transfer.common import progress
from capability_transfer.common.files import rounded
from capability_transfer.common.parallel import replaced_quietly

PREDICTORS = ("study_pairs", "smooth")


@dataclass(frozen=True, eq=False, repr=False)
class IntervalCheck(Result):
    """Coverage of predictive intervals in worlds drawn from the fitted models.

    Attributes:
        table: ``simulation.coverage``.
        source: which data the models were fitted to.
        seed: of the draws.
    """

    table: pd.DataFrame
    source: str
    seed: int

    folder = "loo"
    title = held_out.TITLE
    about = held_out.ABOUT

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source, seed=self.seed)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"simulated_coverage": rounded(self.table, held_out.DIGITS)}

    def views(self) -> list[View]:
        shown = self.table[["predictor", "level"]].copy()
        shown["nominal"] = [f"{value:.0%}" for value in self.table["nominal"]]
        shown["covers"] = [f"{value:.1%}" for value in self.table["coverage"]]
        shown["±"] = [f"{value:.1%}" for value in self.table["std_error"]]
        return [View("What predictive intervals cover", shown)]


def interval_check(
    study: Study | None = None, worlds: int = 240, workers: int = 2
) -> IntervalCheck:
    """Simulate data from the fitted models, predict a language held out, and count what is covered.

    Args:
        study: from ``load``; the embedded study without it.
        worlds: simulated data sets.
        workers: worlds at once.
    """
    study = given(study)
    joined, vectors = study.prepared()
    task = Task(joined, vectors, seed=study.seed, cache=study.cache, workers=workers)
    with replaced_quietly():
        table = simulation.coverage(task, PREDICTORS, worlds, progress.counting)
    return IntervalCheck(table, study.source, study.seed)
