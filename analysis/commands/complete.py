"""What the shell offers for an option's value: codes and names of the registries.

Read from the data files with the standard library, since pandas alone takes longer to import than
a key press may. Each function takes what is typed so far and gives values, most with a
description.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from capability_transfer.analysis.glmm.engines import ENGINES, MODES
from capability_transfer.analysis.study import SPECIFICATIONS
from capability_transfer.features.uriel import FEATURE_SETS

ROOT = Path(__file__).parents[2]

PREDICTORS = ("study", "size_reasoning", "model_mean", "grand_mean", "study_pairs", "slopes",
              "relatives", "smooth")  # fmt: skip
"""Those of ``prediction.predictors``, whose import takes longer than a key press may."""

Offers = list[tuple[str, str]]


def languages(incomplete: str) -> Offers:
    """Codes of registered languages, the study's first, with their names."""
    rows = sorted(_rows("languages"), key=lambda row: row["in_study"] != "true")
    return [(row["language"], row["name"]) for row in rows if _begins(row["language"], incomplete)]


def languages_or_all(incomplete: str) -> Offers:
    """The same, and ``all``."""
    every = [("all", "every language with templates")]
    return [one for one in every if _begins(one[0], incomplete)] + languages(incomplete)


def template_languages(incomplete: str) -> Offers:
    """Languages that multilingual-gsm-symbolic has templates in."""
    rows = (row for row in _rows("languages") if row["template"])
    return [(row["template"], row["name"]) for row in rows if _begins(row["template"], incomplete)]


def models(incomplete: str) -> Offers:
    """Base models and hub ids of the registry."""
    found = {}
    for row in _rows("models"):
        told = f"{row['family']}, {row['params_b']}B"
        found |= {row["base_model"]: told, row["hub_id"]: told}
    return [(name, told) for name, told in found.items() if name and _begins(name, incomplete)]


def families(incomplete: str) -> list[str]:
    """Families of the registry."""
    known = dict.fromkeys(row["family"] for row in _rows("models"))
    return [name for name in known if _begins(name, incomplete)]


def engines(incomplete: str) -> list[str]:
    """Engines of a GLMM."""
    return _starting(ENGINES, incomplete)


def engines_or_none(incomplete: str) -> list[str]:
    """Engines, and none."""
    return _starting([*ENGINES, "none"], incomplete)


def modes(incomplete: str) -> Offers:
    """How `transfer glmm` fits, with what that means."""
    return [(name, told) for name, told in MODES.items() if _begins(name, incomplete)]


def predictors(incomplete: str) -> list[str]:
    """Predictors of held-out languages."""
    return _starting(PREDICTORS, incomplete)


def feature_sets(incomplete: str) -> list[str]:
    """URIEL feature sets."""
    return _starting(FEATURE_SETS, incomplete)


def effects(incomplete: str) -> list[str]:
    """Beginnings of ``term=value`` for the terms of the study's model."""
    names = ["resource", "distance", "fertility", "size", "reasoning"]
    pairs = [f"{one}:{other}" for one in names[:3] for other in names[3:]]
    return _starting([f"{term}=" for term in (*names, *pairs)], incomplete)


def steps(incomplete: str) -> list[str]:
    """Steps of `transfer all`."""
    from capability_transfer.analysis.pipeline.steps import STEPS

    return _starting([step.command for step in STEPS], incomplete)


def specifications(incomplete: str) -> Offers:
    """Alternative specifications, with their labels."""
    return [(one.name, one.label) for one in SPECIFICATIONS if _begins(one.name, incomplete)]


def on_off(incomplete: str) -> list[str]:
    """Reasoning modes."""
    return _starting(["on", "off"], incomplete)


def intervals(incomplete: str) -> list[str]:
    """Methods of confidence intervals."""
    return _starting(["wald", "t", "profile", "bootstrap"], incomplete)


def splits(incomplete: str) -> list[str]:
    """Splits of the questions."""
    return _starting(["symbolic", "original"], incomplete)


def error_policies(incomplete: str) -> list[str]:
    """What to do with samples that have no score."""
    return _starting(["fail", "wrong", "drop"], incomplete)


def duplicate_policies(incomplete: str) -> list[str]:
    """What to do with a question asked twice."""
    return _starting(["fail", "first"], incomplete)


def _begins(value: str, incomplete: str) -> bool:
    return value.startswith(incomplete)


def _starting(values: object, incomplete: str) -> list[str]:
    return [str(value) for value in values if _begins(str(value), incomplete)]


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (ROOT / "features" / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)
