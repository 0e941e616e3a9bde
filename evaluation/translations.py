"""Template texts beside the English ones, and what a look by program makes of the differences.

For a screen that says *which* items are odd (``transfer items``), this says what may be the reason:
most faults of translated templates are slips of a few kinds, which can be told without knowing the
language. What is told is a hint for a reader, not a verdict.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from unicodedata import name as name_of

import pandas as pd
from capability_transfer.common.errors import InputError
from capability_transfer.evaluation import quality
from capability_transfer.evaluation.folders import Folder, find_folder
from capability_transfer.evaluation.instances import template_id

SOURCE = "eng"
COLUMNS = ["language", "template", "text", "source_text", "other_text", "answer", "problems"]

SHARED = 5
"""Letters by which a word is taken for another form of the same word."""

LONGER = 2.2
"""A text this many times longer, or shorter, against its language's ratio to English is odd."""

_SLOT = re.compile(r"\{\s*(\w+)\s*,\s*([^{}]*)\}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Text:
    """One template's parts, as they are compared.

    Attributes:
        question: with its slots, ``{unit,litres}``.
        lines: what is drawn, a line each.
        conditions: of the draw.
        answer: the expression of the final answer.
        plain: the original question.
        file: where they stand.
    """

    question: str
    lines: tuple[str, ...]
    conditions: tuple[str, ...]
    answer: str
    plain: str
    file: Path

    @classmethod
    def read(cls, file: Path) -> tuple[str, Text] | None:
        """The number of a template's problem, and its parts; None for a file that is no template.

        Read as text and not by the package: its expressions need not be understood to be compared.
        """
        try:
            known = tomllib.loads(file.read_text(encoding="utf-8"))
            number, plain = str(known["id_orig"]), known["question"]
            head, *sections = re.split(r"#(\w+):", known["question_annotated"])
            final = known["answer_annotated"].rsplit("####", 1)[-1].strip()
        except (OSError, ValueError, KeyError):
            return None
        by_name = dict(zip(sections[::2], sections[1::2], strict=False))
        lines, conditions = (
            tuple(re.findall(r"^\s*-\s*(.+?)\s*$", by_name.get(name, ""), re.MULTILINE))
            for name in ("init", "conditions")
        )
        parts = head.strip(), lines, conditions, final.strip("{} "), plain.strip()
        return number, cls(*parts, file)

    @cached_property
    def slots(self) -> list[tuple[str, str]]:
        """Name and default value of each slot of the question, in order."""
        return [(name, value.strip()) for name, value in _SLOT.findall(self.question)]

    @cached_property
    def fixed(self) -> str:
        """What of the question is the same in every draw."""
        return _SLOT.sub(" ", self.question)

    @cached_property
    def drawn(self) -> set[str]:
        """Names that a line assigns."""
        return {name for line in self.lines for name in _NAME.findall(line.partition("=")[0])}


def beside(
    items: pd.DataFrame,
    folders: Mapping[str, str | Path] | None = None,
    source: str = SOURCE,
    seconds: float = 0.0,
) -> pd.DataFrame:
    """The texts of some items beside the source's and another one, and what is odd about them.

    Args:
        items: language and template (``id_orig``, the number of the problem in GSM8K), and
            ``other``, a further language to show, empty for none.
        folders: where the templates of a language are, if not in the package: a path by language.
        source: the language that was translated.
        seconds: above 0, also what ``quality.check`` finds and does not find of the source's
            template, with this time limit of the draws of one template (minutes in all).

    Returns language, template, text, source_text, other_text (annotated questions, empty where the
    language has none), answer (its expression) and problems (sentences, one per line, empty where
    nothing is odd), a row for each of the items whose template is at hand. Raises InputError where
    the package of templates is not there.
    """
    english, rows, given = texts(find_folder(source)), [], folders or {}
    find = cache(lambda language: _folder(language, given))
    for language, wanted in items.groupby("language", sort=False):
        folder = find(language)
        here = texts(folder) if folder else {}
        wanted = wanted[
            wanted["template"].isin(list(here)) & wanted["template"].isin(list(english))
        ]
        if folder is None or wanted.empty:
            continue
        ratio = _length_ratio(here, english)
        files = [here[one].file for one in wanted["template"]]
        failed = _failed(folder, files, seconds) if seconds > 0 else {}
        for template, other in zip(wanted["template"], wanted["other"], strict=True):
            own, theirs = here[template], english[template]
            third = find(other)
            third_text = texts(third).get(template) if third else None
            told = [*problems(own, theirs, ratio), *failed.get(own.file, [])]
            row = (language, template, own.question, theirs.question)
            rows.append((*row, third_text.question if third_text else "", own.answer,
                         "\n".join(told)))  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


def _folder(language: str, given: Mapping[str, str | Path]) -> Folder | None:
    """A language's templates; None where there are none."""
    try:
        return find_folder(given.get(language, language)) if language else None
    except InputError:
        if language in given:
            raise
        return None


def _failed(folder: Folder, files: list[Path], seconds: float) -> dict[Path, list[str]]:
    """What ``transfer templates`` finds of some files and not of the English template, by file."""
    results = quality.check(folder, seconds, files)
    failed = results[~results["passed"]]
    failed = failed[~quality.inherited(failed, seconds)]
    by_id = {template_id(file.stem): file for file in files}
    told: dict[Path, list[str]] = {}
    for row in failed.itertuples():
        told.setdefault(by_id[row.template], []).append(f"check {row.check}: {row.detail}")
    return told


def texts(folder: Folder) -> dict[str, Text]:
    """Every template of a folder that can be read, by the number of its problem."""
    return dict(_texts(folder))


@cache
def _texts(folder: Folder) -> tuple[tuple[str, Text], ...]:
    return tuple(one for file in folder.files if (one := Text.read(file)))


def problems(text: Text, source: Text, ratio: float = 1.0) -> list[str]:
    """What is odd about a translated template, in sentences."""
    return [told for check in CHECKS.values() for told in check(text, source, ratio)]


def _left_in_text(text: Text, source: Text, ratio: float) -> Iterator[str]:
    """A default value that also stands outside its slot, though another may be drawn."""
    words = {word.casefold() for word in _WORD.findall(text.fixed)}
    english = {word.casefold() for word in _WORD.findall(source.fixed)}
    for name, value in dict.fromkeys(text.slots):
        if name not in text.drawn or _NUMBER.fullmatch(value):
            continue
        for word in _WORD.findall(value):
            stem = word.casefold()[:SHARED]
            alike = [one for one in words if _same_word(stem, one)]
            if len(stem) >= 3 and alike and not any(_same_word(stem, one) for one in english):
                yield (
                    f"“{alike[0]}” stands in the text, and “{value}” is one of the values that "
                    f"{name} can take: whatever is drawn, the text keeps it"
                )


def _same_word(stem: str, word: str) -> bool:
    return word == stem if len(stem) < SHARED else word.startswith(stem)


def _slot_counts(text: Text, source: Text, ratio: float) -> Iterator[str]:
    """Slots of English that are missing, or fewer."""
    here, there = (Counter(name for name, _ in one.slots) for one in (text, source))
    for name, number in there.items():
        forms = sum(n for own, n in here.items() if own == name or own.startswith(f"{name}_"))
        if forms == 0 and name not in text.drawn:
            yield f"{name}, which English draws, is not drawn here"
        elif forms < number:
            yield f"{{{name}}} is {forms} times in the text, {number} times in English"


def _undrawn(text: Text, source: Text, ratio: float) -> Iterator[str]:
    """Slots that nothing draws."""
    for name in dict.fromkeys(name for name, _ in text.slots):
        if name not in text.drawn:
            yield f"{{{name}}} is in the text and is never drawn"


def _numbers(text: Text, source: Text, ratio: float) -> Iterator[str]:
    """Numbers that stand in the text here and not in English, or the other way round."""
    here, there = (Counter(_NUMBER.findall(one.fixed)) for one in (text, source))
    for number in (here - there).keys() - {"1", "2"}:
        yield f"{number} stands in the text here and not in English"
    for number in there - here:
        yield f"{number} stands in the English text and not here"


def _answer(text: Text, source: Text, ratio: float) -> Iterator[str]:
    """An answer that is computed otherwise."""
    ours, theirs = (_expression(one.answer) for one in (text, source))
    if ours != theirs:
        yield f"the answer is {text.answer}, in English {source.answer}"


def _expression(answer: str) -> str:
    """An expression without what does not change its value: spaces, quotes, int() and the like."""
    plain = re.sub(r"\b(int|round|ensure_int)\(", "(", answer)
    return re.sub(r"[\s()'\"]|//", lambda sign: "/" if sign[0] == "//" else "", plain)


def _conditions(text: Text, source: Text, ratio: float) -> Iterator[str]:
    """Conditions that are missing or further ones."""
    ours, theirs = ({_expression(one) for one in both.conditions} for both in (text, source))
    lost = [one for one in source.conditions if _expression(one) not in ours]
    more = [one for one in text.conditions if _expression(one) not in theirs]
    if lost:
        yield f"English also requires {'; '.join(lost)}"
    if more:
        yield f"only here it is required that {'; '.join(more)}"


def _scripts(text: Text, source: Text, ratio: float) -> Iterator[str]:
    """A word of letters of two scripts."""
    for word in dict.fromkeys(_WORD.findall(text.question)):
        scripts = {name_of(letter, "").split()[0] for letter in word}
        scripts &= {"LATIN", "CYRILLIC", "GREEK", "DEVANAGARI", "ARABIC"}
        if len(scripts) > 1:
            yield f"“{word}” mixes {' and '.join(sorted(one.title() for one in scripts))} letters"


def _foreign_words(text: Text, source: Text, ratio: float) -> Iterator[str]:
    """English units that stand in the text."""
    for word in sorted({word.casefold() for word in _WORD.findall(text.fixed)} & UNITS):
        yield f"“{word}” is an English unit"


UNITS = {"ounce", "ounces", "pound", "pounds", "inch", "inches", "feet", "foot", "yard", "yards",
         "mile", "miles", "gallon", "gallons"}  # fmt: skip


def _length(text: Text, source: Text, ratio: float) -> Iterator[str]:
    """A text that is much longer or shorter than its language's others against English."""
    own = len(text.plain) / max(len(source.plain), 1) / ratio
    if own > LONGER or own < 1 / LONGER:
        word = "longer" if own > 1 else "shorter"
        yield f"the text is {max(own, 1 / own):.1f} times {word} than usual beside English"


def _length_ratio(here: dict[str, Text], english: dict[str, Text]) -> float:
    """The usual ratio of lengths of a language's texts to the English ones."""
    shared = [key for key in here if key in english]
    ratios = [len(here[key].plain) / max(len(english[key].plain), 1) for key in shared]
    return float(pd.Series(ratios or [1.0]).median())


Check = Callable[[Text, Text, float], Iterable[str]]

CHECKS: dict[str, Check] = {
    "left_in_text": _left_in_text,
    "slots": _slot_counts,
    "undrawn": _undrawn,
    "numbers": _numbers,
    "answer": _answer,
    "conditions": _conditions,
    "scripts": _scripts,
    "units": _foreign_words,
    "length": _length,
}
"""Each check by its name: a text, the source's, and the usual ratio of their lengths in; what is
odd, in sentences, out."""
