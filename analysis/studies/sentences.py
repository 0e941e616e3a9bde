"""A fitted model in sentences for a paper: Methods and Results, with the numbers filled in."""

from __future__ import annotations

import math
from importlib.metadata import version

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.glmm.result import INTERCEPT, Fit
from capability_transfer.analysis.presentation.tables import number, p_value


def methods(fit: Fit, source: str, cells: pd.DataFrame, seed: int) -> str:
    """What was fitted, to what, with what."""
    counts = {
        "model variants": "variant", "languages": "language", "templates": "template",
    }  # fmt: skip
    crossed = [f"{cells[name].nunique():,} {what}" for what, name in counts.items()]
    made = f"{fit.engine} {fit.versions.get(fit.engine, '')}".strip()
    return (
        f"We fitted a crossed random-effects logistic regression (binomial GLMM, logit link), "
        f"`{fit.formula}`, to {fit.trials:,} answers in {fit.nobs:,} cells of "
        f"{', '.join(crossed)} by maximum likelihood with the Laplace approximation "
        f"(capability-transfer {version('capability-transfer')}, engine {made}). Numeric "
        "predictors are z-scores, so that effects are in log-odds per standard deviation; "
        f"intervals are 95% Wald intervals. Data: {source}; seed {seed}."
    )


def results(fit: Fit) -> list[str]:
    """A sentence per fixed effect, and one on the random effects."""
    fixed = fit.fixed_effects[fit.fixed_effects["term"] != INTERCEPT]
    told = [_effect(row) for row in fixed.itertuples()]
    random = [
        f"{labels.group(row.group)} {number(row.sd, 2)}" for row in fit.random_effects.itertuples()
    ]
    return [*told, f"Standard deviations of the random effects (log-odds): {', '.join(random)}."]


def _effect(row) -> str:
    """Odds for a main effect; a product says how one effect changes with another."""
    p = "p < 2 × 10⁻¹⁶" if row.p_value < 2.2e-16 else f"p = {p_value(row.p_value)}"
    figures = (
        f"β = {number(row.estimate, 2)}, 95% interval {number(row.conf_low, 2)} to "
        f"{number(row.conf_high, 2)}, {p}"
    )
    name = labels.term(row.term)
    if ":" in row.term:
        first, second = (_within(labels.term(part)) for part in row.term.rsplit(":", 1))
        return (
            f"The effect of {first} changes by {number(row.estimate, 2)} log-odds per unit of "
            f"{second} (interaction: {figures})."
        )
    odds = math.exp(row.estimate)
    return f"{name} multiplies the odds of a correct answer by {odds:.2f} ({figures})."


def _within(name: str) -> str:
    """A name inside a sentence; the names of a user's columns stand as they are."""
    return name[:1].lower() + name[1:] if name in labels.FEATURES.values() else name


def report(fit: Fit, source: str, cells: pd.DataFrame, seed: int, remarks: list[str]) -> str:
    """Methods, Results and what has to be said with them, as Markdown."""
    parts = [
        "## Methods", methods(fit, source, cells, seed),
        "## Results", " ".join(results(fit)),
        *(["## To be said with them", *(f"- {text}" for text in remarks)] if remarks else []),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"
