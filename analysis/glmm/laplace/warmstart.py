"""Starting a fit where another one ended: parameters, modes and information, matched by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.start import FIRST_SD, SMALLEST_SD
from capability_transfer.analysis.glmm.laplace.terms import Term
from capability_transfer.analysis.glmm.result import Fit


@dataclass(frozen=True, eq=False)
class WarmStart:
    """Where to begin, in names and natural units (log-odds), so that designs may differ.

    A fold that lacks a language, or a model with other terms, takes what it knows and begins the
    rest as a cold fit would.

    Attributes:
        fixed: fixed effects by term.
        sds: random-effect SDs by (group, covariate).
        correlations: by (group, covariate, covariate).
        modes: group, term, level and mode, or None.
        information: about ``parameters`` (fixed effects, then θ), or None; zero about those that
            were not free. It is used only if the new model has exactly these parameters.
        parameters: names of its rows.
        shape: of the SDs' distribution, where draws of similar data may start from it.
    """

    fixed: Mapping[str, float]
    sds: Mapping[tuple[str, str], float]
    correlations: Mapping[tuple[str, str, str], float]
    modes: pd.DataFrame | None = None
    information: np.ndarray | None = None
    parameters: tuple[str, ...] = ()
    shape: object = None

    @classmethod
    def of(cls, fit: Fit) -> WarmStart:
        """The start at a fit of any engine; a ``Fit`` keeps no information matrix."""
        sds, pairs = fit.random_effects, fit.correlations
        return cls(
            fixed=fit.coefficients.to_dict(),
            sds={(row.group, row.term): row.sd for row in sds.itertuples()},
            correlations={
                (row.group, row.term_1, row.term_2): row.correlation for row in pairs.itertuples()
            },
            modes=fit.modes,
        )

    def beta(self, design: Design) -> np.ndarray:
        """Fixed effects of the design's columns; unknown ones are zero."""
        return np.array([self.fixed.get(name, 0.0) for name in design.names])

    def block(self, term: Term, least: float = SMALLEST_SD) -> np.ndarray:
        """T of a term on the scaled covariates; SDs are at least ``least``, as zero is a trap."""
        known = [self.sds.get((term.group, name)) for name in term.columns]
        if term.root is not None:
            sd = FIRST_SD if known[0] is None else known[0]
            return max(sd, least) * term.root
        sd = np.array([FIRST_SD if s is None else max(s * c, least)
                       for s, c in zip(known, term.scale, strict=True)])  # fmt: skip
        matrix = np.eye(term.q)
        for i, first in enumerate(term.columns):
            for j, second in enumerate(term.columns[:i]):
                pair = self.correlations.get((term.group, second, first))
                if pair is None:
                    pair = self.correlations.get((term.group, first, second), 0.0)
                matrix[i, j] = matrix[j, i] = np.clip(pair, -0.999, 0.999)
        values, vectors = np.linalg.eigh(matrix * sd[:, None] * sd)
        floor = (least / 2) ** 2
        return np.linalg.cholesky((vectors * np.maximum(values, floor)) @ vectors.T)

    def effects(self, design: Design, blocks: list[np.ndarray]) -> np.ndarray | None:
        """The modes as u = T⁻¹ b; zero for unknown levels, None if there are no modes."""
        if self.modes is None:
            return None
        group, name_of = (self.modes[key].to_numpy() for key in ("group", "term"))
        out = np.zeros(design.effects)
        for t, term in enumerate(design.terms):
            part = np.zeros((term.copies, term.q, term.width))
            for a, name in enumerate(term.columns):
                own = self.modes[(group == term.group) & (name_of == name)]
                if own.empty:
                    continue
                known = own.set_index("level")["mode"]
                found = known.reindex(term.levels).fillna(0.0).to_numpy(dtype=float)
                if term.root is not None:
                    part = found.reshape(part.shape)
                else:
                    part[:, a] = found.reshape(term.copies, term.width) * term.scale[a]
            rows = part.swapaxes(0, 1).reshape(term.q, -1)
            solved = np.linalg.lstsq(blocks[t], rows, rcond=1e-10)[0]  # a root may be singular
            shape = (term.q, term.copies, term.width)
            out[design.span(t)] = solved.reshape(shape).swapaxes(0, 1).ravel()
        return out
