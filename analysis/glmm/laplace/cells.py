"""The element-wise pass over the grid: probabilities, residuals and weights of every cell.

For k of n successes with log-odds η: p = 1/(1 + exp(−η)), residual r = k − n p, weight
w = n p (1 − p). Cells without trials have r = w = 0. The log-likelihood without its binomial
coefficients is Σ (k − n) η + n log p.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Cells:
    """The grid at one linear predictor; every array is units × columns."""

    eta: np.ndarray
    probability: np.ndarray
    residual: np.ndarray
    weight: np.ndarray

    def skewness(self) -> np.ndarray:
        """∂w/∂η = n p (1 − p)(1 − 2p)."""
        return self.weight * (1.0 - 2.0 * self.probability)


def evaluate(
    unit: np.ndarray, cross: np.ndarray | None, successes: np.ndarray, trials: np.ndarray
) -> Cells:
    """The cells at log-odds ``unit[:, None] + cross`` (cross: units × columns or one row)."""
    eta = unit[:, None] if cross is None else unit[:, None] + cross
    with np.errstate(over="ignore"):  # exp(−η) = inf gives p = 0, as it should
        probability = np.exp(-eta)
    probability += 1.0
    np.reciprocal(probability, out=probability)
    expected = trials * probability
    residual = successes - expected
    weight = np.subtract(1.0, probability)
    weight *= expected
    return Cells(eta, probability, residual, weight)


def log_likelihood(cells: Cells, successes: np.ndarray, trials: np.ndarray) -> float:
    """Σ (k − n) η + n log p: the log-likelihood without the binomial coefficients."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(cells.probability)
        value *= trials
    return float(np.vdot(successes - trials, cells.eta) + value.sum())
