"""Maximum likelihood over fixed effects and covariance parameters together.

Quasi-Newton (BFGS) from an information matrix that is right to first order: for γ that of the
working linear mixed model, for θ differences of the exact gradient. The end is Newton's, with the
Hessian of the Laplace log-likelihood by differences of the exact gradient, along the axes of the
information.

Where a factor of H costs much, a rough objective stands beside the exact one: the same with an
estimated log|H| (``probes``). Its maximum is some 1e-4 standard errors from the exact one, and its
Hessian as near, so that one or two exact points are enough to end at the maximum and to know it.

The likelihood is even in the sign of an SD, so zero is an ordinary interior point. An SD that
runs there is set to exactly zero if that does not lower the likelihood, and no longer estimated.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from capability_transfer.analysis.glmm.laplace.likelihood import DECREMENT, Likelihood, Modes
from capability_transfer.analysis.glmm.laplace.terms import Term
from scipy.linalg import cho_solve, solve_triangular

HESSIAN_STEP = 1e-4  # in standard errors
LONGEST_STEP = 5.0  # of the quasi-Newton iterations, in standard errors
NEAR_ZERO = 0.05  # SDs (log-odds) below which zero itself is tried
MAX_HESSIANS = 6
ROUNDING = 1e-12  # relative error of a log-likelihood value
ROUNDED = 1e-3  # standard errors from the maximum, where no step gains more than rounding
SEARCHED = 1e-3  # standard errors from its maximum, at which a rough search ends
NEAR = 1e-7  # decrement at which an exact point that a rough search led to is the maximum
NO_STEP = "no step raises the likelihood"


@dataclass(frozen=True, eq=False)
class Point:
    """A parameter point φ = (γ, θ) with the likelihood, its gradient and the modes there."""

    phi: np.ndarray
    value: float
    gradient: np.ndarray
    modes: Modes


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where an optimisation ended, on the scaled columns.

    Attributes:
        point: the parameters, value, gradient and modes.
        information: −Hessian in φ (exact, or the quasi-Newton one); rows and columns of
            parameters that are not free are zero.
        free: which parameters are estimated; the others sit at zero on the boundary.
        exact: whether ``information`` is the Hessian's, by differences of gradients.
        whitened: largest |gradient| in units of standard errors.
        definite: whether the information is positive definite.
        reached: the log-likelihood that every start led to, this optimum's the highest.
    """

    point: Point
    information: np.ndarray
    free: np.ndarray
    exact: bool
    whitened: float
    definite: bool
    converged: bool
    evaluations: int
    messages: tuple[str, ...] = field(default=())
    reached: tuple[float, ...] = field(default=())


class Objective:
    """The likelihood as a function of one parameter vector; counts its evaluations.

    ``decrement`` is Newton's at which the modes of a point are found, ``noise`` the error of
    values (log-likelihood) beside rounding's.
    """

    def __init__(self, likelihood: Likelihood, decrement: float = DECREMENT, noise: float = 0.0):
        self.likelihood, self.decrement, self.noise = likelihood, decrement, noise
        self.fixed = len(likelihood.design.names)
        self.evaluations = 0

    def at(self, phi: np.ndarray, near: Modes | None = None, u: np.ndarray | None = None) -> Point:
        """Value, gradient and modes; raises FloatingPointError where there are none."""
        self.evaluations += 1
        gamma, theta = phi[: self.fixed], phi[self.fixed :]
        modes = self.likelihood.modes(gamma, theta, near, u, self.decrement)
        return Point(phi, modes.value, np.concatenate(self.likelihood.gradient(modes)), modes)


def maximise(
    objective: Objective,
    start: Point,
    information: np.ndarray,
    exact: bool = True,
    tolerance: float = 1e-6,
    max_iterations: int = 300,
    progress=None,
    rough: Objective | None = None,
) -> Optimum:
    """Climb to the maximum from a start and an information matrix about φ.

    ``tolerance`` is the largest gradient sought, in units of standard errors; a search that
    rounding ends within ``ROUNDED`` has converged too. With ``exact=False`` the fit ends with the
    quasi-Newton iterations and their information. With a ``rough`` objective ``start`` is a point
    of it, and so is the Hessian.
    """
    free = np.ones(len(start.phi), dtype=bool)
    goal = 1e-8 if exact else tolerance**2
    if rough is not None:
        goal = NEAR
        start, information, _ = _climb(
            rough, start, information, free, SEARCHED**2, max_iterations, progress
        )
        start, information, _ = _polish(rough, start, information, free, SEARCHED)
        start = objective.at(start.phi, start.modes)
    point, information, messages = _climb(
        objective, start, information, free, goal, max_iterations, progress
    )
    zeroed, free = _to_boundary(objective, point)
    if not free.all():
        point, information, messages = _climb(
            objective, zeroed, information, free, goal, max_iterations, progress
        )
    point, information = _oriented(objective, point, information)
    definite = True
    if exact and rough is None:
        point, information, definite = _polish(objective, point, information, free, tolerance)
    root, definite = _root(information, free, definite)
    scaled = solve_triangular(root, point.gradient[free], trans="T")
    whitened = float(np.abs(scaled).max(initial=0.0))
    # rounding can end the search where the likelihood is flat, and that near is at the maximum
    ended = exact or rough is not None or messages == [NO_STEP]
    converged = definite and (whitened <= tolerance or (ended and whitened <= ROUNDED))
    evaluations = objective.evaluations + (rough.evaluations if rough else 0)
    return Optimum(
        point, information, free, exact, whitened, definite, converged, evaluations,
        () if converged else tuple(messages), (point.value,),
    )  # fmt: skip


def initial_information(objective: Objective, point: Point, known: np.ndarray) -> np.ndarray:
    """The information about φ: as in ``known``, which has the first parameters or, elsewhere zero,
    some of all; by differences of the gradient for the others."""
    size = len(point.phi)
    out = np.zeros((size, size))
    out[: len(known), : len(known)] = known
    missing = np.flatnonzero(out.diagonal() == 0)
    for i in missing:
        step = np.zeros(size)
        step[i] = 1e-3 * max(abs(point.phi[i]), 0.1)
        moved = objective.at(point.phi + step, point.modes)
        out[:, i] = (point.gradient - moved.gradient) / step[i]
    within = np.ix_(missing, missing)
    inner = (out[within] + out[within].T) / 2
    out[missing] = out[:, missing].T
    out[within] = inner
    return _definite(out)


def exact_information(
    objective: Objective, point: Point, information: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """−Hessian of the log-likelihood at a point by differences of its exact gradient.

    One-sided steps of 1e-4 standard errors leave standard errors right to about 1e-4 of their
    size, as central ones of 1e-2 do at twice the cost.
    """
    axes = _axes(information, free)
    columns = np.empty((len(point.phi), axes.shape[1]))
    for i, axis in enumerate(axes.T):
        moved = objective.at(point.phi + HESSIAN_STEP * axis, point.modes)
        columns[:, i] = (point.gradient - moved.gradient) / HESSIAN_STEP
    out = np.zeros_like(information)
    inner = np.linalg.solve(axes[free].T, columns[free].T).T  # Hessian · axes = columns
    out[np.ix_(free, free)] = (inner + inner.T) / 2
    return out


def _axes(information: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Directions (parameters × free) along which the information is the identity."""
    root, _ = _root(information, free, True)
    axes = np.zeros((len(free), len(root)))
    axes[free] = solve_triangular(root, np.eye(len(root)))
    return axes


def _root(information: np.ndarray, free: np.ndarray, definite: bool) -> tuple[np.ndarray, bool]:
    """Upper Cholesky root over the free parameters, of the nearest definite matrix if need be."""
    inner = information[np.ix_(free, free)]
    try:
        return np.linalg.cholesky(inner).T, definite
    except np.linalg.LinAlgError:
        return np.linalg.cholesky(_definite(inner)).T, False


def _definite(matrix: np.ndarray) -> np.ndarray:
    """A positive definite matrix with the same eigenvectors (after scaling) and |eigenvalues|."""
    scale = np.sqrt(np.maximum(np.abs(matrix.diagonal()), 1e-8))
    values, vectors = np.linalg.eigh(matrix / scale[:, None] / scale)
    values = np.maximum(np.abs(values), 1e-4)
    return (vectors * values) @ vectors.T * scale[:, None] * scale


def _climb(objective, point, information, free, goal, max_iterations, progress):
    """BFGS to a Newton decrement of ``goal``; returns the point, information and messages."""
    root, _ = _root(information, free, True)
    inverse = cho_solve((root, False), np.eye(len(root)))
    for _ in range(max_iterations):
        gradient = point.gradient[free]
        direction = inverse @ gradient
        slope = gradient @ direction
        if progress is not None:
            progress(objective.evaluations, point.value)
        if slope <= goal:
            break
        direction *= min(1.0, LONGEST_STEP / np.sqrt(slope))
        new = _line_search(objective, point, direction, free)
        if new is None:
            inner = np.linalg.inv(inverse)
            return point, _embed(inner, free), [NO_STEP]
        moved, bent = (new.phi - point.phi)[free], (point.gradient - new.gradient)[free]
        if (curvature := moved @ bent) > 1e-12:
            turn = np.eye(len(moved)) - np.outer(moved, bent) / curvature
            inverse = turn @ inverse @ turn.T + np.outer(moved, moved) / curvature
        point = new
    else:
        inner = np.linalg.inv(inverse)
        return point, _embed(inner, free), [f"stopped after {max_iterations} iterations"]
    return point, _embed(np.linalg.inv(inverse), free), []


def _line_search(objective, point, direction, free) -> Point | None:
    slope = point.gradient[free] @ direction
    noise = ROUNDING * max(abs(point.value), 1.0) + objective.noise
    size = 1.0
    while size > 1e-6:
        phi = point.phi.copy()
        phi[free] += size * direction
        try:
            new = objective.at(phi, point.modes)
        except FloatingPointError:
            size /= 4
            continue
        gain = new.value - point.value
        if gain >= 1e-4 * size * slope - noise:
            return new
        size *= float(np.clip(size * slope / (2 * (size * slope - gain)), 0.1, 0.5))
    return None


def newton_step(optimum: Optimum, gradient: np.ndarray) -> np.ndarray:
    """φ after a step from an optimum by its information, for a gradient there."""
    free, phi = optimum.free, optimum.point.phi.copy()
    root, _ = _root(optimum.information, free, True)
    step = cho_solve((root, False), gradient[free])
    slope = gradient[free] @ step
    phi[free] += step * min(1.0, LONGEST_STEP / np.sqrt(max(slope, 1.0)))
    return phi


def same_units(likelihood: Likelihood, start: Optimum) -> bool:
    """Whether the units that have trials are those that had some at an optimum of other counts."""
    had, have = start.point.modes.cells.weight > 0, likelihood.counts.trials > 0
    return np.array_equal(had.any(axis=1), have.any(axis=1))


def first_step(objective: Objective, start: Optimum) -> tuple[np.ndarray, Modes]:
    """Where the optimum of other counts leads, and the modes at that optimum to go on from.

    Of the gradient, what new counts change in log|H|'s part is left out: that spares its inverse,
    and the step is as good where the units are the same (``same_units``).
    """
    likelihood, old = objective.likelihood, start.point.modes
    rough = likelihood.modes(old.gamma, old.theta, u=old.u, goal=1.0)
    new = likelihood.follow(old.gamma, old.theta, rough)
    changed = likelihood.given_modes(new) - likelihood.given_modes(old)
    return newton_step(start, start.point.gradient + changed), new


def _embed(inner: np.ndarray, free: np.ndarray) -> np.ndarray:
    out = np.zeros((len(free), len(free)))
    out[np.ix_(free, free)] = inner
    return out


def _to_boundary(objective: Objective, point: Point) -> tuple[Point, np.ndarray]:
    """Set SDs near zero to zero where the likelihood does not fall; returns the free parameters."""
    free = np.ones(len(point.phi), dtype=bool)
    start = objective.fixed
    for term in objective.likelihood.design.terms:
        rows, columns = term.triangle()
        span = slice(start, start + term.parameters)
        start = span.stop
        for column in range(columns.max(), -1, -1):
            theta = point.phi[span]
            if abs(theta[(rows == column) & (columns == column)][0]) > NEAR_ZERO:
                continue
            for moved, kept in _degenerate(term, theta, column):
                phi = point.phi.copy()
                phi[span] = moved
                new = objective.at(phi, point.modes)
                if new.value >= point.value - ROUNDING * max(abs(point.value), 1.0):
                    point = new
                    free[span] &= kept
                    break
    return point, free


def _degenerate(term: Term, theta: np.ndarray, column: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """θ where a column of T whose diagonal is near zero sits on the boundary, and what is free.

    Either the column is zero and those after it take over its covariances, or it takes over
    theirs (correlations of ±1 with its small but positive SD).
    """
    _, columns = term.triangle()
    if term.parameters == 1:
        return [(np.zeros(1), np.zeros(1, dtype=bool))]
    block = term.block(theta)
    below = block[column + 1 :, column:]
    zero, lone = block.copy(), block.copy()
    zero[:, column] = 0.0
    lone[:, column + 1 :] = 0.0
    found = [(zero, columns != column)]
    if len(below):
        values, vectors = np.linalg.eigh(below @ below.T)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        zero[column + 1 :, column + 1 :] = np.linalg.qr(root.T, mode="r").T
        sign = np.where(below[:, 0] < 0, -1.0, 1.0)
        lone[column + 1 :, column] = sign * np.linalg.norm(below, axis=1)
        found.append((lone, columns <= column))
    return [(term.theta(moved), kept) for moved, kept in found]


def _oriented(objective: Objective, point: Point, information: np.ndarray):
    """The same likelihood with every T's diagonal non-negative: signs of columns turned."""
    signs = [np.ones(objective.fixed)]
    start = objective.fixed
    for term in objective.likelihood.design.terms:
        rows, columns = term.triangle()
        theta = point.phi[start : start + term.parameters]
        diagonal = theta[rows == columns]
        signs.append(np.where(diagonal < 0, -1.0, 1.0)[columns])
        start += term.parameters
    sign = np.concatenate(signs)
    if (sign > 0).all():
        return point, information
    return objective.at(point.phi * sign, point.modes), information * sign[:, None] * sign


def _polish(objective, point, information, free, tolerance):
    """Newton's steps with the exact Hessian, recomputed until the steps are short."""
    for _ in range(MAX_HESSIANS):
        information = exact_information(objective, point, information, free)
        root, definite = _root(information, free, True)
        sizes = []
        for _ in range(5):
            scaled = solve_triangular(root, point.gradient[free], trans="T")
            sizes.append(np.abs(scaled).max(initial=0.0))
            if sizes[-1] <= tolerance / 10:
                break
            new = _line_search(objective, point, solve_triangular(root, scaled), free)
            if new is None:
                return point, information, definite
            point = new
        if sizes[0] < 1e-3 and sizes[-1] <= tolerance:
            break
    return point, information, definite
