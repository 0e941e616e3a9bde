"""How good the Laplace approximation is at a fit: importance sampling from the same Gaussian.

The likelihood is M = ∫ p(y | u) φ(u) du, and Laplace's L takes the integrand for a Gaussian around
its mode û with precision H. Drawing u from that Gaussian, with density g,

    M / L = E[p(y | u) φ(u) / (L g(u))],

a mean of weights near 1 (Geweke 1989; antithetic pairs cancel their odd part). As functions of the
parameters log M and log L differ by the log of that mean, whose gradient at the Laplace optimum,
by differences with the same random numbers, is that of log M. One Newton step from there is how
far the exact maximum lies from Laplace's estimates: a correction of second order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.inference.coordinates import Coordinates
from capability_transfer.analysis.glmm.laplace import Model, Optimum
from capability_transfer.analysis.glmm.laplace.likelihood import Likelihood, Modes
from capability_transfer.analysis.glmm.laplace.model import one_thread
from capability_transfer.common.errors import InputError

ENOUGH_PAIRS = 50.0  # effective pairs below which the sampling says nothing
COLUMNS = [
    "quantity", "kind", "group", "term", "estimate", "value", "mc_error", "std_error",
]  # fmt: skip
STEP = 0.5  # of the differences, in standard errors


@dataclass(frozen=True, eq=False)
class LaplaceCheck:
    """The approximation's error at one fit.

    Attributes:
        log_lik_error: exact minus Laplace log-likelihood at the estimates; ``log_lik_mc_error``
            is its simulation standard error.
        shifts: kind (fixed, sd), group, term, estimate, shift (exact maximum minus Laplace
            estimate, one Newton step, log-odds), mc_error of the shift, std_error of the estimate.
        draws: pairs of draws.
        effective: (Σw)²/Σw² over pairs; few mean that the weights vary too much to be believed.
        seed: of the draws.
    """

    log_lik_error: float
    log_lik_mc_error: float
    shifts: pd.DataFrame
    draws: int
    effective: float
    seed: int

    @property
    def reliable(self) -> bool:
        """Whether enough effective pairs stand behind the figures."""
        return self.effective >= ENOUGH_PAIRS

    def table(self) -> pd.DataFrame:
        """Tidy, ``COLUMNS``: ``quantity`` is log_lik or shift, ``value`` exact minus Laplace."""
        top = {
            "quantity": "log_lik",
            "value": self.log_lik_error,
            "mc_error": self.log_lik_mc_error,
        }
        rows = self.shifts.rename(columns={"shift": "value"}).assign(quantity="shift")
        return pd.concat([pd.DataFrame([top]), rows], ignore_index=True)[COLUMNS]


def check_laplace(
    model: Model,
    optimum: Optimum,
    *,
    seed: int,
    draws: int = 200,
    progress: Callable[[int], None] | None = None,
) -> LaplaceCheck:
    """Estimate the error of the log-likelihood and of every estimate at a fit.

    Args:
        model: what was fitted.
        optimum: its fit, with the exact information.
        seed: of the draws.
        draws: antithetic pairs.
        progress: called with 1 after every parameter point (``count_points``).

    SDs on the boundary are left where they are. Raises InputError for fewer than two draws, and
    where the optimum has no positive definite exact Hessian.
    """
    if draws < 2:
        raise InputError(f"importance sampling needs at least two draws, not {draws}")
    if model.settings.quadrature > 1:
        raise InputError("the check is of Laplace's approximation: this fit is by quadrature")
    if not optimum.exact or not optimum.definite:
        raise InputError("the check needs a fit with a positive definite exact Hessian")
    coordinates, likelihood = Coordinates(model), model.likelihood
    at, centre = coordinates.of(optimum.point.phi), optimum.point.modes
    steps, to_omega, inverse = _steps(optimum, coordinates.jacobian(at))

    def weights(omega: np.ndarray) -> np.ndarray:
        gamma, theta = np.split(coordinates.phi(omega), [coordinates.fixed])
        rng = np.random.default_rng(seed)  # the same random numbers at every point
        with one_thread():
            modes = centre if omega is at else likelihood.modes(gamma, theta, centre)
            logs = np.array([_log_weights(likelihood, modes, rng) for _ in range(draws)])
        if progress is not None:
            progress(1)
        return logs

    error, pairs = _log_mean(weights(at))
    gradient = np.zeros(len(at))
    influence = np.zeros((draws, len(at)))
    for j in np.flatnonzero(steps):
        step = np.eye(len(at))[j] * steps[j]
        (up, by_pair_up), (down, by_pair_down) = (
            _log_mean(weights(omega)) for omega in (at + step, at - step)
        )
        gradient[j] = (up - down) / (2 * steps[j])
        influence[:, j] = (by_pair_up - by_pair_down) / (2 * steps[j])
    newton = to_omega @ inverse @ to_omega.T
    covariance = newton @ np.cov(influence.T) @ newton / draws
    columns = {
        "kind": [label.kind for label in coordinates.labels],
        "group": [label.group for label in coordinates.labels],
        "term": [label.term for label in coordinates.labels],
        "estimate": at,
        "shift": newton @ gradient,
        "mc_error": np.sqrt(covariance.diagonal()),
        "std_error": np.sqrt(newton.diagonal()),
    }
    shifts = pd.DataFrame(columns).query("kind != 'angle'").reset_index(drop=True)
    effective = float(pairs.sum() ** 2 / (pairs**2).sum())
    mc_error = float(pairs.std(ddof=1) / np.sqrt(draws))
    return LaplaceCheck(error, mc_error, shifts, draws, effective, seed)


def count_points(model: Model, optimum: Optimum) -> int:
    """At how many parameter points ``check_laplace`` samples."""
    return 1 + 2 * int(Coordinates(model).free(optimum.free).sum())


def _steps(optimum: Optimum, jacobian: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Difference steps in ω (0: not estimated), ∂ω/∂φ, and the inverse information in φ."""
    free = optimum.free
    inverse = np.zeros_like(optimum.information)
    inverse[np.ix_(free, free)] = np.linalg.inv(optimum.information[np.ix_(free, free)])
    to_omega = np.linalg.pinv(jacobian)  # the angles of an SD of 0 are undefined
    std_error = np.sqrt(np.einsum("ij,jk,ik->i", to_omega, inverse, to_omega))
    return STEP * std_error, to_omega, inverse


def _log_mean(logs: np.ndarray) -> tuple[float, np.ndarray]:
    """log of the mean of exp(logs), and every pair's mean weight over the overall one."""
    top = logs.max()
    pairs = np.exp(logs - top).mean(axis=1)
    return float(top + np.log(pairs.mean())), pairs / pairs.mean()


def draw_away(likelihood: Likelihood, modes: Modes, rng: np.random.Generator) -> np.ndarray:
    """A draw of u − û from N(0, H⁻¹): H⁻¹ times a draw of covariance H = Λ'Z'WZΛ + I."""
    noise = np.sqrt(modes.cells.weight) * rng.standard_normal(likelihood.design.shape)
    _, spread = likelihood.design.transpose(noise)
    right = likelihood.relative(modes.blocks, spread, transpose=True)
    return modes.factor.solve(right + rng.standard_normal(len(right)))


def _log_weights(
    likelihood: Likelihood, modes: Modes, rng: np.random.Generator
) -> tuple[float, float]:
    """log(p(y | u) φ(u) / (L g(u))) at an antithetic pair of draws û ± d."""
    design = likelihood.design
    away = draw_away(likelihood, modes, rng)
    moved = likelihood.relative(modes.blocks, away)
    unit, cross = design.random_part(moved)
    predictor = unit[:, None] if cross is None else unit[:, None] + cross
    # d'Hd; the draw's own d'd/2 and the prior's cancel up to their product with û
    curvature = np.vdot(modes.cells.weight * predictor, predictor) / 2
    here = likelihood.data_part(modes.cells)
    pair = []
    for sign in (1.0, -1.0):
        there = likelihood.data_part(likelihood.cells_at(modes.gamma, modes.b + sign * moved))
        pair.append(there - here - sign * (modes.u @ away) + curvature)
    return pair[0], pair[1]
