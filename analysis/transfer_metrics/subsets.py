"""Sets of target languages: all, each one, and by script, resource and family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis.terciles import TERCILES, terciles
from capability_transfer.common.errors import InputError, name_some

UNKNOWN = "unknown"
GROUPINGS = ("all", "same_script", "script", "resource", "family", "language")


@dataclass(frozen=True)
class TargetSet:
    """Target languages that belong together: ``grouping`` says by what, ``name`` which they are."""

    grouping: str
    name: str
    languages: tuple[str, ...]


def target_sets(
    languages: pd.DataFrame,
    source: str,
    targets: Sequence[str],
    groupings: Sequence[str] = GROUPINGS,
) -> list[TargetSet]:
    """The target sets of the groupings, in the targets' order.

    Args:
        languages: language, script, family, resource (log10 pages); a language whose value is
            missing falls into a set of its own, called ``unknown``.
        source: the source language.
        targets: the languages to group.
        groupings: any of ``GROUPINGS``. ``same_script`` tells targets in the source's script
            (``same``) from others (``different``); ``resource`` cuts the targets at hand into
            thirds by rank.

    Raises InputError for an unknown grouping and for languages that the table does not have.
    """
    if unknown := [name for name in groupings if name not in GROUPINGS]:
        raise InputError(f"no grouping {name_some(unknown)}; there are {', '.join(GROUPINGS)}")
    table = languages.set_index("language")
    if absent := [name for name in (source, *targets) if name not in table.index]:
        raise InputError(f"nothing is known of language {name_some(absent)}")
    rows = table.loc[list(targets)]
    labels = {
        "all": ["all"] * len(rows),
        "same_script": _same(rows["script"], table.loc[source, "script"]),
        "script": _named(rows["script"]),
        "resource": _named(terciles(rows["resource"])),
        "family": _named(rows["family"]),
        "language": list(targets),
    }
    sets = []
    for grouping in groupings:
        names = pd.Series(labels[grouping], index=list(targets))
        order = sorted(names.unique(), key=_position) if grouping == "resource" else names.unique()
        sets += [TargetSet(grouping, name, tuple(names.index[names == name])) for name in order]
    return sets


def _named(values: pd.Series) -> list[str]:
    return [str(value) if isinstance(value, str) and value else UNKNOWN for value in values]


def _same(scripts: pd.Series, source: object) -> list[str]:
    if _named(pd.Series([source])) == [UNKNOWN]:
        return [UNKNOWN] * len(scripts)
    return [
        UNKNOWN if name == UNKNOWN else ("same" if name == source else "different")
        for name in _named(scripts)
    ]


def _position(name: str) -> int:
    return TERCILES.index(name) if name in TERCILES else len(TERCILES)
