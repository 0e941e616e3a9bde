"""Finished fits are kept, keyed by what they were fitted to and how."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.glmm.engines import engine
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.result import FORMAT, Fit, load, save
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import hash_project, hash_settings, hash_table


def cached_fit(
    name: str,
    formula: Formula | str,
    data: pd.DataFrame,
    cache: Path | None,
    *,
    provenance: dict | None = None,
    **options: object,
) -> Fit:
    """Fit by the engine ``name``, or read the same fit from ``cache``.

    The key hashes the formula's columns of ``data``, the formula, the engine, its options
    (``progress`` aside) and the project's code and data; without ``cache`` the model is always
    fitted.
    """
    formula = parse(formula) if isinstance(formula, str) else formula
    data_hash = (
        hash_table(data[sorted(formula.variables())]) if formula.variables() <= set(data) else ""
    )
    provenance = {"data_hash": data_hash} | (provenance or {})
    settings = {key: _settled(value) for key, value in options.items() if key != "progress"}
    key = hash_settings(FORMAT, hash_project(), data_hash, formula.source, name, settings)
    path = None if cache is None else Path(cache) / "fits" / f"{name}-{key}.fit"
    if path is not None and path.exists():
        try:
            return _same(load(path), path, formula, name, provenance["data_hash"])
        except InputError as error:
            warnings.warn(f"{error}; fitting again", stacklevel=2)
    fit = engine(name)(formula, data, provenance=provenance, **options)
    if path is not None:
        save(fit, path)
    return fit


def _same(fit: Fit, path: Path, formula: Formula, engine: str, data_hash: str) -> Fit:
    """The fit; raises InputError for one of another model, engine or data than its name says."""
    told = (str(fit.formula), fit.engine, fit.provenance.get("data_hash"))
    if told != (str(formula), engine, data_hash):
        raise InputError(f"{path} is another fit: of {fit.formula} by {fit.engine}")
    return fit


def _settled(option: object) -> object:
    """A start counts by the point it gives, not by when and how that was found."""
    if not isinstance(option, Fit):
        return option
    return [option.fixed_effects[["term", "estimate"]], option.random_effects, option.correlations]
