"""The registry of languages: one code for each, and the codes that others give it.

A language is named by the ISO 639-3 code that the templates of multilingual-gsm-symbolic use (a
macrolanguage for some, ``ara``, ``est``, ``zho``; an individual language for others, ``swh``,
``pes``). Every other code is led there explicitly, by a column of ``data/languages.csv`` or by a
line of ``data/language_aliases.csv`` that gives its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import pandas as pd
from capability_transfer.common.errors import InputError, name_some, option
from capability_transfer.common.tables import Column, check_columns, named, read_column, read_rows
from capability_transfer.features import names

DATA = Path(__file__).parent / "data"
COLUMNS = (
    "language",
    "name",
    "iso_639_1",
    "uriel",
    "common_crawl",
    "template",
    "script",
    "family",
    "decimal",
    "in_study",
    "source",
)
_IN_STUDY = Column("in_study", "truth")
ENGLISH = "eng"
"""The language that the others are compared with."""

TEMPLATE_VARIANTS = {"eng_metric": "eng"}
"""Template folders that are a second set of templates for a language, not a language."""
UNKNOWN = (
    "name it by its ISO 639 code (swh or sw) or in English",
    f"describe it in a {option('languages')} file, with its name and its features",
)
"""What to do about a language that is not registered."""


def registry() -> pd.DataFrame:
    """Every registered language, one row each; the columns are described in ``data/README.md``.

    Empty text means that there is none: no template folder, not counted by Common Crawl.
    """
    return _registry().copy()


def resolve(text: object, own: Mapping[str, str] | None = None) -> str:
    """The registry's code of a language.

    Takes ISO 639-1 and 639-3 codes, Common Crawl's codes, the aliases, and names, the registry's or
    others that a language goes by (``other_names``), in any case. ``own`` are further languages,
    names by code, which come first. Raises InputError with near matches for any other value, for a
    name of several languages, and for a value that a reader has already turned into something else
    (``no`` into False, ``nan`` into a missing value).
    """
    if isinstance(text, bool):
        raise InputError(
            f"language {text} is not a code: YAML reads an unquoted no as false; quote it"
        )
    if text is None or (isinstance(text, float) and text != text):
        raise InputError(
            "a language is missing; if it was nan (Min Nan Chinese), the file was read with "
            "missing-value detection: read it with keep_default_na=False"
        )
    own, folded = own or {}, str(text).strip().casefold()
    if mine := [code for code in own if str(code).casefold() == folded]:
        return mine[0]
    if folded in TEMPLATE_VARIANTS:
        raise InputError(
            f"{text} is a second set of {TEMPLATE_VARIANTS[folded]} templates, not a language: "
            "leave those rows out, or map the folder with features.languages.of_template"
        )
    code = by_code(folded) or _by_name(text, own)
    if code is None:
        raise InputError(f"unknown language {str(text)!r}.{_near(folded)}", UNKNOWN)
    return code


def by_code(text: str) -> str | None:
    """The registered language of a code in any case; None for what is not one, names too."""
    return _codes().get(text.strip().casefold())


def _by_name(text: object, own: Mapping[str, str]) -> str | None:
    """The one language of a name; None if there is none. Raises InputError for several."""
    if not names.parts(text):
        return None
    called = {**_registry().set_index("language")["name"], **own}
    found = [code for code, name in called.items() if names.same(name, text)]
    found = found or [code for code, name in other_names() if names.same(name, text)]
    if len(found) > 1:
        raise InputError(f"{text} is the name of {name_some(found)}: give the code")
    return found[0] if found else None


def find(text: object, known: Mapping[str, str]) -> str:
    """The code among ``known`` (names by code) that somebody means, as ``resolve`` takes it.

    Raises InputError as ``resolve``, and for a language that is not among ``known``.
    """
    if not isinstance(text, str):
        raise InputError(f"a language is named by its code, such as swh, not by {text!r}")
    code = resolve(text, known)
    if code not in known:
        raise InputError(
            f"there are no outcomes in {_registry().set_index('language')['name'][code]} ({code}); "
            f"there are some in {name_some(known, 20)}"
        )
    return code


def among(text: object, codes: Iterable[str]) -> str:
    """``find`` among languages that there are data of; those that are not registered by code."""
    names_of = _registry().set_index("language")["name"]
    return find(text, {code: names_of.get(code, code) for code in codes})


def of_template(folder: str) -> str:
    """The language whose templates are in ``folder``; ``eng_metric`` is English in metric units."""
    return TEMPLATE_VARIANTS.get(folder) or resolve(folder)


def table(languages: pd.DataFrame | Iterable[str] | None = None) -> pd.DataFrame:
    """Registry rows of the given languages, in their order; the study's 15 by default.

    A table is taken as it is (from ``registry`` or ``read_languages``). Raises InputError for
    unknown codes and for one language given twice, under whatever codes.
    """
    if isinstance(languages, pd.DataFrame):
        check_columns(languages.columns, COLUMNS, "the table of languages", "languages")
        _refuse_twice(languages["language"].tolist(), languages["language"].tolist())
        return languages.reset_index(drop=True)
    known = registry()
    if languages is None:
        return known[known["in_study"]].reset_index(drop=True)
    given = [languages] if isinstance(languages, str) else list(languages)
    if not given:
        raise InputError("no language is given")
    codes = [resolve(code) for code in given]
    _refuse_twice(codes, given)
    return known.set_index("language").loc[codes].reset_index()


def read_languages(source: str | Path | pd.DataFrame) -> pd.DataFrame:
    """A user's languages, a file or a data frame: registry rows, with their own columns in place.

    ``language`` is required. A code that is not registered is accepted if its row has a ``name``:
    such a language has the features that the row gives it, and, where it names its ``uriel`` or
    ``common_crawl`` code, those. Further columns (``resource``, ``distance``, one of the user's)
    are kept as text, empty where the rows are. Raises InputError.
    """
    given = read_rows(
        source, [Column(name, required=name == "language") for name in COLUMNS], "languages"
    )
    where, unit = named(source, "languages"), given.index.name
    rows = []
    for line, row in given.iterrows():
        stated = {name: value for name, value in row.items() if value != ""}
        code = stated.pop("language", "")
        if "in_study" in stated:
            stated["in_study"] = read_column(given.loc[[line], "in_study"], _IN_STUDY, where).item()
        try:
            known = table([resolve(code)]).iloc[0].to_dict()
        except InputError as error:
            if code == "" or "name" not in stated:
                own = "For a custom language, give its name in a column name"
                raise InputError(f"{where}, {unit} {line}: {error.problem}", (own,)) from error
            known = dict.fromkeys(COLUMNS, "") | {
                "language": code,
                "in_study": False,
                "source": where,
            }
        rows.append(known | stated)
    result = pd.DataFrame(rows, columns=[*COLUMNS, *given.columns.difference(COLUMNS, sort=False)])
    extra = result.columns.difference(COLUMNS)
    result[extra] = result[extra].fillna("")
    _refuse_twice(result["language"].tolist(), given["language"].tolist())
    return result


@cache
def _registry() -> pd.DataFrame:
    rows = read_rows(DATA / "languages.csv", COLUMNS).reset_index(drop=True)
    rows["in_study"] = read_column(rows["in_study"], _IN_STUDY, "languages.csv")
    return rows


@cache
def other_names() -> tuple[tuple[str, str], ...]:
    """Pairs of a code and a further name of its language: Persian, Farsi and فارسی for ``pes``."""
    rows = read_rows(DATA / "language_names.csv", ["language", "name", "source"])
    return tuple(zip(rows["language"], rows["name"], strict=True))


@cache
def _codes() -> dict[str, str]:
    """Every accepted code and the language that it stands for; the registry's own come first."""
    rows = _registry()
    codes = {code: code for code in rows["language"]}
    aliases = read_rows(DATA / "language_aliases.csv", ["code", "language", "reason"])
    pairs = [*zip(aliases["code"], aliases["language"], strict=True)]
    for column in ("iso_639_1", "common_crawl"):
        pairs += zip(rows[column], rows["language"], strict=True)
    for code, language in pairs:
        if code and codes.setdefault(code, language) != language:
            raise InputError(
                f"{code} stands for {codes[code]} and for {language}: correct the registry"
            )
    return codes


def _near(text: str) -> str:
    """Near matches for an unknown code, each as ``deu (German)``, or nothing."""
    called = _registry().set_index("language")["name"]
    stem = text.replace("_", "-").split("-")[0]
    if stem != text and stem in _codes():
        code = _codes()[stem]
        return f" Did you mean {code} ({called[code]})? Scripts and regions are not told apart"
    named = [*other_names(), *called.items()]
    known = _codes() | {name.casefold(): code for code, name in named}
    near = dict.fromkeys(known[match] for match in get_close_matches(text, known, 5, 0.5))
    listed = ", ".join(f"{code} ({called[code]})" for code in list(near)[:3])
    return f" Did you mean {listed}?" if near else ""


def _refuse_twice(codes: list[str], given: list[str]) -> None:
    """Raise InputError if one language appears twice, naming how it was written."""
    first: dict[str, str] = {}
    for code, written in zip(codes, given, strict=True):
        if code in first:
            raise InputError(f"{code} is given twice: as {first[code]!r} and as {written!r}")
        first[code] = written
