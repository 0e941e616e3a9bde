"""``predict``: the accuracy to expect of a model in any language, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis.data import Source, Study, given, located
from capability_transfer.analysis.figures import intervals
from capability_transfer.analysis.front.arguments import several, whole
from capability_transfer.analysis.front.errors import speaking_python
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.prediction import describe, new_language, new_model
from capability_transfer.analysis.prediction.new_model import select_cells
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import note
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.features.reading import named
from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Shown):
    """Predicted accuracies of one model.

    Attributes:
        table: language, name, resource, distance, plug_in (accuracy with the new effects at
            zero), integrated (its mean over them), low_50 … high_95 (0–1), fertility and where it
            comes from, how far outside the training languages (SDs), seen, templates.
        model: the model that was meant.
        items: questions asked of it in each language.
        skipped: languages of "all" that lack a feature, and which.
        reaching: language, params_b, limit_b, best, reasoning_on: what would reach ``target``;
            None without one.
        source: which data the prediction was learned from.
    """

    table: pd.DataFrame
    model: new_model.AskedModel
    items: int
    skipped: tuple[str, ...]
    reaching: pd.DataFrame | None
    target: float | None
    source: str

    @property
    def note(self) -> str:
        """Data, for captions."""
        return note(self.source)

    def remarks(self) -> list[str]:
        """What a reader must know: extrapolation, guesses, calibration, what reaches a target."""
        found = [*self.model.notes, *describe.remarks(self.table)]
        found += [f"skipped: {line}" for line in self.skipped]
        if self.reaching is not None:
            found += describe.target_lines(self.reaching, self.target)
        return found

    def plot(self, ax: Axes | None = None) -> Axes:
        """The plug-in prediction of every language with its 50, 80 and 95% intervals."""
        with plots.axes(ax, 6.0, intervals.height(self.table), self.note) as ax:
            intervals.intervals(ax, self.table)
            plots.legend_above(ax, 4)
        return ax

    def sheet(self) -> Sheet:
        title = f"Predicted accuracy (%) on {self.items:,} questions"
        facts = {
            "model": describe.model_line(self.model),
            "learned from": self.source,
            "× size": describe.MULTIPLE,
        }
        return Sheet(title, facts, describe.in_percent(self.table), tuple(self.remarks()))


@speaking_python
def predict(
    language: str | Sequence[str],
    model: str | None = None,
    *,
    reasoning: bool | str | None = None,
    params: float | None = None,
    family: str | None = None,
    target: float | None = None,
    outcomes: Source | None = None,
    study: Study | None = None,
    items: int = new_language.ITEMS,
) -> Predictions:
    """The accuracy to expect of a model in any language: the numbers of ``transfer predict``.

    Args:
        language: a code or an English name, or several, or "all": every language that the
            templates are in.
        model: a variant, base model or hub id, in any case; another model is described by its
            name or by ``params`` (billions of parameters) and, where it is known, ``family``.
        reasoning: on (True) or off (False); needed where a model has both.
        target: an accuracy (0–1): what would have to change to reach it?
        outcomes: the few templates that you evaluated in these languages, to calibrate with.
        study: what to learn from; the embedded study without it.
        items: questions you would ask in each language; their noise is in the intervals.

    Raises InputError for a language or model that is not known, or lacks a feature, and for a
    target that nothing reaches.
    """
    study, asked, items = given(study), several("language", language), whole("items", items)
    new_language.check_items(items)
    if target is not None:
        new_language.check_target(target)
    known = study.catalogue  # what cannot be asked is said before the fit
    chosen = new_model.find_model(known, model, params, family, reasoning)
    rows, skipped = new_language.find_languages(known, asked)
    cells = None
    if outcomes is not None:
        cells = select_cells(
            read_outcomes(located(outcomes)),
            chosen.variant,
            model,
            rows["language"],
            named(outcomes, "outcomes"),
        )
    bundle = study.bundle
    table = new_language.predict(bundle, chosen, rows, items, study.seed, cells)
    reaching = None
    if target is not None:
        reaching = new_language.what_reaches(bundle, chosen, rows, target)
        describe.target_lines(reaching, target)  # a target that nothing reaches is an error
    return Predictions(table, chosen, items, tuple(skipped), reaching, target, study.source)
