"""Columns and interactions as integers, their levels labelled once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.columns import labels as text_of


@dataclass(frozen=True, eq=False)
class Codes:
    """A column as integers: ``codes`` (row → level) and the levels' labels."""

    codes: np.ndarray
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)


def encode(column: pd.Series) -> Codes:
    """Integer codes of a column, levels in order of appearance and labelled by their text."""
    codes, uniques = pd.factorize(column, use_na_sentinel=False)
    labels = np.asarray(text_of(pd.Series(uniques)), dtype=object)
    if len(set(labels)) < len(labels):  # 1 and "1" in one column are one level, as in lme4
        merge, labels = pd.factorize(labels)
        codes = merge[codes]
    return Codes(np.asarray(codes, dtype=np.intp), np.asarray(labels, dtype=object))


def interact(parts: Iterable[Codes]) -> Codes:
    """The levels that occur of an interaction, labels joined by a colon."""
    first, *others = parts
    codes, labels = first.codes, first.labels
    for part in others:
        codes, uniques = pd.factorize(codes * len(part) + part.codes)
        left, right = uniques // len(part), uniques % len(part)
        joined = pd.Series(labels[left]) + ":" + pd.Series(part.labels[right])
        labels = joined.to_numpy(dtype=object)  # a missing part stays missing
    return Codes(np.asarray(codes, dtype=np.intp), labels)
