"""The joint distribution of a fit's effects, and what it says of rows that were not fitted.

Given the SDs, fixed effects β and standardised random effects u (b = T u) are jointly normal to
the order of the Laplace approximation: their mean is the fit's, their precision is A'WA + D with A
the columns of both, W the binomial weights there, and D zero for β and one for u. A level that the
fit has not seen is drawn from its distribution, for which the SD counts as estimated: its square
is scaled by levels / χ²(df), as for normal effects, df being the levels less the fixed effects that
are constant within them.

A structured term (``Kernel``) says more of a new level: its mean is the kriging one from the
levels seen, and only the rest of its variance is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.special import expit

from analysis.glmm.formula import RandomTerm
from analysis.glmm.laplace.kernels import Kernel
from analysis.glmm.result import Fit

SMALLEST_EIGENVALUE = 1e-9  # of a kernel matrix, relative to its largest


class Posterior:
    """Effects of a fit as a joint normal distribution.

    Args:
        fit: of any engine.
        data: the rows it was fitted to.
        kernels: its structured terms; their matrices may have more levels than the fit had, about
            which the others then speak.
    """

    def __init__(self, fit: Fit, data: pd.DataFrame, kernels: Sequence[Kernel] = ()):
        self.formula = fit.formula
        x, names = fit.formula.fixed_matrix(data)
        self.names = names
        plain = [_Plain.of(term, fit, data, x) for term in fit.formula.random]
        self.terms = plain + [_Structured.of(kernel, fit) for kernel in kernels]
        self.mean = np.concatenate(
            [fit.coefficients.loc[names].to_numpy(), *(term.mean for term in self.terms)]
        )
        columns = self._columns(data)
        _, trials = fit.formula.counts(data)
        probability = expit(columns @ self.mean + fit.formula.offset(data))
        weight = trials * probability * (1 - probability)
        precision = (columns.T @ columns.multiply(weight[:, None]).tocsr()).toarray()
        known = np.arange(len(names), len(self.mean))
        precision[known, known] += 1.0
        self._factor = np.linalg.cholesky(precision)

    def extended(self, kernels: Sequence[Kernel]) -> Posterior:
        """The same effects, told of more levels: the same kernels with larger matrices."""
        larger = {kernel.name: kernel for kernel in kernels}
        other = copy(self)
        other.terms = [
            term.extended(larger[term.kernel.name]) if isinstance(term, _Structured) else term
            for term in self.terms
        ]
        return other

    def linear_predictor(
        self, rows: pd.DataFrame, groups: Collection[str] | None = None
    ) -> np.ndarray:
        """Log-odds of rows at the means: new levels at zero, or where their relatives put them.

        ``groups`` are the random terms that enter, all by default.
        """
        return self._columns(rows, groups) @ self.mean + self.formula.offset(rows)

    def draws(
        self,
        rows: pd.DataFrame,
        count: int,
        generator: np.random.Generator,
        groups: Collection[str] | None = None,
    ) -> np.ndarray:
        """Log-odds of rows (rows × ``count``): effects drawn jointly, new levels from theirs."""
        noise = generator.standard_normal((len(self.mean), count))
        columns = self._columns(rows, groups)
        if len(rows) < count:
            half = solve_triangular(self._factor, columns.T.toarray(), lower=True)
            eta = half.T @ noise
        else:  # the same, the smaller product first
            eta = columns @ solve_triangular(self._factor, noise, trans="T", lower=True)
        eta += (columns @ self.mean + self.formula.offset(rows))[:, None]
        for term in self.terms:
            if groups is None or term.group in groups:
                eta += term.fresh(rows, count, generator)
        return eta

    def draws_apart(
        self, rows: pd.DataFrame, size: int, count: int, generator: np.random.Generator
    ) -> np.ndarray:
        """Log-odds of rows (rows × ``count``), drawn jointly within blocks of ``size`` rows.

        Every block has the same random numbers, so its draws do not depend on which others are
        asked about; draws of different blocks say nothing of how these vary together.
        """
        columns = self._columns(rows)
        half = solve_triangular(self._factor, columns.T.toarray(), lower=True)
        parts = [(half.T @ half, None)]
        parts += [(term.fresh_covariance(rows), term.df) for term in self.terms]
        eta = (columns @ self.mean + self.formula.offset(rows)).reshape(-1, size, 1)
        for covariance, df in parts:
            noise = generator.standard_normal((size, count))
            if df is not None:
                noise *= np.sqrt(df / generator.chisquare(df, count))
            eta = eta + _triangular_roots(_diagonal_blocks(covariance, size)) @ noise
        return eta.reshape(len(rows), count)

    def simulated(
        self, rows: pd.DataFrame, kept: Collection[str], generator: np.random.Generator
    ) -> np.ndarray:
        """Log-odds of rows in a world of its own: fixed effects and the terms ``kept`` at their
        means, every other effect drawn from its distribution."""
        eta = self.linear_predictor(rows, kept)
        for term in self.terms:
            if term.group not in kept:
                eta += term.anew(rows, generator)
        return eta

    def covariance(self, rows: pd.DataFrame) -> np.ndarray:
        """Covariance of rows' log-odds (rows × rows), new levels included."""
        half = solve_triangular(self._factor, self._columns(rows).T.toarray(), lower=True)
        return half.T @ half + sum(term.fresh_covariance(rows) for term in self.terms)

    def _columns(
        self, rows: pd.DataFrame, groups: Collection[str] | None = None
    ) -> sparse.csr_array:
        parts = [sparse.csr_array(self.formula.fixed_matrix(rows)[0])]
        for term in self.terms:
            enters = groups is None or term.group in groups
            none = (len(rows), len(term.mean))
            parts.append(term.loadings(rows) if enters else sparse.csr_array(none))
        return sparse.hstack(parts, format="csr")


@dataclass(frozen=True, eq=False)
class _Plain:
    """A term of the formula: ``block`` is T, ``levels`` those that the fit has modes of."""

    term: RandomTerm
    levels: pd.Index
    block: np.ndarray
    mean: np.ndarray
    df: int

    @property
    def group(self) -> str:
        return self.term.group

    @classmethod
    def of(cls, term: RandomTerm, fit: Fit, data: pd.DataFrame, x: np.ndarray) -> _Plain:
        _, columns = term.matrix(data.iloc[:1])
        block = _covariance_root(term.group, columns, fit)
        table = fit.modes[fit.modes["group"] == term.group]
        modes = table[table["term"].isin(columns)].pivot(
            index="level", columns="term", values="mode"
        )[columns]
        u = np.linalg.lstsq(block, modes.to_numpy().T, rcond=1e-10)[0].T
        levels = term.levels(data)
        groups = pd.DataFrame(x).groupby(levels.to_numpy())
        constant = int(((groups.max() - groups.min()).max() < 1e-12).sum())
        return cls(term, modes.index, block, u.ravel(), max(len(modes) - constant, 2))

    def loadings(self, rows: pd.DataFrame) -> sparse.csr_array:
        place = self.levels.get_indexer(self.term.levels(rows))
        values = self.term.matrix(rows)[0] @ self.block
        return _spread(place, values, len(self.levels))

    def fresh(self, rows: pd.DataFrame, count: int, generator: np.random.Generator) -> np.ndarray:
        labels = self.term.levels(rows)
        new = self.levels.get_indexer(labels) < 0
        out = np.zeros((len(rows), count))
        if not new.any():
            return out
        codes, uniques = pd.factorize(labels[new])
        q = len(self.block)
        scale = np.sqrt(len(self.levels) / generator.chisquare(self.df, count))
        drawn = generator.standard_normal((len(uniques), q, count)) * scale
        values = self.term.matrix(rows)[0][new] @ self.block
        out[new] = np.einsum("rq,rqs->rs", values, drawn[codes])
        return out

    def anew(self, rows: pd.DataFrame, generator: np.random.Generator) -> np.ndarray:
        codes, uniques = pd.factorize(self.term.levels(rows))
        drawn = generator.standard_normal((len(uniques), len(self.block)))
        return np.sum(self.term.matrix(rows)[0] @ self.block * drawn[codes], axis=1)

    def fresh_covariance(self, rows: pd.DataFrame) -> np.ndarray:
        labels = self.term.levels(rows)
        values = self.term.matrix(rows)[0] @ self.block * np.sqrt(len(self.levels) / self.df)
        values = values * (self.levels.get_indexer(labels) < 0)[:, None]
        return (values @ values.T) * _same(labels)


@dataclass(frozen=True, eq=False)
class _Structured:
    """A kernel: each copy's effects are σ · ``root`` u at the levels seen, new ones kriged.

    ``basis`` takes covariances with the levels ``seen`` to loadings on u. ``reach`` has a row for
    every level of the kernel: its loadings on u before σ. ``rest`` and ``whole`` are roots of the
    covariance that is left of all levels given the levels seen, and of the kernel's matrix.
    """

    kernel: Kernel
    copies: pd.Index
    sd: float
    seen: pd.Index
    basis: np.ndarray
    reach: np.ndarray
    rest: np.ndarray
    whole: np.ndarray
    mean: np.ndarray
    df = None  # the SD of a structured term counts as known

    @property
    def group(self) -> str:
        return self.kernel.name

    @classmethod
    def of(cls, kernel: Kernel, fit: Fit) -> _Structured:
        table = fit.modes[fit.modes["group"] == kernel.name]
        sd = fit.sd(kernel.name)
        copies, level = _split_levels(table["level"], kernel)
        wide = pd.DataFrame({"copy": copies, "level": level, "mode": table["mode"].to_numpy()})
        wide = wide.pivot(index="copy", columns="level", values="mode")
        place = pd.Index([str(name) for name in kernel.levels]).get_indexer(wide.columns)
        values, vectors = np.linalg.eigh(
            np.asarray(kernel.matrix, dtype=float)[np.ix_(place, place)]
        )
        kept = values > SMALLEST_EIGENVALUE * values[-1]
        basis = vectors[:, kept] / np.sqrt(values[kept])
        u = wide.to_numpy() @ basis / sd if sd > 0 else np.zeros((len(wide), basis.shape[1]))
        empty = np.zeros((0, 0))
        unread = cls(kernel, wide.index, sd, wide.columns, basis, empty, empty, empty, u.ravel())
        return unread.extended(kernel)

    def extended(self, kernel: Kernel) -> _Structured:
        """The same effects under a kernel that speaks of more levels."""
        matrix = np.asarray(kernel.matrix, dtype=float)
        place = pd.Index([str(name) for name in kernel.levels]).get_indexer(self.seen)
        reach = matrix[:, place] @ self.basis
        rest = _psd_root(matrix - reach @ reach.T)
        return replace(self, kernel=kernel, reach=reach, rest=rest, whole=_psd_root(matrix))

    def _places(self, rows: pd.DataFrame) -> tuple[np.ndarray, pd.Series, np.ndarray]:
        by = self.kernel.by_factors()
        labels = (
            RandomTerm("1", by).levels(rows) if by else pd.Series("", index=rows.index, dtype=str)
        )
        names = pd.Index([str(name) for name in self.kernel.levels])
        level = names.get_indexer(rows[self.kernel.factor].astype(str))
        if (level < 0).any():
            absent = rows[self.kernel.factor][level < 0].unique()
            raise KeyError(f"kernel {self.kernel.name} has no {self.kernel.factor} {absent[0]}")
        return self.copies.get_indexer(labels), labels, level

    def loadings(self, rows: pd.DataFrame) -> sparse.csr_array:
        copy, _, level = self._places(rows)
        return _spread(copy, self.sd * self.reach[level], len(self.copies))

    def fresh(self, rows: pd.DataFrame, count: int, generator: np.random.Generator) -> np.ndarray:
        copy, labels, level = self._places(rows)
        out = np.zeros((len(rows), count))
        for known, root in ((True, self.rest), (False, self.whole)):
            which = (copy >= 0) == known
            if not which.any() or not np.abs(root[level[which]]).max(initial=0.0) > 1e-6:
                continue
            codes, uniques = pd.factorize(labels[which])
            noise = generator.standard_normal((len(uniques), root.shape[1], count))
            loads = self.sd * root[level[which]]
            out[which] = np.einsum("rk,rks->rs", loads, noise[codes])
        return out

    def anew(self, rows: pd.DataFrame, generator: np.random.Generator) -> np.ndarray:
        _, labels, level = self._places(rows)
        codes, uniques = pd.factorize(labels)
        drawn = generator.standard_normal((len(uniques), self.whole.shape[1]))
        return self.sd * np.sum(self.whole[level] * drawn[codes], axis=1)

    def fresh_covariance(self, rows: pd.DataFrame) -> np.ndarray:
        copy, labels, level = self._places(rows)
        roots = np.where((copy >= 0)[:, None], self.rest[level], self.whole[level]) * self.sd
        return (roots @ roots.T) * _same(labels)


def _covariance_root(group: str, columns: list[str], fit: Fit) -> np.ndarray:
    """T with T T' the covariance of a group's effects; zero SDs allowed."""
    sd = np.array([fit.sd(group, name) for name in columns])
    correlation = np.eye(len(columns))
    pairs = fit.correlations[fit.correlations["group"] == group]
    for row in pairs.itertuples():
        if row.term_1 in columns and row.term_2 in columns:
            i, j = columns.index(row.term_1), columns.index(row.term_2)
            correlation[i, j] = correlation[j, i] = row.correlation
    return sd[:, None] * _psd_root(correlation)


def _same(labels: pd.Series) -> np.ndarray:
    """Which pairs of rows have one label."""
    codes, _ = pd.factorize(labels)
    return codes[:, None] == codes


def _diagonal_blocks(matrix: np.ndarray, size: int) -> np.ndarray:
    """The square blocks of ``size`` along the diagonal (blocks × size × size)."""
    number = len(matrix) // size
    split = matrix.reshape(number, size, number, size)
    return split[np.arange(number), :, np.arange(number), :]


def _triangular_roots(blocks: np.ndarray) -> np.ndarray:
    """Lower triangular roots of positive semi-definite blocks; a pivot that is rounding is zero.

    Unlike a root of eigenvectors this one has no sign to choose, so equal blocks have equal draws.
    """
    root = np.zeros_like(blocks)
    for j in range(blocks.shape[1]):
        rest = blocks[:, :, j] - np.einsum("bik,bk->bi", root[:, :, :j], root[:, j, :j])
        positive = rest[:, j] > 1e-12 * blocks[:, j, j]
        pivot = np.sqrt(np.where(positive, rest[:, j], 1.0))
        root[:, j:, j] = np.where(positive[:, None], rest[:, j:] / pivot[:, None], 0.0)
    return root


def _psd_root(matrix: np.ndarray) -> np.ndarray:
    """A root of a positive semi-definite matrix, rounding below zero taken as zero."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def _spread(place: np.ndarray, values: np.ndarray, levels: int) -> sparse.csr_array:
    """Rows × (levels · q): each row's values in the columns of its level; none if it has no."""
    rows, q = values.shape
    seen = np.flatnonzero(place >= 0)
    columns = place[seen, None] * q + np.arange(q)
    index = (np.repeat(seen, q), columns.ravel())
    return sparse.csr_array((values[seen].ravel(), index), shape=(rows, levels * q))


def _split_levels(labels: pd.Series, kernel: Kernel) -> tuple[np.ndarray, np.ndarray]:
    """Copy and level of a kernel's mode labels (``copy:level``); levels hold no colon."""
    if not kernel.by_factors():
        return np.full(len(labels), ""), labels.to_numpy()
    parts = labels.str.rsplit(":", n=1)
    return parts.str[0].to_numpy(), parts.str[1].to_numpy()
