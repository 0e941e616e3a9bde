"""Engines by name. A new engine is one module with a ``fit`` and one line here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common.errors import InputError, suggest

ENGINES = {
    "lme4": "capability_transfer.analysis.glmm.lme4",
    "laplace": "capability_transfer.analysis.glmm.laplace",
}


def engine(name: str) -> Callable[..., Fit]:
    """The ``fit`` function of an engine; modules load on use, since lme4's starts R."""
    if name not in ENGINES:
        raise InputError(
            f"no engine {name!r}; there are {', '.join(ENGINES)}." + suggest(name, ENGINES)
        )
    return import_module(ENGINES[name]).fit
