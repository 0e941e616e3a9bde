"""Levers on the gap to English, read off a fitted model."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis import levers as curves
from capability_transfer.analysis import scale_cost
from capability_transfer.analysis.data import Study
from capability_transfer.analysis.design import Design
from capability_transfer.analysis.figures import figure_04
from capability_transfer.analysis.front.errors import speaking_python
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import note
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.analysis.presentation.tables import number
from capability_transfer.common.errors import InputError, name_some, suggest
from matplotlib.axes import Axes

NEEDED = ("resource", "distance", "size", "reasoning")


@dataclass(frozen=True, eq=False, repr=False)
class Levers(Shown):
    """What size and reasoning do to the gap to English, and what scarcity costs in size.

    Attributes:
        table: feature, value, lever, setting, odds_ratio, conf_low, conf_high: the odds of a
            correct answer in English over those in another language (fixed effects, Wald 95%).
        scale_cost: language, accuracy, doublings, multiple, implied_doublings, implied_multiple:
            the parameters that a language costs against English, by two definitions.
        exchange_rates: log-odds of a doubling of parameters and of pages, and their ratio.
        languages: raw features of the languages.
        note: data and engine, for captions.
    """

    table: pd.DataFrame
    scale_cost: pd.DataFrame
    exchange_rates: pd.Series
    languages: pd.DataFrame
    note: str

    @speaking_python
    def plot(self, feature: str = "resource", lever: str = "size", ax: Axes | None = None) -> Axes:
        """The gap over a language feature (resource, distance), by lever (size, reasoning)."""
        for name, value, known in (
            ("feature", feature, curves.FEATURES),
            ("lever", lever, tuple(figure_04.TITLES)),
        ):
            if value not in known:
                raise InputError(
                    f"{name}={value!r}: there are {name_some(known)}.{suggest(value, known)}"
                )
        with plots.axes(ax, 4.6, 3.4, self.note) as ax:
            figure_04.curves(ax, self.table, self.languages, feature, lever)
            ax.set(title=figure_04.TITLES[lever], ylabel=figure_04.GAP, ylim=figure_04.LIMITS)
        return ax

    def sheet(self) -> Sheet:
        rates = self.exchange_rates
        facts = {
            "a doubling of parameters": f"{rates['parameters']:.3f} log-odds",
            "a doubling of pages": f"{rates['pages']:.3f} log-odds",
            "so one doubling of parameters": f"is worth {rates['doublings']:.1f} doublings of "
            f"pages, {rates['times']:.0f} times the text",
            "source": self.note,
        }
        names = self.languages.set_index("language")["name"]
        cost = self.scale_cost
        display = pd.DataFrame(
            {
                "": [f"{names[code]} ({code})" for code in cost["language"]],
                "accuracy, %": [number(100 * value, 1) for value in cost["accuracy"]],
                "multiple, exchange rate": _times(cost["multiple"]),
                "multiple, by its features": _times(cost["implied_multiple"]),
            }
        )
        return Sheet("Levers on the gap to English, and scale cost", facts, display)


def levers(study: Study, fit: Fit, design: Design) -> Levers:
    """Levers of a fit that has the features ``NEEDED``; InputError for one that has not."""
    if lacking := [name for name in NEEDED if name not in fit.formula.variables()]:
        raise InputError(
            f"levers need {name_some(NEEDED)} in the formula; this one lacks {name_some(lacking)}"
        )
    rows = study.features.languages
    rows = rows[rows["language"].isin(design.data["language"])].reset_index(drop=True)
    return Levers(
        curves.levers(fit, design, rows),
        scale_cost.scale_cost(fit, design, study.inputs.cells, rows),
        scale_cost.exchange_rates(fit, design),
        rows,
        note(study.source, fit),
    )


def _times(values: pd.Series) -> list[str]:
    return [f"{number(value, 1)}×" if value == value else "" for value in values]
