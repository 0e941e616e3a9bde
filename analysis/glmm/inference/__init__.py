"""Inference beyond Wald: likelihood-ratio tests, profile intervals, the parametric bootstrap.

All of it refits one model many times, which our own engine makes cheap. Interval tables have the
columns of ``intervals.COLUMNS`` whatever the method.
"""

from capability_transfer.analysis.glmm.inference.bootstrap import Bootstrap, bootstrap
from capability_transfer.analysis.glmm.inference.intervals import (
    METHODS,
    t_intervals,
    wald_intervals,
)
from capability_transfer.analysis.glmm.inference.likelihood_ratio import (
    LikelihoodRatio,
    likelihood_ratio_test,
)
from capability_transfer.analysis.glmm.inference.profile import profile_intervals
from capability_transfer.analysis.glmm.inference.simulate import simulate

__all__ = [
    "METHODS",
    "Bootstrap",
    "LikelihoodRatio",
    "bootstrap",
    "likelihood_ratio_test",
    "profile_intervals",
    "simulate",
    "t_intervals",
    "wald_intervals",
]
