"""Levers on the gap to English: size and reasoning (Figure 4), and what scarcity costs in size.

What a language's scarcity costs in model size (Appendix G, Figure 15) has two definitions, which
differ. The *exchange rate* (the study's) turns a language's observed log-odds of error, less
English's, into doublings of parameters at the average worth of a doubling, β / SD of size. The
*implied size* asks the model: which size in this language predicts what the reference size predicts
in English? It counts what the features explain alone, at that point of the curve, interactions
included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.design import Design, pair_means, standardise
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, View
from capability_transfer.analysis.presentation.tables import number
from capability_transfer.analysis.studies.main_model import FittedModel, fit
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.files import rounded
from capability_transfer.features.languages import ENGLISH
from scipy import stats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEEDED = ("resource", "distance", "size", "reasoning")
FEATURES = ("resource", "distance")
LEVEL = 0.95
POINTS = 60
REFERENCE_B = 8.0
"""Billions of parameters at which the implied size is asked for."""


@dataclass(frozen=True)
class Setting:
    """One position of a lever: billions of parameters, and reasoning on (1) or off (0)."""

    lever: str
    label: str
    params_b: float
    reasoning: int


SETTINGS = (
    Setting("size", "4B", 4.0, 0),
    Setting("size", "32B", 32.0, 0),
    Setting("reasoning", "off (8B)", 8.0, 0),
    Setting("reasoning", "on (8B)", 8.0, 1),
)
TITLES = {"size": "model size, reasoning off", "reasoning": "reasoning, at 8B"}
TICKS = [1, 2, 5, 10, 20, 50, 100]
LIMITS = (0.6, 100)
GAP = "odds in English ÷ odds"


@dataclass(frozen=True, eq=False, repr=False)
class Levers(Result):
    """What size and reasoning do to the gap to English, and what scarcity costs in size.

    Attributes:
        table: see ``odds_ratios``.
        scale_cost: see ``scale_cost``.
        exchange_rates: see ``exchange_rates``.
        languages: raw features of the languages.
        rests_on: data, fit and seed.
        remarks: what the study's model is without, and which rows were dropped.
    """

    table: pd.DataFrame
    scale_cost: pd.DataFrame
    exchange_rates: pd.Series
    languages: pd.DataFrame
    rests_on: Provenance
    remarks: tuple[str, ...] = ()

    folder = "levers"
    title = "Levers and scale cost"

    @property
    def provenance(self) -> Provenance:
        return self.rests_on

    def frames(self) -> dict[str, pd.DataFrame]:
        """The tables, odds ratios in the tens to four decimals: processors differ in the sixth."""
        rates = self.exchange_rates.rename_axis("quantity").rename("value").reset_index()
        return {
            "levers": rounded(self.table, 4),
            "scale_cost": rounded(self.scale_cost, 6),
            "exchange_rates": rounded(rates, 6),
        }

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {
            "figure_04": lambda: panels(self.table, self.languages, self.note),
            "figure_15": lambda: multiples(
                self.scale_cost, self.exchange_rates, self._names(), self.note
            ),
        }

    def views(self) -> list[View]:
        names, cost = self._names(), self.scale_cost
        display = pd.DataFrame(
            {
                "": [f"{names[code]} ({code})" for code in cost["language"]],
                "accuracy, %": [number(100 * value, 1) for value in cost["accuracy"]],
                "multiple, exchange rate": _times(cost["multiple"]),
                "multiple, by its features": _times(cost["implied_multiple"]),
            }
        )
        return [View("Parameters that a language costs, against English", display)]

    def findings(self) -> list[str]:
        dearest = self.scale_cost.iloc[0]
        return [
            _worth(self.exchange_rates),
            f"{self._names()[dearest['language']]} costs most: {dearest['multiple']:.1f}× the "
            f"parameters by the exchange rate, {dearest['implied_multiple']:.1f}× by what the "
            "features imply",
        ]

    def notes(self) -> list[str]:
        return list(self.remarks)

    @speaking_python
    def plot(self, feature: str = "resource", lever: str = "size", ax: Axes | None = None) -> Axes:
        """The gap over a language feature (resource, distance), by lever (size, reasoning)."""
        for name, value, known in (
            ("feature", feature, FEATURES),
            ("lever", lever, tuple(TITLES)),
        ):
            if value not in known:
                raise InputError(
                    f"{name}={value!r}: there are {name_some(known)}.{suggest(value, known)}"
                )
        with plots.axes(ax, 4.6, 3.4, self.note) as ax:
            curves(ax, self.table, self.languages, feature, lever)
            ax.set(title=TITLES[lever], ylabel=GAP, ylim=LIMITS)
        return ax

    def _names(self) -> pd.Series:
        return self.languages.set_index("language")["name"]


@speaking_python
def levers(study: Study | None = None, drop_missing: bool = False) -> Levers:
    """Fit the study's model and read the levers off it.

    Args:
        study: from ``load``; the embedded study without it.
        drop_missing: drop rows that lack a feature, instead of raising.

    Raises InputError for models that all have reasoning on, or off, and for data without English.
    """
    study = given(study)
    check_modes(study.inputs.features.models, study.inputs.cells)
    return read_off(fit(study, drop_missing=drop_missing, baseline=False))


def read_off(model: FittedModel) -> Levers:
    """Levers of a model that has the features ``NEEDED``; InputError for one that does not."""
    study, found, design = model.study, model.fit, model.design
    if lacking := [name for name in NEEDED if name not in found.formula.variables()]:
        raise InputError(
            f"levers need {name_some(NEEDED)} in the formula; this one lacks {name_some(lacking)}"
        )
    rows = study.inputs.features.languages
    rows = rows[rows["language"].isin(design.data["language"].unique())].reset_index(drop=True)
    return Levers(
        odds_ratios(found, design, rows),
        scale_cost(found, design, study.inputs.cells, rows),
        exchange_rates(found, design),
        rows,
        model.provenance,
        (*model.without, *design.omissions()),
    )


def check_modes(models: pd.DataFrame, cells: pd.DataFrame) -> None:
    """Raise InputError for cells of models that all have reasoning on, or off."""
    modes = models["reasoning"][models["variant"].isin(cells["variant"].unique())].unique()
    if len(modes) < 2:
        raise InputError(
            f"levers compare reasoning on and off; all these outcomes have it "
            f"{'on' if modes[0] else 'off'}"
        )


def odds_ratios(fit: Fit, design: Design, languages: pd.DataFrame) -> pd.DataFrame:
    """Odds of a correct answer in English over those in another language, exp(η_eng − η).

    Fixed effects only. One feature runs over the observed languages' range, the other and relative
    fertility stay at their means, on both sides.

    Args:
        fit: with the main model's fixed effects, fertility's aside.
        design: its constants.
        languages: language, resource, distance (raw units), English among them.

    Returns feature, value (raw), lever, setting, odds_ratio, conf_low, conf_high (Wald, 95%).
    Raises InputError without English.
    """
    languages = languages.set_index("language")
    if ENGLISH not in languages.index:
        raise InputError(f"the gap is one to English ({ENGLISH}), which the data do not have")
    centre = design.constants.set_index("feature")["mean"]
    tables = []
    for feature in FEATURES:
        values = np.linspace(languages[feature].min(), languages[feature].max(), POINTS)
        for setting in SETTINGS:
            rows = pd.DataFrame(
                {name: centre[name] for name in centre.index if name != "size"},
                index=range(POINTS + 1),
            )
            rows[feature] = [*values, languages.loc[ENGLISH, feature]]
            rows["size"] = np.log2(setting.params_b)
            rows["reasoning"] = setting.reasoning
            scaled, _ = standardise(rows, list(centre.index), design.constants)
            matrix = fit.fixed_matrix(scaled)
            contrast = matrix[-1] - matrix[:-1]
            gap = contrast @ fit.coefficients.to_numpy()
            error = np.sqrt(np.einsum("ij,jk,ik->i", contrast, fit.covariance, contrast))
            half = stats.norm.ppf(0.5 + LEVEL / 2) * error
            tables.append(
                pd.DataFrame(
                    {
                        "feature": feature,
                        "value": values,
                        "lever": setting.lever,
                        "setting": setting.label,
                        "odds_ratio": np.exp(gap),
                        "conf_low": np.exp(gap - half),
                        "conf_high": np.exp(gap + half),
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def exchange_rates(fit: Fit, design: Design) -> pd.Series:
    """Log-odds of a doubling of parameters and of pages, and how many of these the first is worth.

    Entries: parameters, pages (log-odds per doubling), doublings (of pages per doubling of
    parameters), times (2 to that power: the multiple of pages).
    """
    sd = design.constants.set_index("feature")["sd"]
    effect = fit.coefficients
    parameters = effect["size"] / sd["size"]
    pages = effect["resource"] / sd["resource"] * np.log10(2)
    doublings = parameters / pages
    return pd.Series(
        {"parameters": parameters, "pages": pages, "doublings": doublings, "times": 2**doublings}
    )


def scale_cost(
    fit: Fit, design: Design, cells: pd.DataFrame, languages: pd.DataFrame
) -> pd.DataFrame:
    """The size multiple of every language, against English, by both definitions.

    Args:
        fit: the main model.
        design: that of the fit.
        cells: its outcomes.
        languages: raw features by language.

    Returns language, accuracy (0–1, mean over runs), doublings, multiple (exchange rate),
    implied_doublings, implied_multiple (at ``REFERENCE_B`` billions in English, reasoning off),
    largest first. Raises InputError without English, or if size does not help.
    """
    accuracy = pair_means(cells).groupby("language")["accuracy"].mean()
    if ENGLISH not in accuracy.index:
        raise InputError(f"scale cost is against English ({ENGLISH}), which the data do not have")
    worth = exchange_rates(fit, design)["parameters"]
    if worth <= 0:
        raise InputError("size does not raise accuracy in these data: nothing can be paid in it")
    error = np.log((1 - accuracy) / accuracy)
    doublings = (error - error[ENGLISH]) / worth
    languages = languages.set_index("language").loc[accuracy.index]
    implied = _implied(fit, design, languages)
    table = pd.DataFrame(
        {
            "accuracy": accuracy,
            "doublings": doublings,
            "multiple": 2**doublings,
            "implied_doublings": implied,
            "implied_multiple": 2**implied,
        }
    )
    return (
        table.sort_values("doublings", ascending=False, kind="stable")
        .rename_axis("language")
        .reset_index()
    )


def _implied(fit: Fit, design: Design, languages: pd.DataFrame) -> pd.Series:
    """Doublings of the reference size with which a language's η is English's at that size.

    η is linear in size; where size has no positive slope the answer is NaN.
    """
    start = np.log2(REFERENCE_B)
    at = [_predictor(fit, design, languages, size) for size in (start, start + 1)]
    slope = at[1] - at[0]
    return (at[0][ENGLISH] - at[0]).where(slope > 0) / slope


def _predictor(fit: Fit, design: Design, languages: pd.DataFrame, size: float) -> pd.Series:
    rows = languages[["resource", "distance"]].assign(size=size, reasoning=0)
    if "fertility" in set(design.constants["feature"]):
        rows["fertility"] = 0.0
    scaled, _ = standardise(rows, list(design.constants["feature"]), design.constants)
    eta = fit.fixed_matrix(scaled) @ fit.coefficients.to_numpy()
    return pd.Series(eta, index=languages.index)


def _worth(rates: pd.Series) -> str:
    return (
        f"a doubling of parameters is worth {rates['parameters']:.3f} log-odds, one of pages "
        f"{rates['pages']:.3f}: {rates['doublings']:.1f} doublings, {rates['times']:.0f} times "
        "the pages"
    )


def _times(values: pd.Series) -> list[str]:
    return [f"{number(value, 1)}×" if value == value else "" for value in values]


@plots.styled
def panels(levers: pd.DataFrame, languages: pd.DataFrame, note: str) -> Figure:
    """Figure 4, from ``levers/levers.csv``; ticks below the curves are the languages' values."""
    features = list(dict.fromkeys(levers["feature"]))
    figure = plots.new_figure(7.2, 5.6)
    grid = figure.subplots(len(TITLES), len(features), sharey=True, squeeze=False)
    for line, (lever, title) in zip(grid, TITLES.items(), strict=True):
        for axes, feature in zip(line, features, strict=True):
            curves(axes, levers, languages, feature, lever)
            axes.set_title(title, fontsize=9)
        line[0].set_ylabel(GAP)
    grid[0, 0].set_ylim(LIMITS)
    shows = (
        "How many times the odds of a correct answer in English are those in another language, by "
        "the language's features: for a small and a large model (above), and with reasoning off "
        "and on (below). Fixed effects only, 95% Wald bands; the other feature alike. Ticks: "
        "the languages of the data."
    )
    plots.add_note(figure, note, shows)
    return figure


def curves(
    axes: Axes, levers: pd.DataFrame, languages: pd.DataFrame, feature: str, lever: str
) -> None:
    """The gap over one language feature, a curve for each setting of one lever."""
    from matplotlib.ticker import NullFormatter

    rows = levers[(levers["feature"] == feature) & (levers["lever"] == lever)]
    pieces = rows.groupby("setting", sort=False)
    drawn = ((plots.PUBLISHED, "--"), (plots.OURS, "-"))
    for (setting, group), (colour, line) in zip(pieces, drawn, strict=True):
        axes.fill_between(group["value"], group["conf_low"], group["conf_high"],
                          color=colour, alpha=0.15, linewidth=0)  # fmt: skip
        axes.plot(group["value"], group["odds_ratio"], color=colour, linestyle=line,
                  label=plots.plain(setting))  # fmt: skip
    axes.axhline(1, color=plots.MUTED, linewidth=0.8)
    axes.plot(languages[feature], [0.015] * len(languages), "|", color=plots.MUTED,
              markersize=5, transform=axes.get_xaxis_transform())  # fmt: skip
    axes.set_yscale("log")
    axes.set_yticks(TICKS)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    plots.grid(axes, "y")
    axes.set_xlabel(labels.RAW[feature])
    axes.legend(fontsize=8, loc="upper right" if feature == "resource" else "upper left")


@plots.styled
def multiples(cost: pd.DataFrame, rates: pd.Series, names: pd.Series, note: str) -> Figure:
    """Figure 15: what it costs to be a language with little text, in model size.

    From ``levers/scale_cost.csv``, the exchange rates and the languages' names by code.
    """
    cost = cost.sort_values("multiple", ignore_index=True, kind="stable")
    figure = plots.new_figure(6.4, 0.27 * len(cost) + 1.7)
    axes = figure.add_subplot()
    positions = np.arange(len(cost))
    axes.hlines(positions, 1, cost["multiple"], color=plots.OURS, linewidth=3, alpha=0.85)
    axes.plot(cost["multiple"], positions, "o", color=plots.OURS, markersize=5,
              label="exchange rate: observed odds of error (the study's)")  # fmt: skip
    axes.plot(cost["implied_multiple"], positions, "D", markerfacecolor="none",
              markeredgecolor=plots.PUBLISHED, markersize=4.5,
              label=f"implied: features alone, at {REFERENCE_B:g}B, reasoning off")  # fmt: skip
    axes.axvline(1, color=plots.MUTED, linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    named = [names.get(code, code) for code in cost["language"]]
    values = [f"{row.multiple:.1f}×   {row.implied_multiple:.1f}×" for row in cost.itertuples()]
    plots.name_rows(axes, positions, named, values, fontsize=7.5)
    axes.annotate(
        "exch. · implied", (1.0, 1.0), xytext=(6, 3), xycoords="axes fraction",
        textcoords="offset points", fontsize=7, color=plots.MUTED,
    )  # fmt: skip
    axes.set_xlabel("multiple of parameters that makes up for the gap to English")
    figure.legend(loc="outside upper left", ncols=1, fontsize=8)
    worth = _worth(rates)
    shows = (
        "What it costs to be a language with little text, in multiples of model size: "
        f"{worth}. The two definitions differ: the first takes the observed "
        "gap at the average worth of a doubling, the second the gap that resource and distance "
        "predict, at one point of the curve, where a doubling is worth more or less than on "
        "average."
    )
    plots.add_note(figure, note, shows)
    return figure
