"""What predictions are made from: a fit to all data, and the features of every known language.

Everything that a prediction needs is kept in one bundle, so that asking again costs no fit and no
feature: the fit of the default predictor, the item model, the z-score constants, and the
features of every registered language.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.glmm import result
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.prediction.evaluate import Task, fit_to_all
from capability_transfer.analysis.prediction.item_model import ItemModel
from capability_transfer.analysis.prediction.loo import prepare
from capability_transfer.analysis.prediction.models import FittedPairs, Languages
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.common.kept import Store
from capability_transfer.features import articles, resource, typology
from capability_transfer.features import languages as language_registry

DEFAULT = "smooth"
"""Best over held-out languages and over held-out edges (``results/loo``)."""

VARIANTS = ["variant", "base_model", "family", "size", "reasoning"]
TEXTS = ["hub_id", "tokenizer"]  # of models, empty where there is none

DRAWS = 4000
DRAWS_SEED = 0  # of the effects' draws, which the bundle keeps


@dataclass(frozen=True, eq=False)
class Bundle:
    """The fit, features and settings that predictions are made from.

    Attributes:
        fitted: the default predictor on all data, with draws of its effects.
        item_model: of the templates.
        constants: feature, mean, sd.
        models: variant rows of the data with raw features, hub_id and tokenizer.
        languages: language, name, resource, distance, articles, seen (in the data) for every
            language known.
        vectors: URIEL features.
        pairs: tokenizer and fertility of variants, in the data's languages and in all others that
            their tokenizers are counted in.
        source: which data.
    """

    fitted: FittedPairs
    item_model: ItemModel
    constants: pd.DataFrame
    models: pd.DataFrame
    languages: pd.DataFrame
    vectors: pd.DataFrame
    pairs: pd.DataFrame
    source: str


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The models and languages that can be predicted, known before any fit."""

    models: pd.DataFrame
    languages: pd.DataFrame


def find(key: tuple, cache: Path | None) -> Bundle | None:
    """The bundle of some data where it is kept; see ``load_or_build``."""
    return Store(cache).find("predict", DEFAULT, *key, of=_restore)


def load_or_build(key: tuple, cache: Path | None, inputs: Callable[[], Inputs]) -> Bundle:
    """The bundle of some data, read from ``cache`` or made and kept there.

    Args:
        key: what names the data (``analysis.data.Study.key``).
        cache: a directory, or None.
        inputs: a function that loads them.
    """
    return Store(cache).get(
        "predict", DEFAULT, *key, make=lambda: build(inputs()), plain=_plain, of=_restore
    )


_TABLES = ("constants", "models", "languages", "vectors", "pairs", "source")


def _plain(made: Bundle) -> dict[str, object]:
    """A bundle as values that can be kept; where fits start from is not among them."""
    fitted = made.fitted
    return {
        "fit": result.dumps(fitted.fit),
        "data": fitted.data,
        "known": vars(fitted.languages),
        "drawn": fitted.posterior.drawn(),
        "item_model": vars(made.item_model),
        "tables": {name: getattr(made, name) for name in _TABLES},
    }


def _restore(plain: dict[str, object]) -> Bundle:
    """``_plain`` undone, terms and kernels built again."""
    fit = result.loads(plain["fit"])
    known = Languages(**plain["known"])
    fitted = predictor(DEFAULT).restore(fit, plain["data"], known, plain["drawn"])
    return Bundle(fitted, ItemModel(**plain["item_model"]), **plain["tables"])


def build(inputs: Inputs) -> Bundle:
    """Fit the default predictor and the item model to all data, and gather features."""
    fitted, everything = fit_to_all(Task(*prepare(inputs)), DEFAULT)
    known = catalogue(inputs)
    uriel = known.languages.set_index("language")["uriel"]
    return Bundle(
        fitted.sampled(DRAWS, DRAWS_SEED),
        ItemModel.fit(everything.train),
        everything.constants,
        known.models,
        known.languages,
        typology.vectors(uriel),
        pairs_known(inputs),
        inputs.source,
    )


def catalogue(inputs: Inputs) -> Catalogue:
    """The models that there are outcomes of, and every language known."""
    models = inputs.features.models
    models = models[models["variant"].isin(inputs.cells["variant"].unique())].reset_index(drop=True)
    for column in TEXTS:
        models[column] = models[column].fillna("") if column in models.columns else ""
    languages = known_languages(inputs.features.languages, inputs.further_languages)
    return Catalogue(models[[*VARIANTS, *TEXTS]], languages)


def pairs_known(inputs: Inputs) -> pd.DataFrame:
    """variant, language, tokenizer, fertility_ratio and fertility of the models in the data."""
    own, further = inputs.features.pairs, inputs.further_pairs
    return own if further is None else pd.concat([own, further], ignore_index=True)


def known_languages(own: pd.DataFrame, further: pd.DataFrame | None = None) -> pd.DataFrame:
    """Features of the languages at hand, of ``further`` ones and of all other registered ones."""
    given = own if further is None else pd.concat([own, further], ignore_index=True)
    others = language_registry.registry()
    others = others[~others["language"].isin(given["language"])].reset_index(drop=True)
    built = others[["language", "name", "uriel", "template"]].merge(
        resource.build(others)[["language", "resource"]], on="language"
    )
    built = built.merge(typology.build(others)[["language", "distance"]], on="language")
    built = built.merge(articles.build(others)[["language", "articles"]], on="language")
    templates = language_registry.registry().set_index("language")["template"]
    mine = given[["language", "name", "uriel", "resource", "distance", "articles"]]
    seen = mine["language"].isin(own["language"])
    mine = mine.assign(template=mine["language"].map(templates).fillna(""), seen=seen)
    return pd.concat([mine, built.assign(seen=False)], ignore_index=True)
