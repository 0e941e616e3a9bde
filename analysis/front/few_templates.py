"""``few_templates``: what a few templates in a language add to its prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis import study as published
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.figures import few_templates as figure
from capability_transfer.analysis.front.arguments import several, whole
from capability_transfer.analysis.front.errors import speaking_python
from capability_transfer.analysis.front.held_out import LEVELS, held_languages
from capability_transfer.analysis.front.workers import replaced_quietly
from capability_transfer.analysis.prediction import few_templates as few
from capability_transfer.analysis.prediction import loo
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.progress import counting
from capability_transfer.analysis.presentation.provenance import note
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.analysis.presentation.tables import Table
from capability_transfer.analysis.tables import table_05
from capability_transfer.common.errors import InputError, name_some
from matplotlib.axes import Axes

TRUTHS = ("all", "unseen")


@dataclass(frozen=True, eq=False, repr=False)
class TemplateBudgets(Shown):
    """Errors of prediction after k templates of a held-out language were seen.

    Attributes:
        errors: predictor, language, draw, k, truth, level, error (accuracy points), coverage_50,
            coverage_80, coverage_95.
        study: the data.
    """

    errors: pd.DataFrame
    study: Study

    @property
    def note(self) -> str:
        """Data, for captions."""
        return note(self.study.source)

    @property
    def table(self) -> pd.DataFrame:
        """As ``few_templates.summarise``: the errors by predictor, truth, k and level (points)."""
        return few.summarise(self.errors, self.study.seed)

    @property
    def coverage(self) -> pd.DataFrame:
        """predictor, k, coverage_50 … coverage_95 of accuracies over the templates not seen."""
        return few.coverage(self.errors)

    def tables(self) -> dict[str, Table]:
        """``table_05``, as the command line writes it."""
        known = published.published_predictions()
        known = known if self.study.inputs.is_study else known[:0]
        made = table_05.build(self.table, known, self.note)
        return {made.name: made}

    @speaking_python
    def plot(self, level: str = "pair", truth: str = "unseen", ax: Axes | None = None) -> Axes:
        """The error by templates seen: of pairs or language means, on all or unseen templates."""
        for name, value, known in (("level", level, LEVELS), ("truth", truth, TRUTHS)):
            if value not in known:
                raise InputError(f"{name}={value!r}: there are {name_some(known)}")
        with plots.axes(ax, 4.8, 3.4, self.note) as ax:
            figure.by_budget(ax, self.table, level, truth)
            plots.legend_above(ax)
        return ax

    def sheet(self) -> Sheet:
        held = sorted(self.errors["language"].unique())
        facts = {
            "held out": f"{len(held)} languages, one at a time: {' '.join(held)}",
            "data": self.study.source,
        }
        title = "Error of prediction (accuracy points) by templates seen"
        (table,) = self.tables().values()
        return Sheet(title, facts, table.display, loo.describe_left_out(self.study.inputs))


@speaking_python
def few_templates(
    study: Study | None = None,
    predictors: str | Sequence[str] = "smooth",
    languages: str | Sequence[str] | None = None,
    *,
    budgets: int | Sequence[int] = few.BUDGETS,
    draws: int = few.FEW_DRAWS,
    workers: int = 2,
) -> TemplateBudgets:
    """Predict held-out languages after k of their templates were seen, on the templates not seen.

    Args:
        study: from ``load``; the embedded study without it.
        predictors: ``smooth`` (ours: the language alone is updated) or ``study`` (a refit each).
        languages: those to hold out; every language of the study without it.
        budgets: templates seen, 0 being prediction alone.
        draws: shuffles of the templates.
        workers: fits at once.

    Raises InputError for a predictor or language that is not there, and for a budget that leaves
    no template unseen.
    """
    study, names = given(study), several("predictors", predictors)
    numbers = [whole("budgets", k, 0) for k in several("budgets", budgets)]
    draws, workers = whole("draws", draws), whole("workers", workers)
    joined, vectors = study.prepared()
    held = held_languages(joined, languages)
    task = Task(joined, vectors, seed=study.seed, cache=study.cache, workers=workers)
    with replaced_quietly():
        errors = few.few_templates(task, counting, names, numbers, draws, held)
    return TemplateBudgets(errors, study)
