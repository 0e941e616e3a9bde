"""What predictions are asked about: a model, languages, and the features of their pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.design import standardise
from analysis.unseen import tokens
from analysis.unseen.bundles import Bundle
from analysis.unseen.folds import SCALED
from common.errors import InputError, name_some, suggest
from features import languages as language_registry
from features import models as model_registry
from features.size import parse_size

NEW = "(new)"


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


def pair_rows(bundle: Bundle, model: Model, languages: pd.DataFrame) -> pd.DataFrame:
    """A model's pairs with languages as the predictor reads them.

    Returns language, variant, base_model, family and the z-scored features; fertility_source (data,
    counted with the model's tokenizer, or unknown: then taken as 0) and fertility_error (z).
    """
    rows = languages[["language", "resource", "distance"]].reset_index(drop=True)
    rows = rows.assign(
        variant=model.variant,
        base_model=model.base_model,
        family=model.family,
        size=model.size,
        reasoning=model.reasoning,
    )
    known = bundle.pairs[bundle.pairs["variant"] == model.variant]
    rows["fertility"] = rows["language"].map(known.set_index("language")["fertility"]).astype(float)
    rows["fertility_source"] = np.where(rows["fertility"].notna(), "data", "unknown")
    spread = bundle.constants.set_index("feature").loc["fertility", "sd"]
    rows["fertility_error"] = np.where(rows["fertility"].notna(), 0.0, 1.0)
    missing = rows["fertility"].isna()
    if missing.any():
        found = tokens.counted(
            _tokenizer(bundle, model), rows["language"][missing].tolist(), bundle.pairs
        )
        found = found.reindex(rows["language"]).set_axis(rows.index)
        counted = missing & found["fertility"].notna()
        rows.loc[counted, "fertility"] = found["fertility"][counted]
        rows.loc[counted, "fertility_error"] = found["error"][counted] / spread
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
