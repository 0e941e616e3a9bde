"""The study's models by name, and the alternatives to its main one. Imports nothing heavy."""

from __future__ import annotations

from typing import NamedTuple

RANDOM_TERMS = (
    "(1 | family) + (1 | base_model) + (1 | variant) + (1 | template) + (1 | language)"
    " + (1 | variant:language)"
)

MAIN = (
    "~ (resource + distance + fertility) * size"
    " + (resource + distance + fertility + size) * reasoning"
    f" + {RANDOM_TERMS}"
)
"""Eq. 1, Table 3: 13 fixed effects; base models are nested in families by their names."""

SIZE_ONLY = f"~ size + {RANDOM_TERMS}"
"""The baseline of the variance explained (section 4.2): size alone, the same random terms."""


class Specification(NamedTuple):
    """An alternative to the main model: what it adds, or which random term it drops.

    ``add`` is lme4 syntax; ``drop`` a grouping factor whose random intercept goes.
    """

    name: str
    label: str
    add: str = ""
    drop: str = ""


SPECIFICATIONS = (
    Specification("main", "Main model"),
    Specification("resource_distance", "Resource × distance", "resource:distance"),
    Specification("script", "Script other than Latin", "non_latin"),
    Specification(
        "template_language", "Template difficulty by language", "(1 | template:language)"
    ),
    Specification("no_language", "No language effect", drop="language"),
    Specification("observation", "Observation-level effect", "(1 | cell)"),
    Specification(
        "slopes_language",
        "Size and reasoning vary by language",
        "(0 + size + reasoning | language)",
    ),
    Specification(
        "slopes_base_model",
        "Resource and distance vary by base model",
        "(0 + resource + distance | base_model)",
    ),
)
"""Appendix A.1. A further one is one line; ``non_latin`` and ``cell`` are columns that
``studies.specifications`` makes."""
