"""Eliminating a term with one unit per level, beside one cross term that every unit loads with 1.

The design of the study: variant:language beside templates. Notation as in ``eliminate``. A unit's
row of A_ER is the sum of its weights at the rest's unit effects, and its weights at the columns.
"""

from __future__ import annotations

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.eliminate import Spread, inner_products
from capability_transfer.analysis.glmm.laplace.rest import Rest
from scipy import sparse


def suits(design: Design, rest: Rest) -> bool:
    """Whether the term to eliminate has one unit per level, each with loading 1."""
    term = design.terms[design.eliminated]
    one_each = term.q == 1 and len(term.index) == term.copies and (term.value == 1).all()
    return rest.plain and not term.cross and one_each


class DirectElimination:
    """Elimination without products of loadings; units are in the order of the levels."""

    q = 1

    def __init__(self, design: Design, rest: Rest):
        self.rest = rest
        self.to_units = sparse.csr_array(rest.unit_map.T)

    def load(self, weight: np.ndarray, by_unit: np.ndarray) -> np.ndarray:
        """Take in the weights; return A_E (levels × 1 × 1)."""
        self.weight, self.by_unit = weight, by_unit[:, None]
        return by_unit[:, None, None]

    def profile(self, weight: np.ndarray, by_unit: np.ndarray, spread: np.ndarray) -> np.ndarray:
        """P, from the weights, their sums by unit and M (``spread``)."""
        units, spread = self.rest.units, spread[:, 0]
        kept = 1.0 - self.by_unit * spread
        products = self.rest.products(kept * weight, kept[:, 0] * by_unit)
        within = np.diag(np.ones(len(weight)) @ weight)
        products[units:, units:] = within - inner_products(np.sqrt(spread) * weight)
        return products

    def times(self, x: np.ndarray) -> np.ndarray:
        """A_ER x: levels × right sides."""
        units = self.rest.units
        return self.by_unit * (self.to_units @ x[:units]) + self.weight @ x[units:]

    def transposed_times(self, y: np.ndarray) -> np.ndarray:
        """A_RE y: rest effects × right sides."""
        return np.concatenate([self.rest.unit_map @ (self.by_unit * y), self.weight.T @ y])

    def spread(self, covariance: np.ndarray, own: np.ndarray) -> Spread:
        """Leverages and K, from V of the rest and M (``own``)."""
        rest, units, m, by_unit = self.rest, self.rest.units, own[:, 0, 0], self.by_unit[:, 0]
        between, weight = rest.between(covariance), self.weight
        carried = weight @ covariance[units:, units:]  # A_ER V at the cross term
        carried += self.by_unit * between
        along = by_unit * rest.unit_leverage(covariance)  # A_ER V z
        along += np.einsum("ij,ij->i", weight, between)
        found = by_unit * along + np.einsum("ij,ij->i", weight, carried)
        carried *= m[:, None]
        between -= carried
        return Spread(found[:, None, None], m + m * found * m - 2 * m * along, None, between)
