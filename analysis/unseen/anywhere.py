"""Prediction for any language and model: a fit to all data, and what is asked of it.

Everything that a prediction needs is kept in one bundle, so that asking again costs no fit and no
feature: the fit of the default predictor, the template layer, the z-score constants, and the
features of every registered language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.design import standardise
from analysis.glmm.posterior import Posterior, central_sd
from analysis.inputs import Inputs
from analysis.unseen import tokens
from analysis.unseen.folds import SCALED, Fold, split
from analysis.unseen.intervals import COLUMNS, NOMINAL
from analysis.unseen.loo import prepare
from analysis.unseen.predictors import predictor
from analysis.unseen.predictors.pairs import FittedPairs
from analysis.unseen.task import CODE
from analysis.unseen.template_layer import TemplateLayer, calibrate
from common.errors import InputError, name_some, suggest
from common.files import hash_files, hash_settings, hash_sources, replacing
from features import languages as language_registry
from features import models as model_registry
from features import resource, typology
from features.size import parse_size

DEFAULT = "smooth"
"""Best over held-out languages and over held-out edges (``results/loo``)."""

DRAWS = 4000
DRAWS_SEED = 0  # of the effects' draws, which the bundle keeps
LARGEST = 10.0  # times the largest size in the data: no target is looked for beyond
NEW = "(new)"


@dataclass(frozen=True, eq=False)
class Bundle:
    """What predictions are made from.

    Attributes:
        fitted: the default predictor on all data, with draws of its effects.
        layer: of the templates.
        constants: feature, mean, sd.
        models: variant rows of the data with raw features.
        languages: language, name, resource, distance, seen (in the data) for every language known.
        vectors: URIEL features.
        pairs: tokenizer and fertility of variants in languages.
        source: which data.
    """

    fitted: FittedPairs
    layer: TemplateLayer
    constants: pd.DataFrame
    models: pd.DataFrame
    languages: pd.DataFrame
    vectors: pd.DataFrame
    pairs: pd.DataFrame
    source: str


@dataclass(frozen=True)
class Model:
    """A model asked about: a variant of the data, or one described.

    ``known`` says what the data have: ``variant``, ``base_model``, ``family`` or ``nothing``.
    """

    variant: str
    base_model: str
    family: str
    size: float
    reasoning: int
    known: str


def data_key(files: Iterable[Path | None], seed: int) -> tuple:
    """What names data: the contents of the user's files and of the packaged ones, and the seed.

    Raises InputError for a file that is not there.
    """
    given = [Path(path) for path in files if path is not None]
    for path in given:
        if not path.exists():
            raise InputError(f"{path}: there is no such file")
    packaged = [*language_registry.DATA.glob("*.csv")]
    packaged += (Path(__file__).parents[1] / "outcomes" / "data").glob("*.csv")
    return (hash_files(given), hash_files(packaged), seed)


def bundle(key: tuple, cache: Path | None, inputs: Callable[[], Inputs]) -> Bundle:
    """The bundle of some data, read from ``cache`` or made and kept there.

    Args:
        key: what names the data (``data_key``).
        cache: a directory.
        inputs: a function that loads them.
    """
    path = None
    if cache is not None:
        name = hash_settings(hash_sources(*CODE), *key)
        path = Path(cache) / "predict" / f"{DEFAULT}-{name}.joblib"
        if path.exists():
            return joblib.load(path)
    made = build(inputs())
    if path is not None:
        with replacing(path) as temporary:
            joblib.dump(made, temporary)
    return made


def build(inputs: Inputs) -> Bundle:
    """Fit the default predictor and the template layer to all data, and gather features."""
    joined, vectors = prepare(inputs)
    everything = split(joined, Fold("none", "none", ()))
    fitted = predictor(DEFAULT).fit(everything.train, vectors, "laplace")
    languages = known_languages(inputs.features.languages, inputs.further_languages)
    uriel = languages.set_index("language")["uriel"]
    variants = ["variant", "base_model", "family", "size", "reasoning"]
    return Bundle(
        fitted.sampled(DRAWS, DRAWS_SEED),
        TemplateLayer.fit(everything.train),
        everything.constants,
        joined[variants].drop_duplicates("variant", ignore_index=True),
        languages,
        typology.vectors(uriel),
        inputs.features.pairs,
        inputs.source,
    )


def known_languages(own: pd.DataFrame, further: pd.DataFrame | None = None) -> pd.DataFrame:
    """Features of the languages at hand, of ``further`` ones and of all other registered ones."""
    given = own if further is None else pd.concat([own, further], ignore_index=True)
    others = language_registry.registry()
    others = others[~others["language"].isin(given["language"])].reset_index(drop=True)
    built = others[["language", "name", "uriel", "template"]].merge(
        resource.build(others)[["language", "resource"]], on="language"
    )
    built = built.merge(typology.build(others)[["language", "distance"]], on="language")
    templates = language_registry.registry().set_index("language")["template"]
    mine = given[["language", "name", "uriel", "resource", "distance"]]
    seen = mine["language"].isin(own["language"])
    mine = mine.assign(template=mine["language"].map(templates).fillna(""), seen=seen)
    return pd.concat([mine, built.assign(seen=False)], ignore_index=True)


def find_model(
    bundle: Bundle,
    name: str | None,
    params: float | None,
    family: str | None,
    reasoning: str | None,
) -> Model:
    """The model that a name or a description means.

    A name is a variant, a base model or a hub id of the data or the registry; any other needs a
    size that its name states, or ``params``. Without ``reasoning`` a base model of one mode has
    that one, and one that nothing is known of has reasoning off.

    Raises InputError for a name with no parsable size, a base model of two modes without
    ``reasoning``, a mode that a variant has not, and for no description at all.
    """
    if name is None and params is None:
        raise InputError("say which model: --model NAME, or --params BILLIONS (and --family)")
    if reasoning not in (None, "on", "off"):
        raise InputError(f"reasoning is on or off, not {reasoning!r}")
    models = bundle.models
    registry = model_registry.registry().set_index("hub_id")["base_model"]
    base = name if name is None or name not in registry.index else registry.loc[[name]].iloc[0]
    rows = models[(models["variant"] == base) | (models["base_model"] == base)]
    if len(exact := rows[rows["variant"] == base]) and base not in set(models["base_model"]):
        rows = exact
    if params is None and len(rows):
        modes = rows["reasoning"].map({0: "off", 1: "on"})
        if reasoning is None and len(rows) > 1:
            raise InputError(f"{name} has reasoning on and off: say which with --reasoning")
        chosen = rows if reasoning is None else rows[modes == reasoning]
        if len(chosen):
            row = chosen.iloc[0]
            return Model(row["variant"], row["base_model"], row["family"], float(row["size"]),
                         int(row["reasoning"]), "variant")  # fmt: skip
        row = rows.iloc[0]
        return Model(f"{base} (reasoning {reasoning})", row["base_model"], row["family"],
                     float(row["size"]), int(reasoning == "on"), "base_model")  # fmt: skip
    size = np.log2(_positive(params)) if params is not None else np.log2(parse_size(name))
    known = family in set(models["family"])
    if family is not None and not known:
        near = suggest(family, models["family"].unique())
        if near:
            raise InputError(
                f"the data have no family {family!r}.{near} They have "
                f"{name_some(models['family'].unique(), 12)}; for a new one leave --family out"
            )
    label = name or f"{params:g}B" + (f" {family}" if family else "")
    return Model(label, f"{label} {NEW}", family if known else f"{label} {NEW}", float(size),
                 int(reasoning == "on"), "family" if known else "nothing")  # fmt: skip


def _positive(params: float) -> float:
    if not (np.isfinite(params) and params > 0):
        raise InputError(f"--params is billions of parameters, not {params:g}")
    return params


def find_languages(bundle: Bundle, asked: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Rows of the languages asked for, and what was skipped and why.

    ``all`` is every language that the templates are in; those that lack a feature are skipped and
    named. Raises InputError for a language named explicitly that lacks one.
    """
    table = bundle.languages.set_index("language", drop=False)
    if asked == ["all"]:
        rows = table[table["template"].fillna("") != ""]
        lacking = rows[["resource", "distance"]].isna()
        skipped = [
            f"{code} has no {' and no '.join(lacking.columns[lacking.loc[code]])}"
            for code in rows.index[lacking.any(axis=1)]
        ]
        return rows[~lacking.any(axis=1)].reset_index(drop=True), skipped
    codes = [code if code in table.index else language_registry.resolve(code) for code in asked]
    rows = table.loc[list(dict.fromkeys(codes))]
    for feature, source in (("resource", "Common Crawl"), ("distance", "URIEL")):
        if (missing := rows[feature].isna()).any():
            raise InputError(
                f"{name_some(rows.index[missing])} has no {feature}: {source} has no entry for it. "
                "Give the feature in a --languages file"
            )
    return rows.reset_index(drop=True), []


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
    fertility, fertility_source (data, counted, or unknown: then taken as 0), resource_outside,
    distance_outside (how far outside the training languages, in their SDs; 0 inside), templates
    (seen), seen (whether the pair is in the data).
    """
    rows = _rows(bundle, model, languages, count=True)
    posterior = bundle.fitted.about(rows, bundle.vectors)
    eta = _log_odds(posterior, rows, seed)
    mean = posterior.linear_predictor(rows)
    plug_in, accuracy = expit(mean), expit(eta)
    seen_templates = np.zeros(len(rows), dtype=int)
    for i, language in enumerate(rows["language"]):
        own = None if cells is None else cells[cells["language"] == language]
        if own is None or own.empty:
            continue
        own, prior = own.assign(variant=model.variant), np.array([[central_sd(eta[i]) ** 2]])
        known = calibrate(bundle.layer, mean[[i]], prior, rows.iloc[[i]], own)
        every = bundle.layer.easiness.index
        plug_in[i] = known.accuracy(every)[0]
        accuracy[i] = known.draws(every, posterior.count, np.random.default_rng([seed, 2]))[0]
        seen_templates[i] = own["template"].nunique()
    # every language its own generator: what is said of one does not depend on the others asked for
    asked = np.vstack([np.random.default_rng([seed, 3]).binomial(items, p) for p in accuracy])
    tails = [p for level in NOMINAL for p in ((1 - level) / 2, (1 + level) / 2)]
    table = languages[["language", "name", "resource", "distance"]].reset_index(drop=True)
    table = table.assign(plug_in=plug_in, integrated=accuracy.mean(axis=1))
    table[COLUMNS] = np.quantile(asked / items, tails, axis=1).T
    raw = bundle.constants.set_index("feature")
    table["fertility"] = (
        rows["fertility"] * raw.loc["fertility", "sd"] + raw.loc["fertility", "mean"]
    )
    table["fertility_source"] = rows["fertility_source"]
    for feature in ("resource", "distance"):
        table[f"{feature}_outside"] = _outside(bundle, rows, feature)
    known = bundle.fitted.data
    pairs = set(zip(known["variant"], known["language"], strict=True))
    table["seen"] = [(model.variant, language) in pairs for language in rows["language"]]
    return table.assign(templates=seen_templates)


def _log_odds(posterior: Posterior, rows: pd.DataFrame, seed: int) -> np.ndarray:
    """Draws of every row's log-odds (rows × draws) on its own, fertility's error in them."""
    new, error = np.random.default_rng(seed).standard_normal((2, posterior.count))
    eta = posterior.draws_apart(rows, new)
    shifted = posterior.draws_apart(rows.assign(fertility=rows["fertility"] + 1.0), new)
    return eta + rows["fertility_error"].to_numpy()[:, None] * error * (shifted - eta)


def _rows(
    bundle: Bundle, model: Model, languages: pd.DataFrame, count: bool = False
) -> pd.DataFrame:
    """Pairs with z-scored features, fertility's error (z) and source beside them."""
    rows = languages[["language", "resource", "distance"]].reset_index(drop=True)
    rows = rows.assign(
        variant=model.variant,
        base_model=model.base_model,
        family=model.family,
        size=model.size,
        reasoning=model.reasoning,
    )
    known = bundle.pairs[bundle.pairs["variant"] == model.variant]
    rows["fertility"] = rows["language"].map(known.set_index("language")["fertility"])
    rows["fertility_source"] = np.where(rows["fertility"].notna(), "data", "unknown")
    spread = bundle.constants.set_index("feature").loc["fertility", "sd"]
    rows["fertility_error"] = np.where(rows["fertility"].notna(), 0.0, 1.0)
    missing = rows["fertility"].isna()
    if missing.any() and count:
        found = tokens.counted(
            _tokenizer(bundle, model), rows["language"][missing].tolist(), bundle.pairs
        )
        counted = missing & rows["language"].isin(found.index)
        own = rows["language"][counted]
        rows.loc[counted, "fertility"] = own.map(found["fertility"])
        rows.loc[counted, "fertility_error"] = own.map(found["error"]) / spread
        rows.loc[counted, "fertility_source"] = "counted"
    rows["fertility"] = rows["fertility"].fillna(0.0)
    scaled, _ = standardise(rows, SCALED, bundle.constants)
    return scaled


def _tokenizer(bundle: Bundle, model: Model) -> str | None:
    """The tokenizer of a model: of its base model or family, where they have one only."""
    models = bundle.models
    for column in ("base_model", "family"):
        variants = models["variant"][models[column] == getattr(model, column)]
        own = bundle.pairs["tokenizer"][bundle.pairs["variant"].isin(variants)].dropna().unique()
        if len(own) == 1:
            return own[0]
    return None


def _outside(bundle: Bundle, rows: pd.DataFrame, feature: str) -> np.ndarray:
    """How far a z-score lies outside the training languages', in SDs (negative: below)."""
    known = bundle.fitted.languages.covariates[feature]
    value = rows[feature].to_numpy()
    return np.minimum(value - known.min(), 0) + np.maximum(value - known.max(), 0)


def what_reaches(
    bundle: Bundle, model: Model, languages: pd.DataFrame, target: float
) -> pd.DataFrame:
    """What reaches a target accuracy: a size in the same family and mode, or reasoning.

    A model of another size is another base model: its own effect is not known and taken as zero.

    Returns language, params_b (the smallest size in billions; NaN if none up to the limit),
    limit_b, best (the plug-in accuracy at the limit), reasoning_on (the plug-in accuracy with
    reasoning on; NaN if it is on already). Raises InputError for a target that is no accuracy.
    """
    if not 0 < target < 1:
        raise InputError(f"--target is an accuracy between 0 and 1, not {target:g}")
    limit = largest_size(bundle)
    sizes = np.linspace(np.log2(0.1), np.log2(limit), 200)
    found = expit(_means(bundle, _of_sizes(model, sizes), languages))
    reached = found >= target
    first = np.where(reached.any(axis=1), reached.argmax(axis=1), -1)
    thinking = np.full(len(languages), np.nan)
    if not model.reasoning:
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

    One entry a language, of another base model in the family and mode of ``model``; the default
    predictor is linear in size.
    """
    at = _means(bundle, _of_sizes(model, [0.0, 1.0]), languages)
    return at[:, 0], at[:, 1] - at[:, 0]


def _of_sizes(model: Model, sizes: Iterable[float]) -> list[Model]:
    """Other base models of a family and mode: their own effects are not known, so zero."""
    other = replace(model, base_model=f"another {NEW}", variant=f"another {NEW}")
    return [replace(other, size=size) for size in sizes]


def _means(bundle: Bundle, models: list[Model], languages: pd.DataFrame) -> np.ndarray:
    """Plug-in log-odds, languages × models."""
    rows = [_rows(bundle, model, languages, count=True) for model in models]
    rows = pd.concat(rows, ignore_index=True)
    eta = bundle.fitted.about(rows, bundle.vectors).linear_predictor(rows)
    return eta.reshape(len(models), len(languages)).T
