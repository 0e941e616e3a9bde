"""What can be asked of the main fit beyond its Wald table: intervals and checks, on request."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.design import KEYS
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.glmm.formula import Formula
from capability_transfer.analysis.glmm.inference import (
    METHODS,
    bootstrap,
    profile_intervals,
    t_intervals,
    wald_intervals,
)
from capability_transfer.analysis.glmm.inference.bootstrap import Bootstrap
from capability_transfer.analysis.glmm.inference.profile import profile_count
from capability_transfer.analysis.glmm.laplace import Model, Optimum
from capability_transfer.analysis.glmm.laplace_check import (
    LaplaceCheck,
    check_laplace,
    count_points,
)
from capability_transfer.analysis.glmm.overdispersion import compare, with_observation_level
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.presentation.result import View
from capability_transfer.analysis.presentation.tables import number
from capability_transfer.common.errors import InputError, suggest
from capability_transfer.common.progress import counting


@dataclass(frozen=True)
class Request:
    """The intervals and checks to compute.

    Attributes:
        intervals: one of ``METHODS``, or None.
        replicates: of the bootstrap.
        seed: of all draws.
        laplace: whether to check the approximation.
        observation_level: whether to refit with a random effect of every row.
        jobs: processes of the bootstrap; -1 is one per core.
    """

    intervals: str | None = None
    replicates: int = 500
    seed: int = 0
    laplace: bool = False
    observation_level: bool = False
    jobs: int = -1

    def __post_init__(self):
        if self.intervals is not None and self.intervals not in METHODS:
            raise InputError(
                f"no intervals {self.intervals!r}; there are {', '.join(METHODS)}."
                + suggest(self.intervals, METHODS)
            )
        if self.replicates < 2:
            raise InputError(f"a bootstrap needs at least two replicates, not {self.replicates}")


@dataclass(frozen=True)
class Findings:
    """What was asked for, None where it was not; ``notes`` say it in sentences."""

    intervals: pd.DataFrame | None = None
    laplace: pd.DataFrame | None = None
    observation_level: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Tables by the name of their file."""
        found = {
            "intervals": self.intervals,
            "laplace_check": self.laplace,
            "observation_level": self.observation_level,
        }
        return {name: table for name, table in found.items() if table is not None}

    def views(self) -> list[View]:
        """The intervals for people."""
        if self.intervals is None:
            return []
        display = pd.DataFrame(
            {
                "": [_name(row) for row in self.intervals.itertuples()],
                **{
                    heading: [number(value, 3) for value in self.intervals[column]]
                    for heading, column in (
                        ("estimate", "estimate"),
                        ("low", "conf_low"),
                        ("high", "conf_high"),
                    )
                },
            }
        )
        return [View(f"95% intervals ({self.intervals['method'].iloc[0]})", display)]


def _name(row: object) -> str:
    """Which quantity a row of intervals is of."""
    if row.kind == "fixed":
        return labels.term(row.term)
    if row.kind == "explained":
        return f"{labels.group(row.group)} (explained)"
    slope = "" if row.term == INTERCEPT else f", {labels.term(row.term)}"
    return f"{labels.group(row.group)} (SD){slope}"


def infer(
    fit: Fit,
    data: pd.DataFrame,
    baseline: Formula | None,
    request: Request,
    cache: Path | None,
) -> Findings:
    """Compute what is requested of a fit.

    Args:
        fit: the model.
        data: the rows it was fitted to.
        baseline: what the variance explained compares with, or None.
        cache: where finished fits and replicates are kept.

    Raises InputError for what the model or its data do not allow.
    """
    found, notes, refits = {}, [], None
    if request.intervals == "wald":
        found["intervals"] = wald_intervals(fit)
    if request.intervals == "t":
        found["intervals"] = t_intervals(fit, data)
    if request.intervals == "bootstrap" or request.laplace:
        refits = _bootstrap(fit, data, baseline, request, cache)
        if refits.failed:
            notes.append(f"{refits.failed} of {request.replicates} bootstrap refits failed")
        if request.intervals == "bootstrap":
            found["intervals"] = refits.intervals()
    if request.intervals == "profile" or request.laplace:
        model = Model(fit.formula, data)
        optimum = model.optimise(fit)
        if request.intervals == "profile":
            with counting("profiles", profile_count(model)) as progress:
                found["intervals"] = profile_intervals(model, optimum, progress=progress)
        if request.laplace:
            check = _check(model, optimum, request.seed)
            found["laplace"] = _with_bias(check.table(), refits.bias())
            notes += _laplace_notes(check, refits)
    if request.observation_level:
        keys = [name for name in KEYS if name in data.columns]
        formula = with_observation_level(fit.formula, data, keys)
        with counting("observation-level model", 1) as progress:
            wider = cached_fit("laplace", formula, data, cache, provenance=fit.provenance)
            progress(1)
        found["observation_level"] = compare(fit, wider)
        notes.append(_observation_note(found["observation_level"]))
    return Findings(**found, notes=tuple(notes))


def _bootstrap(
    fit: Fit,
    data: pd.DataFrame,
    baseline: Formula | None,
    request: Request,
    cache: Path | None,
) -> Bootstrap:
    with counting("bootstrap", request.replicates) as progress:
        return bootstrap(
            fit.formula,
            data,
            seed=request.seed,
            replicates=request.replicates,
            start=fit,
            baseline=baseline,
            jobs=request.jobs,
            cache=cache,
            progress=progress,
        )


def _check(model: Model, optimum: Optimum, seed: int) -> LaplaceCheck:
    with counting("importance sampling", count_points(model, optimum)) as progress:
        return check_laplace(model, optimum, seed=seed, progress=progress)


def _with_bias(table: pd.DataFrame, bias: pd.DataFrame) -> pd.DataFrame:
    """The check with the bootstrap's bias below it: quantity ``bias``, value refits minus fit."""
    rows = bias[bias["kind"] != "explained"].rename(columns={"bias": "value"})
    rows = rows.assign(quantity="bias")
    return pd.concat([table, rows.reindex(columns=table.columns)], ignore_index=True)


def _laplace_notes(check: LaplaceCheck, refits: Bootstrap) -> list[str]:
    shifts, bias = check.shifts, refits.bias().query("kind == 'sd'")
    relative = (shifts["shift"] / shifts["std_error"]).abs()
    worst = shifts.loc[relative.idxmax()]
    lowest = (bias["bias"] / bias["estimate"]).idxmin()
    notes = [
        f"exact minus Laplace log-likelihood {check.log_lik_error:.2f} (simulation error "
        f"{check.log_lik_mc_error:.2f}, {check.effective:.0f} effective of {check.draws} pairs); "
        f"the exact maximum is at most {relative.max():.3f} standard errors away "
        f"({' '.join(filter(None, (worst['kind'], worst['group'], worst['term'])))})",
        f"bootstrap bias of the SDs: at worst {bias['bias'][lowest]:+.3f} "
        f"({bias['group'][lowest]}, estimate {bias['estimate'][lowest]:.3f})",
    ]
    if not check.reliable:
        notes.append(
            f"only {check.effective:.0f} effective pairs: the importance-sampling figures say "
            "little, the weights vary too much"
        )
    return notes


def _observation_note(table: pd.DataFrame) -> str:
    ratio = table["std_error_ratio"]
    return (
        f"observation-level random effect: SD {table['sd_observation'].iloc[0]:.2f}, log-odds "
        f"larger by {table['scale'].iloc[0]:.2f}; on a common scale its standard errors are "
        f"{ratio.min():.2f} to {ratio.max():.2f} times the model's"
    )
