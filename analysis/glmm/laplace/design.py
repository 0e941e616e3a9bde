"""The model's structure on its grid: fixed columns, random terms, products with Z and Z'.

Vectors of random effects (b, u and their like) are one array of all terms, in the formula's
order and then the kernels'; ``Design.span(t)`` is the part of term t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import calls
from capability_transfer.analysis.glmm.codes import encode
from capability_transfer.analysis.glmm.columns import Levels
from capability_transfer.analysis.glmm.diagnostics import check_terms, redundant_terms
from capability_transfer.analysis.glmm.formula import Formula
from capability_transfer.analysis.glmm.laplace.kernels import Kernel
from capability_transfer.analysis.glmm.laplace.layout import Layout, find_layout
from capability_transfer.analysis.glmm.laplace.terms import Term, formula_term, kernel_term
from capability_transfer.common.errors import InputError, name_some
from scipy import sparse

WIDEST_BLOCK = 8  # a term with larger blocks T is not eliminated


@dataclass(frozen=True, eq=False)
class Design:
    """Everything about a model but its counts.

    Fixed columns are centred (if there is an intercept) and scaled: X β = fixed γ with
    β = ``unscale`` γ, so that covariates of any size are well conditioned.

    Attributes:
        layout: the grid and the place of every row in it.
        levels: of the covariates that are factors; ``dropped`` are fixed columns that are
            combinations of others, ``redundant`` pairs of random terms (``diagnostics``).
        fixed: units × columns of X, centred and scaled; ``names`` are R's.
        offset: log-odds, by unit.
        floor: of the probability of success, units × columns; None if it is zero everywhere.
        terms: random terms; ``eliminated`` is the position of the one with most effects.
    """

    layout: Layout
    levels: Levels
    dropped: list[str]
    redundant: list[str]
    fixed: np.ndarray
    names: list[str]
    unscale: np.ndarray
    offset: np.ndarray
    floor: np.ndarray | None
    terms: list[Term]
    eliminated: int
    starts: np.ndarray
    unit_index: np.ndarray
    unit_value: np.ndarray | None
    loadings: list[sparse.csr_array | None]

    @property
    def shape(self) -> tuple[int, int]:
        """Units and columns."""
        return self.layout.units, self.layout.columns

    @property
    def effects(self) -> int:
        """The number of random effects."""
        return int(self.starts[-1])

    @property
    def parameters(self) -> int:
        """The number of entries of θ."""
        return sum(term.parameters for term in self.terms)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Fixed effects, then θ in lme4's names."""
        return (*self.names, *(name for term in self.terms for name in term.theta_names()))

    @property
    def theta_scale(self) -> np.ndarray:
        """What θ on the scaled covariates is divided by to be on the data's own."""
        return np.concatenate([term.scale[term.triangle()[0]] for term in self.terms])

    def span(self, t: int) -> slice:
        """Where term t's effects stand in a vector of all random effects."""
        return slice(self.starts[t], self.starts[t + 1])

    def blocks(self, theta: np.ndarray) -> list[np.ndarray]:
        """T of every term, from θ on the scaled covariates."""
        ends = np.cumsum([term.parameters for term in self.terms])[:-1]
        parts = np.split(theta, ends)
        return [term.block(part) for term, part in zip(self.terms, parts, strict=True)]

    def random_part(self, b: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Z b as a part by unit and a part by cell (None without cross terms)."""
        loaded = b[self.unit_index]
        if self.unit_value is not None:
            loaded = loaded * self.unit_value
        cross = None
        for t, term in enumerate(self.terms):
            if term.cross:
                rows = b[self.span(t)].reshape(-1, term.width)
                part = rows if self.loadings[t] is None else self.loadings[t] @ rows
                cross = part if cross is None else cross + part
        return loaded.sum(axis=1), cross

    def predictor(self, gamma: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The linear predictor (log-odds) as a part by unit and a part by cell."""
        unit, cross = self.random_part(b)
        return unit + self.fixed @ gamma + self.offset, cross

    def transpose(self, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """X' y and Z' y of y: units × columns."""
        by_unit = cells @ np.ones(cells.shape[1]) if cells.shape[1] > 1 else cells[:, 0]
        weights = np.broadcast_to(by_unit[:, None], self.unit_index.shape)
        if self.unit_value is not None:
            weights = weights * self.unit_value
        out = np.bincount(self.unit_index.ravel(), weights.ravel(), minlength=self.effects)
        out = out.astype(float, copy=False)  # of nothing, bincount makes integers
        for t, term in enumerate(self.terms):
            if term.cross:
                loading = self.loadings[t]
                rows = np.ones(len(cells)) @ cells if loading is None else loading.T @ cells
                out[self.span(t)] = np.ravel(rows)
        return by_unit @ self.fixed, out

    def transpose_fixed(self, weight: np.ndarray) -> np.ndarray:
        """Z'WX: effects × fixed columns; ``weight`` is units × columns."""
        columns = [self.transpose(weight * x[:, None])[1] for x in self.fixed.T]
        return np.column_stack([np.zeros((self.effects, 0)), *columns])


def build(
    formula: Formula, data: pd.DataFrame, kernels: Sequence[Kernel] = (), grid: bool = True
) -> Design:
    """Find the structure of ``data``, which have passed ``formula.check``, under a model.

    ``grid=False`` keeps rows as units whatever the data offer. Raises InputError for terms that
    cannot be identified (``diagnostics.check_terms``) and for kernels that do not fit the data.
    """
    _check_kernels(formula, data, kernels)
    known = formula.levels(data)
    covariates = formula.covariates().union(*map(calls.columns, formula.offsets))
    kernel_factors = {name for kernel in kernels for name in kernel.factors()}
    grouping = {name for term in formula.random for name in term.factors} | kernel_factors
    codes = {name: encode(data[name]) for name in sorted(covariates | grouping)}
    fixed_by_unit = covariates | {kernel.factor for kernel in kernels}
    candidates = sorted(grouping - fixed_by_unit) if grid else []
    layout, floors = find_layout(codes, candidates), formula.floors(data)
    if (_by_cell(layout, floors)[layout.unit, layout.column] != floors).any():
        codes[""] = encode(pd.Series(floors))  # rows of a cell must have one floor
        layout = find_layout(codes, candidates)
    names = _check_terms(formula, data, known, layout)

    def terms_on(layout: Layout) -> list[Term]:
        plain = [formula_term(term, data, known, layout, codes) for term in formula.random]
        return plain + [kernel_term(kernel, layout, codes) for kernel in kernels]

    terms = terms_on(layout)
    eliminated = _largest(terms)
    if terms[eliminated].cross and terms[eliminated].q > 1:
        return build(formula, data, kernels, grid=False)
    # Units that share a level of the eliminated term stand together.
    layout = layout.reordered(np.argsort(terms[eliminated].index[:, 0], kind="stable"))
    terms = terms_on(layout)
    fixed, all_names = formula.fixed_matrix(data.iloc[layout.first], known)
    fixed, unscale = _scaled(fixed[:, [all_names.index(name) for name in names]])
    starts = np.concatenate([[0], np.cumsum([term.size for term in terms])]).astype(np.intp)
    unit_terms = [t for t, term in enumerate(terms) if not term.cross]
    none = np.zeros((layout.units, 0))
    index = [none.astype(np.intp), *(terms[t].index + starts[t] for t in unit_terms)]
    value = np.concatenate([none, *(terms[t].value for t in unit_terms)], axis=1)
    return Design(
        layout=layout,
        levels=known,
        dropped=[name for name in all_names if name not in names],
        redundant=redundant_terms(formula, data, known),
        fixed=fixed,
        names=names,
        unscale=unscale,
        offset=formula.offset(data.iloc[layout.first]),
        floor=_by_cell(layout, floors) if floors.any() else None,
        terms=terms,
        eliminated=eliminated,
        starts=starts,
        unit_index=np.concatenate(index, axis=1),
        unit_value=None if (value == 1).all() else value,
        loadings=[loading(term) if term.cross else None for term in terms],
    )


def loading(term: Term) -> sparse.csr_array | None:
    """A cross term's units × (copies · q) loadings; None if every unit loads 1 on one column."""
    if term.copies * term.q == 1 and (term.value == 1).all():
        return None
    units, k = term.index.shape
    pointers = np.arange(0, units * k + 1, k)
    return sparse.csr_array(
        (term.value.ravel(), term.index.ravel(), pointers), shape=(units, term.copies * term.q)
    )


def _by_cell(layout: Layout, rows: np.ndarray) -> np.ndarray:
    """A value of every cell's rows, units × columns; zero where a cell has none."""
    out = np.zeros((layout.units, layout.columns))
    out[layout.unit, layout.column] = rows
    return out


def _check_kernels(formula: Formula, data: pd.DataFrame, kernels: Sequence[Kernel]) -> None:
    taken = {term.group for term in formula.random}
    for kernel in kernels:
        if kernel.name in taken:
            raise InputError(f"two random terms are called {kernel.name}")
        taken.add(kernel.name)
        if absent := [name for name in kernel.factors() if name not in data.columns]:
            raise InputError(f"kernel {kernel.name} needs {name_some(absent)}, not in the data")
        for name in kernel.factors():
            if (missing := data[name].isna()).any():
                rows = name_some(data.index[missing], 5)
                raise InputError(f"column {name} is missing in row {rows}")


def _check_terms(formula: Formula, data: pd.DataFrame, known: Levels, layout: Layout) -> list[str]:
    """``check_terms`` on rows that show every unit and every level of the column factor."""
    rows = layout.first
    if layout.factor is not None:
        _, of_columns = np.unique(layout.column, return_index=True)
        rows = np.union1d(rows, of_columns)
    return check_terms(formula, data.iloc[rows], known)


def _largest(terms: list[Term]) -> int:
    """The term to eliminate: most effects among those whose Z'WZ is block diagonal.

    Every indicator term's is, with blocks of q × q; a cross term must have one effect per level.
    """

    def rank(term: Term) -> tuple[bool, bool, int]:
        return term.root is None, term.q <= (1 if term.cross else WIDEST_BLOCK), term.size

    return max(range(len(terms)), key=lambda t: rank(terms[t]))


def _scaled(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns of SD 1, centred if a constant column can take the shift, and the way back."""
    constant = np.ptp(matrix, axis=0) == 0
    lone = np.flatnonzero(constant & (matrix[:1] != 0).all(axis=0))
    centre = matrix.mean(axis=0) if len(lone) else np.zeros(matrix.shape[1])
    centre[constant] = 0.0
    spread = np.sqrt(np.mean((matrix - centre) ** 2, axis=0))
    spread[constant | (spread == 0)] = 1.0
    unscale = np.diag(1 / spread)
    if len(lone):
        unscale[lone[0]] -= np.where(constant, 0.0, centre / spread) / matrix[0, lone[0]]
    return np.ascontiguousarray((matrix - centre) / spread), unscale
