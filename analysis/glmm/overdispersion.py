"""Variation beyond the binomial: a random effect of every row, and what it does to the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.formula import Formula, RandomTerm
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common.errors import InputError, name_some

ATTENUATION = 16 * np.sqrt(3) / (15 * np.pi)
"""A normal effect of SD s left out of a logit model shrinks what remains by about
sqrt(1 + (ATTENUATION s)²) (Zeger, Liang & Albert 1988)."""


def with_observation_level(formula: Formula, data: pd.DataFrame, keys: Sequence[str]) -> Formula:
    """``formula`` with a random intercept of every row, the interaction of ``keys``.

    Raises InputError unless ``keys`` tell the rows of ``data`` apart, and where no row has more
    than one trial: a single trial cannot vary more than binomially.
    """
    term = RandomTerm("1", tuple(keys))
    if term in formula.random:
        raise InputError(f"the formula has the observation-level term {term} already")
    repeated = data.duplicated(list(keys))
    if repeated.any():
        rows = name_some(term.levels(data[repeated]).unique(), 3)
        raise InputError(f"{term.group} does not tell the rows apart: {rows} occurs twice")
    _, trials = formula.counts(data)
    if trials.max() <= 1:
        raise InputError(
            "an observation-level random effect needs rows of several trials (n_total above 1)"
        )
    return replace(formula, random=(*formula.random, term))


def compare(fit: Fit, observation: Fit) -> pd.DataFrame:
    """Fixed effects without and with the observation-level effect, ``observation``'s last term.

    Columns: term, estimate, std_error, statistic, the same with ``_observation``, and
    ``std_error_ratio``: the standard error with the effect over the one without it, both on the
    scale of the fit without it, since log-odds given a row's own effect are larger by about
    ``scale``, sqrt(1 + (ATTENUATION s)²) for an effect of SD s (``sd_observation``).
    """
    columns = ["term", "estimate", "std_error", "statistic"]
    both = fit.fixed_effects[columns].merge(
        observation.fixed_effects[columns],
        on="term",
        suffixes=("", "_observation"),
        validate="one_to_one",
    )
    sd = observation.sd(observation.formula.random[-1].group)
    scale = np.sqrt(1 + (ATTENUATION * sd) ** 2)
    ratio = both["std_error_observation"] / both["std_error"] / scale
    return both.assign(std_error_ratio=ratio, scale=scale, sd_observation=sd)
