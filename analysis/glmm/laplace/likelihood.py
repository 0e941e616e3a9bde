"""The Laplace log-likelihood of a binomial GLMM with logit link, and its exact gradient.

With η = Xγ + offset + ZΛu and u ~ N(0, I), the modes û maximise ℓ(u) − ½|u|², and

    L(γ, θ) = ℓ(û) − ½|û|² − ½ log|H|,   H = Λ'Z'WZΛ + I   at û.

This is the approximation of Tierney & Kadane (1986) and of glmer with nAGQ = 1 (Bates et al.
2015). W are the expected weights. For the canonical link H is exactly the Hessian of what û
minimises. With a floor of the probability (``cells``) that is K, with the observed weights V in
place of W: it may be near singular, where Laplace's likelihood by K is infinite, and H is not.
Newton's steps are by K, and Fisher's, by H, where K is not positive definite.

Gradient. Let r be the residuals, h the leverages z'ΛH⁻¹Λ'z, s = h ∂w/∂η, v = K⁻¹Λ'Z's and
c = s − V ZΛv. As û satisfies Λ'Z'r = û, implicit differentiation gives

    ∂L/∂γ = X'(r − c/2)
    dL/dΛ = (r − c/2)'Z dΛ û − ½ v' dΛ' Z'r − tr(H⁻¹Λ'Z'WZ dΛ).

Nothing is divided by an SD, so gradients are exact where SDs are zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from capability_transfer.analysis.glmm.laplace import cells
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.schur import SchurSystem, apply_block

# Newton decrements of the modes: aimed at, and enough where rounding stops the iterations. The
# likelihood's error is of the order of the decrement's root (log|H| moves with the modes), and
# the Hessian differences the gradient: looser ones spoil it.
DECREMENT = 1e-18
ENOUGH = 1e-13
FAR = 2.5e-3  # mean square of a step in log-odds beyond which the factor at its end is another
NEAR = 0.1  # decrement of a Newton step whose factor is good for the next ones
QUICK = 30.0  # by which a step with the factor of other modes must lessen the decrement
MAX_STEPS = 60
PATIENCE = 30  # steps with the factor of other modes
MAX_HALVINGS = 30
# The largest move of a log-odds in a Newton step that is sure to raise ℓ − ½|u|²: within R, the
# curvature changes by a factor of at most exp(R) (Bach 2010), and (exp(R) − R − 1) / R² is 1 here.
SURE = 1.79


@dataclass(frozen=True, eq=False)
class Counts:
    """Successes and trials on the grid (units × columns)."""

    successes: np.ndarray
    trials: np.ndarray


@dataclass(frozen=True, eq=False)
class Modes:
    """The conditional modes at one parameter point.

    Attributes:
        gamma: where; fixed effects and covariance parameters on the scaled columns.
        theta: see ``gamma``.
        u: the modes of the standardised effects; ``b`` = Λu.
        cells: probabilities, residuals and weights at the modes.
        residual: Z'r.
        factor: H's factor there; ``curvature`` is K's.
        value: the Laplace log-likelihood without the binomial coefficients.
    """

    gamma: np.ndarray
    theta: np.ndarray
    blocks: list[np.ndarray]
    u: np.ndarray
    b: np.ndarray
    cells: cells.Cells
    residual: np.ndarray
    factor: object
    curvature: object
    value: float


class Likelihood:
    """The Laplace log-likelihood of one design and its counts, as a function of (γ, θ)."""

    def __init__(self, design: Design, counts: Counts, system: SchurSystem | None = None):
        self.design, self.counts = design, counts
        self.system = SchurSystem(design) if system is None else system
        self.evaluations = 0

    def relative(self, blocks: list[np.ndarray], x: np.ndarray, transpose: bool = False):
        """Λ x, or Λ' x."""
        out = np.empty_like(x)
        for t, (term, block) in enumerate(zip(self.design.terms, blocks, strict=True)):
            span = self.design.span(t)
            out[span] = apply_block(term, block.T if transpose else block, x[span])
        return out

    def cells_at(self, gamma: np.ndarray, b: np.ndarray) -> cells.Cells:
        """The grid at fixed effects γ and random effects b."""
        return cells.evaluate(
            *self.design.predictor(gamma, b),
            self.counts.successes,
            self.counts.trials,
            self.design.floor,
        )

    def data_part(self, at: cells.Cells) -> float:
        """ℓ: the conditional log-likelihood without the binomial coefficients."""
        counts = self.counts
        return cells.log_likelihood(at, counts.successes, counts.trials, self.design.floor)

    def modes(
        self,
        gamma: np.ndarray,
        theta: np.ndarray,
        near: Modes | None = None,
        u: np.ndarray | None = None,
        goal: float = DECREMENT,
    ) -> Modes:
        """Solve for the modes by Newton's method with step halving, from ``u`` (default zero).

        ``near`` are modes at a nearby point, to start from; ``goal`` is the decrement to end at.
        Raises FloatingPointError where the modes cannot be found.
        """
        design = self.design
        blocks = design.blocks(theta)
        self.evaluations += 1
        if u is None:
            u = np.zeros(design.effects)
        if near is not None:
            u, _ = self._close_in(gamma, blocks, near.u, near.curvature, near.cells.weight, goal)
        last = np.inf
        for _ in range(MAX_STEPS):
            b = self.relative(blocks, u)
            at = self.cells_at(gamma, b)
            score, residual = self._score(blocks, u, at.residual)
            curvature, definite = self._curvature(at, blocks)
            step = curvature.solve(score)
            decrement = score @ step
            near_enough = decrement <= ENOUGH and decrement > last / 4
            if definite and (decrement <= goal or near_enough):
                floored = design.floor is not None
                factor = self.system.factor(at.weight, blocks) if floored else curvature
                value = self.data_part(at) - u @ u / 2 - factor.log_determinant / 2
                return Modes(gamma, theta, blocks, u, b, at, residual, factor, curvature, value)
            last = decrement
            u = self._ascend(gamma, blocks, u, at, step, decrement)
            if definite and decrement < NEAR:
                u, _ = self._close_in(gamma, blocks, u, curvature, at.weight, goal, decrement)
        raise FloatingPointError(f"the modes' Newton decrement stays at {decrement:.1e}")

    def follow(self, gamma: np.ndarray, theta: np.ndarray, near: Modes) -> Modes:
        """The modes of a point so near that the factor of ``near`` leads there, which is kept.

        The value is not computed (NaN).
        """
        blocks = self.design.blocks(theta)
        weight = near.cells.weight
        u, reached = self._close_in(gamma, blocks, near.u, near.curvature, weight, ENOUGH)
        if not reached:
            return self.modes(gamma, theta, near)
        b = self.relative(blocks, u)
        at = self.cells_at(gamma, b)
        _, residual = self._score(blocks, u, at.residual)
        return Modes(
            gamma, theta, blocks, u, b, at, residual, near.factor, near.curvature, np.nan
        )  # fmt: skip

    def _curvature(self, at: cells.Cells, blocks: list[np.ndarray]) -> tuple[object, bool]:
        """K's factor and True, or H's and False where K is not positive definite."""
        try:
            return self.system.factor(at.observed, blocks), True
        except FloatingPointError:
            if self.design.floor is None:
                raise
            return self.system.factor(at.weight, blocks), False

    def _close_in(self, gamma, blocks, u, curvature, weight, goal: float, last: float = np.inf):
        """Steps from ``u`` with the factor of nearby modes, as long as they come closer quickly.

        They are cheaper than Newton's, and the first is a first-order prediction. None is made
        where it is so long, for cells of this ``weight``, that the factor would be another at its
        end. Returns where they end, and whether that is within ``goal``.
        """
        counts = self.counts
        farthest = max(FAR * weight.sum(), 1.0)
        for _ in range(PATIENCE):
            eta = self.design.predictor(gamma, self.relative(blocks, u))
            residual = cells.residuals(*eta, counts.successes, counts.trials, self.design.floor)
            score, _ = self._score(blocks, u, residual)
            step = curvature.solve(score)
            decrement = score @ step
            if not 0 <= decrement < min(last / QUICK, farthest):
                break
            u = u + step
            if decrement <= goal:
                return u, True
            last = decrement
        return u, False

    def _score(self, blocks, u, residual):
        """Λ'Z'r − u and Z'r at u, from the residuals r there."""
        _, by_effect = self.design.transpose(residual)
        return self.relative(blocks, by_effect, transpose=True) - u, by_effect

    def _ascend(self, gamma, blocks, u, at, step, decrement):
        """The Newton step, halved until ℓ − ½|u|² rises; those that must raise it are not tried."""
        if decrement < 1e-4 or (self.design.floor is None and self._reach(blocks, step) < SURE):
            return u + step
        here = self.data_part(at) - u @ u / 2
        size = 1.0
        for _ in range(MAX_HALVINGS):
            proposal = u + size * step
            there = self.cells_at(gamma, self.relative(blocks, proposal))
            if self.data_part(there) - proposal @ proposal / 2 > here:
                return proposal
            size /= 2
        raise FloatingPointError("the modes' Newton step does not raise the likelihood")

    def _reach(self, blocks, step) -> float:
        """A bound of the largest move of a cell's log-odds in a step of the effects."""
        unit, cross = self.design.random_part(self.relative(blocks, step))
        return np.abs(unit).max() + (0.0 if cross is None else np.abs(cross).max())

    def given_modes(self, at: Modes) -> np.ndarray:
        """∂ℓ/∂γ and ∂ℓ/∂θ with u held: all of the gradient but what moves log|H|."""
        for_theta = [
            term.theta_gradient(self._contracted(t, at.residual, at.u))
            for t, term in enumerate(self.design.terms)
        ]
        for_gamma, _ = self.design.transpose(at.cells.residual)
        return np.concatenate([for_gamma, *for_theta])

    def gradient(self, at: Modes) -> tuple[np.ndarray, np.ndarray]:
        """∂L/∂γ and ∂L/∂θ at a point's modes."""
        design = self.design
        posterior = at.factor.posterior()
        skewed = at.cells.skewness()
        skewed *= posterior.leverage
        _, z_skewed = design.transpose(skewed)
        adjoint = at.curvature.solve(self.relative(at.blocks, z_skewed, transpose=True))
        unit, cross = design.random_part(self.relative(at.blocks, adjoint))
        total = at.cells.observed * unit[:, None]
        if cross is not None:
            total += at.cells.observed * cross
        total -= skewed  # in place: the grid may be large
        total /= 2
        total += at.cells.residual
        for_gamma, z_total = design.transpose(total)
        for_theta = []
        for t, term in enumerate(design.terms):
            direct = self._contracted(t, z_total, at.u)
            implied = self._contracted(t, at.residual, adjoint)
            by_block = direct - implied / 2 - posterior.traces[t].T
            for_theta.append(term.theta_gradient(by_block))
        return for_gamma, np.concatenate(for_theta)

    def _contracted(self, t: int, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Σ over term t's copies and columns of x y', q × q."""
        term, span = self.design.terms[t], self.design.span(t)
        x, y = x[span], y[span]
        if term.q == 1:
            return np.array([[x @ y]])
        shape = (term.copies, term.q, term.width)
        return np.einsum("caw,cbw->ab", x.reshape(shape), y.reshape(shape))
