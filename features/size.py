"""Size: log2 of the nominal billions of parameters, and sizes read from model names."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError, name_some

BILLIONS = 1e-4, 1e5
"""Sizes of models (billions) lie between: 100 thousand to 100 trillion parameters."""

UNITS = {"m": 1e-3, "b": 1.0, "t": 1e3}
SIZE = re.compile(r"(\d+(?:\.\d+)?)([mbt])", re.IGNORECASE)
ACTIVE = re.compile(r"a(\d+(?:\.\d+)?)([mbt])", re.IGNORECASE)
EFFECTIVE = re.compile(r"e\d+(?:\.\d+)?[mbt]", re.IGNORECASE)
EXPERTS = re.compile(r"(\d+x\d+(?:\.\d+)?[mbt]|\d+e)", re.IGNORECASE)


def build(models: pd.DataFrame) -> pd.DataFrame:
    """Columns variant and size: log2 of ``params_b``, the nominal billions of parameters.

    Raises InputError for a variant whose ``params_b`` is missing, zero, negative or infinite, or
    no size of a model (``BILLIONS``).
    """
    billions = models["params_b"].astype(float)
    bad = ~(np.isfinite(billions) & (billions > 0))
    if bad.any():
        raise InputError(
            f"params_b (billions of parameters) is not a positive number for "
            f"{name_some(models['variant'][bad])}"
        )
    for params, variant in zip(billions, models["variant"], strict=True):
        check_billions(params, f"params_b of {variant}")
    return pd.DataFrame({"variant": models["variant"], "size": np.log2(billions)})


def check_billions(params: float, what: str) -> None:
    """Raises InputError for a number that no model has as its billions of parameters."""
    low, high = BILLIONS
    if not low <= params <= high:
        meant = params / 1e9
        hint = f"; {params:g} parameters are {meant:g} billion" if low <= meant <= high else ""
        raise InputError(
            f"{what} is billions of parameters, from {low:g} to {high:,.0f}, not {params:g}{hint}"
        )


def parse_size(name: str, count: Literal["total", "active"] | None = None) -> float:
    """Nominal billions of parameters that a model's name states.

    ``Qwen/Qwen3-8B`` is 8, ``gemma-3-270m`` 0.27; version numbers (``Qwen2.5``, ``OLMo-2-0425``)
    are not sizes. ``count`` chooses for a mixture of experts that states both (``30B-A3B``).

    Raises InputError if the name states no size, two sizes, effective parameters (``E4B``),
    experts without their total (``8x7B``, ``17B-16E``), or a mixture and ``count`` is None.
    """
    if count not in (None, "total", "active"):
        raise InputError(f"count is 'total' or 'active', not {count!r}")
    parts = [part for part in re.split(r"[-_:()\s]+", str(name).split("/")[-1]) if part]
    remedy = "give params_b, the billions of parameters, yourself"
    if effective := [part for part in parts if EFFECTIVE.fullmatch(part)]:
        raise InputError(
            f"{name}: {effective[0]} counts effective parameters, not all that are there; {remedy}"
        )
    if experts := [part for part in parts if EXPERTS.fullmatch(part)]:
        raise InputError(f"{name}: {experts[0]} names experts, not their total size; {remedy}")
    total = {_billions(match) for part in parts if (match := SIZE.fullmatch(part))}
    active = {_billions(match) for part in parts if (match := ACTIVE.fullmatch(part))}
    if active and count is None:
        raise InputError(
            f"{name} is a mixture of experts: say which count to use, total or active, or {remedy}"
        )
    found = active if active and count == "active" else total
    if len(found) != 1:
        stated = f"states {name_some(sorted(found))} billion" if found else "states no size"
        raise InputError(f"{name} {stated}; {remedy}")
    return found.pop()


def _billions(match: re.Match[str]) -> float:
    billions = round(float(match.group(1)) * UNITS[match.group(2).casefold()], 9)
    if billions <= 0:
        raise InputError(f"{match.group(0)} is not a positive size")
    return billions
