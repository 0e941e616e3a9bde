"""Adaptive Gauss–Hermite quadrature: the likelihood of one scalar random effect per group.

With û and H of a group as in ``likelihood``, s = H^-½, and f(u) = ℓ(u) − ½u² of its rows, its
integral is about s Σ_k W_k exp(f(û + s x_k) + ½x_k²), x and W the nodes and weights of the standard
normal (Liu & Pierce 1994; glmer's nAGQ). One node is Laplace's approximation.

Gradient. The nodes u_k move with û and s. With π_k each node's share of the group's sum,
A = Σ π_k f'(u_k) and B = Σ π_k f'(u_k) x_k + 1/s, a group's derivative is

    Σ π_k ∂f(u_k) + A dû + B ds,    dû = ∂f'(û)/K,  ds = −½ s³ dH,

∂ the derivative with u held, K the observed curvature, and dH = ∂H + θ³ Σ z³ ∂w/∂η dû.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from capability_transfer.analysis.glmm.laplace import cells
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.likelihood import Counts, Likelihood, Modes
from capability_transfer.common.errors import InputError
from scipy.special import logsumexp


class Quadrature(Likelihood):
    """The likelihood by ``points`` nodes, as a function of (γ, θ).

    Raises InputError for a design that has more than one random effect per group, or crossed ones.
    """

    def __init__(self, design: Design, counts: Counts, system: object, points: int):
        super().__init__(design, counts, system)
        term = design.terms[0]
        if len(design.terms) > 1 or term.q > 1:
            raise InputError(
                "quadrature (nAGQ above 1) is for one random intercept or slope, such as "
                "(1 | group): this model has more random effects; Laplace's approximation, nAGQ "
                "of 1, takes them"
            )
        self.level, self.loading, self.groups = term.index[:, 0], term.value[:, 0], term.copies
        nodes, weights = np.polynomial.hermite_e.hermegauss(points)
        self.nodes = nodes
        self.log_weights = np.log(weights / weights.sum()) + nodes**2 / 2

    def modes(self, *where: object, **near: object) -> Modes:
        """As ``Likelihood.modes``, with the value by quadrature."""
        found = super().modes(*where, **near)
        scale = self._scale(found)
        logs = [self._conditional(u, at) for u, at in self._at_nodes(found, scale)]
        value = logsumexp(np.array(logs) + self.log_weights[:, None], axis=0) + np.log(scale)
        return replace(found, value=float(value.sum()))

    def _by_group(self, rows: np.ndarray) -> np.ndarray:
        return np.bincount(self.level, rows, self.groups)

    def _scale(self, at: Modes) -> np.ndarray:
        theta = at.blocks[0][0, 0]
        weight = at.cells.weight[:, 0] * self.loading**2
        return (1 + theta**2 * self._by_group(weight)) ** -0.5

    def _at_nodes(self, at: Modes, scale: np.ndarray) -> Iterator[tuple[np.ndarray, cells.Cells]]:
        """u of every group and the cells there, node by node."""
        for node in self.nodes:
            u = at.u + scale * node
            yield u, self.cells_at(at.gamma, self.relative(at.blocks, u))

    def _conditional(self, u: np.ndarray, at: cells.Cells) -> np.ndarray:
        """f(u) of every group."""
        counts = self.counts
        rows = cells.log_likelihoods(at, counts.successes, counts.trials, self.design.floor)
        return self._by_group(rows[:, 0]) - u**2 / 2

    def gradient(self, at: Modes) -> tuple[np.ndarray, np.ndarray]:
        """∂/∂γ and ∂/∂θ at a point's modes."""
        z, level, theta, scale = self.loading, self.level, at.blocks[0][0, 0], self._scale(at)
        weight, observed, skew, residual = (
            part[:, 0]
            for part in (at.cells.weight, at.cells.observed, at.cells.skewness(), at.cells.residual)
        )
        found = [
            (u, there.residual[:, 0], self._conditional(u, there))
            for u, there in self._at_nodes(at, scale)
        ]
        logs = np.array([f for *_, f in found]) + self.log_weights[:, None]
        shares = np.exp(logs - logsumexp(logs, axis=0))
        moves, widens = np.zeros(self.groups), 1 / scale  # A and B
        rows, by_theta = np.zeros(len(z)), np.zeros(len(z))
        for node, share, (u, r, _) in zip(self.nodes, shares, found, strict=True):
            score = share * (theta * self._by_group(z * r) - u)
            moves += score
            widens += score * node
            rows += share[level] * r
            by_theta += (share * u)[level] * r
        of_h = -(scale**3) * widens / 2
        curvature = 1 + theta**2 * self._by_group(observed * z**2)
        of_score = (moves + of_h * theta**3 * self._by_group(skew * z**3)) / curvature
        bent = of_h[level] * theta**2 * skew * z**2 - of_score[level] * theta * z * observed
        by_theta += bent * at.u[level]
        for_theta = z @ by_theta + 2 * theta * of_h @ self._by_group(weight * z**2)
        for_theta += of_score @ self._by_group(z * residual)
        return (rows + bent) @ self.design.fixed, np.array([for_theta])
