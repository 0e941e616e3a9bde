"""Pass rates of the same items in a source language and targets, and sets of targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.terciles import TERCILES, terciles
from capability_transfer.common.errors import InputError, name_some, option, suggest

UNMATCHED = ("error", "intersect")
UNKNOWN = "unknown"
GROUPINGS = ("all", "same_script", "script", "resource", "family", "language")


@dataclass(frozen=True)
class ItemRates:
    """One model's pass rates, item by item.

    Attributes:
        variant: the model.
        source: the source language.
        languages: the targets, L of them.
        items: the item labels, I of them.
        source_rate: s, I values from 0 to 1.
        source_trials: how many answers each rests on.
        target_rate: t, I × L values from 0 to 1.
        left_out: items that some language lacks, dropped on request.
    """

    variant: str
    source: str
    languages: tuple[str, ...]
    items: tuple[str, ...]
    source_rate: np.ndarray
    source_trials: np.ndarray
    target_rate: np.ndarray
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.items) < 2:
            raise InputError(
                f"{self.variant} has {len(self.items)} item in common between {self.source} and "
                "its targets; transfer metrics and their intervals need at least two"
            )
        if not self.languages:
            raise InputError(f"{self.variant} has no target language besides {self.source}")
        for language, rates in (
            (self.source, self.source_rate),
            *zip(self.languages, self.target_rate.T, strict=True),
        ):
            outside = ~((rates >= 0) & (rates <= 1))
            if outside.any():
                named = name_some(
                    f"{item} ({rate:g})"
                    for item, rate in zip(
                        np.array(self.items)[outside], rates[outside], strict=True
                    )
                )
                raise InputError(
                    f"pass rates of {self.variant} in {language} are not between 0 and 1: {named}. "
                    "Give proportions, not percent"
                )
        if (self.source_trials < 1).any():
            raise InputError(f"{self.variant} has items in {self.source} without an answer")

    def restrict(self, languages: Sequence[str]) -> ItemRates:
        """The same items with some of the targets. Raises InputError for one that is not there."""
        absent = [language for language in languages if language not in self.languages]
        if absent:
            raise InputError(
                f"{self.variant} has no target language {name_some(absent)}; "
                f"it has {name_some(self.languages, 30)}"
            )
        columns = [self.languages.index(language) for language in languages]
        return ItemRates(
            self.variant,
            self.source,
            tuple(languages),
            self.items,
            self.source_rate,
            self.source_trials,
            self.target_rate[:, columns],
            self.left_out,
        )


def item_rates(
    cells: pd.DataFrame,
    source: str = "eng",
    targets: Sequence[str] | None = None,
    unmatched: str = "error",
) -> list[ItemRates]:
    """Pass rates of every model in ``cells``, an item being a template.

    Args:
        cells: variant, language, template, n_correct, n_total; one split only.
        source: the source language, any of those in ``cells``.
        targets: the target languages; all others by default.
        unmatched: what to do about items that not every language of a model has: ``error`` lists
            them, ``intersect`` leaves them out and records them in ``left_out``.

    Raises InputError for an unknown source or target, a model without rows in one of the
    languages, unmatched items under ``error``, an item given twice, counts that make no rate, and
    fewer than two common items.
    """
    if unmatched not in UNMATCHED:
        raise InputError(f"unmatched is {' or '.join(UNMATCHED)}, not {unmatched!r}")
    _check(cells)
    known = list(cells["language"].unique())
    if targets is None:
        targets = [language for language in known if language != source]
    for language in (source, *targets):
        if language not in known:
            raise InputError(
                f"no outcomes are in language {language!r}; there are {name_some(known, 30)}."
                f"{suggest(language, known)}"
            )
    if source in targets:
        raise InputError(f"{source} is the source and cannot be a target as well")
    wanted = [source, *targets]
    kept = cells[cells["language"].isin(wanted)]
    return [
        _rates(str(variant), rows, wanted, unmatched)
        for variant, rows in kept.groupby("variant", sort=False)
    ]


def require_same_items(rates: Sequence[ItemRates]) -> None:
    """Raise InputError unless all models were given the same items, in the same order.

    Statistics over models resample items, and an item's difficulty is shared by all models.
    """
    for other in rates[1:]:
        if other.items != rates[0].items:
            odd = sorted(set(other.items) ^ set(rates[0].items))
            raise InputError(
                f"{other.variant} and {rates[0].variant} were not given the same items: "
                f"{name_some(odd)}. Keep the items that all models have"
            )


def _check(cells: pd.DataFrame) -> None:
    needed = ["variant", "language", "template", "n_correct", "n_total"]
    if absent := [name for name in needed if name not in cells.columns]:
        raise InputError(f"cells lack the column {name_some(absent)}")
    twice = cells.duplicated(["variant", "language", "template"])
    if twice.any():
        rows = cells.loc[twice, ["variant", "language", "template"]].drop_duplicates()
        hint = ": keep one split" if "split" in cells.columns else ""
        named = name_some(rows.astype(str).agg(" / ".join, axis=1))
        raise InputError(f"items occur more than once{hint}: {named}")
    if (cells["n_total"] < 1).any():
        rows = cells.index[cells["n_total"] < 1]
        raise InputError(f"n_total is below 1 in row {name_some(rows)}: leave such rows out")


def _rates(variant: str, rows: pd.DataFrame, wanted: list[str], unmatched: str) -> ItemRates:
    """The rates of one model: items × languages, the source first."""
    present = set(rows["language"])
    absent = [language for language in wanted if language not in present]
    if absent:
        raise InputError(f"{variant} has no outcomes in {name_some(absent)}")
    keyed = rows.assign(rate=rows["n_correct"] / rows["n_total"]).pivot(
        index="template", columns="language", values=["rate", "n_total"]
    )
    rate, trials = keyed["rate"][wanted], keyed["n_total"][wanted]
    complete = rate.notna().all(axis=1)
    left_out = tuple(map(str, rate.index[~complete]))
    if left_out and unmatched == "error":
        listed = "; ".join(
            f"{language} lacks {name_some(rate.index[rate[language].isna()])}"
            for language in wanted
            if rate[language].isna().any()
        )
        raise InputError(
            f"{variant} was not given the same items in every language: {listed}. "
            f"Intersect the items if that is what you want ({option('intersect', True)}, or "
            "unmatched='intersect')"
        )
    rate, trials = rate[complete], trials[complete]
    return ItemRates(
        variant=variant,
        source=wanted[0],
        languages=tuple(wanted[1:]),
        items=tuple(map(str, rate.index)),
        source_rate=rate.iloc[:, 0].to_numpy(dtype=float),
        source_trials=trials.iloc[:, 0].to_numpy(dtype=float),
        target_rate=rate.iloc[:, 1:].to_numpy(dtype=float),
        left_out=left_out,
    )


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
            missing falls into a separate set, called ``unknown``.
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
