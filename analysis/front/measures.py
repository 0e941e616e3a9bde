"""``measures``: HAT, gap and τ of every model, beside what the GLMM says of it."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis import design as designs
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.figures import figure_transfer_comparison as figure
from capability_transfer.analysis.front.arguments import whole
from capability_transfer.analysis.front.errors import speaking_python
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.progress import fitting
from capability_transfer.analysis.presentation.provenance import note
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.analysis.presentation.tables import Table
from capability_transfer.analysis.tables import table_transfer_metrics
from capability_transfer.analysis.transfer_metrics import bootstrap, comparison, report
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.features.languages import among
from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Measures(Shown):
    """Measures of transfer from a source language, by model.

    Attributes:
        parts: every table of ``transfer transfer-metrics`` by name.
        study: the data.
        note: data and engine, for captions.
        notes: what the GLMM is without, since these data cannot tell it.
    """

    parts: dict[str, pd.DataFrame]
    study: Study
    note: str
    notes: tuple[str, ...] = ()

    @property
    def table(self) -> pd.DataFrame:
        """A row a model: every metric over all target languages with its 95% interval."""
        return self.parts["metrics"].copy()

    @property
    def by_language(self) -> pd.DataFrame:
        """A row a model and target language, the columns of ``table``."""
        return self.parts["by_language"].copy()

    @property
    def comparison(self) -> pd.DataFrame:
        """A row a model: its features, the metrics, and the GLMM's level, effect and slopes."""
        return self.parts.get("comparison", pd.DataFrame()).copy()

    @property
    def rank_correlations(self) -> pd.DataFrame:
        """first, second, spearman, models: how far two measures order models alike."""
        return self.parts.get("rank_correlations", pd.DataFrame()).copy()

    def findings(self) -> list[str]:
        """What the tables say, in sentences."""
        return report.findings(self.parts)

    def tables(self) -> dict[str, Table]:
        """``table_transfer_metrics``, and ``table_transfer_correlations`` of three models or more.

        As the command line writes them.
        """
        made = [table_transfer_metrics.build(self.table, self.note)]
        if not self.comparison.empty:
            both = self.comparison, self.rank_correlations
            made.append(table_transfer_metrics.build_correlations(*both, self.note))
        return {table.name: table for table in made}

    @speaking_python
    def plot(self, x: str = "glmm_level", y: str = "hat_corrected", ax: Axes | None = None) -> Axes:
        """One measure against another, a point a model; reasoning on is orange."""
        known = [name for name in comparison.LABELS if name in self.comparison.columns]
        for name in (x, y):
            if name not in known:
                raise InputError(
                    f"no measure {name!r}; there are {name_some(known, 20)}.{suggest(name, known)}"
                )
        with plots.axes(ax, 4.2, 3.6, self.note) as ax:
            figure.points(ax, self.comparison, x, y, 24)
            plots.legend_above(ax)
            ax.set(xlabel=comparison.LABELS[x], ylabel=comparison.LABELS[y])
        return ax

    def sheet(self) -> Sheet:
        source = self.table["source"].iloc[0]
        facts = {"source language": source, "data": self.study.source}
        built = self.tables()["table_transfer_metrics"]
        return Sheet("Transfer by model, in percent", facts, built.display, self.notes)


@speaking_python
def measures(
    study: Study | None = None,
    *,
    source: str = "eng",
    intersect: bool = False,
    draws: int = bootstrap.DRAWS,
    formula: str | None = comparison.SLOPES,
    drop_missing: bool = False,
) -> Measures:
    """Transfer from a source language by item pass rates, and whether the GLMM says the same.

    Args:
        study: from ``load``; the embedded study without it.
        source: the language transferred from.
        intersect: leave out items that not every language has, instead of raising.
        draws: bootstrap resamples of the items.
        formula: of the GLMM, with a random effect of variant; None leaves the GLMM out.
        drop_missing: drop rows that lack a feature the formula names, instead of raising.

    Raises InputError for a source without outcomes, unmatched items, and what the fit refuses.
    """
    study, draws = given(study), whole("draws", draws, 2)
    cells, features = study.inputs.cells, study.features
    source = among(source, cells["language"].unique())
    fitted, effects, notes = None, None, ()
    if formula is not None:
        ours = None if formula == comparison.SLOPES else formula
        model, notes = designs.chosen(ours, comparison.SLOPES, cells, features, drop_missing)
        built = designs.build(cells, features, designs.needed(model, features), drop_missing)
        with fitting("GLMM of the comparison") as progress:
            fitted = cached_fit(
                "laplace",
                model,
                built.data,
                study.cache,
                provenance=study.inputs.provenance,
                progress=progress,
            )
        effects = comparison.glmm_effects(fitted, built.data)
    unmatched = "intersect" if intersect else "error"
    parts = report.transfer_tables(cells, features, source, unmatched, draws, study.seed, effects)
    return Measures(parts, study, note(study.source, fitted), notes)
