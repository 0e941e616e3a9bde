"""Profile-likelihood intervals of fixed effects and random-effect SDs.

An interval holds the values ψ of a parameter that a likelihood-ratio test does not reject:
2 (L(φ̂) − max over the other parameters of L) ≤ the quantile of χ²(1) (Venzon & Moolgavkar 1988).
The others are maximised along whitened axes from a first-order prediction of where they go, so a
value costs few gradients; the signed root of the profile deviance is close to linear in ψ, so
Newton's method finds a bound in two or three values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.inference.coordinates import Coordinates
from capability_transfer.analysis.glmm.inference.intervals import interval_table
from capability_transfer.analysis.glmm.laplace import Model, Optimum
from capability_transfer.analysis.glmm.laplace.likelihood import Modes
from capability_transfer.analysis.glmm.laplace.model import one_thread
from capability_transfer.analysis.glmm.laplace.optimise import Objective
from capability_transfer.analysis.glmm.result import WALD_LEVEL
from capability_transfer.common.errors import InputError
from scipy import stats
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

GRADIENT = 1e-4  # of the inner maximisations, per standard error: 5e-9 of log-likelihood
CLOSE = 1e-3  # how near the deviance's root must come to the quantile's
MAX_VALUES = 25
FAR = 1e8  # stands for the fall of the log-likelihood where it cannot be evaluated
FIRST_REACH = 0.2  # log-odds (radians), from an SD (a correlation's angle) on the boundary


def profile_intervals(
    model: Model,
    optimum: Optimum,
    level: float = WALD_LEVEL,
    kinds: tuple[str, ...] = ("fixed", "sd"),
    progress: Callable[[int], None] | None = None,
) -> pd.DataFrame:
    """Profile intervals of every fixed effect and SD (log-odds), in ``intervals.COLUMNS``.

    Args:
        model: what was fitted.
        optimum: its fit, with the exact information.
        level: of the intervals.
        kinds: ``fixed``, ``sd``, or both.
        progress: called with 1 when a parameter is done.

    An SD's interval reaches to 0 where zero is not rejected. SDs and correlations that the fit
    puts on the boundary may leave it while other parameters are profiled, as they do where those
    are far from their estimates.

    Raises InputError where the fit is not at an optimum.
    """
    if not optimum.exact or not optimum.definite:
        raise InputError("profile intervals need a fit with a positive definite exact Hessian")
    peak, rows = Peak(model, optimum), []
    for j, label in enumerate(peak.coordinates.labels):
        if label.kind not in kinds:
            continue
        with one_thread():
            low, high = Path(peak, j).interval(level)
        rows.append((label.kind, label.group, label.term, peak.omega[j], low, high))
        if progress is not None:
            progress(1)
    return interval_table(rows, "profile")


def profile_count(model: Model, kinds: tuple[str, ...] = ("fixed", "sd")) -> int:
    """How many parameters ``profile_intervals`` works through."""
    return sum(label.kind in kinds for label in Coordinates(model).labels)


@dataclass(frozen=True, eq=False)
class Profiled:
    """The maximum with one coordinate at ``value``.

    ``root`` is the root of the deviance's rise above the optimum, ``slope`` the derivative of the
    maximal log-likelihood; ``inner``, ``off`` (where what the fit has on the boundary is, by
    distance from it) and ``modes`` start the next value nearby.
    """

    value: float
    root: float
    slope: float
    inner: np.ndarray
    off: np.ndarray
    modes: Modes


@dataclass(frozen=True, eq=False)
class _Climbed:
    """Where a maximisation over the others ended; ``fall`` is from the fit's log-likelihood."""

    fall: float
    slope: float
    inner: np.ndarray
    off: np.ndarray
    modes: Modes


class Peak:
    """A fit seen in coordinates: where it is and the information about every coordinate."""

    def __init__(self, model: Model, optimum: Optimum):
        self.objective = Objective(model.likelihood)
        self.coordinates = Coordinates(model)
        self.point = optimum.point
        self.omega = self.coordinates.of(optimum.point.phi)
        jacobian = self.coordinates.jacobian(self.omega)
        self.information = jacobian.T @ optimum.information @ jacobian
        self.free = self.coordinates.free(optimum.free)


class Path:
    """The ridge along one coordinate: the likelihood maximised over all others.

    The others follow ``move`` to first order, and are sought along axes on which the information
    is the identity. What the fit has on the boundary has no information there (the likelihood is
    even in it) and is sought from some way off.
    """

    def __init__(self, peak: Peak, j: int):
        self.peak, self.j, self.label = peak, j, peak.coordinates.labels[j]
        apart = np.arange(len(peak.free)) != j
        self.others = np.flatnonzero(peak.free & apart)
        self.bound = np.flatnonzero(~peak.free & apart)
        self.root = cholesky(peak.information[np.ix_(self.others, self.others)])
        half = solve_triangular(self.root, peak.information[self.others, j], trans="T")
        self.move = -solve_triangular(self.root, half)
        self.information = peak.information[j, j] - half @ half

    def interval(self, level: float) -> tuple[float, float]:
        """Lower and upper bound."""
        wanted = np.sqrt(stats.chi2.ppf(level, 1))
        if not self.peak.free[self.j]:  # an SD on the boundary: nothing tells its scale
            return 0.0, self._bound(FIRST_REACH, wanted)
        reach = wanted / np.sqrt(self.information)
        return self._bound(-reach, wanted), self._bound(reach, wanted)

    def _bound(self, reach: float, wanted: float) -> float:
        """The value whose root is ``wanted``, sought from the optimum by steps of ``reach``."""
        inside, outside = self.peak.omega[self.j], None
        floor = 0.0 if self.label.kind == "sd" else -np.inf
        value, last = inside + reach, None
        for _ in range(MAX_VALUES):
            value = max(value, floor)
            if outside is not None and not min(inside, outside) < value < max(inside, outside):
                value = (inside + outside) / 2
            found = self.at(value, last)
            if found is None:  # from a nearer value it may be
                value = ((self.peak.omega[self.j] if last is None else last.value) + value) / 2
                continue
            last = found
            if value == floor and last.root <= wanted:
                return floor
            step = (wanted - last.root) * last.root / -last.slope if last.slope else np.inf
            if abs(last.root - wanted) <= CLOSE * wanted:
                return float(value + step)
            if last.root < wanted:
                inside = value
            else:
                outside = value
            if outside is None and not 0 < step / reach <= 2:
                step = 2 * reach
            value += step
        raise InputError(
            f"no end of the profile interval of {self.name()} was found between "
            f"{self.peak.omega[self.j]:.4g} and {value:.4g}: the likelihood is flat there"
        )

    def at(self, value: float, near: Profiled | None = None) -> Profiled | None:
        """Maximise over the others with this coordinate at ``value``.

        ``near`` is another value of this path to start from; None where the likelihood cannot be
        evaluated from there. Raises InputError if it is higher than at the optimum.
        """
        shift = value - self.peak.omega[self.j]
        start, modes = np.zeros(len(self.others)), self.peak.point.modes
        off = np.full(len(self.bound), FIRST_REACH)
        if near is not None:  # what the prediction misses grows with the square
            start = near.inner * (shift / (near.value - self.peak.omega[self.j])) ** 2
            off = np.where(np.abs(near.off) > FIRST_REACH, near.off, off)
            modes = near.modes
        found = self._climb(value, start, np.zeros(0), modes)
        if len(self.bound):
            away = self._climb(value, found.inner, off, found.modes)
            if away.fall < found.fall:
                found = away
        if found.fall >= FAR:
            return None
        if found.fall < -1e-6:
            raise InputError(
                f"with {self.name()} at {value:.4g} the log-likelihood is {-found.fall:.2g} above "
                "the fit's: the fit is not at the maximum"
            )
        root = float(np.sqrt(2 * max(found.fall, 0.0)))
        off = found.off if len(found.off) else np.zeros(len(self.bound))
        return Profiled(value, root, found.slope, found.inner, off, found.modes)

    def _climb(self, value: float, inner: np.ndarray, off: np.ndarray, modes: Modes) -> _Climbed:
        """The maximum over the others, and over what the fit has on the boundary if ``off`` says
        how far from it to begin; without, that stays there."""
        peak, count = self.peak, len(inner)
        shift = value - peak.omega[self.j]
        for_omega = np.zeros(len(peak.omega))

        def drop(x: np.ndarray) -> tuple[float, np.ndarray]:
            nonlocal modes, for_omega
            omega = peak.omega.copy()
            omega[self.j] = value
            omega[self.others] += self.move * shift + solve_triangular(self.root, x[:count])
            omega[self.bound[: len(off)]] += FIRST_REACH * x[count:]
            try:
                point = peak.objective.at(peak.coordinates.phi(omega), modes)
            except FloatingPointError:  # no modes: a step much too far
                for_omega = np.zeros(len(omega))
                return FAR, np.zeros(len(x))
            modes = point.modes
            for_omega = peak.coordinates.jacobian(omega).T @ point.gradient
            along = solve_triangular(self.root, for_omega[self.others], trans="T")
            out = FIRST_REACH * for_omega[self.bound[: len(off)]]
            return peak.point.value - point.value, -np.concatenate([along, out])

        x = np.concatenate([inner, off / FIRST_REACH])
        if len(x):
            x = minimize(drop, x, jac=True, method="BFGS", options={"gtol": GRADIENT}).x
        fall, _ = drop(x)
        slope = float(for_omega[self.j] + self.move @ for_omega[self.others])
        return _Climbed(fall, slope, x[:count], FIRST_REACH * x[count:], modes)

    def name(self) -> str:
        """The coordinate's name for messages."""
        return " ".join(filter(None, (self.label.kind, self.label.group, self.label.term)))
