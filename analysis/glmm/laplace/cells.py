"""The element-wise pass over the grid: probabilities, residuals and weights of every cell.

For k of n successes with log-odds η, ease p = 1/(1 + exp(−η)) and floor c, the probability of
success is P = c + (1 − c) p. Of ℓ = k log P + (n − k) log(1 − P), the log-likelihood without its
binomial coefficients,

    residual   r = ∂ℓ/∂η = (k − n P) p/P
    weight     w = E(−∂r/∂η) = n p (1 − p) (1 − c/P)
    skewness   ∂w/∂η = w (1 − 2p + (1 − p) c/P)
    observed   −∂r/∂η = p (1 − p) (n − k c/P²).

Without a floor P is p, the observed weight is w = n p (1 − p), and ℓ is Σ (k − n) η + n log p. A
success where success is unlikely was guessed: its observed weight is negative, and ℓ is not
concave. Cells without trials have r = w = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FACTORED = 300.0  # log-odds up to which exp of a sum is taken as a product


@dataclass(frozen=True, eq=False)
class Cells:
    """The grid at one linear predictor; every array is units × columns, or by unit.

    ``unit`` and ``cross`` add up to η. ``ease`` is p, ``probability`` P, ``guessed`` c/P;
    ``observed`` is ``weight`` without a floor.
    """

    unit: np.ndarray
    cross: np.ndarray | None
    ease: np.ndarray
    probability: np.ndarray
    residual: np.ndarray
    weight: np.ndarray
    observed: np.ndarray
    guessed: np.ndarray | float = 0.0

    @property
    def eta(self) -> np.ndarray:
        """Log-odds of (not guessed) success."""
        return self.unit[:, None] if self.cross is None else self.unit[:, None] + self.cross

    def skewness(self) -> np.ndarray:
        """∂w/∂η."""
        out = 1.0 - 2.0 * self.ease
        if self.ease is not self.probability:  # a floor
            out += (1.0 - self.ease) * self.guessed
        out *= self.weight
        return out


def evaluate(
    unit: np.ndarray,
    cross: np.ndarray | None,
    successes: np.ndarray,
    trials: np.ndarray,
    floor: np.ndarray | None = None,
) -> Cells:
    """The cells at log-odds ``unit[:, None] + cross`` (cross: units × columns or one row)."""
    ease = _odds_against(unit, cross)
    ease += 1.0
    np.divide(1.0, ease, out=ease)
    if floor is not None:
        return _above(floor, unit, cross, ease, successes, trials)
    expected = trials * ease
    residual = successes - expected
    weight = np.subtract(1.0, ease)
    weight *= expected
    return Cells(unit, cross, ease, ease, residual, weight, weight)


def residuals(
    unit: np.ndarray,
    cross: np.ndarray | None,
    successes: np.ndarray,
    trials: np.ndarray,
    floor: np.ndarray | None = None,
) -> np.ndarray:
    """The residuals of ``evaluate`` alone, at a third of its cost."""
    if floor is not None:
        return evaluate(unit, cross, successes, trials, floor).residual
    out = _odds_against(unit, cross)
    out += 1.0
    np.divide(trials, out, out=out)
    return np.subtract(successes, out, out=out)


def _odds_against(unit: np.ndarray, cross: np.ndarray | None) -> np.ndarray:
    """exp(−η); inf, which gives p = 0 as it should, where that is too large."""
    unit = unit[:, None]
    with np.errstate(over="ignore"):
        if cross is None:
            return np.exp(-unit)
        one_row = cross.shape[0] == 1 and max(np.abs(unit).max(), np.abs(cross).max()) < FACTORED
        return np.dot(np.exp(-unit), np.exp(-cross)) if one_row else np.exp(-(unit + cross))


def _above(floor, unit, cross, ease, successes, trials) -> Cells:
    probability = floor + (1 - floor) * ease
    known = np.divide(ease, probability, out=np.ones_like(ease), where=probability > 0)  # p/P
    guessed = 1 - (1 - floor) * known
    spread = trials * ease * (1 - ease)
    return Cells(
        unit=unit,
        cross=cross,
        ease=ease,
        probability=probability,
        residual=known * (successes - trials * probability),
        weight=spread * (1 - guessed),
        observed=spread - successes * guessed * known * (1 - ease),
        guessed=guessed,
    )


def log_likelihood(
    cells: Cells, successes: np.ndarray, trials: np.ndarray, floor: np.ndarray | None = None
) -> float:
    """The log-likelihood without the binomial coefficients."""
    if floor is not None:
        return float(log_likelihoods(cells, successes, trials, floor).sum())
    eta = cells.eta
    with np.errstate(divide="ignore"):
        wrong = np.log(cells.probability)
    wrong -= eta
    return float(np.vdot(successes, eta) + np.vdot(trials, wrong))


def log_likelihoods(
    cells: Cells, successes: np.ndarray, trials: np.ndarray, floor: np.ndarray | None = None
) -> np.ndarray:
    """The log-likelihood of every cell without its binomial coefficient."""
    with np.errstate(divide="ignore"):
        right = np.log(np.where(successes > 0, cells.probability, 1.0))
    wrong = -np.logaddexp(0.0, cells.eta)
    if floor is not None:
        wrong += np.log1p(-floor)
    return successes * right + (trials - successes) * wrong
