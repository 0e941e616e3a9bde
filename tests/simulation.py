"""Outcomes of a known truth: crossed factors, normal effects of their levels, binomial answers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.special import expit


def crossed(**levels: int) -> pd.DataFrame:
    """Every combination of the levels of some factors, numbered from 0, the last changing first."""
    numbers = [range(count) for count in levels.values()]
    return pd.MultiIndex.from_product(numbers, names=list(levels)).to_frame(index=False)


def effects(rng, cells: pd.DataFrame, sds: Mapping[str, float]) -> np.ndarray:
    """The sum of normal effects in log-odds, per row of ``cells``.

    Args:
        rng: draws them in the order of ``sds``.
        cells: rows of ``crossed``.
        sds: SD by group, such as ``{"language": 0.4, "variant:language": 0.5}``; "" is an effect
            per row.
    """
    total = np.zeros(len(cells))
    for group, sd in sds.items():
        if not group:
            total += rng.normal(0, sd, len(cells))
            continue
        columns = [cells[name].to_numpy() for name in group.split(":")]
        shape = [column.max() + 1 for column in columns]
        total += rng.normal(0, sd, np.prod(shape))[np.ravel_multi_index(columns, shape)]
    return total


def answered(rng, cells: pd.DataFrame, eta: np.ndarray, trials: int = 20) -> pd.DataFrame:
    """The cells with right answers to ``trials`` questions each, at log-odds ``eta``."""
    return cells.assign(n_correct=rng.binomial(trials, expit(eta)), n_total=trials)


def named(cells: pd.DataFrame, **formats: str) -> pd.DataFrame:
    """The cells with names for the levels' numbers, as ``language="l{:02d}"`` says."""
    return cells.assign(**{name: cells[name].map(form.format) for name, form in formats.items()})
