"""Model names of logs as variants: the registry's where it knows the hub id, the log's own else.

A model served by two providers is two variants, unless a mapping file says that they are one:
quantisation and chat templates differ between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from capability_transfer.common.errors import InputError, name_some, option, spelled
from capability_transfer.common.files import write_table
from capability_transfer.features import models as registry_of
from capability_transfer.features.names import in_mode
from capability_transfer.features.size import parse_size

STUB = ("variant", "base_model", "family", "params_b", "reasoning")


def resolve(
    seen: Iterable[tuple[str | None, str | None, str | None]], renamed: dict[str, str]
) -> pd.DataFrame:
    """A variant for every (model, variant, reasoning) of the samples.

    Args:
        seen: as the logs state them; a stated variant is taken as it is.
        renamed: names that logs give to models, and what they are called here: a hub id, a
            registered variant or any other name.

    Returns model, stated, reasoning (the key), variant, base_model, mode (on, off, or empty where
    nobody knows), known (whether the registry has the variant). A model is known by its name
    after the provider (``vllm/Qwen/Qwen3-8B``) or as it stands.

    Raises InputError for a registered model of two modes whose logs do not say which one.
    """
    registry = registry_of.registry()
    rows = []
    for model, stated, reasoning in seen:
        if stated is not None:
            known = registry[registry["variant"] == stated]
            modes = known["reasoning"].tolist() or [reasoning or ""]
            rows.append((model, stated, reasoning, stated, stated, modes[0], len(known) > 0))
            continue
        if model is None:
            raise InputError(f"a log names no model: map model or variant ({option('mapping')})")
        name = renamed.get(model, model)
        known = _registered(registry, name, reasoning, model)
        if known is not None:
            found = (known["variant"], known["base_model"], known["reasoning"], True)
        else:
            label = name if reasoning is None else in_mode(name, reasoning)
            found = (label, name, reasoning or "", False)
        rows.append((model, stated, reasoning, *found))
    columns = ["model", "stated", "reasoning", "variant", "base_model", "mode", "known"]
    return _apart(pd.DataFrame(rows, columns=columns), renamed)


def stub(variants: pd.DataFrame, path: Path) -> Path:
    """A models file to be completed: the variants that the registry does not have.

    ``params_b`` is filled in where the name states it; ``family``, and ``reasoning`` where no log
    says it, are left to the user.
    """
    unknown = variants[~variants["known"]].drop_duplicates("variant")
    table = pd.DataFrame(
        {
            "variant": unknown["variant"],
            "base_model": unknown["base_model"],
            "family": "",
            "params_b": [_size(name) for name in unknown["base_model"]],
            "reasoning": unknown["mode"],
        },
        columns=STUB,
    )
    return write_table(table, path)


def _registered(
    registry: pd.DataFrame, name: str, reasoning: str | None, model: str
) -> pd.Series | None:
    """The registry's row of a model in a mode, or None for a model that it does not have."""
    if (registry["variant"] == name).any():
        return registry[registry["variant"] == name].iloc[0]
    for hub_id in (name, name.partition("/")[2]):
        rows = registry[registry["hub_id"] == hub_id]
        if rows.empty:
            continue
        if reasoning is None and len(rows) > 1:
            raise InputError(
                f"{model} has both modes and its log does not say which: map reasoning "
                f"({option('mapping')}, such as "
                "`reasoning: {value: 'off'}`), or say it when you evaluate "
                "(`inspect eval evaluation/task.py -T reasoning=on`, or off)"
            )
        rows = rows if reasoning is None else rows[rows["reasoning"] == reasoning]
        return None if rows.empty else rows.iloc[0]
    return None


def _apart(table: pd.DataFrame, renamed: dict[str, str]) -> pd.DataFrame:
    """The variants, with those of several providers under their providers' names."""
    names = defaultdict(set)
    for row in table[table["stated"].isna()].itertuples():
        names[row.variant].add(renamed.get(row.model, row.model))
    shared = table["variant"].map(lambda variant: len(names[variant]) > 1) & table["stated"].isna()
    for index in table.index[shared]:
        row = table.loc[index]
        name = renamed.get(row["model"], row["model"])
        label = in_mode(name, row["mode"]) if row["mode"] else name
        table.loc[index, ["variant", "base_model", "known"]] = [label, name, False]
    return table


def several_providers(table: pd.DataFrame) -> list[str]:
    """Sentences on models that more than one provider served and that are not one variant."""
    served, called = defaultdict(set), defaultdict(set)
    for row in table[table["stated"].isna()].itertuples():
        name = row.model.partition("/")[2] or row.model  # a name without a provider is its own
        served[name].add(row.model)
        called[name].add(row.base_model)
    return [
        spelled(
            f"{name_some(sorted(models))} are kept apart; map them to one name to merge them "
            f"(models: in a {option('mapping')} file)"
        )
        for name, models in served.items()
        if len(models) > 1 and len(called[name]) > 1
    ]


def _size(name: str) -> float | None:
    try:
        return parse_size(name)
    except InputError:
        return None
