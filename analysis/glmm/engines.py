"""Engines by name. A new engine is one module with a ``fit`` and one line here.

Completion and help read the names, so nothing heavy is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from capability_transfer.common.errors import InputError, suggest

if TYPE_CHECKING:
    from capability_transfer.analysis.glmm.result import Fit

ENGINES = {
    "lme4": "capability_transfer.analysis.glmm.lme4",
    "laplace": "capability_transfer.analysis.glmm.laplace",
}

MODES = {
    "lme4": "our engine finds the optimum, lme4 evaluates its own likelihood there",
    "laplace": "our engine alone; needs no R",
    "lme4-cold": "lme4 alone, from nothing (many minutes on a full design)",
}
MODES |= {name: f"{name} alone" for name in ENGINES if name not in MODES}
"""How the main model is fitted: who optimises and who judges."""

OPTIMISER = {"lme4": "laplace", "lme4-cold": "lme4"}
"""The engine that optimises, where it is not the one of the mode's name."""


def engine(name: str) -> Callable[..., Fit]:
    """The ``fit`` function of an engine; modules load on use, since lme4's starts R."""
    if name not in ENGINES:
        raise InputError(
            f"no engine {name!r}; there are {', '.join(ENGINES)}." + suggest(name, ENGINES)
        )
    return import_module(ENGINES[name]).fit


def check_mode(name: object) -> None:
    """Raise InputError for what is not one of ``MODES``."""
    if not isinstance(name, str) or name not in MODES:
        raise InputError(
            f"no engine {name!r}; there are {', '.join(MODES)}.{suggest(str(name), MODES)}"
        )
