"""The system matrix of large crossed designs without its dense factor: estimates by fixed probes.

S is scaled to I + N, with a diagonal of ones. Vectors v of random signs have E v v' = I, so that

    log|I + N|  =  −½ tr N² + E [v' log(I + N) v − v'Nv + ½ |Nv|²],
    (I + N)⁻¹   =  I − N + E [Nv · ((I + N)⁻¹ Nv)']

(Hutchinson 1990; Ubaru, Chen & Saad 2017). What is known without probes is taken from them, so
that the rest, and its error, are small. The probes are the same at every point: value and gradient
are smooth functions of the parameters.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from capability_transfer.analysis.glmm.laplace import conjugate
from capability_transfer.analysis.glmm.laplace.scalar import ScalarFactor, ScalarSystem

PROBES = 32
TOLERANCE = 1e-9  # relative, of the probes' solutions
NOISE = 0.1  # log-likelihood by which values and gradients may disagree within one search
WORK = 40_000  # multiplications of a dense inverse that take as long as an estimated entry
CHUNK = 100_000  # entries of the inverse that are summed at once


def pays(system: ScalarSystem) -> bool:
    """Whether estimates take less time than a dense factor and its inverse."""
    size, entries = float(system.size), len(system.entries) + 2 * len(system.met)
    return system.design.floor is None and entries * WORK < size**3


class ProbedSystem:
    """Builds estimated factors of H for a design that ``scalar.suits``."""

    def __init__(self, system: ScalarSystem, seed: int = 1):
        self.system, self.design = system, system.design
        signs = np.random.default_rng(seed).integers(0, 2, (system.size, PROBES))
        self.probes = 2.0 * signs - 1.0

    def factor(self, weight: np.ndarray, blocks: list[np.ndarray]) -> ProbedFactor:
        """H's estimated factor at the weights (units × 1) and the terms' SDs."""
        return ProbedFactor(self.system, weight[:, 0], blocks, self.probes)


class ProbedFactor(ScalarFactor):
    """H at one W and Λ: exact solutions, estimates of the determinant and of the inverse."""

    def __init__(
        self,
        system: ScalarSystem,
        weight: np.ndarray,
        blocks: list[np.ndarray],
        probes: np.ndarray,
    ):
        super().__init__(system, weight, blocks)
        self.probes = probes

    @cached_property
    def _solved(self) -> conjugate.Solution:
        return conjugate.solve(self.scaled, self.probes, TOLERANCE)

    @cached_property
    def _moved(self) -> np.ndarray:
        return self.scaled(self.probes) - self.probes  # Nv

    @cached_property
    def _beside(self) -> np.ndarray:
        """N, where P has entries; its diagonal is zero."""
        system, scale = self.system, self.sd / self.root_diagonal
        out = scale[system.row] * scale[system.column] * self.products
        out[system.diagonal] = 0.0
        return out

    @cached_property
    def log_determinant(self) -> float:
        """log|H|, estimated."""
        of_square = 2 * np.sum(self._beside**2)
        forms = self._solved.forms(np.log)
        forms += np.sum(self._moved * (self._moved / 2 - self.probes), axis=0)
        rest = np.log(self.diagonal).sum() - of_square / 2 + forms.mean()
        return self.own_log_determinant + float(rest)

    def _inverse(self) -> np.ndarray:
        """S⁻¹, where P has entries, estimated."""
        system = self.system
        moved, solved = self._moved, self.probes - self._solved.values  # (I + N)⁻¹Nv
        out = -self._beside
        out[system.diagonal] = 1.0
        for start in range(0, len(out), CHUNK):
            part = slice(start, start + CHUNK)
            both = moved[system.row[part]], solved[system.column[part]]
            out[part] += np.einsum("ev,ev->e", *both) / self.probes.shape[1]
        return out / (self.root_diagonal[system.row] * self.root_diagonal[system.column])
