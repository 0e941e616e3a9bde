"""The study's models by name, and its published estimates."""

from __future__ import annotations

from functools import cache
from importlib import resources

import pandas as pd

RANDOM_TERMS = (
    "(1 | family) + (1 | base_model) + (1 | variant) + (1 | template) + (1 | language)"
    " + (1 | variant:language)"
)

MAIN = (
    "~ (resource + distance + fertility) * size"
    " + (resource + distance + fertility + size) * reasoning"
    f" + {RANDOM_TERMS}"
)
"""Eq. 1, Table 3: 13 fixed effects; base models are nested in families by their names."""

SIZE_ONLY = f"~ size + {RANDOM_TERMS}"
"""The baseline of the variance explained (section 4.2): size alone, the same random terms."""


@cache
def _published() -> pd.DataFrame:
    with (
        resources.files("capability_transfer.analysis")
        .joinpath("data/study_estimates.csv")
        .open() as file
    ):
        return pd.read_csv(file)


def published(kind: str) -> pd.Series:
    """Published figures of one kind by name.

    Kinds: ``fixed`` (log-odds), ``random`` and ``baseline`` (SDs, log-odds), ``explained``
    (share of variance), ``mean`` and ``sd`` (Table 4), ``fit`` (log-likelihood, AIC).
    """
    table = _published()
    return table[table["kind"] == kind].set_index("name")["estimate"]


@cache
def published_predictions() -> pd.DataFrame:
    """Published errors of prediction for an unseen language.

    Columns: level (pair, language), predictor, truth, k (templates seen), statistic (mae in
    accuracy points, pearson), value, conf_low, conf_high, source.
    """
    with (
        resources.files("capability_transfer.analysis")
        .joinpath("data/study_predictions.csv")
        .open() as file
    ):
        return pd.read_csv(file)
