"""The joint distribution of a fit's effects, and what it says of rows that were not fitted.

Means are the fit's: its modes at the maximum-likelihood SDs, new levels at zero. What is uncertain
is in draws (``laplace.sample``): each has its own SDs and, given these, its own effects; a level
that the fit has not seen is drawn from its distribution under the draw's SD. Few levels leave an SD
uncertain, so that predictions have longer tails than a normal distribution's.

A structured term (``Kernel``) says more of a new level: its mean is the kriging one from the
levels seen, and only the rest of its variance is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.formula import RandomTerm
from capability_transfer.analysis.glmm.laplace.kernels import Kernel
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.glmm.shares import sds_and_correlation
from scipy import sparse

SMALLEST_EIGENVALUE = 1e-9  # of a kernel matrix, relative to its largest
NORMAL_QUARTILE = 0.6745  # of the standard normal distribution


class Posterior:
    """Effects of a fit: their means, and draws once ``sampled``.

    Args:
        fit: of any engine.
        data: the rows it was fitted to.
        kernels: its structured terms; their matrices may have more levels than the fit had, about
            which the others then speak.
        model: that of the fit, where it is at hand: it is not kept.

    Attributes:
        count: the number of draws; 0 before ``sampled``.
    """

    def __init__(
        self,
        fit: Fit,
        data: pd.DataFrame,
        kernels: Sequence[Kernel] = (),
        model: laplace.Model | None = None,
    ):
        self.fit, self.data, self.kernels, self._model = fit, data, tuple(kernels), model
        self.formula = fit.formula
        self.names = list(fit.coefficients.index)
        plain = [_Plain.of(term, fit, data) for term in fit.formula.random]
        self.terms = plain + [_Structured.of(kernel, fit) for kernel in kernels]
        self.mean = np.concatenate([fit.coefficients, *(term.mean for term in self.terms)])
        self._draws = np.zeros((len(self.mean), 0), dtype=np.float32)

    def __getstate__(self) -> dict[str, object]:
        return vars(self) | {"_model": None}

    @property
    def count(self) -> int:
        return self._draws.shape[1]

    def shape(self) -> laplace.Shape:
        """Where the SDs are, for ``sampled`` of similar data."""
        return laplace.shape(self.fit, self.data, self.kernels, self._model)

    def sampled(self, count: int, seed: int, near: laplace.Shape | None = None) -> Posterior:
        """The same with ``count`` joint draws of SDs and effects.

        ``near`` is the ``shape`` of similar data. Raises FloatingPointError where the SDs have no
        mode.
        """
        drawn = laplace.sample(self.fit, self.data, self.kernels, count, seed, near, self._model)
        other = copy(self)
        other._model = None
        pairs = zip(self.terms, drawn.terms, strict=True)
        other.terms = [term.use_sample(own) for term, own in pairs]
        other._draws = self._effects(drawn).astype(np.float32)
        return other

    def _effects(self, drawn: laplace.Sample) -> np.ndarray:
        """Draws of all effects, in the order of ``mean``."""
        pairs = zip(self.terms, drawn.terms, strict=True)
        effects = [term.select_effects(own) for term, own in pairs]
        return np.concatenate([drawn.fixed.loc[self.names], *effects])

    def drawn(self) -> dict[str, object]:
        """The draws as plain arrays: ``effects``, and ``spreads`` of the terms' levels."""
        return {"effects": self._draws, "spreads": [term.spread for term in self.terms]}

    def with_drawn(self, drawn: dict[str, object]) -> Posterior:
        """The same with draws that ``drawn`` gave; raises ValueError for those of another fit."""
        effects, spreads = drawn["effects"], drawn["spreads"]
        shapes = [term.spread.shape[1:] for term in self.terms]
        count = effects.shape[1]
        if len(effects) != len(self.mean) or shapes != [spread.shape[1:] for spread in spreads]:
            raise ValueError("the draws are of another fit")
        if any(len(spread) != count for spread in spreads):
            raise ValueError("the draws of effects and of SDs differ in number")
        other = copy(self)
        other.terms = [term.replace_spread(s) for term, s in zip(self.terms, spreads, strict=True)]
        other._draws = effects.astype(np.float32)
        return other

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
        generator: np.random.Generator,
        groups: Collection[str] | None = None,
    ) -> np.ndarray:
        """Log-odds of rows (rows × ``count``) drawn jointly, new levels by ``generator``.

        Raises ValueError before ``sampled``."""
        (eta,) = self.draws_in_parts(rows, generator, [slice(0, len(rows))], groups)
        return eta

    def draws_in_parts(
        self,
        rows: pd.DataFrame,
        generator: np.random.Generator,
        parts: Sequence[slice],
        groups: Collection[str] | None = None,
    ) -> Iterator[np.ndarray]:
        """``draws`` of one part of the rows after the other, where those of all are too many."""
        found = [self._used(self._columns(rows, groups))]
        for term in self.terms:
            if groups is None or term.group in groups:
                found.append(term.draw_new(rows, generator))
        loadings, effects = zip(*found, strict=True)
        loadings, effects = sparse.hstack(loadings, format="csr"), np.concatenate(effects)
        offset = self.formula.offset(rows)[:, None] if self.formula.offsets else None
        for part in parts:
            eta = loadings[part] @ effects
            yield eta if offset is None else eta + offset[part]

    def draws_apart(self, rows: pd.DataFrame, noise: np.ndarray) -> np.ndarray:
        """Log-odds of rows (rows × ``count``), each drawn as if it alone were asked about.

        All rows have the same random numbers, ``noise`` (``count`` standard normals) for what is
        new in them: a row's draws do not depend on the other rows, and rows with the same new
        levels differ by what is known alone. How rows vary together is not in these draws.
        """
        loads, squares = zip(*(term.new_variance(rows) for term in self.terms), strict=True)
        eta = np.maximum(np.hstack(loads) @ np.vstack(squares), 0.0)  # in place: it may be large
        np.sqrt(eta, out=eta)
        eta *= noise
        eta += self._known(rows)
        return eta

    def slopes(self, rows: pd.DataFrame, column: str) -> np.ndarray:
        """What one unit more of a column adds to rows' log-odds, levels seen alone, in every draw
        (rows × ``count``)."""
        more = rows.assign(**{column: rows[column] + 1.0})
        loadings, effects = self._used(self._columns(more) - self._columns(rows))
        return loadings @ effects

    def world(self, kept: Collection[str], count: int, generator: np.random.Generator) -> Posterior:
        """A truth to simulate from: all ``count`` draws are the same effects, SDs are the fit's.

        Fixed effects and the terms ``kept`` are at their means, every other effect is drawn once
        from its distribution; only levels that the fit has not seen differ between the draws.
        """
        other = copy(self)
        other.terms = [term.use_fit(count) for term in self.terms]
        effects = [
            term.mean if term.group in kept else term.redraw(generator) for term in self.terms
        ]
        truth = np.concatenate([self.mean[: len(self.names)], *effects], dtype=np.float32)
        other._draws = np.repeat(truth[:, None], count, axis=1)
        return other

    def covariance(self, rows: pd.DataFrame) -> np.ndarray:
        """Covariance of rows' log-odds (rows × rows), new levels included: over the draws, or
        before ``sampled`` as if the SDs were the fit's."""
        if self.count:
            known = np.atleast_2d(np.cov(self._known(rows)))
        else:
            units, factor = laplace.known_sds(self.fit, self.data, self.kernels, self._model)
            added = self._columns(rows) @ self._effects(units)
            known = added @ factor.solve(added.T)
        return known + sum(term.new_covariance(rows) for term in self.terms)

    def _known(self, rows: pd.DataFrame) -> np.ndarray:
        """What the levels seen say of rows, in every draw."""
        loadings, effects = self._used(self._columns(rows))
        return loadings @ effects + self.formula.offset(rows)[:, None]

    def _used(self, columns: sparse.csr_array) -> tuple[sparse.csr_array, np.ndarray]:
        """Loadings on the effects that rows use, and all draws of these."""
        if not self.count:
            raise ValueError("this posterior has no draws: use the one that sampled() returns")
        columns.eliminate_zeros()
        used = np.unique(columns.indices)
        return columns[:, used], self._draws[used].astype(float)

    def _columns(
        self, rows: pd.DataFrame, groups: Collection[str] | None = None
    ) -> sparse.csr_array:
        parts = [sparse.csr_array(self.fit.fixed_matrix(rows))]
        for term in self.terms:
            enters = groups is None or term.group in groups
            none = (len(rows), len(term.mean))
            parts.append(term.loadings(rows) if enters else sparse.csr_array(none))
        return sparse.hstack(parts, format="csr")


def central_sd(draws: np.ndarray) -> np.ndarray:
    """The SD of the normal distribution with the quartiles of draws (along the last axis)."""
    low, high = np.quantile(draws, [0.25, 0.75], axis=-1)
    return (high - low) / (2 * NORMAL_QUARTILE)


@dataclass(frozen=True, eq=False)
class _Plain:
    """A term of the formula.

    ``levels`` are those that the fit has modes of, ``mean`` the modes (level by level), ``block``
    a root of the covariance of a level's effects, and ``root`` that of every draw
    (draws × q × q).
    """

    term: RandomTerm
    fit: Fit
    levels: pd.Index
    mean: np.ndarray
    block: np.ndarray
    root: np.ndarray

    @property
    def group(self) -> str:
        return self.term.group

    @classmethod
    def of(cls, term: RandomTerm, fit: Fit, data: pd.DataFrame) -> _Plain:
        _, columns = fit.random_matrix(term, data.iloc[:1])
        table = fit.modes[fit.modes["group"] == term.group]
        table = table[table["term"].isin(columns)]
        if len(columns) == 1:
            modes = table.set_index("level")[["mode"]].sort_index()
        else:
            modes = table.pivot(index="level", columns="term", values="mode")[columns]
        block = _covariance_root(term.group, columns, fit)
        return cls(term, fit, modes.index, modes.to_numpy().ravel(), block, block[None])

    @property
    def spread(self) -> np.ndarray:
        """The root of every draw."""
        return self.root

    def replace_spread(self, spread: np.ndarray) -> _Plain:
        return replace(self, root=spread)

    def use_sample(self, drawn: laplace.TermSample) -> _Plain:
        return self.replace_spread(drawn.root)

    def select_effects(self, drawn: laplace.TermSample) -> np.ndarray:
        """Draws of the effects, in the order of ``mean``."""
        place = pd.Index(drawn.levels).get_indexer(self.levels)
        return drawn.effects[place].reshape(len(self.mean), -1)

    def extended(self, kernel: Kernel) -> _Plain:
        return self

    def loadings(self, rows: pd.DataFrame) -> sparse.csr_array:
        place = self.levels.get_indexer(self.term.levels(rows))
        return _spread(place, self.fit.random_matrix(self.term, rows)[0], len(self.levels))

    def draw_new(
        self, rows: pd.DataFrame, generator: np.random.Generator
    ) -> tuple[sparse.csr_array, np.ndarray]:
        """How rows load on effects of new levels, and draws of these."""
        labels, values = self._new(rows)
        codes, uniques = pd.factorize(labels)
        count, q, _ = self.root.shape
        drawn = generator.standard_normal((len(uniques), q, count))
        entering = values.any(axis=1)
        new, place = np.unique(codes[entering], return_inverse=True)
        level = np.full(len(rows), -1)
        level[entering] = place
        effects = np.einsum("sab,lbs->las", self.root, drawn[new])
        return _spread(level, values, len(new)), effects.reshape(-1, count)

    def new_variance(self, rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Factors of what new levels add: rows × squares, times squares × draws."""
        _, values = self._new(rows)
        squares = np.einsum("sab,scb->acs", self.root, self.root)
        products = values[:, :, None] * values[:, None, :]
        return products.reshape(len(rows), -1), squares.reshape(-1, len(self.root))

    def new_covariance(self, rows: pd.DataFrame) -> np.ndarray:
        labels, values = self._new(rows)
        covariance = np.einsum("sab,scb->ac", self.root, self.root) / len(self.root)
        return values @ covariance @ values.T * _same(labels)

    def use_fit(self, count: int) -> _Plain:
        return replace(self, root=np.broadcast_to(self.block, (count, *self.block.shape)))

    def redraw(self, generator: np.random.Generator) -> np.ndarray:
        drawn = generator.standard_normal((len(self.levels), len(self.block)))
        return (drawn @ self.block.T).ravel()

    def _new(self, rows: pd.DataFrame) -> tuple[pd.Series, np.ndarray]:
        """Labels of rows, and their covariates where the label is new, zero elsewhere."""
        labels = self.term.levels(rows)
        covariates, _ = self.fit.random_matrix(self.term, rows)
        return labels, covariates * (self.levels.get_indexer(labels) < 0)[:, None]


@dataclass(frozen=True, eq=False)
class _Structured:
    """A kernel: effects of the levels ``seen`` have covariance σ² K, new ones are kriged.

    ``basis`` takes effects to independent coordinates, of which ``mean`` has those of every copy;
    ``reach`` has the loadings on them of every level of the kernel. ``sd`` is σ of the fit,
    ``sds`` that of every draw.
    """

    kernel: Kernel
    copies: pd.Index
    seen: pd.Index
    basis: np.ndarray
    mean: np.ndarray
    sd: float
    sds: np.ndarray

    @property
    def group(self) -> str:
        return self.kernel.name

    @classmethod
    def of(cls, kernel: Kernel, fit: Fit) -> _Structured:
        table = fit.modes[fit.modes["group"] == kernel.name]
        copies, level = _split_levels(table["level"], kernel)
        wide = pd.DataFrame({"copy": copies, "level": level, "mode": table["mode"].to_numpy()})
        wide = wide.pivot(index="copy", columns="level", values="mode")
        place = _names(kernel).get_indexer(wide.columns)
        values, vectors = np.linalg.eigh(
            np.asarray(kernel.matrix, dtype=float)[np.ix_(place, place)]
        )
        kept = values > SMALLEST_EIGENVALUE * values[-1]
        basis = vectors[:, kept] / np.sqrt(values[kept])
        mean = (wide.to_numpy() @ basis).ravel()
        sd = fit.sd(kernel.name)
        return cls(kernel, wide.index, wide.columns, basis, mean, sd, np.array([sd]))

    @property
    def spread(self) -> np.ndarray:
        """The SD of every draw."""
        return self.sds

    def replace_spread(self, spread: np.ndarray) -> _Structured:
        return replace(self, sds=spread)

    def use_sample(self, drawn: laplace.TermSample) -> _Structured:
        return self.replace_spread(drawn.root[:, 0, 0])

    def select_effects(self, drawn: laplace.TermSample) -> np.ndarray:
        """Draws of the coordinates, in the order of ``mean``."""
        between = "{}:{}" if self.kernel.by_factors() else "{}{}"
        labels = [between.format(copy, level) for copy in self.copies for level in self.seen]
        effects = drawn.effects[pd.Index(drawn.levels).get_indexer(labels), 0]
        effects = effects.reshape(len(self.copies), len(self.seen), -1)
        return np.einsum("cls,lk->cks", effects, self.basis).reshape(len(self.mean), -1)

    def extended(self, kernel: Kernel) -> _Structured:
        """The same effects under a kernel that speaks of more levels."""
        return replace(self, kernel=kernel)

    @cached_property
    def reach(self) -> np.ndarray:
        place = _names(self.kernel).get_indexer(self.seen)
        return np.asarray(self.kernel.matrix, dtype=float)[:, place] @ self.basis

    @cached_property
    def rest(self) -> np.ndarray:
        """A root of K's part that is left of all levels given those seen."""
        return _psd_root(np.asarray(self.kernel.matrix, dtype=float) - self.reach @ self.reach.T)

    @cached_property
    def whole(self) -> np.ndarray:
        """A root of K."""
        return _psd_root(np.asarray(self.kernel.matrix, dtype=float))

    def _places(self, rows: pd.DataFrame) -> tuple[np.ndarray, pd.Series, np.ndarray]:
        by = self.kernel.by_factors()
        labels = (
            RandomTerm("1", by).levels(rows) if by else pd.Series("", index=rows.index, dtype=str)
        )
        level = _names(self.kernel).get_indexer(rows[self.kernel.factor].astype(str))
        if (level < 0).any():
            absent = rows[self.kernel.factor][level < 0].unique()
            raise KeyError(f"kernel {self.kernel.name} has no {self.kernel.factor} {absent[0]}")
        return self.copies.get_indexer(labels), labels, level

    def loadings(self, rows: pd.DataFrame) -> sparse.csr_array:
        copy, _, level = self._places(rows)
        return _spread(copy, self.reach[level], len(self.copies))

    def draw_new(
        self, rows: pd.DataFrame, generator: np.random.Generator
    ) -> tuple[sparse.csr_array, np.ndarray]:
        """As ``_Plain.draw_new``: effects are those of each copy's part that is left."""
        copy, labels, level = self._places(rows)
        loadings, effects = [], []
        for known in (True, False):
            which = (copy >= 0) == known
            if not which.any():
                continue
            root = self.rest if known else self.whole
            codes, uniques = pd.factorize(labels[which])
            noise = generator.standard_normal((len(uniques), root.shape[1], len(self.sds)))
            place = np.full(len(rows), -1)
            place[which] = codes
            # of levels seen nothing is left
            some = np.sum(root**2, axis=0) > SMALLEST_EIGENVALUE
            loadings.append(_spread(place, root[level][:, some], len(uniques)))
            effects.append((self.sds * noise[:, some]).reshape(-1, len(self.sds)))
        return sparse.hstack(loadings, format="csr"), np.concatenate(effects)

    def new_variance(self, rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        copy, _, level = self._places(rows)
        whole = np.diagonal(np.asarray(self.kernel.matrix, dtype=float))[level]
        known = np.where(copy >= 0, np.sum(self.reach**2, axis=1)[level], 0.0)
        return np.maximum(whole - known, 0.0)[:, None], self.sds[None] ** 2

    def new_covariance(self, rows: pd.DataFrame) -> np.ndarray:
        copy, labels, level = self._places(rows)
        whole = np.asarray(self.kernel.matrix, dtype=float)[np.ix_(level, level)]
        loads = self.reach[level] * (copy >= 0)[:, None]
        return np.mean(self.sds**2) * (whole - loads @ loads.T) * _same(labels)

    def use_fit(self, count: int) -> _Structured:
        return replace(self, sds=np.full(count, self.sd))

    def redraw(self, generator: np.random.Generator) -> np.ndarray:
        return self.sd * generator.standard_normal(len(self.mean))


def _names(kernel: Kernel) -> pd.Index:
    return pd.Index([str(name) for name in kernel.levels])


def _covariance_root(group: str, columns: list[str], fit: Fit) -> np.ndarray:
    """T with T T' the covariance of a group's effects; zero SDs allowed."""
    sds, correlation = sds_and_correlation(fit, group, columns)
    return sds[:, None] * _psd_root(correlation)


def _same(labels: pd.Series) -> np.ndarray:
    """Which pairs of rows have one label."""
    codes, _ = pd.factorize(labels)
    return codes[:, None] == codes


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
