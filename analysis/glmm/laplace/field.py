"""All effects of a model as one Gaussian field given its SDs, the fixed effects among them.

Fixed effects on the scaled columns γ get the prior N(0, ``WIDE``²), and are one more random term
of the design. What the engine computes of that design is then no longer a likelihood of (γ, θ) but

    π(y | θ) ≈ p(y, x̂ | θ) / π_G(x̂ | y, θ),   x = (u, γ),

the marginal likelihood of θ with the fixed effects integrated out (Tierney & Kadane 1986; Rue,
Martino & Chopin 2009, eq. 3), as REML has them for normal outcomes, with its exact gradient; and
π_G, normal with mean x̂ and precision H, is the distribution of the effects given θ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.likelihood import DECREMENT, Likelihood, Modes
from capability_transfer.analysis.glmm.laplace.model import Model
from capability_transfer.analysis.glmm.laplace.scalar import ScalarSystem
from capability_transfer.analysis.glmm.laplace.schur import SchurSystem
from capability_transfer.analysis.glmm.laplace.terms import Term

WIDE = 10.0
"""SD of the prior of a fixed effect, in log-odds per SD of its column: as good as flat."""


class Field:
    """The effects of a model given θ, on the scaled columns of its design.

    θ is in the order of ``Model.theta_names``, multiplied by ``design.theta_scale``.
    """

    def __init__(self, model: Model):
        self.model = model
        self.design = _all_random(model.design)
        kind = type(model.system)
        kind = SchurSystem if kind is ScalarSystem else kind  # the fixed effects are no scalars
        self.likelihood = Likelihood(self.design, model.likelihood.counts, kind(self.design))

    def blocks(self, theta: np.ndarray) -> list[np.ndarray]:
        """T of every term at θ, the fixed effects' last."""
        return self.design.blocks(np.append(theta, 1.0))

    def modes(
        self, theta: np.ndarray, u: np.ndarray | None = None, decrement: float = DECREMENT
    ) -> Modes:
        """x̂ and log π(y | θ), its ``value``; the search starts at ``u``, zero by default.

        ``decrement`` is Newton's at which the search ends. Raises FloatingPointError where the
        modes cannot be found.
        """
        return self.likelihood.modes(np.zeros(0), np.append(theta, 1.0), u=u, goal=decrement)

    def gradient(self, modes: Modes) -> np.ndarray:
        """∂/∂θ of log π(y | θ)."""
        return self.likelihood.gradient(modes)[1][:-1]

    def draws(self, modes: Modes, count: int, generator: np.random.Generator) -> np.ndarray:
        """``count`` draws from π_G as effects b of all terms and γ (effects × count)."""
        u = modes.u[:, None] + modes.factor.draws(count, generator)
        return self.likelihood.relative(modes.blocks, u)


def _all_random(design: Design) -> Design:
    """The design with its fixed columns as a random term, the last one, of SD ``WIDE``."""
    count = design.fixed.shape[1]
    units = design.shape[0]
    index = np.broadcast_to(np.arange(count), (units, count))
    term = Term(
        group="",
        columns=("(Intercept)",),
        levels=np.array(design.names, dtype=object),
        copies=1,
        q=count,
        width=1,
        index=index,
        value=design.fixed,
        scale=np.ones(count),
        root=WIDE * np.eye(count),
    )
    value = np.ones(design.unit_index.shape) if design.unit_value is None else design.unit_value
    return replace(
        design,
        fixed=np.zeros((units, 0)),
        names=[],
        unscale=np.zeros((0, 0)),
        terms=[*design.terms, term],
        starts=np.append(design.starts, design.effects + count),
        unit_index=np.concatenate([design.unit_index, index + design.effects], axis=1),
        unit_value=np.concatenate([value, design.fixed], axis=1),
        loadings=[*design.loadings, None],
    )
