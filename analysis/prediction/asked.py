"""What predictions are asked about: a model, languages, and the features of their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
import pandas as pd
from capability_transfer.analysis.design import standardise
from capability_transfer.analysis.prediction import model_names, tokens
from capability_transfer.analysis.prediction.bundles import Bundle, Catalogue
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.features import languages as language_registry
from capability_transfer.features import names
from capability_transfer.features.size import check_billions, parse_size

NEW = "(new)"


@dataclass(frozen=True)
class Model:
    """A model asked about: a variant of the data, or one described.

    ``known`` says what the data have: ``variant``, ``base_model``, ``family`` or ``nothing``;
    ``tokenizer`` is a key of token counts, None where no tokenizer is known; ``notes`` say what
    was read from the name or assumed.
    """

    variant: str
    base_model: str
    family: str
    size: float
    reasoning: int
    known: str
    tokenizer: str | None = None
    notes: tuple[str, ...] = ()


def find_model(
    known: Bundle | Catalogue,
    name: str | None,
    params: float | None,
    family: str | None,
    reasoning: object,
) -> Model:
    """The model that a name or a description means.

    A name is a variant, a base model or a hub id of the data or the registry, in any case and with
    any separators; any other needs a size that its name states, or ``params``, and is taken to be
    of the family whose models' names begin like it. Without ``reasoning`` a base model of one mode
    has that one, and one that nothing is known of has reasoning off.

    Raises InputError for a name that is nearly a known one, without ``params``; for one with no
    parsable size; for ``params``, ``family`` or ``reasoning`` that contradict what is known of a
    model; for a base model of two modes without ``reasoning``; and for no description at all.
    """
    if name is None and params is None:
        raise InputError("say which model: --model NAME, or --params BILLIONS (and --family)")
    name, family = _one_text("--model", name), _one_text("--family", family)
    params = None if params is None else _billions(params)
    asked = None if reasoning is None else _mode(reasoning)
    models = known.models
    kin = None if family is None else model_names.known_family(models, family)
    found = None if name is None else model_names.find(models, name, params)
    if found is None:
        model = _another(models, name, params, family, kin, asked)
    else:
        model = _known_model(models, found, name, family, asked)
    if note := _outside(models["size"], model.size):
        model = replace(model, notes=(*model.notes, note))
    if model.reasoning not in set(models["reasoning"]):
        there, wanted = ("off", "on") if model.reasoning else ("on", "off")
        raise InputError(
            f"all outcomes to learn from are with reasoning {there}: they say nothing of a model "
            f"with reasoning {wanted}"
        )
    return model


def _outside(sizes: pd.Series, size: float) -> str | None:
    """That a model is smaller or larger (log2 billions) than all others, in words."""
    for edge, far, which in ((sizes.min(), sizes.min() - size, "smaller"),
                             (sizes.max(), size - sizes.max(), "larger")):  # fmt: skip
        if far > 1e-9:
            return (
                f"extrapolation: {2**size:g} billion parameters are {which} than any model learned "
                f"from ({2**edge:g} billion), and the line of size is drawn on"
            )
    return None


def _known_model(
    models: pd.DataFrame,
    found: model_names.Named,
    name: str,
    family: str | None,
    asked: str | None,
) -> Model:
    """A model of the data or of the registry, in the mode that was asked for."""
    rows, base = found.rows, found.base_model
    first = rows.iloc[0]
    if family is not None and not names.same(family, first["family"]):
        raise InputError(
            f"{base} is of the family {first['family']}, not {family}: leave --family out"
        )
    if found.mode and asked and found.mode != asked:
        raise InputError(f"{name} says reasoning {found.mode}, --reasoning {asked}: leave one out")
    asked = asked or found.mode
    modes = rows["reasoning"].map({0: "off", 1: "on"})
    if asked is None and modes.nunique() > 1:
        raise InputError(f"{name} has reasoning on and off: say which with --reasoning")
    asked = asked or modes.iloc[0]
    chosen = rows[modes == asked]
    tokenizer = str(first["tokenizer"] or "") or None
    if not found.in_data:
        kin = first["family"] if first["family"] in set(models["family"]) else None
        label = chosen["variant"].iloc[0] if len(chosen) else f"{base} (reasoning {asked})"
        notes = (f"{base} is registered, but the data have no outcomes of it",)
        return Model(label, f"{base} {NEW}", kin or f"{first['family']} {NEW}",
                     float(first["size"]), int(asked == "on"), "family" if kin else "nothing",
                     tokenizer, notes)  # fmt: skip
    label = chosen["variant"].iloc[0] if len(chosen) else f"{base} (reasoning {asked})"
    return Model(label, base, first["family"], float(first["size"]), int(asked == "on"),
                 "variant" if len(chosen) else "base_model", tokenizer)  # fmt: skip


def _another(
    models: pd.DataFrame,
    name: str | None,
    params: float | None,
    family: str | None,
    kin: str | None,
    asked: str | None,
) -> Model:
    """A model that is not known, from what is said of it and what its name states."""
    notes = []
    if params is None:
        params = parse_size(name)
        notes.append(f"{params:g} billion parameters: read from the name, --params says otherwise")
    elif name and (stated := model_names.stated(name)) and not model_names.alike(stated, params):
        notes.append(f"its name states {stated:g} billion parameters; --params {params:g} counts")
    if family is None and name is not None:
        kin = model_names.family_of(models, name)
        if kin is not None:
            notes.append(f"family {kin}: read from the name, --family says otherwise")
    if asked is None:
        modes = set(models["reasoning"])
        asked = "on" if modes == {1} else "off"
        if len(modes) > 1:
            notes.append("reasoning is taken to be off; --reasoning on says otherwise")
    label = name or f"{params:g}B" + (f" {kin or family}" if family else "")
    return Model(label, f"{label} {NEW}", kin or f"{family or label} {NEW}", float(np.log2(params)),
                 int(asked == "on"), "family" if kin else "nothing",
                 model_names.tokenizer_of(models, kin), tuple(notes))  # fmt: skip


def _one_text(option: str, value: object) -> str | None:
    if value is None or (isinstance(value, str) and value.strip()):
        return None if value is None else value.strip()
    if isinstance(value, str):
        raise InputError(f"{option} is empty: give a name, or leave it out")
    raise InputError(f"{option} is one name, not {value!r}: ask about one model at a time")


def _mode(reasoning: object) -> str:
    if isinstance(reasoning, bool | np.bool):
        return "on" if reasoning else "off"
    if (text := str(reasoning).strip().casefold()) not in ("on", "off"):
        raise InputError(f"--reasoning is on or off, not {reasoning!r}")
    return text


def _billions(params: object) -> float:
    number = isinstance(params, Real) and not isinstance(params, bool | np.bool)
    if not (number and np.isfinite(params) and params > 0):
        raise InputError(f"--params is billions of parameters, a number such as 8, not {params!r}")
    check_billions(params, "--params")
    return float(params)


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
                "Give the feature in a --languages file"
            )
    return rows.reset_index(drop=True), []


def pair_rows(bundle: Bundle, model: Model, languages: pd.DataFrame) -> pd.DataFrame:
    """A model's pairs with languages as the predictor reads them.

    Returns language, variant, base_model, family and the z-scored features of the fit;
    fertility_source (data; counted with the model's tokenizer; unknown: then taken as 0; unused:
    the fit is without fertility, which is then NaN) and fertility_error (z).
    """
    rows = languages[["language", "resource", "distance"]].reset_index(drop=True)
    rows = rows.assign(
        variant=model.variant,
        base_model=model.base_model,
        family=model.family,
        size=model.size,
        reasoning=model.reasoning,
    )
    scales = bundle.constants.set_index("feature")["sd"]
    if "fertility" in scales.index:
        rows = rows.assign(**_fertility(bundle, model, rows["language"], scales["fertility"]))
    else:
        rows = rows.assign(fertility=np.nan, fertility_source="unused", fertility_error=0.0)
    scaled, _ = standardise(rows, list(scales.index), bundle.constants)
    return scaled


def _fertility(
    bundle: Bundle, model: Model, languages: pd.Series, spread: float
) -> dict[str, pd.Series]:
    """fertility (raw), fertility_source and fertility_error (z) of a model in languages.

    What is known of the pair itself comes first, then the counts of the model's tokenizer in that
    language, then a count on the templates (``tokens``), then an average tokenizer's.
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
        found = tokens.counted(model.tokenizer, languages[missing].tolist(), bundle.pairs)
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
