"""Tokens and compute of reasoning: what a language gap costs to close (Appendix E.2, Figure 13)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import write_table
from capability_transfer.features import models as model_registry

REFERENCE = "eng"


def by_variant(cells: pd.DataFrame, models: Path | None = None) -> pd.DataFrame:
    """Tokens, compute and the language gap of every variant.

    Args:
        cells: of ``responses.cells``; templates weigh by their outcomes.
        models: a models file beside the registry.

    Returns variant, base_model, family, reasoning (on, off), params_b, toggled (whether the base
    model is there in both modes), output_tokens (mean per response, reasoning included), tflops
    (10¹² operations a response: 2 · parameters · output tokens), english, others (accuracy, 0–1;
    languages weigh equally), relative (others ÷ english).

    Raises InputError without English, without another language, and where no log counts tokens.
    """
    if cells["output_tokens"].isna().all():
        raise InputError("the logs count no output tokens")
    if REFERENCE not in set(cells["language"]) or cells["language"].nunique() < 2:
        raise InputError("compute compares English with other languages: both are needed")
    weighed = cells.assign(weight=cells["n_responses"].where(cells["output_tokens"].notna(), 0))
    weighed["tokens"] = weighed["output_tokens"].fillna(0) * weighed["weight"]
    sums = weighed.groupby("variant")[["tokens", "weight"]].sum()
    tokens = sums["tokens"] / sums["weight"].replace(0, np.nan)
    pairs = cells.groupby(["variant", "language"])[["n_correct", "n_total"]].sum()
    accuracy = (pairs["n_correct"] / pairs["n_total"]).unstack()
    others = accuracy.drop(columns=REFERENCE).mean(axis=1)
    rows = model_registry.registry()
    if models is not None:
        own = model_registry.read_models(models)
        rows = pd.concat([own, rows[~rows["variant"].isin(own["variant"])]])
    known = rows.set_index("variant")[["base_model", "family", "reasoning", "params_b"]]
    table = pd.DataFrame({"variant": accuracy.index}).merge(
        known, left_on="variant", right_index=True, how="left"
    )
    if (unknown := table["params_b"].isna()).any():
        raise InputError(
            f"the size of {', '.join(table['variant'][unknown])} is not known: describe it in a "
            "models file (--models)"
        )
    table["toggled"] = table.groupby("base_model")["reasoning"].transform("nunique") > 1
    table["output_tokens"] = table["variant"].map(tokens)
    table["tflops"] = 2 * table["params_b"] * table["output_tokens"] / 1e3
    table["english"] = table["variant"].map(accuracy[REFERENCE])
    table["others"] = table["variant"].map(others)
    table["relative"] = table["others"] / table["english"].replace(0, np.nan)
    return table.sort_values(["family", "params_b", "reasoning"], ignore_index=True)


def by_language(cells: pd.DataFrame) -> pd.DataFrame:
    """Mean tokens a response: variant, language, input_tokens, output_tokens, reasoning_tokens."""
    names = ["input_tokens", "output_tokens", "reasoning_tokens"]
    weights = cells["n_responses"]
    rows = cells[["variant", "language"]].copy()
    for name in names:
        rows[name] = cells[name] * weights
        rows[f"{name} n"] = weights.where(cells[name].notna(), 0)
    sums = rows.groupby(["variant", "language"], sort=True).sum(min_count=1)
    means = {name: sums[name] / sums[f"{name} n"].replace(0, np.nan) for name in names}
    return pd.DataFrame(means).reset_index()


def write(variants: pd.DataFrame, languages: pd.DataFrame, directory: Path) -> list[Path]:
    """``compute/by_variant.csv`` and ``compute/tokens.csv``."""
    folder = Path(directory) / "compute"
    return [
        write_table(variants, folder / "by_variant.csv"),
        write_table(languages, folder / "tokens.csv"),
    ]
