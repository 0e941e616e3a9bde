"""A GLMM of anyone's data: ``ct.glmer`` and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.glmm import frames, saved
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.glmm.degrees import few_levels
from capability_transfer.analysis.glmm.engines import engine as engine_of
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.habits import Habits
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.presentation import plots, tables
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.analysis.presentation.tables import number, p_value
from capability_transfer.common.errors import InputError, name_some, option
from capability_transfer.common.files import hash_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILIES = ("binomial", "bernoulli", "logit")


class Glmm(Habits, Shown):
    """A fitted binomial GLMM (logit link) with its rows.

    Raises AttributeError with the nearest name for a name that it does not have.

    Attributes:
        fit: the engine's record: tables, covariance, diagnostics, the optimiser's course.
        told: what was done to the data on the way.
    """

    told: tuple[str, ...] = ()

    def __init__(self, fit: Fit, data: pd.DataFrame, told: Sequence[str] = ()):
        self.fit, self._data, self.told = fit, data, tuple(told)

    @property
    def data(self) -> pd.DataFrame:
        """The rows fitted, with the formula's columns."""
        return self._data.copy()

    @property
    def formula(self) -> str:
        """The model in lme4's syntax."""
        return self.fit.formula.source

    def warnings(self) -> list[str]:
        """What was done to the data, and what to know of the fit before trusting it."""
        return [*self.told, *few_levels(self.fit, self.data), *self.fit.warnings()]

    def sheet(self) -> Sheet:
        return self.summary().sheet()

    def summary(self) -> Summary:
        """What R's ``summary`` prints: likelihood, random effects, fixed effects, remarks."""
        return Summary(self)

    def refit(self, successes: Sequence[float]) -> Glmm:
        """The same model of other successes of the same rows and trials (0 or 1 of single ones).

        As R's ``refit(fit, newresp)``; with ``simulate`` a bootstrap by hand.
        """
        return Glmm(*self.refitted(successes), ())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Forest plot of the fixed effects with 95% intervals; the intercept is left out."""
        table = self.fit.fixed_effects
        table = table[table["term"] != INTERCEPT]
        with plots.axes(ax, 6.4, 0.29 * len(table) + 1.3, "") as ax:
            plots.forest(ax, table, list(table["term"]))
            ax.set_xlabel("log-odds, with 95% Wald intervals")
        return ax

    def to_latex(self, caption: str = "") -> str:
        """Fixed effects and SDs as a LaTeX table (package booktabs)."""
        caption = caption or "Fixed effects (log-odds) and random-effect SDs."
        display = self.summary().display()
        return tables.as_latex(tables.Table("glmm", caption, "", display, display))

    def save(self, path: str | Path) -> Path:
        """Write the model with its rows as one file of plain data; ``load`` reads it."""
        return saved.save(self.fit, self.data, self.told, path)

    @staticmethod
    def load(path: str | Path) -> Glmm:
        """A model that ``save`` wrote. Raises InputError for any other file."""
        return Glmm(*saved.load(path))


class Summary(Shown):
    """The summary of a model, as text and as HTML."""

    def __init__(self, model: Glmm):
        self.model = model

    def __str__(self) -> str:
        return repr(self)

    def sheet(self) -> Sheet:
        model, fit = self.model, self.model.fit
        groups = fit.random_effects.drop_duplicates("group")
        points = fit.quadrature
        approximation = f"{points}-point quadrature" if points > 1 else "Laplace approximation"
        facts = {
            "formula": fit.formula.source,
            "data": f"{fit.nobs:,} rows, {fit.trials:,} trials; levels: "
            + ", ".join(f"{row.group} {row.levels:,}" for row in groups.itertuples()),
            "likelihood": f"log {number(fit.log_lik, 2)}, AIC {number(fit.aic, 1)}, BIC "
            f"{number(fit.bic, 1)}, {fit.nobs - fit.df:,} residual df "
            f"({approximation})",
            "engine": f"{fit.engine}, standard errors from the {fit.optimisation.hessian} Hessian, "
            + ("converged" if model.converged else "NOT CONVERGED"),
        }
        pearson = model.resid("pearson").dropna()
        shown = [number(value, 2) for value in np.quantile(pearson, [0, 0.25, 0.5, 0.75, 1])]
        facts["residuals"] = "Pearson: min {}, 1Q {}, median {}, 3Q {}, max {}".format(*shown)
        return Sheet(
            "GLMM (binomial, logit), effects in log-odds",
            facts,
            self.display(),
            tuple(model.warnings()),
        )

    def display(self) -> pd.DataFrame:
        """Fixed effects, then SDs and correlations, as strings."""
        rows = []
        for row in self.model.fit.fixed_effects.itertuples():
            rows.append(
                {
                    "": row.term,
                    "Estimate": number(row.estimate, 3),
                    "SE": number(row.std_error, 3),
                    "95% interval": f"{number(row.conf_low, 2)} to {number(row.conf_high, 2)}",
                    "z": number(row.statistic, 2),
                    "p": p_value(row.p_value),
                }
            )
        for row in self.model.VarCorr().itertuples():
            kind = "SD" if row.term_2 is None or row.term_2 != row.term_2 else "Correlation"
            terms = [row.term_1] if kind == "SD" else [row.term_1, row.term_2]
            slope = "" if terms == [INTERCEPT] else f", {' and '.join(terms)}"
            rows.append({"": f"{kind} {row.group}{slope}", "Estimate": number(row.sdcor, 3)})
        return pd.DataFrame(rows).fillna("")


@speaking_python
def glmer(
    formula: str,
    data: object,
    family: str = "binomial",
    *,
    weights: str | Sequence[float] | None = None,
    offset: str | Sequence[float] | None = None,
    contrasts: Mapping[str, str] | str | None = None,
    na_action: str = "fail",
    floor: str | float | None = None,
    engine: str = "laplace",
    **options: object,
) -> Glmm:
    """Fit a binomial GLMM with logit link to a table, as lme4's ``glmer`` does.

    Args:
        formula: in lme4's syntax: ``cbind(incidence, size - incidence) ~ period + (1 | herd)``. The
            left side is ``cbind(successes, failures)``, a column of 0 and 1, of booleans or of two
            labels (the second is a success), or with ``weights`` a share of successes. The right
            side may call log, exp, sqrt, I, scale, poly, ns, bs, factor and a few others.
        data: a data frame of pandas, polars or pyarrow, or a dictionary of columns.
        family: ``binomial``.
        weights: the trials of a share of successes: a column's name, or numbers.
        offset: log-odds to add: a column's name, or numbers.
        contrasts: ``treatment`` (the default), ``sum``, ``helmert`` or ``poly`` for all factors of
            the fixed part, or by factor: ``{"period": "sum"}``.
        na_action: ``fail`` where a value is missing, or ``drop`` such rows and say how many.
        floor: what guessing gets right, a column's name or a number in [0, 1): the probability of a
            success is floor + (1 − floor) · expit(log-odds).
        engine: ``laplace`` (ours) or ``lme4`` (in R).
        options: of the engine: ``nAGQ``, ``start``, ``starts``, ``settings`` …

    Raises InputError for a formula that is none, and for data that cannot be fitted.
    """
    _check_family(family)
    parse(formula)  # what is wrong with it is said first
    text, frame, told = formula, frames.as_frame(data), []
    if isinstance(weights, str) or weights is None:
        weighing = weights or ""
    else:
        weighing = "(weights)"
        frame = frame.assign(**{weighing: _numbers(weights, frame, "weights")})
    if offset is not None:
        if not isinstance(offset, str):
            frame = frame.assign(**{"(offset)": _numbers(offset, frame, "offset")})
            offset = "`(offset)`"
        text = f"{text} + offset({offset})"
    model = parse(text, weighing, contrasts if isinstance(contrasts, Mapping) else None)
    model = model if floor is None else model.with_floor(floor)
    rows, dropped = frames.complete(model, frame, na_action)
    if isinstance(contrasts, str):
        coded = dict.fromkeys(model.fixed_factors(rows), contrasts)
        model = parse(text, weighing, coded).with_floor(model.floor)
    second = model.success_level(rows)
    if second not in (None, "TRUE"):
        told.append(f"a success is {model.response} = {second}")
    known = _options(engine)
    if unknown := [name for name in options if name not in known]:
        raise InputError(
            f"glmer has no argument {name_some(unknown)}; the engine {engine} takes "
            f"{name_some(known)}"
        )
    source = {"data_source": f"a table of {len(frame):,} rows", "data_hash": hash_table(rows)}
    fit = engine_of(engine)(model, rows, **{"provenance": source} | options)
    return Glmm(fit, rows, (*dropped, *told))


def _options(engine: str) -> list[str]:
    """What an engine's ``fit`` takes beside the formula and the data."""
    return [
        name for name in signature(engine_of(engine)).parameters
        if name not in ("formula", "data")
    ]  # fmt: skip


def _check_family(family: object) -> None:
    name = getattr(family, "__name__", None) or type(family).__name__
    name = family if isinstance(family, str) else name
    link = getattr(family, "link", None)
    if link is not None and type(link).__name__.casefold() != "logit":
        name = f"{name} with link {type(link).__name__}"
    if str(name).casefold() not in FAMILIES:
        raise InputError(
            f"the family {name} is not supported: outcomes are binomial (successes and failures), "
            f"with the logit link; {option('family', 'binomial')}. For gaussian outcomes see "
            "statsmodels' mixedlm, for others lme4 or glmmTMB in R"
        )


def _numbers(values: Sequence[float], frame: pd.DataFrame, name: str) -> np.ndarray:
    """An argument that is a number for each row."""
    found = np.asarray(values)
    if found.shape != (len(frame),):
        raise InputError(
            f"{option(name)} has {found.size} values, and the data have {len(frame)} rows",
            parameter=name,
        )
    return found
