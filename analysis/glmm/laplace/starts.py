"""Further starts: where they are, and whether one optimum calls for them.

A binomial GLMM can have several maxima, and Laplace's likelihood ridges that never end. Where the
first one found is a clear peak, a second search has never been seen to find a better one; where
the likelihood is flat about an SD, it may. A correlation at ±1 is the edge of a clear peak.
"""

from __future__ import annotations

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.optimise import Optimum
from capability_transfer.analysis.glmm.laplace.terms import Term

AUTOMATIC = 8  # starts where the first one does not end at a clear peak
FLAT = 2.0  # log-odds per SD of the covariate: standard error of an SD that is known no better
SDS = (0.1, 20.0)  # log-odds, between which the starts' SDs lie


def is_clear(design: Design, optimum: Optimum) -> bool:
    """Whether an optimum is a peak on all sides: converged, definite, steep."""
    if not (optimum.converged and optimum.definite):
        return False
    free = np.flatnonzero(optimum.free)
    covariance = np.linalg.inv(optimum.information[np.ix_(free, free)])
    flat = (free >= len(design.names)) & (covariance.diagonal() > FLAT**2)
    if not flat.any():
        return True
    # groups that nearly coincide share one variance: a ridge where only its split is unknown
    sds = optimum.point.phi[free[flat]]
    total = sds / np.linalg.norm(sds)
    return bool(total @ covariance[np.ix_(flat, flat)] @ total <= FLAT**2)


def spread(design: Design, count: int) -> list[np.ndarray]:
    """``count`` values of θ on the scaled covariates, the same whenever they are asked for.

    SDs are spread evenly in their logarithms, every start having some of each size; directions
    of correlated effects are drawn.
    """
    generator = np.random.default_rng(8)
    rows = [_rows(term) for term in design.terms]
    total = sum(rows)
    places = np.stack([generator.permutation(count) for _ in range(total)], axis=1)
    sds = np.exp(np.interp((places + 0.5) / count, [0, 1], np.log(SDS)))
    found = []
    for own in sds:
        parts = np.split(own, np.cumsum(rows)[:-1])
        pairs = zip(design.terms, parts, strict=True)
        found.append(np.concatenate([_theta(term, part, generator) for term, part in pairs]))
    return found


def _rows(term: Term) -> int:
    return 1 if term.root is not None else term.q


def _theta(term: Term, sds: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    if term.root is not None:
        return sds
    block = np.tril(generator.standard_normal((term.q, term.q)))
    block *= (sds / np.linalg.norm(block, axis=1))[:, None]
    return block[term.triangle()]
