"""Prediction for any language and model.

The front of what is behind it: ``bundles`` (what predictions are made from), ``asked`` (models and
languages) and ``sizes`` (what would have to change).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.posterior import Posterior, central_sd
from capability_transfer.analysis.prediction.asked import (
    Model,
    find_languages,
    find_model,
    pair_rows,
)
from capability_transfer.analysis.prediction.bundles import (
    Bundle,
    Catalogue,
    build,
    bundle,
    catalogue,
    data_key,
    known_languages,
)
from capability_transfer.analysis.prediction.item_model import update
from capability_transfer.analysis.prediction.scores import COLUMNS, interval_ends
from capability_transfer.analysis.prediction.sizes import (
    check_target,
    largest_size,
    size_multiples,
    what_reaches,
)
from capability_transfer.common.errors import InputError
from scipy.special import expit

__all__ = [
    "ITEMS",
    "Bundle",
    "Catalogue",
    "Model",
    "build",
    "bundle",
    "catalogue",
    "check_items",
    "check_target",
    "data_key",
    "find_languages",
    "find_model",
    "known_languages",
    "largest_size",
    "predict",
    "size_multiples",
    "what_reaches",
]

ITEMS = 2000
"""Questions that a prediction is about where nobody says: the study's, 100 templates × 20."""


MOST_ITEMS = 10**9


def check_items(items: int) -> None:
    """Raises InputError for more questions than anybody asks (``MOST_ITEMS``)."""
    if items > MOST_ITEMS:
        raise InputError(f"--items is a number of questions up to {MOST_ITEMS:,}, not {items:,}")


def predict(
    bundle: Bundle,
    model: Model,
    languages: pd.DataFrame,
    items: int,
    seed: int,
    cells: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Accuracy of a model in languages, with intervals.

    Args:
        bundle: from ``bundle``.
        model: from ``find_model``.
        languages: from ``find_languages``.
        items: asked of the model in each language; their binomial noise is in the intervals.
        seed: of it and of new effects.
        cells: what was observed of the model there (language, template, n_correct, n_total).

    Returns language, name, plug_in, integrated, low_50 … high_95 (0–1), resource, distance,
    fertility, fertility_source (see ``asked.pair_rows``), resource_outside, distance_outside (how
    far outside the training languages, in their SDs; 0 inside), templates (seen), seen (whether
    the pair is in the data), size_multiple (of the parameters, at which the language is predicted
    what English is at this size; NaN where none is: ``size_multiples``).
    """
    rows = pair_rows(bundle, model, languages)
    posterior = bundle.fitted.extend_posterior(rows, bundle.vectors)
    eta = _log_odds(posterior, rows, seed)
    mean = posterior.linear_predictor(rows)
    plug_in, accuracy = expit(mean), expit(eta)
    seen_templates = np.zeros(len(rows), dtype=int)
    for i, language in enumerate(rows["language"]):
        own = None if cells is None else cells[cells["language"] == language]
        if own is None or own.empty:
            continue
        own, prior = own.assign(variant=model.variant), np.array([[central_sd(eta[i]) ** 2]])
        known = update(bundle.item_model, mean[[i]], prior, rows.iloc[[i]], own)
        every = bundle.item_model.easiness.index
        plug_in[i] = known.accuracy(every)[0]
        accuracy[i] = known.draws(every, posterior.count, np.random.default_rng([seed, 2]))[0]
        seen_templates[i] = own["template"].nunique()
    # every language its own generator: what is said of one does not depend on the others asked for
    asked = np.vstack([np.random.default_rng([seed, 3]).binomial(items, p) for p in accuracy])
    table = languages[["language", "name", "resource", "distance"]].reset_index(drop=True)
    table = table.assign(plug_in=plug_in, integrated=accuracy.mean(axis=1))
    table[COLUMNS] = interval_ends(asked / items)
    table["fertility"] = np.nan
    raw = bundle.constants.set_index("feature")
    if "fertility" in raw.index:
        scale = raw.loc["fertility"]
        table["fertility"] = rows["fertility"] * scale["sd"] + scale["mean"]
    table["fertility_source"] = rows["fertility_source"]
    for feature in ("resource", "distance"):
        table[f"{feature}_outside"] = _outside(bundle, rows, feature)
    known = bundle.fitted.data
    pairs = set(zip(known["variant"], known["language"], strict=True))
    table["seen"] = [(model.variant, language) in pairs for language in rows["language"]]
    table["templates"] = seen_templates
    return table.assign(size_multiple=size_multiples(bundle, model, languages))


def _log_odds(posterior: Posterior, rows: pd.DataFrame, seed: int) -> np.ndarray:
    """Draws of every row's log-odds (rows × draws) on its own, fertility's error in them."""
    new, error = np.random.default_rng(seed).standard_normal((2, posterior.count))
    eta = posterior.draws_apart(rows, new)
    if not rows["fertility_error"].any():
        return eta
    shifted = posterior.draws_apart(rows.assign(fertility=rows["fertility"] + 1.0), new)
    return eta + rows["fertility_error"].to_numpy()[:, None] * error * (shifted - eta)


def _outside(bundle: Bundle, rows: pd.DataFrame, feature: str) -> np.ndarray:
    """How far a z-score lies outside the training languages', in SDs (negative: below)."""
    known = bundle.fitted.languages.covariates[feature]
    value = rows[feature].to_numpy()
    return np.minimum(value - known.min(), 0) + np.maximum(value - known.max(), 0)
