"""Draws of a model's SDs and effects, from their joint distribution given the data.

The SDs are integrated over as integrated nested Laplace approximations do (Rue, Martino & Chopin
2009): π(θ | y) ∝ π(y | θ) π(θ), with π(y | θ) of ``field``, is explored from its mode; given θ the
effects are normal. In place of a grid stand ``POINTS`` quasi-random points of the normal that
matches mode and curvature in the logarithms of the SDs, where π is close to normal, with importance
weights that make up for the rest. The curvature may be that of a similar data set, as when one
language is left out. So an SD that few levels inform about, or one that maximum likelihood puts at
zero, has a distribution here, not one value.

π(θ): the SD of an effect (the length of a row of its term's T) is exponential with mean
``PRIOR_SD``, independently: the penalised-complexity prior of a Gaussian random effect (Simpson et
al. 2017, section 3.3), under which one SD in twenty is above 3 log-odds. The direction of a row,
which says how effects of a level correlate, is uniform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy  # which loads its slow statistics where they are first used
from capability_transfer.analysis.glmm.laplace.field import WIDE, Field
from capability_transfer.analysis.glmm.laplace.kernels import Kernel
from capability_transfer.analysis.glmm.laplace.likelihood import DECREMENT, ENOUGH, Modes
from capability_transfer.analysis.glmm.laplace.model import Model, one_thread
from capability_transfer.analysis.glmm.laplace.start import same_effects
from capability_transfer.analysis.glmm.laplace.terms import Term
from capability_transfer.analysis.glmm.laplace.warmstart import WarmStart
from capability_transfer.analysis.glmm.result import Fit
from scipy.optimize import minimize

PRIOR_SD = 1.0  # log-odds
POINTS = 32
SPREAD = 1.1  # of the points, in SDs of the normal: its tails are shorter than π's
LEAST_SD = 0.1  # where the search for the mode starts, log-odds
ZERO = 1e-6  # an SD as good as zero, whose logarithm is still a number
CLOSE = 0.2  # gradient of log π(θ | y) at which the search ends: the weights do the rest
FIRST_VARIANCE = 0.05  # of a log SD: what the search takes it for at first
STEP = 0.05  # of the differences for the curvature
FLATTEST = 0.5  # curvature of log π(θ | y): no log SD is less sure than an SD of 1.4
NEAR_MODES = 1e-2  # Newton decrement of the effects' modes at a point: a tenth of an SD of theirs


@dataclass(frozen=True, eq=False)
class TermSample:
    """One term's draws.

    Attributes:
        group: as in ``Fit.modes``.
        columns: the covariates' names there.
        levels: labels.
        effects: levels × columns × draws (log-odds per unit of the covariate).
        root: draws × columns × columns, T with T T' the covariance of a level's effects; of a
            kernel draws × 1 × 1, its SD.
    """

    group: str
    columns: tuple[str, ...]
    levels: np.ndarray
    effects: np.ndarray
    root: np.ndarray


@dataclass(frozen=True, eq=False)
class Shape:
    """The normal near π(θ | y): the mode of φ (see ``Target``) and a root of its covariance.

    ``names`` are θ's: models with the same ones can begin with each other's.
    """

    names: tuple[str, ...]
    centre: np.ndarray
    root: np.ndarray


@dataclass(frozen=True, eq=False)
class Sample:
    """Draws of everything that a model has.

    Attributes:
        fixed: fixed effects by name × draws (log-odds).
        terms: in the formula's order, then the kernels.
        effective_points: how many of the points the weights leave, of ``POINTS``.
    """

    fixed: pd.DataFrame
    terms: list[TermSample]
    effective_points: float


def sample(
    fit: Fit,
    data: pd.DataFrame,
    kernels: Sequence[Kernel],
    count: int,
    seed: int,
    near: Shape | None = None,
    model: Model | None = None,
) -> Sample:
    """``count`` draws given ``data``.

    Args:
        fit: of any engine; where the search for the mode of the SDs starts.
        data: the rows it was fitted to.
        kernels: its structured terms.
        count: the number of draws.
        seed: of the points and the draws.
        near: the shape of π for similar data, of which only the mode is then sought anew.
        model: that of the fit, where it is at hand.

    Raises InputError for data that cannot be fitted, FloatingPointError where no mode is found.
    """
    with one_thread():
        target = Target(fit, data, kernels, model)
        generator = np.random.default_rng(seed)
        looked_at = points(find_shape(target, near), seed)
        each = -(-count // len(looked_at))  # a point of more than its share has some draws twice
        blocks, drawn, logs = [], [], []
        for phi, log_density in looked_at:
            value, modes = target.at(phi, NEAR_MODES)
            logs.append(value - log_density)
            blocks.append(modes.blocks)
            drawn.append(target.field.draws(modes, each, generator))  # a factor is kept no longer
        weights = truncated(np.array(logs))
        ends = np.floor(count * np.cumsum(weights) + generator.random())
        point = np.searchsorted(ends, np.arange(count), side="right")
        point = np.minimum(point, len(weights) - 1)
        rank = np.arange(count) - np.searchsorted(point, point)
        chosen = np.concatenate(drawn, axis=1)[:, point * each + rank % each]
        return _natural(target, blocks, point, chosen, 1 / np.sum(weights**2))


def known_sds(
    fit: Fit, data: pd.DataFrame, kernels: Sequence[Kernel], model: Model | None = None
) -> tuple[Sample, object]:
    """The effects' distribution as if the SDs were the fit's (the arguments are as in ``sample``).

    Effects are linear in normal ones with precision H: a ``Sample`` that in each draw has what one
    of these adds, and H's factor.
    """
    with one_thread():
        target = Target(fit, data, kernels, model)
        _, modes = target.at(target.at_fit(ZERO))
        added = target.field.likelihood.relative(modes.blocks, np.eye(len(modes.u)))
        each = np.zeros(len(added), dtype=int)
        return _natural(target, [modes.blocks], each, added, 1.0), modes.factor


def shape(
    fit: Fit, data: pd.DataFrame, kernels: Sequence[Kernel], model: Model | None = None
) -> Shape:
    """Where π(θ | y) is, for ``sample`` of similar data (the arguments are as there)."""
    with one_thread():
        return find_shape(Target(fit, data, kernels, model))


def truncated(logs: np.ndarray) -> np.ndarray:
    """Importance weights (sum 1), none above the mean times the root of their number.

    Ionides (2008): the bias that this brings is small beside the variance that it takes.
    """
    weights = np.exp(logs - logs.max())
    weights = np.minimum(weights, weights.mean() * np.sqrt(len(weights)))
    return weights / weights.sum()


class Target:
    """log π(θ | y) up to a constant, as a function of φ: logarithms of the diagonals of the terms'
    T (on scaled covariates), and what is below them as it is. Searches begin at a fit."""

    def __init__(
        self,
        fit: Fit,
        data: pd.DataFrame,
        kernels: Sequence[Kernel],
        model: Model | None = None,
    ):
        self.warm = WarmStart.of(fit)
        self.model = Model(fit.formula, data, kernels) if model is None else model
        self.field = Field(self.model)
        self.terms = self.model.design.terms
        triangles = [term.triangle() for term in self.terms]
        self.diagonal = np.concatenate([rows == columns for rows, columns in triangles])
        starts = np.cumsum([0, *(rows.max() + 1 for rows, _ in triangles)])[:-1]
        own = [rows + start for (rows, _), start in zip(triangles, starts, strict=True)]
        self.row = np.concatenate(own)
        self.near: Modes | None = None

    def at_fit(self, least: float) -> np.ndarray:
        """φ at the fit's estimates, its SDs not below ``least``."""
        theta = [term.theta(self.warm.block(term, least)) for term in self.terms]
        return self._turned(np.concatenate(theta), np.log)

    def at(self, phi: np.ndarray, decrement: float = DECREMENT) -> tuple[float, Modes]:
        """The value and the modes; the next search for modes starts at these effects."""
        theta = self._turned(phi, np.exp)
        modes = self.field.modes(theta, self._effects(theta), decrement)
        self.near = modes
        sd, others = self._rows(theta)
        prior = phi[self.diagonal].sum() - (sd / PRIOR_SD + others * np.log(sd)).sum()
        return modes.value + prior, modes

    def gradient(self, phi: np.ndarray, modes: Modes) -> np.ndarray:
        """∂/∂φ of the value at its modes."""
        theta, own = self._turned(phi, np.exp), self.diagonal
        sd, others = (x[self.row] for x in self._rows(theta))
        out = self.field.gradient(modes) - theta / sd * (1 / PRIOR_SD + others / sd)
        out[own] = out[own] * theta[own] + 1
        return out

    def _rows(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of every row of every T its length and the number of its entries off the diagonal."""
        return np.sqrt(np.bincount(self.row, theta**2)), np.bincount(self.row) - 1

    def _turned(self, x: np.ndarray, function) -> np.ndarray:
        out = x.copy()
        out[self.diagonal] = function(x[self.diagonal])
        return out

    def _effects(self, theta: np.ndarray) -> np.ndarray:
        """u under θ with the effects b of the last modes: they move less than u do."""
        design, blocks = self.field.design, self.field.blocks(theta)
        if self.near is None:
            own = self.model.design
            gamma = np.linalg.solve(own.unscale, self.warm.beta(own))
            return np.append(self.warm.effects(own, blocks[:-1]), gamma / WIDE)
        u = self.near.u.copy()
        for t, term in enumerate(design.terms):
            span = design.span(t)
            u[span] = same_effects(term, self.near.blocks[t], blocks[t], u[span])
        return u


def find_shape(target: Target, near: Shape | None = None) -> Shape:
    """Mode and curvature of π(θ | y), sought from the fit's SDs; or, sought from ``near`` if that
    has the same parameters, the mode alone, with the curvature there."""

    def slope(phi: np.ndarray) -> tuple[float, np.ndarray]:
        value, modes = target.at(phi, ENOUGH)
        return -value, -target.gradient(phi, modes)

    names = tuple(target.model.theta_names)
    known = near is not None and near.names == names
    start = near.centre if known else target.at_fit(LEAST_SD)
    size = len(start)
    first = near.root @ near.root.T if known else np.diag(np.full(size, FIRST_VARIANCE))
    found = minimize(
        slope, start, jac=True, method="BFGS", options={"gtol": CLOSE, "hess_inv0": first}
    )
    if known:
        return Shape(names, found.x, near.root)
    steps = STEP * np.eye(size)
    curvature = np.array([(slope(found.x + step)[1] - found.jac) / STEP for step in steps])
    values, vectors = np.linalg.eigh((curvature + curvature.T) / 2)
    return Shape(names, found.x, vectors / np.sqrt(np.maximum(values, FLATTEST)))


def points(shape: Shape, seed: int) -> list[tuple[np.ndarray, float]]:
    """Points φ where π(θ | y) is looked at, with the log density that they are drawn from.

    Along every axis of the curvature each of ``POINTS`` equal parts of the distribution has one
    point, at its median, so that none lies where the SDs are absurd.
    """
    part = np.floor(POINTS * scipy.stats.qmc.Sobol(len(shape.centre), seed=seed).random(POINTS))
    return [
        (shape.centre + SPREAD * shape.root @ away, scipy.stats.norm.logpdf(away).sum())
        for away in scipy.stats.norm.ppf((part + 0.5) / POINTS)
    ]


def _natural(
    target: Target,
    blocks: list[list[np.ndarray]],
    point: np.ndarray,
    drawn: np.ndarray,
    effective: float,
) -> Sample:
    """Draws on the scaled columns (effects × draws) as a ``Sample``; ``blocks`` are the T of every
    point, ``point`` that of each draw."""
    design = target.model.design
    terms = [
        TermSample(
            term.group,
            term.columns,
            term.levels,
            _effects(term, drawn[design.span(t)]),
            np.stack([_root(term, own[t]) for own in blocks])[point],
        )
        for t, term in enumerate(design.terms)
    ]
    fixed = design.unscale @ drawn[design.effects :]
    return Sample(pd.DataFrame(fixed, index=design.names), terms, effective)


def _root(term: Term, block: np.ndarray) -> np.ndarray:
    if term.root is not None:
        return term.theta(block)[:, None]
    return block / term.scale[:, None]


def _effects(term: Term, drawn: np.ndarray) -> np.ndarray:
    count = drawn.shape[1]
    if term.root is not None:
        return drawn[:, None]
    by_copy = drawn.reshape(term.copies, term.q, term.width, count) / term.scale[:, None, None]
    return by_copy.swapaxes(1, 2).reshape(-1, term.q, count)
