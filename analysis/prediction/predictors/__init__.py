"""Predictors by name. A new one is one module with a ``predictor`` and one line here."""

from __future__ import annotations

from importlib import import_module

from capability_transfer.analysis.prediction.prediction import Predictor
from capability_transfer.common.errors import InputError, name_some, suggest

PREDICTORS = (
    "study",
    "size_reasoning",
    "model_mean",
    "grand_mean",
    "study_pairs",
    "slopes",
    "relatives",
    "smooth",
)


def predictor(name: str) -> Predictor:
    """The predictor of a name; raises InputError for an unknown one."""
    if name not in PREDICTORS:
        raise InputError(
            f"no predictor {name!r}; there are {name_some(PREDICTORS)}.{suggest(name, PREDICTORS)}"
        )
    return import_module(f"capability_transfer.analysis.prediction.predictors.{name}").predictor
