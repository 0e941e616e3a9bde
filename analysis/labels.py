"""How terms, groups and features are written for people."""

from __future__ import annotations

from functools import cache

from capability_transfer.features.languages import registry

FEATURES = {
    "resource": "Resource level",
    "distance": "Typological distance",
    "fertility": "Relative fertility (within)",
    "size": "Model size",
    "reasoning": "Reasoning (on)",
}

SHORT = {
    "resource": "Resource",
    "distance": "Distance",
    "fertility": "Fertility",
    "size": "size",
    "reasoning": "reasoning",
}

RAW = {
    "resource": "log10 Common Crawl pages",
    "distance": "URIEL syntax_knn cosine distance",
    "fertility": "within-language deviation",
    "size": "log2 parameters (billions)",
}

GROUPS = {
    "family": "Family",
    "template": "Template",
    "base_model": "Base model within family",
    "variant:language": "Variant × language",
    "language": "Language",
    "variant": "Variant",
}

SCRIPTS = {
    "Arab": "Arabic",
    "Cyrl": "Cyrillic",
    "Deva": "Devanagari",
    "Hans": "Chinese",
    "Jpan": "Japanese",
    "Latn": "Latin",
}


def term(name: str) -> str:
    """A fixed-effect term for people: ``resource:size`` is ``Resource × size``."""
    if name == "(Intercept)":
        return "Intercept"
    if name == "Intercept":  # a column of the user's
        return "Intercept (column)"
    if ":" in name:
        parts = [SHORT.get(part, part) for part in name.split(":")]
        return " × ".join([parts[0][:1].upper() + parts[0][1:], *parts[1:]])
    return FEATURES.get(name, name)


def group(name: str) -> str:
    """A grouping factor for people."""
    return GROUPS.get(name, name.replace("_", " ").replace(":", " × "))


def script(code: str) -> str:
    """A script of ISO 15924 for people; one that is not among the study's stands as its code."""
    return f"{SCRIPTS.get(code, code)} script"


def language(code: str) -> str:
    """A language's name; a code that is not registered stands as it is."""
    return _language_names().get(code, code)


@cache
def _language_names() -> dict[str, str]:
    names = registry().set_index("language")["name"].to_dict()
    return names | {"eng_metric": "English (metric)"}
