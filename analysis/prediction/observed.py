"""A user's few evaluated templates: the cells of the model and languages that are asked about."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.features.languages import resolve
from capability_transfer.features.names import same


def of_model(
    cells: pd.DataFrame, variant: str, asked: str | None, languages: Collection[str], source: str
) -> pd.DataFrame:
    """The rows of ``cells`` that calibrate a prediction, under the registry's language codes.

    Args:
        cells: variant, language, template, n_correct, n_total.
        variant: the model, by its label and as the user named it; cells of a single variant are
            taken to be its.
        asked: see ``variant``.
        languages: those predicted.
        source: what the cells are, for messages.

    Raises InputError where there are none.
    """
    known = set(languages)
    try:
        codes = {
            code: code if code in known else resolve(code) for code in cells["language"].unique()
        }
    except InputError as error:
        raise error.at(f"{source}: ") from error
    cells = cells.assign(language=cells["language"].map(codes))
    labels = cells["variant"].unique()
    meant = [name for name in (variant, asked) if name is not None]
    own = [label for label in labels if any(same(label, name) for name in meant)]
    if not own and len(labels) > 1:
        raise InputError(f"{source} has no rows of {variant}; it has {name_some(labels)}")
    mine = cells["variant"].isin(own) | (len(labels) == 1)
    kept = cells[mine & cells["language"].isin(known)]
    if kept.empty:
        raise InputError(f"{source} has no rows in {name_some(known)}: nothing to calibrate with")
    return kept
