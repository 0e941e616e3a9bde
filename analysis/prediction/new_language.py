"""Predictions for any language and model, and what would have to change to reach an accuracy.

How many times larger must a model of the same family and mode be, for its predicted accuracy in a
language to equal that in English? This is the implied size of ``studies.levers``, for the default
predictor. Its log-odds are linear in log2 size, so that predictions at two sizes suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.posterior import Posterior, central_sd
from capability_transfer.analysis.prediction.item_model import update
from capability_transfer.analysis.prediction.new_model import NEW, AskedModel
from capability_transfer.analysis.prediction.pair_features import pair_rows
from capability_transfer.analysis.prediction.scores import COLUMNS, answered, interval_ends
from capability_transfer.analysis.prediction.store import Bundle, Catalogue
from capability_transfer.common.errors import InputError, name_some, option
from capability_transfer.features import languages as language_registry
from capability_transfer.features.languages import ENGLISH
from scipy.special import expit

ITEMS = 2000
"""Questions that are asked by default: the study's number, 100 templates × 20."""

MOST_ITEMS = 10**9
GROWTH = 0.5
"""What a size beyond all in the data changes in log-odds, as a share of what the line does: the
mean of a uniform one, since nothing observed says whether growth goes on there or ends, nor whether
languages go on to draw level."""

TOGETHER = 4  # models that are predicted at once: a quarter of a gigabyte for all languages
LARGEST = 10.0  # times the largest size in the data: no target is looked for beyond


def find_languages(
    known: Bundle | Catalogue, asked: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Rows of the languages asked for, and what was skipped and why.

    A language is named by a code or by its English name, in any case. ``all`` is every language
    that the templates are in; those that lack a feature are skipped and named. Raises InputError
    for a language that is not known, and for one named explicitly that lacks a feature.
    """
    table = known.languages.set_index("language", drop=False)
    if "all" in {str(code).strip().casefold() for code in asked}:
        rows = table[table["template"].fillna("") != ""]
        lacking = rows[["resource", "distance"]].isna()
        skipped = [
            f"{code} has no {' and no '.join(lacking.columns[lacking.loc[code]])}"
            for code in rows.index[lacking.any(axis=1)]
        ]
        return rows[~lacking.any(axis=1)].reset_index(drop=True), skipped
    codes = [language_registry.find(code, table["name"].to_dict()) for code in asked]
    rows = table.loc[list(dict.fromkeys(codes))]
    for feature, source in (("resource", "Common Crawl"), ("distance", "URIEL")):
        if (missing := rows[feature].isna()).any():
            raise InputError(
                f"{name_some(rows.index[missing])} has no {feature}: {source} has no entry for it. "
                f"Give the feature in a {option('languages')} file"
            )
    return rows.reset_index(drop=True), []


def check_items(items: int) -> None:
    """Raises InputError for more than ``MOST_ITEMS`` questions."""
    if items > MOST_ITEMS:
        raise InputError(
            f"{option('items')} is a number of questions up to {MOST_ITEMS:,}, not {items:,}",
            parameter="items",
        )


def check_target(target: float) -> None:
    """Raises InputError for a target that is not an accuracy."""
    accuracy = f"{option('target')} is an accuracy between 0 and 1"
    if not isinstance(target, Real) or isinstance(target, bool):
        raise InputError(f"{accuracy}, not {target!r}", parameter="target")
    if not 0 < target < 1:
        hint = f": {target:g}% is {target / 100:g}" if 1 < target < 100 else ""
        raise InputError(f"{accuracy}, not {target:g}{hint}", parameter="target")


def predict(
    bundle: Bundle,
    model: AskedModel,
    languages: pd.DataFrame,
    items: int,
    seed: int,
    cells: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Accuracy of a model in languages, with intervals.

    Args:
        bundle: from ``store.load_or_build``.
        model: from ``new_model.find_model``.
        languages: from ``find_languages``.
        items: asked of the model in each language; their binomial noise is in the intervals.
        seed: of it and of new effects.
        cells: what was observed of the model there (language, template, n_correct, n_total).

    Returns language, name, plug_in, integrated, low_50 … high_95 (0–1), resource, distance,
    fertility, fertility_source (see ``pair_features.pair_rows``), resource_outside,
    distance_outside (how far outside the training languages, in their SDs; 0 inside), templates
    (seen), seen (whether the pair is in the data), size_multiple (of the parameters, at which the
    language is predicted what English is at this size; NaN where none would be:
    ``size_multiples``).
    """
    (table,) = predict_each(bundle, [model], languages, items, seed, cells)
    return table


def predict_each(
    bundle: Bundle,
    models: Sequence[AskedModel],
    languages: pd.DataFrame,
    items: int,
    seed: int,
    cells: pd.DataFrame | None = None,
) -> list[pd.DataFrame]:
    """``predict`` of several models, a table each; ``cells`` are of the first one.

    What they have in common is computed once, for ``TOGETHER`` of them at a time.
    """
    tables = []
    for low in range(0, len(models), TOGETHER):
        part, own = models[low : low + TOGETHER], None if low else cells
        tables += _predict_together(bundle, part, languages, items, seed, own)
    multiples = size_multiples(bundle, models, languages)
    pairs = zip(tables, multiples, strict=True)
    return [table.assign(size_multiple=own) for table, own in pairs]


def _predict_together(
    bundle: Bundle,
    models: Sequence[AskedModel],
    languages: pd.DataFrame,
    items: int,
    seed: int,
    cells: pd.DataFrame | None,
) -> list[pd.DataFrame]:
    """``predict_each`` but for the multiples, at once: draws of models × languages in memory."""
    rows = pair_rows(bundle, models, languages)
    posterior = bundle.fitted.extend_posterior(rows, bundle.vectors)
    eta = _log_odds(posterior, rows, seed)
    mean = posterior.linear_predictor(rows)
    edge = held_in(rows, bundle.fitted.data["size"])
    if edge is not None:
        mean = GROWTH * mean + (1 - GROWTH) * posterior.linear_predictor(edge)
        share = np.random.default_rng([seed, 4]).random(posterior.count)
        eta = share * eta + (1 - share) * _log_odds(posterior, edge, seed)
    plug_in, accuracy = expit(mean), expit(eta)
    seen_templates = np.zeros(len(rows), dtype=int)
    for i, language in enumerate(languages["language"]):
        own = None if cells is None else cells[cells["language"] == language]
        if own is None or own.empty:
            continue
        own, prior = own.assign(variant=models[0].variant), np.array([[central_sd(eta[i]) ** 2]])
        known = update(bundle.item_model, mean[[i]], prior, rows.iloc[[i]], own)
        every = bundle.item_model.easiness.index
        plug_in[i] = known.accuracy(every)[0]
        accuracy[i] = known.draws(every, posterior.count, np.random.default_rng([seed, 2]))[0]
        seen_templates[i] = own["template"].nunique()
    table = pd.concat([languages[["language", "name", "resource", "distance"]]] * len(models))
    table = table.reset_index(drop=True)
    table = table.assign(plug_in=plug_in, integrated=accuracy.mean(axis=1))
    table[COLUMNS] = interval_ends(answered(accuracy, items, (seed, 3)))
    table["fertility"] = np.nan
    raw = bundle.constants.set_index("feature")
    if "fertility" in raw.index:
        scale = raw.loc["fertility"]
        table["fertility"] = rows["fertility"] * scale["sd"] + scale["mean"]
    table["fertility_source"] = rows["fertility_source"]
    for feature in ("resource", "distance"):
        known = bundle.fitted.languages.covariates[feature]
        table[f"{feature}_outside"] = outside(rows[feature], known).to_numpy()
    known = bundle.fitted.data
    pairs = set(zip(known["variant"], known["language"], strict=True))
    table["seen"] = [pair in pairs for pair in zip(rows["variant"], rows["language"], strict=True)]
    table["templates"] = seen_templates
    ends = range(0, len(rows), len(languages))
    return [table[i : i + len(languages)].reset_index(drop=True) for i in ends]


def counted(size: np.ndarray | float, known: pd.Series) -> np.ndarray:
    """Sizes (log2) as the line takes them: beyond the known ones by the share ``GROWTH``."""
    inside = np.clip(size, known.min(), known.max())
    return inside + GROWTH * (size - inside)


def uncounted(size: np.ndarray | float, known: pd.Series) -> np.ndarray:
    """``counted`` undone."""
    inside = np.clip(size, known.min(), known.max())
    return inside + (size - inside) / GROWTH


def held_in(rows: pd.DataFrame, known: pd.Series) -> pd.DataFrame | None:
    """The rows with sizes at the edge of the known ones where they lie beyond it; None if none do.

    All sizes are z-scores of the same constants.
    """
    inside = rows["size"].clip(known.min(), known.max())
    return None if (inside == rows["size"]).all() else rows.assign(size=inside)


def _log_odds(posterior: Posterior, rows: pd.DataFrame, seed: int) -> np.ndarray:
    """Draws of every row's log-odds (rows × draws) on its own, fertility's error in them."""
    new, error = np.random.default_rng(seed).standard_normal((2, posterior.count))
    eta = posterior.draws_apart(rows, new)
    if not rows["fertility_error"].any():
        return eta
    slopes = posterior.slopes(rows, "fertility")
    slopes *= rows["fertility_error"].to_numpy()[:, None] * error
    eta += slopes
    return eta


def outside(values: pd.Series, known: pd.Series) -> pd.Series:
    """How far values lie outside the range of known ones (negative: below)."""
    return (values - known.min()).clip(upper=0) + (values - known.max()).clip(lower=0)


def what_reaches(
    bundle: Bundle, model: AskedModel, languages: pd.DataFrame, target: float
) -> pd.DataFrame:
    """What reaches a target accuracy: a size in the same family and mode, or reasoning.

    A model of another size is another base model: its own effect is not known and taken as zero.

    Returns language, params_b (the smallest size in billions; NaN if none up to the limit),
    limit_b, best (the plug-in accuracy at the limit), reasoning_on (the plug-in accuracy with
    reasoning on; NaN if it is on already, or off throughout the data). Raises InputError for a
    target that is not an accuracy.
    """
    check_target(target)
    limit = largest_size(bundle)
    sizes = np.linspace(np.log2(0.1), np.log2(limit), 200)
    at_zero, slope = size_lines(bundle, model, languages)
    found = expit(at_zero[:, None] + slope[:, None] * counted(sizes, bundle.models["size"]))
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
    bundle: Bundle, model: AskedModel, languages: pd.DataFrame
) -> tuple[np.ndarray, np.ndarray]:
    """Plug-in log-odds by log2 billions of parameters: the values at 1B, and the slopes.

    One entry per language, of another base model in the family and mode of ``model``, whose own
    effects are not known, so zero; the default predictor is linear in size.
    """
    at = _means(bundle, [replace(_other(model), size=size) for size in (0.0, 1.0)], languages)
    return at[:, 0], at[:, 1] - at[:, 0]


def _other(model: AskedModel) -> AskedModel:
    """Any other base model in a model's family and mode."""
    another = f"another {NEW}"
    return replace(model, base_model=another, variant=another, size=0.0, known="", notes=())


def size_multiples(
    bundle: Bundle, models: Sequence[AskedModel], languages: pd.DataFrame
) -> np.ndarray:
    """Multiples of models' sizes at which languages are predicted what English is at that size.

    Plug-in predictions; a model of another size is another base model, whose own effect is taken
    as zero, at either size.

    Args:
        bundle: from ``store.load_or_build``.
        models: from ``new_model.find_model``.
        languages: from ``find_languages``.

    Returns models × languages; NaN where no size up to ``largest_size`` reaches it. Raises
    InputError without English.
    """
    english = bundle.languages[bundle.languages["language"] == ENGLISH]
    if english.empty:
        raise InputError(f"multiples are against English ({ENGLISH}), which the data do not have")
    others, asked = [_other(model) for model in models], pd.concat([english, languages])
    lines = {other: size_lines(bundle, other, asked) for other in dict.fromkeys(others)}
    at_zero, slope = np.stack([lines[other] for other in others], axis=1)
    edges, size = bundle.models["size"], np.array([[model.size] for model in models])
    target = at_zero[:, :1] + slope[:, :1] * counted(size, edges)
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = uncounted((target - at_zero[:, 1:]) / slope[:, 1:], edges)
    reached = (slope[:, 1:] > 0) & (needed <= np.log2(largest_size(bundle)))
    return np.where(reached, 2.0 ** (needed - size), np.nan)


def _means(bundle: Bundle, models: list[AskedModel], languages: pd.DataFrame) -> np.ndarray:
    """Plug-in log-odds, languages × models."""
    rows = pair_rows(bundle, models, languages)
    eta = bundle.fitted.extend_posterior(rows, bundle.vectors).linear_predictor(rows)
    return eta.reshape(len(models), len(languages)).T
