"""Which size, or mode, is predicted what is wanted, and what a language costs in parameters.

How many times larger must a model of the same family and mode be, to be predicted in a language
what it is predicted in English? As the implied size of ``studies.levers``, of the default
predictor: log-odds are linear in log2 size, so two sizes say all.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Real

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction.asked import NEW, Model, pair_rows
from capability_transfer.analysis.prediction.bundles import Bundle
from capability_transfer.common.errors import InputError
from capability_transfer.features.languages import ENGLISH
from scipy.special import expit

LARGEST = 10.0  # times the largest size in the data: no target is looked for beyond


def check_target(target: float) -> None:
    """Raises InputError for a target that is no accuracy."""
    if not isinstance(target, Real) or isinstance(target, bool):
        raise InputError(f"--target is an accuracy between 0 and 1, not {target!r}")
    if not 0 < target < 1:
        hint = f": {target:g}% is {target / 100:g}" if 1 < target < 100 else ""
        raise InputError(f"--target is an accuracy between 0 and 1, not {target:g}{hint}")


def what_reaches(
    bundle: Bundle, model: Model, languages: pd.DataFrame, target: float
) -> pd.DataFrame:
    """What reaches a target accuracy: a size in the same family and mode, or reasoning.

    A model of another size is another base model: its own effect is not known and taken as zero.

    Returns language, params_b (the smallest size in billions; NaN if none up to the limit),
    limit_b, best (the plug-in accuracy at the limit), reasoning_on (the plug-in accuracy with
    reasoning on; NaN if it is on already, or off throughout the data). Raises InputError for a
    target that is no accuracy.
    """
    check_target(target)
    limit = largest_size(bundle)
    sizes = np.linspace(np.log2(0.1), np.log2(limit), 200)
    at_zero, slope = size_lines(bundle, model, languages)
    found = expit(at_zero[:, None] + slope[:, None] * sizes)
    reached = found >= target
    first = np.where(reached.any(axis=1), reached.argmax(axis=1), -1)
    thinking = np.full(len(languages), np.nan)
    if not model.reasoning and (bundle.models["reasoning"] == 1).any():
        twins = bundle.models[
            (bundle.models["base_model"] == model.base_model) & (bundle.models["reasoning"] == 1)
        ]
        label = twins["variant"].iloc[0] if len(twins) else f"{model.variant} {NEW}"
        twin = replace(model, variant=label, reasoning=1)
        thinking = expit(_means(bundle, [twin], languages))[:, 0]
    return pd.DataFrame(
        {
            "language": languages["language"].to_numpy(),
            "params_b": np.where(first >= 0, 2 ** sizes[first], np.nan),
            "limit_b": limit,
            "best": found.max(axis=1),
            "reasoning_on": thinking,
        }
    )


def largest_size(bundle: Bundle) -> float:
    """Billions of parameters beyond which no size is looked for."""
    return float(2 ** bundle.models["size"].max() * LARGEST)


def size_lines(
    bundle: Bundle, model: Model, languages: pd.DataFrame
) -> tuple[np.ndarray, np.ndarray]:
    """Plug-in log-odds by log2 billions of parameters: the values at 1B, and the slopes.

    One entry a language, of another base model in the family and mode of ``model``, whose own
    effects are not known, so zero; the default predictor is linear in size.
    """
    other = replace(model, base_model=f"another {NEW}", variant=f"another {NEW}")
    at = _means(bundle, [replace(other, size=size) for size in (0.0, 1.0)], languages)
    return at[:, 0], at[:, 1] - at[:, 0]


def size_multiples(bundle: Bundle, model: Model, languages: pd.DataFrame) -> np.ndarray:
    """Multiples of a model's size at which languages are predicted what English is at that size.

    Plug-in predictions; a model of another size is another base model, whose own effect is taken
    as zero, at either size.

    Args:
        bundle: of ``bundles.bundle``.
        model: of ``asked.find_model``.
        languages: of ``asked.find_languages``.

    Returns one a language; NaN where no size up to ``largest_size`` reaches it. Raises
    InputError without English.
    """
    english = bundle.languages[bundle.languages["language"] == ENGLISH]
    if english.empty:
        raise InputError(f"multiples are against English ({ENGLISH}), which the data do not have")
    at_zero, slope = size_lines(bundle, model, pd.concat([english, languages]))
    target = at_zero[0] + slope[0] * model.size
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = (target - at_zero[1:]) / slope[1:]
    reached = (slope[1:] > 0) & (needed <= np.log2(largest_size(bundle)))
    return np.where(reached, 2.0 ** (needed - model.size), np.nan)


def _means(bundle: Bundle, models: list[Model], languages: pd.DataFrame) -> np.ndarray:
    """Plug-in log-odds, languages × models."""
    rows = [pair_rows(bundle, model, languages) for model in models]
    rows = pd.concat(rows, ignore_index=True)
    eta = bundle.fitted.extend_posterior(rows, bundle.vectors).linear_predictor(rows)
    return eta.reshape(len(models), len(languages)).T
