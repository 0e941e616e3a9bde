"""``power``: what a planned study would detect, by simulation from a fitted model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd
from capability_transfer.analysis.ablations import power as p
from capability_transfer.analysis.figures import figure_power
from capability_transfer.analysis.front.arguments import several, whole
from capability_transfer.analysis.front.errors import speaking_python
from capability_transfer.analysis.front.model import FittedModel, fit
from capability_transfer.analysis.front.workers import replaced_quietly
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.progress import counting
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.analysis.presentation.tables import Table
from capability_transfer.analysis.tables import table_power
from capability_transfer.common.errors import InputError
from matplotlib.axes import Axes

Numbers = int | Sequence[int]


@dataclass(frozen=True, eq=False, repr=False)
class Power(Shown):
    """The share of simulated studies that detect each effect.

    Attributes:
        table: languages, variants, templates, instances, term, effect, level, simulations, power,
            conf_low, conf_high (95% Wilson), wrong_sign, bias, sd_estimate, mean_std_error, failed.
        model: the fit that planned studies are drawn from.
    """

    table: pd.DataFrame
    model: FittedModel

    @property
    def note(self) -> str:
        """Data and engine of the fit, for captions."""
        return self.model.note

    def tables(self) -> dict[str, Table]:
        """``table_power``, as the command line writes it."""
        made = table_power.build(self.table, self.note)
        return {made.name: made}

    def plot(self, ax: Axes | None = None) -> Axes:
        """A line an effect, a mark a plan, with 95% intervals of the simulations' number."""
        with plots.axes(ax, 6.4, figure_power.height(self.table), self.note) as ax:
            figure_power.detection(ax, self.table)
            plots.legend_above(ax)
        return ax

    def sheet(self) -> Sheet:
        facts = {
            "simulations": f"{self.table['simulations'].iloc[0]} a plan",
            "drawn from": f"a fit to {self.model.study.source}",
        }
        (table,) = self.tables().values()
        return Sheet("Power of planned studies", facts, table.display)


@speaking_python
def power(
    model: FittedModel | None = None,
    *,
    languages: Numbers = (8, 15, 30),
    variants: Numbers = 46,
    templates: Numbers = 50,
    instances: Numbers = 10,
    effects: Mapping[str, float] | None = None,
    simulations: int = p.SIMULATIONS,
    level: float = p.LEVEL,
    workers: int = 2,
) -> Power:
    """What would a planned study detect? Every combination of the numbers is a plan.

    Args:
        model: from ``fit``: languages, models and random effects are drawn from it; the study's
            model without.
        languages: how many; one number or several.
        variants: likewise.
        templates: likewise.
        instances: likewise, of each template.
        effects: effects to detect by term (log-odds per SD), in place of the fitted ones.
        simulations: of each plan; a hundred take about a minute.
        level: of the two-sided test.

    Raises InputError for plans that are too small and for a term that the model lacks.
    """
    model = fit() if model is None else model
    if not isinstance(model, FittedModel):
        raise InputError(f"power starts from what fit() returns, not a {type(model).__name__}")
    numbers = {
        "languages": languages,
        "variants": variants,
        "templates": templates,
        "instances": instances,
    }
    asked = (
        [whole(name, value) for value in several(name, values)] for name, values in numbers.items()
    )
    plans = [p.Plan(*chosen) for chosen in product(*asked)]
    simulations, workers = whole("simulations", simulations), whole("workers", workers)
    population = p.population(model.determinants.design, model.fit, dict(effects or {}))
    study = model.study
    with replaced_quietly():
        tables = {
            plan: p.simulations(
                population, plan, study.seed, simulations, study.cache, counting, workers
            )
            for plan in plans
        }
    return Power(p.power(tables, population, level), model)
