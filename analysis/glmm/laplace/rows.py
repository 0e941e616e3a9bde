"""The system matrix where there are more random effects than rows: algebra in the space of rows.

With U = W^½ZΛ, H = U'U + I and B = U U' + I have one determinant, and

    H⁻¹ = I − U'B⁻¹U,    H⁻¹Λ'Z'W = Λ'Z'C  with  C = W^½B⁻¹W^½,

so that B, units × units, is all that is factored. Where weights are negative (``cells.observed``)
U is |W|^½ZΛ and their signs S take the place of I: H = U'SU + I, B = UU' + S. ZΛΛ'Z' is a sum over
terms of inner products of the units' loadings, where units share a copy of the term. Kernels by a
factor have many more effects than rows soon: 35 base models × 15 languages a term.

Most terms tie units within parts of the data alone, as a family's and its models' do: of these B is
block diagonal, A. The others, with few effects (those of languages, fixed ones), are a border V:

    B = A + VV',    B⁻¹ = A⁻¹ − A⁻¹V (I + V'A⁻¹V)⁻¹ V'A⁻¹.

Units are in the order of their blocks throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.schur import (
    check_definite,
    cholesky,
    symmetric_inverse,
)
from capability_transfer.analysis.glmm.laplace.terms import Term
from scipy import sparse
from scipy.linalg import lapack
from scipy.sparse.csgraph import connected_components

TINY = 1e-6  # share of data in a unit's variance below which 1 − (B⁻¹)ᵢᵢ has lost its digits
NARROW = 0.25  # effects of the border, as a share of the units


class RowSystem:
    """Builds factors of H for a design of one column, whose terms are all unit terms."""

    def __init__(self, design: Design):
        self.design = design
        block, self.border = find_blocks(design.terms)
        self.order = np.argsort(block, kind="stable")
        ends = np.cumsum([0, *np.bincount(block)])
        self.parts = [slice(*both) for both in pairwise(ends)]
        self.starts = np.cumsum([0, *(np.diff(ends) ** 2)])
        units = [np.arange(*both, dtype=np.int32) for both in pairwise(ends)]
        first = np.concatenate([np.repeat(own, len(own)) for own in units])
        second = np.concatenate([np.tile(own, len(own)) for own in units])
        self.diagonal = np.flatnonzero(first == second)
        index, self.loads = [], []  # of every unit among all effects, and with what values
        for start, term in zip(design.starts, design.terms, strict=False):
            copy = term.index[self.order, 0] // term.q
            index.append(start + copy[:, None] * term.q + np.arange(term.q))
            self.loads.append(np.zeros((len(copy), term.q)))
            within = term.index[self.order] % term.q
            np.put_along_axis(self.loads[-1], within, term.value[self.order], axis=1)
        self.index = np.concatenate(index, axis=1)
        self.pairs = {
            t: TermPairs.of(term, self.order, first, second)
            for t, term in enumerate(design.terms)
            if t not in self.border
        }
        spans = [np.arange(design.effects)[design.span(t)] for t in self.border]
        self.wide = np.concatenate([np.zeros(0, dtype=np.intp), *spans])  # the border's effects
        self.border_loads = self.relative(self.loads)[:, self.wide].toarray()
        self._scaled: ScaledLoadings | None = None

    def relative(self, loads: list[np.ndarray]) -> sparse.csr_array:
        """Loads of every term (units × q) as units × effects."""
        data = np.concatenate(loads, axis=1)
        pointers = np.arange(0, data.size + 1, data.shape[1])
        shape = (len(data), self.design.effects)
        return sparse.csr_array((data.ravel(), self.index.ravel(), pointers), shape)

    def split(self, pairs: np.ndarray) -> list[np.ndarray]:
        """Values of all pairs of units within blocks, as a view on every block's matrix."""
        return [
            pairs[start:end].reshape(part.stop - part.start, -1)
            for part, (start, end) in zip(self.parts, pairwise(self.starts), strict=True)
        ]

    def factor(self, weight: np.ndarray, blocks: list[np.ndarray]) -> RowFactor:
        """H's factor at the weights (units × 1) and the terms' blocks T."""
        # Newton's steps for the modes change the weights alone.
        if self._scaled is None or not self._scaled.is_at(blocks):
            self._scaled = ScaledLoadings(self, blocks)
        return RowFactor(self, weight[self.order, 0], self._scaled)


def find_blocks(terms: list[Term]) -> tuple[np.ndarray, list[int]]:
    """The block of every unit, and the terms of the border.

    A term that would make most pairs of units one block's is in the border while that is narrow.
    """
    units, wide, border = len(terms[0].index), 0, []
    block = np.arange(units)
    for t in sorted(range(len(terms)), key=lambda t: -terms[t].copies):
        copy = terms[t].index[:, 0] // terms[t].q
        size = units + terms[t].copies
        ties = sparse.coo_array((np.ones(units), (block, units + copy)), shape=(size, size))
        _, label = connected_components(ties, directed=False)
        _, joined = np.unique(label[block], return_inverse=True)
        whole = np.sum(np.bincount(joined) ** 2) > units**2 / 2
        if whole and wide + terms[t].size <= NARROW * units:
            border.append(t)
            wide += terms[t].size
        else:
            block = joined
    return block, border


@dataclass(frozen=True, eq=False)
class TermPairs:
    """One term's share of the values of all pairs of units within blocks.

    Attributes:
        at: the pairs that share a copy of the term; ``slice(None)`` if all do.
        effects: of each such pair, as positions in q × q (× the products of loads if there are
            several to a unit); ``value`` the product of its loadings.
        q: see ``Term``.
    """

    at: np.ndarray | slice
    effects: np.ndarray
    value: np.ndarray
    q: int

    @classmethod
    def of(cls, term: Term, order: np.ndarray, first: np.ndarray, second: np.ndarray) -> TermPairs:
        index, value = term.index[order], term.value[order]
        copy, within = index[:, 0] // term.q, index % term.q
        shared = copy[first] == copy[second]
        at = slice(None) if shared.all() else np.flatnonzero(shared)
        first, second = first[at], second[at]
        effects = within[first, :, None] * term.q + within[second, None, :]
        products = value[first, :, None] * value[second, None, :]
        flat = (len(first), -1) if index.shape[1] > 1 else -1
        return cls(at, effects.reshape(flat), products.reshape(flat), term.q)

    def add_covariance(self, block: np.ndarray, out: np.ndarray) -> None:
        """Add the pairs' covariances under a block T."""
        own = (block @ block.T).ravel()[self.effects] * self.value
        out[self.at] += own if own.ndim == 1 else own.sum(axis=1)

    def products(self, weighted: np.ndarray) -> np.ndarray:
        """Σ over shared pairs of the weights times the outer products of their loads, q × q."""
        own = (weighted[self.at] * self.value.T).T
        summed = np.bincount(self.effects.ravel(), own.ravel(), self.q**2)
        return summed.reshape(self.q, self.q)


class ScaledLoadings:
    """ZΛ (``relative``), that of the border's effects (``border``), and ZΛΛ'Z' of the other terms
    for the pairs of units within blocks (``covariance``), at the terms' blocks T."""

    def __init__(self, system: RowSystem, blocks: list[np.ndarray]):
        self.blocks = list(blocks)
        self.covariance = np.zeros(system.starts[-1])
        for t, pairs in system.pairs.items():
            pairs.add_covariance(blocks[t], self.covariance)
        self.relative = system.relative(
            [loads @ block for loads, block in zip(system.loads, blocks, strict=True)]
        )
        self.border = self.relative[:, system.wide].toarray()

    @cached_property
    def whole(self) -> np.ndarray:
        """ZΛΛ'Z' for all pairs of units."""
        return (self.relative @ self.relative.T).toarray()

    def is_at(self, blocks: list[np.ndarray]) -> bool:
        """Whether these are the same blocks."""
        return all(own is other for own, other in zip(self.blocks, blocks, strict=True))


def _solver(matrix: np.ndarray, negative: int) -> Callable[[np.ndarray], np.ndarray]:
    """What solves B x = y for a B with ``negative`` negative signs (Bunch & Kaufman).

    H is positive definite if B has as many negative eigenvalues (Haynsworth); of the factor's
    blocks of two, every one has one.
    """
    lower, pivots, failed = lapack.dsytrf(matrix, lower=1)
    single = pivots > 0
    found = (lower.diagonal()[single] < 0).sum() + (~single).sum() // 2
    check_definite(not failed and found == negative)
    return lambda right: lapack.dsytrs(lower, pivots, right, lower=1)[0]


class RowFactor:
    """H at one W and Λ, by the factor of B; with negative weights it solves alone."""

    def __init__(self, system: RowSystem, weight: np.ndarray, scaled: ScaledLoadings):
        self.system, self.weight, self.scaled = system, weight, scaled
        self.scale = np.sqrt(np.abs(weight))
        if (weight < 0).any():
            whole = scaled.whole * self.scale[:, None] * self.scale
            whole.flat[:: len(weight) + 1] += np.where(weight < 0, -1.0, 1.0)
            self.solve_rows = _solver(whole, int((weight < 0).sum()))
            return
        self.border = self.scale[:, None] * scaled.border
        inner = self.weigh(scaled.covariance)
        inner[system.diagonal] += 1.0
        self.roots = [cholesky(part) for part in system.split(inner)]
        self.solved = self._solve_blocks(self.border)  # A⁻¹V
        self.rest = cholesky(np.eye(len(system.wide)) + self.border.T @ self.solved)
        diagonals = [root.diagonal() for root in (*self.roots, self.rest)]
        self.log_determinant = 2 * float(np.log(np.concatenate(diagonals)).sum())

    def weigh(self, pairs: np.ndarray) -> np.ndarray:
        """Values of pairs within blocks times the roots of both units' weights."""
        out = pairs.copy()
        for part, own in zip(self.system.split(out), self.system.parts, strict=True):
            part *= self.scale[own, None]
            part *= self.scale[own]
        return out

    def _solve_blocks(self, right: np.ndarray) -> np.ndarray:
        """A⁻¹ right."""
        out = np.empty_like(right)
        for part, root in zip(self.system.parts, self.roots, strict=True):
            out[part] = lapack.dpotrs(root, right[part], lower=1)[0]
        return out

    def solve_rows(self, right: np.ndarray) -> np.ndarray:
        """B⁻¹ right, units × right sides."""
        out = self._solve_blocks(right)
        if len(self.rest):
            out -= self.solved @ lapack.dpotrs(self.rest, self.border.T @ out, lower=1)[0]
        return out

    def solve(self, right: np.ndarray) -> np.ndarray:
        """H⁻¹ right; ``right`` is effects or effects × right sides."""
        matrix, relative = right.reshape(len(right), -1), self.scaled.relative
        moved = self.scale[:, None] * (relative @ matrix)
        moved = self.solve_rows(moved) if matrix.shape[1] else moved
        return (matrix - relative.T @ (self.scale[:, None] * moved)).reshape(right.shape)

    def draws(self, count: int, generator: np.random.Generator) -> np.ndarray:
        """Effects with mean zero and covariance H⁻¹, × ``count`` (Matheron's rule): what is left
        of prior draws when noisy observations of them are explained."""
        relative = self.scaled.relative
        prior = generator.standard_normal((relative.shape[1], count))
        seen = self.scale[:, None] * (relative @ prior)
        seen += generator.standard_normal(seen.shape)[self.system.order]
        return prior - relative.T @ (self.scale[:, None] * self.solve_rows(seen))

    def posterior(self) -> RowPosterior:
        """Leverages and traces; variances on demand (see ``schur.Posterior``)."""
        return RowPosterior(self)


class RowPosterior:
    """Parts of the conditional covariance ΛH⁻¹Λ', as ``schur.Posterior`` names them."""

    def __init__(self, factor: RowFactor):
        self.factor = factor
        system, scaled = factor.system, factor.scaled
        solved = factor.solved
        lost = solved
        if len(factor.rest):
            lost = lapack.dtrtrs(factor.rest, solved.T, lower=1)[0].T
        inverse = np.empty_like(scaled.covariance)  # B⁻¹ within blocks
        views = zip(system.split(inverse), system.parts, factor.roots, strict=True)
        for view, part, root in views:
            view[:] = symmetric_inverse(root) - lost[part] @ lost[part].T
        leverage = scaled.covariance[system.diagonal] + np.sum(scaled.border**2, axis=1)
        light = factor.weight * leverage < TINY
        at = system.diagonal[~light]
        leverage[~light] = (1 - inverse[at]) / factor.weight[~light]
        if light.any():
            across = (scaled.relative @ scaled.relative[light].T).toarray()
            leverage[light] -= np.sum(across * self._weighted(across), axis=0)
        self.leverage = np.empty((len(leverage), 1))
        self.leverage[system.order, 0] = leverage
        weighted = factor.weigh(inverse)  # C within blocks
        within = system.border_loads.T @ self._weighted(system.border_loads)
        self.traces, start = (
            [],
            np.cumsum([0, *(system.design.terms[t].size for t in system.border)]),
        )
        for t, (term, block) in enumerate(zip(system.design.terms, scaled.blocks, strict=True)):
            if t in system.pairs:
                products = system.pairs[t].products(weighted)
            else:
                own = slice(*start[system.border.index(t) :][:2])
                shape = (term.copies, term.q, term.copies, term.q)
                products = np.einsum("iaib->ab", within[own, own].reshape(shape))
            self.traces.append(block.T @ products)

    def _weighted(self, right: np.ndarray) -> np.ndarray:
        """C right, units × right sides."""
        scale = self.factor.scale[:, None]
        return scale * self.factor.solve_rows(scale * right)

    @cached_property
    def variance(self) -> np.ndarray:
        """The diagonal of ΛH⁻¹Λ', in the order of the effects: units × effects work."""
        design, scaled = self.factor.system.design, self.factor.scaled
        out = np.empty(design.effects)
        for t, (term, block) in enumerate(zip(design.terms, scaled.blocks, strict=True)):
            span = design.span(t)
            whole = block @ block.T
            carried = (
                scaled.relative[:, span]
                @ sparse.kron(sparse.eye_array(term.copies), block.T, format="csr")
            ).toarray()  # ZΛΛ'
            lost = np.sum(carried * self._weighted(carried), axis=0)
            out[span] = np.tile(whole.diagonal(), term.copies) - lost
        return out
