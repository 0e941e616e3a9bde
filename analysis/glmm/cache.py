"""Finished fits are kept, keyed by what they were fitted to and how."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from capability_transfer.analysis.glmm.engines import engine
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.result import FORMAT, Fit, dumps, loads
from capability_transfer.common.files import hash_table
from capability_transfer.common.kept import Store


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
    if "floor" in options:  # a part of the model, whatever it is fitted by
        formula = formula.with_floor(options.pop("floor"))
    data_hash = (
        hash_table(data[sorted(formula.variables())]) if formula.variables() <= set(data) else ""
    )
    provenance = {"data_hash": data_hash} | (provenance or {})
    settings = {key: _settled(value) for key, value in options.items() if key != "progress"}

    told = (formula.source, formula.weights, formula.contrasts)

    def same(contents: bytes) -> Fit:
        fit = loads(contents)
        read = (str(fit.formula), fit.engine, fit.provenance.get("data_hash"))
        if read != (str(formula), name, provenance["data_hash"]):
            raise ValueError(f"of {fit.formula} by {fit.engine}")
        return fit

    return Store(cache).get(
        "fits", FORMAT, data_hash, told, name, settings,
        make=lambda: engine(name)(formula, data, provenance=provenance, **options),
        plain=dumps,
        of=same,
    )  # fmt: skip


def _settled(option: object) -> object:
    """A start counts by the point it gives, not by when and how that was found."""
    if not isinstance(option, Fit):
        return option
    return [option.fixed_effects[["term", "estimate"]], option.random_effects, option.correlations]
