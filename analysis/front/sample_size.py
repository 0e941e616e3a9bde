"""``sample_size``: how precise a score and how stable a ranking are on fewer templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis.ablations import sample_size as s
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.figures import figure_09
from capability_transfer.analysis.front.arguments import several, whole
from capability_transfer.analysis.front.errors import speaking_python
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import note
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.analysis.presentation.tables import Table
from capability_transfer.analysis.tables import table_02
from capability_transfer.common.errors import InputError, name_some, suggest
from matplotlib.axes import Axes

PANELS = ("precision", "ranking", "instances")


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Shown):
    """Precision of scores and stability of rankings by budget.

    Attributes:
        result: the tables.
        source: which data.
    """

    result: s.SampleSize
    source: str

    @property
    def note(self) -> str:
        """Data, for captions."""
        return note(self.source)

    @property
    def templates(self) -> pd.DataFrame:
        """split, templates, rank_reference, rank_correlation, …, std_error (accuracy points)."""
        return self.result.templates.copy()

    @property
    def instances(self) -> pd.DataFrame:
        """split, instances, std_error (accuracy points), template_share."""
        return self.result.instances.copy()

    @property
    def needed(self) -> pd.DataFrame:
        """split, std_error (accuracy points), templates: how many give it."""
        return self.result.needed.copy()

    def tables(self) -> dict[str, Table]:
        """``table_02``, as the command line writes it."""
        made = table_02.build(self.templates, self.note)
        return {made.name: made}

    @speaking_python
    def plot(self, what: str = "precision", ax: Axes | None = None) -> Axes:
        """``precision`` by templates, ``ranking`` by templates, or precision by ``instances``."""
        if what not in PANELS:
            raise InputError(
                f"what={what!r}: there are {name_some(PANELS)}.{suggest(what, PANELS)}"
            )
        with plots.axes(ax, 4.2, 3.4, self.note) as ax:
            if what == "precision":
                figure_09.precision(ax, self.templates)
                plots.legend_above(ax)
            elif what == "ranking":
                figure_09.ranking(ax, self.templates)
                plots.legend_above(ax)
            else:
                figure_09.by_instances(ax, self.instances)
                ax.set_ylabel("standard error, points")
        return ax

    def sheet(self) -> Sheet:
        facts = {
            f"standard error of {row.std_error:g} points": f"{row.templates} {row.split} templates"
            for row in self.needed.itertuples()
        }
        (table,) = self.tables().values()
        title = "Precision of one model's score in one language, by templates"
        return Sheet(title, facts | {"data": self.source}, table.display)


@speaking_python
def sample_size(
    study: Study | None = None,
    *,
    templates: int | Sequence[int] = s.TEMPLATES,
    instances: int | Sequence[int] = s.INSTANCES,
    wanted: float | Sequence[float] = s.WANTED,
) -> SampleSize:
    """How precise a score and how stable a ranking of models are on fewer templates or instances.

    Args:
        study: from ``load``; ``load(split=None)`` keeps both splits. The embedded study without.
        templates: budgets of templates.
        instances: budgets of instances a template.
        wanted: standard errors (accuracy points) for which the templates needed are listed.

    Raises InputError for budgets below one and for cells without a full grid.
    """
    study = given(study)
    budgets = [
        [whole(name, value) for value in several(name, values)]
        for name, values in (("templates", templates), ("instances", instances))
    ]
    errors = several("wanted", wanted)
    found = s.sample_size(study.inputs.cells, study.seed, *budgets, errors, study.inputs.is_study)
    return SampleSize(found, study.source)
