"""Which model a name means: one of the data, one of the registry, or another one.

A name counts without case, spaces, hyphens and underscores, and without its organisation where
that leaves one model. What is only nearly the name of a known model is an error rather than
another model, unless its size is given on purpose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import log2

import pandas as pd
from capability_transfer.common.errors import InputError, name_some, option, suggest
from capability_transfer.features import models as model_registry
from capability_transfer.features import names
from capability_transfer.features.size import parse_size

TOLERANCE = 0.3
"""In doublings: a size that differs by less is the same one, counted otherwise (8.2B for 8B)."""

_MODE = re.compile(r"[\s_(-]+reasoning[\s_:=-]+(on|off)\)?\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Named:
    """A known model that a name means.

    Attributes:
        base_model: its checkpoint.
        mode: ``on`` or ``off``, where the name says which; else None.
        rows: variant, base_model, family, size (log2 billions), reasoning (0/1), hub_id, tokenizer
            of all of its variants that are known.
        in_data: whether the data have it, or the registry alone.
    """

    base_model: str
    mode: str | None
    rows: pd.DataFrame
    in_data: bool


def find(
    models: pd.DataFrame, name: str, params: float | None, near_is_error: bool = True
) -> Named | None:
    """The known model of a name; None for another one.

    Args:
        models: of the data (``Bundle.models``).
        name: as typed: a variant, a base model, or a hub id with or without its organisation.
        params: billions of parameters, where they are given beside the name.
        near_is_error: whether what is nearly a known name is refused, or is another model.

    Raises InputError for a name that fits several models, for one that is nearly a known one where
    ``params`` is None, and for ``params`` that contradict the known size.
    """
    known = _known(models)
    labels = _labels(known)
    sizes = (2 ** known.groupby("base_model")["size"].first()).to_dict()
    size = stated(name)
    plain, mode = _without_mode(name)
    found, bases = [], set()
    for written in (name, plain):
        found = [
            label
            for label in names.matching(written, labels)
            if names.parts(label) == names.parts(written)
            or size is None
            or alike(size, sizes[labels[label][0]])
        ]
        bases = {labels[label][0] for label in found}
        if found:
            break
    if len(bases) > 1:
        raise InputError(f"{name} fits several models: say which of {name_some(sorted(bases))}")
    if not found:
        if near_is_error and params is None and (close := _close(plain, labels)):
            raise InputError(
                f"no model {name!r} is known. Did you mean {name_some(close)}? If another model "
                f"is meant, give its size with {option('params')}"
            )
        return None
    base, said = labels[found[0]]
    unknown = sizes[base] != sizes[base]
    if params is not None and not unknown and not alike(params, sizes[base]):
        raise InputError(
            f"{base} has {sizes[base]:g} billion parameters, not {params:g}: leave "
            f"{option('params')} out, or give another model another name",
            parameter="params",
        )
    rows = known[known["base_model"] == base].reset_index(drop=True)
    return Named(base, said or mode, rows, bool(rows["in_data"].any()))


def family_of(models: pd.DataFrame, name: str) -> str | None:
    """The family of the data whose models begin like ``name``; None if there is none, or two.

    Compared are the words and numbers before the size: ``Qwen/Qwen3-1.5B-foo`` begins like Qwen3,
    not like Qwen3.5.
    """
    stems: dict[tuple[str, ...], set[str]] = {}
    for row in models.itertuples():
        for stem in (names.parts(row.family), _stem(row.base_model)):
            if stem:
                stems.setdefault(stem, set()).add(row.family)
    written = names.parts(_last(name))
    fitting = [stem for stem in stems if written[: len(stem)] == stem]
    longest = max(fitting, key=len, default=None)
    families = stems.get(longest, set()) if longest else set()
    return next(iter(families)) if len(families) == 1 else None


def known_family(models: pd.DataFrame, family: str) -> str | None:
    """The data's family that is meant, in whatever case and spelling; None for another one.

    Raises InputError for what is only nearly one of them.
    """
    families = list(models["family"].unique())
    if found := names.matching(family, families):
        return found[0]
    if close := suggest(family, families):
        raise InputError(
            f"the data have no family {family!r}.{close} They have {name_some(families, 12)}; for "
            f"a new one leave {option('family')} out",
            parameter="family",
        )
    return None


def tokenizer_of(models: pd.DataFrame, family: str | None) -> str | None:
    """The tokenizer of a family of the data, where its models have one only."""
    found = set(models["tokenizer"][models["family"] == family]) - {""}
    return found.pop() if len(found) == 1 else None


def _known(models: pd.DataFrame) -> pd.DataFrame:
    """Variants of the data, then those of the registry that they do not have."""
    registered = model_registry.registry()
    registered = registered.assign(
        size=registered["params_b"].map(log2),
        reasoning=(registered["reasoning"] == "on").astype(int),
        in_data=False,
    )
    columns = ["variant", "base_model", "family", "size", "reasoning", "hub_id", "tokenizer"]
    own = models.assign(in_data=True)
    others = registered[~registered["base_model"].isin(own["base_model"])]
    return pd.concat([own, others], ignore_index=True)[[*columns, "in_data"]]


def _labels(known: pd.DataFrame) -> dict[str, tuple[str, str | None]]:
    """Every name of the known models: the base model that it means, and the mode if it says."""
    labels: dict[str, tuple[str, str | None]] = {}
    for row in known.itertuples():
        for label in (row.base_model, row.hub_id, _last(row.hub_id)):
            if label:
                labels.setdefault(label, (row.base_model, None))
    for row in known.itertuples():
        labels.setdefault(row.variant, (row.base_model, "on" if row.reasoning else "off"))
    return labels


def _without_mode(name: str) -> tuple[str, str | None]:
    """``Qwen3-8B (reasoning on)`` as ``Qwen3-8B`` and ``on``."""
    match = _MODE.search(name)
    return (name, None) if match is None else (name[: match.start()], match.group(1).casefold())


def _close(name: str, labels: dict[str, tuple[str, str | None]]) -> list[str]:
    """Names of known models that may be meant, whatever organisation stands before them."""
    by_last: dict[str, str] = {}
    for label in sorted(labels, key=lambda label: "/" not in label):  # hub ids first
        by_last.setdefault(_last(label), label)
    by_base = {labels[by_last[close]][0]: by_last[close]
               for close in reversed(names.near(_last(name), by_last))}  # fmt: skip
    return list(reversed(by_base.values()))


def _stem(name: str) -> tuple[str, ...]:
    """The words and numbers of a name before the part that states its size."""
    pieces = [piece for piece in re.split(r"[-_\s]+", _last(name)) if piece]
    for position, piece in enumerate(pieces):
        if stated(piece) is not None:
            return names.parts(" ".join(pieces[:position]))
    return names.parts(_last(name))


def _last(name: str) -> str:
    return str(name).split("/")[-1]


def stated(name: str) -> float | None:
    """Billions of parameters that a name states; None if it does not, or not clearly."""
    try:
        return parse_size(name)
    except InputError:
        return None


def alike(one: float, other: float) -> bool:
    """Whether two sizes (billions) are one, counted in two ways."""
    return abs(log2(one / other)) < TOLERANCE
