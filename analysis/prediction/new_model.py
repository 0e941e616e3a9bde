"""The model to predict: found by its name, or described by its size, family and mode.

Cells that a user observed of it (``select_cells``) update the prediction.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction import model_names
from capability_transfer.analysis.prediction.store import Bundle, Catalogue
from capability_transfer.common.errors import InputError, name_some, option, spelled
from capability_transfer.features.languages import resolve
from capability_transfer.features.names import in_mode, same
from capability_transfer.features.size import check_billions, parse_size

NEW = "(new)"


@dataclass(frozen=True)
class AskedModel:
    """The model to predict: a variant in the data, or another one that was described.

    ``known`` names the most specific level found in the data: ``variant``, ``base_model``,
    ``family`` or ``nothing``; ``tokenizer`` is a key of token counts, None where no tokenizer is
    known; ``notes`` say what was read from the name or assumed.
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
    size_needed: bool = True,
) -> AskedModel:
    """The model that a name or a description means.

    A name is a variant, a base model or a hub id of the data or the registry, in any case and with
    any separators; any other needs a size that its name states, or ``params``, and is taken to be
    of the family whose models' names begin like it. Without ``reasoning`` a base model of one mode
    has that one, and one that nothing is known of has reasoning off. Where a size is not needed,
    a name without one is a model whose size is not known (NaN).

    Raises InputError for a name that is nearly a known one, without ``params``; for one with no
    parsable size; for ``params``, ``family`` or ``reasoning`` that contradict what is known of a
    model; for a base model of two modes without ``reasoning``; and for no description at all.
    """
    if name is None and params is None:
        raise InputError(
            f"say which model: {option('model', 'NAME')}, or {option('params', 'BILLIONS')} "
            f"(and {option('family')})",
            parameter="model",
        )
    name, family = _one_text("model", name), _one_text("family", family)
    params = None if params is None else _billions(params)
    asked = None if reasoning is None else _mode(reasoning)
    models = known.models
    kin = None if family is None else model_names.known_family(models, family)
    found = None if name is None else model_names.find(models, name, params)
    if found is None:
        model = _another(models, name, params, family, kin, asked, size_needed)
    else:
        model = _known_model(models, found, name, family, asked)
    kin_sizes = models["size"][models["family"] == model.family]
    if note := _outside(models["size"], model.size) or _outside_family(kin_sizes, model):
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
    if (beyond := _beyond(sizes, size)) is None:
        return None
    return (
        f"extrapolation: {2**size:g} billion parameters are {beyond[0]} than any model learned "
        f"from ({beyond[1]}): what size changes beyond is taken to lie anywhere between nothing "
        "and the line drawn on"
    )


def _outside_family(sizes: pd.Series, model: AskedModel) -> str | None:
    """The same of the other models of its family."""
    if (beyond := _beyond(sizes, model.size)) is None:
        return None
    return (
        f"{2**model.size:g} billion parameters are {beyond[0]} than any {model.family} model "
        f"learned from ({beyond[1]}): there other families say what size changes"
    )


def _beyond(sizes: pd.Series, size: float) -> tuple[str, str] | None:
    """Whether a size (log2 billions) is below or above all others, and the nearest and how far."""
    for edge, far, which in ((sizes.min(), sizes.min() - size, "smaller"),
                             (sizes.max(), size - sizes.max(), "larger")):  # fmt: skip
        if far > 1e-9:
            return which, f"{2**edge:g} billion, by {far:.1f} doublings"
    return None


def _known_model(
    models: pd.DataFrame,
    found: model_names.Named,
    name: str,
    family: str | None,
    asked: str | None,
) -> AskedModel:
    """A model of the data or of the registry, in the mode that was asked for."""
    rows, base = found.rows, found.base_model
    first = rows.iloc[0]
    if family is not None and not same(family, first["family"]):
        raise InputError(
            f"{base} is of the family {first['family']}, not {family}: leave "
            f"{option('family')} out",
            parameter="family",
        )
    if found.mode and asked and found.mode != asked:
        raise InputError(
            f"{name} says reasoning {found.mode}, {option('reasoning', asked)}: leave one out",
            parameter="reasoning",
        )
    asked = asked or found.mode
    modes = rows["reasoning"].map({0: "off", 1: "on"})
    if asked is None and modes.nunique() > 1:
        raise InputError(
            f"{name} has reasoning on and off: say which with {option('reasoning')}",
            parameter="reasoning",
        )
    asked = asked or modes.iloc[0]
    chosen = rows[modes == asked]
    tokenizer = str(first["tokenizer"] or "") or None
    label = chosen["variant"].iloc[0] if len(chosen) else in_mode(base, asked)
    family, known, notes = first["family"], "variant" if len(chosen) else "base_model", ()
    if not found.in_data:
        notes = (f"{base} is registered, but the data have no outcomes of it",)
        base = f"{base} {NEW}"
        known = "family" if family in set(models["family"]) else "nothing"
        family = family if known == "family" else f"{family} {NEW}"
    size, mode = float(first["size"]), int(asked == "on")
    return AskedModel(label, base, family, size, mode, known, tokenizer, notes)


def _another(
    models: pd.DataFrame,
    name: str | None,
    params: float | None,
    family: str | None,
    kin: str | None,
    asked: str | None,
    size_needed: bool,
) -> AskedModel:
    """An unknown model, from its description and what its name states."""
    notes = []
    if params is None and not size_needed and model_names.stated(name) is None:
        params = np.nan
        notes.append(f"its size is not known; {option('params')} says what it is")
    elif params is None:
        params = parse_size(name)
        says = f"{option('params')} says otherwise"
        notes.append(f"{params:g} billion parameters: read from the name, {says}")
    elif name and (stated := model_names.stated(name)) and not model_names.alike(stated, params):
        counts = f"{option('params', params)} counts"
        notes.append(f"its name states {stated:g} billion parameters; {counts}")
    if family is None and name is not None:
        kin = model_names.family_of(models, name)
        if kin is not None:
            notes.append(f"family {kin}: read from the name, {option('family')} says otherwise")
    if asked is None:
        modes = set(models["reasoning"])
        asked = "on" if modes == {1} else "off"
        if len(modes) > 1:
            says = f"{option('reasoning', 'on')} says otherwise"
            notes.append(f"reasoning is taken to be off; {says}")
    label = name or f"{params:g}B" + (f" {kin or family}" if family else "")
    return AskedModel(
        label,
        f"{label} {NEW}",
        kin or f"{family or label} {NEW}",
        float(np.log2(params)),
        int(asked == "on"),
        "family" if kin else "nothing",
        model_names.tokenizer_of(models, kin),
        tuple(map(spelled, notes)),
    )


def _one_text(parameter: str, value: object) -> str | None:
    if value is None or (isinstance(value, str) and value.strip()):
        return None if value is None else value.strip()
    if isinstance(value, str):
        problem = "is empty: give a name, or leave it out"
    else:
        problem = f"is one name, not {value!r}: ask about one model at a time"
    raise InputError(f"{option(parameter)} {problem}", parameter=parameter)


def _mode(reasoning: object) -> str:
    if isinstance(reasoning, bool | np.bool):
        return "on" if reasoning else "off"
    if (text := str(reasoning).strip().casefold()) not in ("on", "off"):
        raise InputError(
            f"{option('reasoning')} is on or off, not {reasoning!r}", parameter="reasoning"
        )
    return text


def _billions(params: object) -> float:
    number = isinstance(params, Real) and not isinstance(params, bool | np.bool)
    if not (number and np.isfinite(params) and params > 0):
        raise InputError(
            f"{option('params')} is billions of parameters, a number such as 8, not {params!r}",
            parameter="params",
        )
    check_billions(params, option("params"))
    return float(params)


def select_cells(
    cells: pd.DataFrame,
    model: AskedModel,
    asked: str | None,
    languages: Collection[str],
    source: str,
) -> tuple[pd.DataFrame, list[str]]:
    """The rows of ``cells`` that calibrate a prediction, under the registry's language codes.

    Args:
        cells: variant, language, template, n_correct, n_total.
        model: from ``find_model``; cells of a single variant are taken to be its.
        asked: the model as the user named it.
        languages: those predicted.
        source: what the cells are, for messages.

    Returns them, and sentences on what was assumed and left out. Raises InputError where there are
    none.
    """
    known = set(languages)
    try:
        codes = {
            code: code if code in known else resolve(code) for code in cells["language"].unique()
        }
    except InputError as error:
        raise error.at(f"{source}: ") from error
    cells = cells.assign(language=cells["language"].map(codes))
    labels = cells["variant"].unique()
    meant = [name for name in (model.variant, asked) if name is not None]
    meant += [in_mode(name, "on" if model.reasoning else "off") for name in meant]
    own = [label for label in labels if any(same(label, name) for name in meant)]
    if not own and len(labels) > 1:
        raise InputError(f"{source} has no rows of {model.variant}; it has {name_some(labels)}")
    notes = [] if own else [f"rows of {labels[0]} in {source} are taken to be {model.variant}'s"]
    mine = cells[cells["variant"].isin(own or labels)]
    used = mine["language"].isin(known)
    if not used.any():
        raise InputError(f"{source} has no rows in {name_some(known)}: nothing to calibrate with")
    if not used.all():
        left = name_some(mine.loc[~used, "language"].unique())
        notes.append(f"rows in {left} in {source} are not used: no prediction is asked there")
    return mine[used], notes
