"""Reasoning: whether a model was evaluated with its reasoning mode on; off is the reference."""

from __future__ import annotations

import pandas as pd
from capability_transfer.common.errors import InputError

MODES = {
    "on": "on",
    "true": "on",
    "yes": "on",
    "1": "on",
    "1.0": "on",
    "off": "off",
    "false": "off",
    "no": "off",
    "0": "off",
    "0.0": "off",
}
"""What is taken for a mode: YAML reads on and off as booleans, and tables write those as text."""


def mode(value: object, where: str = "reasoning") -> str:
    """``on`` or ``off``, from either, a boolean, or 0/1; raises InputError for anything else."""
    text = str(value).strip().casefold()
    if text not in MODES:
        raise InputError(f"{where} is {value!r}; write on or off")
    return MODES[text]


def build(models: pd.DataFrame) -> pd.DataFrame:
    """Columns variant and reasoning: 1 for on, 0 for off. Raises InputError for another value."""
    modes = [
        mode(value, f"reasoning of {variant}")
        for variant, value in zip(models["variant"], models["reasoning"], strict=True)
    ]
    return pd.DataFrame(
        {"variant": models["variant"], "reasoning": [int(value == "on") for value in modes]}
    )
