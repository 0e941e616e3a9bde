"""``hold_out``: how well languages are predicted that a model never saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.figures import figure_05, figure_06, scatter
from capability_transfer.analysis.front.arguments import several, whole
from capability_transfer.analysis.front.errors import speaking_python
from capability_transfer.analysis.front.workers import replaced_quietly
from capability_transfer.analysis.prediction import loo, scores
from capability_transfer.analysis.prediction.evaluate import DRAWS, Task, evaluate
from capability_transfer.analysis.prediction.folds import leave_one_out
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.plots import MUTED, plain
from capability_transfer.analysis.presentation.progress import counting
from capability_transfer.analysis.presentation.provenance import note
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.analysis.presentation.tables import number
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.features.languages import among
from matplotlib.axes import Axes

PREDICTORS = ("study", "smooth")
LEVELS = {"pair": "models in a language", "language": "language means"}


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut(Shown):
    """Predictions of languages held out one at a time, beside what was observed.

    Attributes:
        result: predictions and fits.
        source: which data.
        notes: what the models are without, since these data cannot tell it.
    """

    result: loo.LeaveOut
    source: str
    notes: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """Data, for captions."""
        return note(self.source)

    @property
    def pairs(self) -> pd.DataFrame:
        """language, variant, predictor, observed, predicted, low_50 … high_95 (0–1)."""
        return self.result.pairs()

    @property
    def summary(self) -> pd.DataFrame:
        """level, predictor, n, mae, rmse (accuracy points), pearson, spearman, coverage_80."""
        return scores.summary(self.result.one)

    @property
    def by_language(self) -> pd.DataFrame:
        """language, predictor, observed, predicted (0–1), error (points)."""
        return scores.by_language(self.result.one)

    @property
    def intervals(self) -> pd.DataFrame:
        """predictor, level, nominal, n, coverage, width, interval_score (points)."""
        return scores.intervals(self.result.one, ["predictor"])

    @property
    def predictors(self) -> list[str]:
        """The predictors that were compared."""
        return list(dict.fromkeys(self.result.one["predictor"]))

    @speaking_python
    def plot(
        self, predictor: str | None = None, level: str = "language", ax: Axes | None = None
    ) -> Axes:
        """Predicted against observed accuracies of one predictor (the last without a name).

        ``level``: language means with their 80% intervals (language), or every model in every
        language (pair).
        """
        known = self.predictors
        name = predictor or known[-1]
        if name not in known:
            raise InputError(
                f"{name} was not held out; there are {name_some(known)}.{suggest(name, known)}"
            )
        if level not in LEVELS:
            raise InputError(f"level={level!r}: there are {name_some(LEVELS)}")
        colour = scatter.COLOURS.get(name, MUTED)
        with plots.axes(ax, 4.2, 4.2, self.note) as ax:
            if level == "pair":
                figure_06.points(ax, self.pairs[self.pairs["predictor"] == name], colour)
            else:
                one = self.result.one
                figure_05.means(ax, one[one["predictor"] == name], colour)
            ax.set(title=plain(scatter.TITLES.get(name, name)), ylabel=figure_05.PREDICTED)
        return ax

    def sheet(self) -> Sheet:
        table = self.summary
        display = pd.DataFrame(
            {
                "": [
                    f"{row.predictor}, {LEVELS[row.level]}" for row in table.itertuples(index=False)
                ],
                "mean absolute error": [number(value, 2) for value in table["mae"]],
                "r": [number(value, 3) for value in table["pearson"]],
                "80% covers": [
                    "" if value != value else f"{value:.0%}" for value in table["coverage_80"]
                ],
            }
        )
        held = self.result.one["language"].unique()
        facts = {
            "held out": f"{len(held)} languages, one at a time: {' '.join(sorted(held))}",
            "data": self.source,
        }
        return Sheet("Held-out languages, errors in accuracy points", facts, display, self.notes)


@speaking_python
def hold_out(
    study: Study | None = None,
    predictors: str | Sequence[str] = PREDICTORS,
    languages: str | Sequence[str] | None = None,
    *,
    draws: int = DRAWS,
    workers: int = 2,
) -> HeldOut:
    """Hold out languages one at a time, and predict every model there from the others.

    Args:
        study: from ``load``; the embedded study without it.
        predictors: names out of ``analysis.prediction.predictors.PREDICTORS``: ``study`` (the
            study's GLMM), ``smooth`` (ours; both take seconds per language), and simpler, faster
            ones.
        languages: those to hold out; every language of the study without it.
        draws: of the predictive distributions.
        workers: folds at once.

    Raises InputError for a predictor or language that is not there, and for too few languages.
    """
    study, names = given(study), several("predictors", predictors)
    draws, workers = whole("draws", draws, 2), whole("workers", workers)
    joined, vectors = study.prepared()
    held = held_languages(joined, languages)
    task = Task(joined, vectors, draws=draws, seed=study.seed, cache=study.cache, workers=workers)
    with replaced_quietly():
        one, fits = evaluate(task, names, leave_one_out(held), counting)
    return HeldOut(loo.LeaveOut(one, one[:0], fits, study.inputs.is_study),
                   study.source, loo.describe_left_out(study.inputs))  # fmt: skip


def held_languages(joined: pd.DataFrame, languages: str | Sequence[str] | None) -> list[str]:
    """The languages to hold out, all that there are outcomes in for None; else InputError."""
    known = sorted(joined["language"].unique())
    if languages is None:
        return known
    return list(dict.fromkeys(among(code, known) for code in several("languages", languages)))
