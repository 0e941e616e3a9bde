"""A fitted model with its rows as one file of plain data: a zip of a fit, a table and notes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.glmm.result import Fit, dumps, loads
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import replacing
from capability_transfer.common.kept import UNREADABLE


def save(fit: Fit, data: pd.DataFrame, told: Sequence[str], path: str | Path) -> Path:
    """Write a model, whole or not at all. Nothing in the file can run."""
    rows = io.BytesIO()
    data.to_parquet(rows)
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, contents in (
            ("model.fit", dumps(fit)),
            ("rows.parquet", rows.getvalue()),
            ("told.json", json.dumps(list(told)).encode()),
        ):
            archive.writestr(zipfile.ZipInfo(name), contents)
    return Path(path)


def load(path: str | Path) -> tuple[Fit, pd.DataFrame, tuple[str, ...]]:
    """What ``save`` wrote; raises InputError for any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            fit = loads(archive.read("model.fit"))
            data = pd.read_parquet(io.BytesIO(archive.read("rows.parquet")))
            told = tuple(map(str, json.loads(archive.read("told.json"))))
    except UNREADABLE as error:
        raise InputError(f"{path} is not a saved model: {error}") from error
    return fit, data, told
