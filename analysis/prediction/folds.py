"""Which languages are held out together, and which of their rows a predictor may see.

``leave_one_out`` interpolates: every other language is known. The extrapolation folds hold out
languages at an edge of what is known: those with least text, those most distant from English, and
those of one script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis.design import INDICATORS, standardise
from capability_transfer.common.errors import InputError, name_some

FEATURES = ("resource", "distance", "fertility", "size", "reasoning")
"""Features of pairs that predictors use; data may lack some (``analysis.design.left_out``)."""

SCALED = tuple(name for name in FEATURES if name not in INDICATORS)
AT_THE_EDGE = 3
FEWEST_LANGUAGES = 3


@dataclass(frozen=True)
class Fold:
    """Languages held out together: ``kind`` is ``language``, ``resource``, ``distance`` or
    ``script``, ``name`` says which."""

    kind: str
    name: str
    held_out: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Split:
    """Training rows and held-out rows, both with z-scores by the training rows' constants.

    Attributes:
        train: cells (keys, counts, base_model, family, features).
        held: see ``train``.
        constants: feature, mean, sd.
    """

    fold: Fold
    train: pd.DataFrame
    held: pd.DataFrame
    constants: pd.DataFrame


def leave_one_out(languages: Sequence[str]) -> list[Fold]:
    """One fold per language."""
    return [Fold("language", language, (language,)) for language in sorted(languages)]


def extrapolation(languages: pd.DataFrame) -> list[Fold]:
    """The edges of the languages at hand (rows of ``features.table.Tables.languages``)."""
    by_resource = languages.sort_values("resource", kind="stable")["language"]
    by_distance = languages.sort_values("distance", ascending=False, kind="stable")["language"]
    folds = [
        Fold("resource", "least text", tuple(sorted(by_resource[:AT_THE_EDGE]))),
        Fold("distance", "most distant", tuple(sorted(by_distance[:AT_THE_EDGE]))),
    ]
    scripts = languages.groupby("script")["language"]
    if scripts.ngroups > 1:
        folds += [Fold("script", script, tuple(sorted(held))) for script, held in scripts]
    kept = [fold for fold in folds if len(languages) - len(fold.held_out) >= FEWEST_LANGUAGES]
    if not kept:
        raise InputError(
            f"{len(languages)} languages are too few to hold some out at an edge: "
            f"{FEWEST_LANGUAGES} must remain"
        )
    return kept


def keep_all(joined: pd.DataFrame) -> Split:
    """All rows as training rows, nothing held out; raises InputError for too few languages."""
    return split(joined, Fold("none", "none", ()))


def split(joined: pd.DataFrame, fold: Fold, seen_templates: Sequence[str] = ()) -> Split:
    """Hold a fold's languages out of cells with raw features.

    With ``seen_templates`` the held-out languages' cells of those templates join the training
    rows; ``held`` then has the others. Constants are recomputed on the training rows.

    Raises InputError for a language without rows and for a training set of too few languages.
    """
    if absent := set(fold.held_out).difference(joined["language"].unique()):
        raise InputError(f"there are no outcomes in {name_some(sorted(absent))} to hold out")
    away = joined["language"].isin(fold.held_out)
    remaining = joined["language"][~away].nunique()
    if remaining < FEWEST_LANGUAGES:
        held = f"holding out {name_some(fold.held_out)} leaves" if fold.held_out else "there are"
        raise InputError(
            f"{held} {remaining} languages to learn from; at least {FEWEST_LANGUAGES} are needed"
        )
    if len(seen_templates):
        away &= ~joined["template"].isin(list(seen_templates))
    scaled = [name for name in SCALED if name in joined.columns]
    train, constants = standardise(joined[~away].reset_index(drop=True), scaled)
    held, _ = standardise(joined[away].reset_index(drop=True), scaled, constants)
    return Split(fold, train, held, constants)
