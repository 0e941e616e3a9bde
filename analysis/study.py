"""The study's models by name, and its published estimates."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.published import read, values

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


def published(kind: str) -> pd.Series:
    """Published figures of one kind by name.

    Kinds: ``fixed`` (log-odds), ``random`` and ``baseline`` (SDs, log-odds), ``explained``
    (share of variance), ``mean`` and ``sd`` (Table 4), ``fit`` (log-likelihood, AIC).
    """
    return values("study_estimates", "name", kind=kind)


def published_predictions() -> pd.DataFrame:
    """Published errors of prediction for an unseen language.

    Columns: level (pair, language), predictor, truth, k (templates seen), statistic (mae in
    accuracy points, pearson), value, conf_low, conf_high, source.
    """
    return read("study_predictions")
