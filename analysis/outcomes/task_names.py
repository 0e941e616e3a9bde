"""Languages and benchmarks in the names of tasks, as the lm-evaluation-harness spells them.

``mgsm_native_cot_sw``, ``belebele_swh_Latn``, ``afrixnli_en_direct_amh`` and ``xwinograd_jp`` name
their languages; ``agieval_lsat_ar`` names a part of an American admission test. No rule tells them
apart, so ``data/lm_eval_suites.csv`` says for each suite how its tasks are named. In the name of
any other task only a plausible ending counts: a registered code that is not an English word or
habitual abbreviation, or a code with its script.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from capability_transfer.common.tables import read_rows
from capability_transfer.features import languages as registry

TABLE = Path(__file__).parent / "data" / "lm_eval_suites.csv"

NONE, PAIR = "none", "pair"
"""In the table's column ``language``: tasks that name no language, and that are between two."""

_AMBIGUOUS = """
aa ab am as be bi bs ce co cs gd ha he ho ia id ie ii in is it la lo mi ml mo mr ms mt my na ne no
or os pa ps rm sa sc sg si so ss st ti to ts tt tw ve wo
bar div fin got hat ice lit mac may min mol mon msa nan nor per run sun war
"""
AMBIGUOUS = frozenset(_AMBIGUOUS.split())
"""Codes that are English words or abbreviations (msa: Modern Standard Arabic; mt: machine
translation; mr: movie reviews); at the end of an unknown task's name they say nothing of the
language."""

_LOCALES = """
ar_eg ar_sa ar_xy bn_bd bn_in de_at de_ch de_de en_au en_gb en_in en_uk en_us es_ar es_es es_la
es_mx es_us fr_be fr_ca fr_ch fr_fr hi_in id_id it_it ja_jp ko_kr nl_be nl_nl pt_br pt_pt ru_ru
sv_se sw_ke tr_tr uk_ua vi_vn yo_ng zh_cn zh_hk zh_sg zh_tw
"""
LOCALES = frozenset(_LOCALES.split())
"""Languages with their regions; any other two codes side by side are two languages."""

_FIELDS = {"language": r"[a-z]+(?:[_-][a-z_-]+?)??", "script": "[a-z]{4}", "region": "[a-z]{2,4}"}
_FIELD = re.compile(r"(\{\w+\}|\*)")
_ENDING = re.compile(
    r"(?P<before>.*[_.-])?(?P<language>[a-z]{2,3})(?P<script>[_-][A-Z][a-z]{3})?"
    r"(?P<after>(?:_prompt)?_\d+(?:_?shot)?)?"
)
_LOCALE = re.compile(
    r"(?P<before>.*[_.-])?(?P<language>[a-z]{2,3})(?P<region>[_-][A-Za-z]{2})"
    r"(?P<after>(?:_prompt)?_\d+(?:_?shot)?)?"
)


@dataclass(frozen=True)
class Named:
    """Language and benchmark as the name of a task states them.

    Attributes:
        language: a registered code, an ISO 639-3 code that a suite uses, or None.
        benchmark: the task without its language: the same for the suite's other languages.
        suite: of the table, or None.
        pair: whether the task is between two languages (translation; a question in one about a
            text in another).
        code: the language as the name spells it, where the registry understands that, so that a
            report can say what was read as what; else the language.
    """

    language: str | None
    benchmark: str
    suite: str | None = None
    pair: bool = False
    spelt: str | None = None

    @property
    def code(self) -> str | None:
        known = self.spelt is not None and registry.by_code(self.spelt) == self.language
        return self.spelt if known else self.language


@dataclass(frozen=True)
class _Row:
    suite: str
    tasks: re.Pattern[str]
    language: str
    codes: dict[str, str]

    def named(self, task: str) -> Named | None:
        """What the row makes of a task; None if the task is not one of its suite."""
        match = self.tasks.fullmatch(task)
        if match is None:
            return None
        if self.language:
            plain = self.language not in (NONE, PAIR)
            return Named(self.language if plain else None, task, self.suite, self.language == PAIR)
        spelt = [text for name, text in match.groupdict().items() if name.startswith("language")]
        codes = {self._code(text.casefold()) for text in spelt}
        if None in codes or len(codes) > 1:
            return None
        return Named(codes.pop(), _without(task, match), self.suite, spelt=spelt[0].casefold())

    def _code(self, text: str) -> str | None:
        if text in self.codes:
            return self.codes[text]
        if (code := registry.by_code(text) or _by_name().get(text.replace("_", " "))) is not None:
            return code
        return text if len(text) == 3 and text.isalpha() else None


@lru_cache(maxsize=4096)
def by_suite(task: str) -> Named | None:
    """What a task of a listed suite is; None for any other. The first fitting row counts."""
    return next((named for row in _rows() if (named := row.named(task)) is not None), None)


@lru_cache(maxsize=4096)
def by_ending(task: str) -> Named | None:
    """What the ending of an unlisted task's name says; None where it is not plausible.

    ``mine_deu``, ``mine_sw_prompt_2``, ``mine_hin_Deva`` and ``mine_pt_br`` end in languages;
    ``gsm8k_cot`` (no code), ``yes_no``, ``boolq_msa`` (``AMBIGUOUS``) and ``wiki_de_en`` (two) do
    not. A listed task ends in none: the table knows better.
    """
    if by_suite(task) is not None:
        return None
    match = _LOCALE.fullmatch(task)
    if match is not None and match["before"] and registry.by_code(match["language"]):
        locale = (match["language"] + match["region"]).casefold().replace("-", "_")
        if locale in LOCALES:
            return Named(
                registry.by_code(match["language"]), _without(task, match), spelt=match["language"]
            )
        if registry.by_code(match["region"][1:]) and match["language"] not in AMBIGUOUS:
            return None
    match = _ENDING.fullmatch(task)
    if match is None or not match["before"]:
        return None
    code = registry.by_code(match["language"])
    if code is None or (match["language"] in AMBIGUOUS and not match["script"]):
        return None
    return Named(code, _without(task, match), spelt=match["language"])


@lru_cache(maxsize=4096)
def benchmark(task: str, language: str | None = None) -> str:
    """A task without its language, so that it is the same for every language of a suite.

    Args:
        task: its name.
        language: the code that is known otherwise, for a task whose name does not tell; the parts
            of the name that spell it are left out.
    """
    found = by_suite(task) or by_ending(task)
    if found is not None and (found.suite or language in (None, found.language)):
        return found.benchmark
    code = language and (registry.by_code(language) or language)
    if not code:
        return task
    words = list(re.finditer(r"[^\W_]+", task))
    for place in range(len(words) - 1, -1, -1):
        text = words[place][0].casefold()
        if registry.by_code(text) == code or text == language or _by_name().get(text) == code:
            script = place + 1 < len(words) and re.fullmatch("[A-Z][a-z]{3}", words[place + 1][0])
            return _cut(task, words[place].start(), words[place + bool(script)].end())
    return task


def without_language(task: str) -> str:
    """A sentence that says why a task's name gives no language."""
    found = by_suite(task)
    if found is not None and found.pair:
        return f"The task {task} is between two languages and belongs to neither."
    return f"The task's name, {task}, names no language that can be told."


def _without(task: str, match: re.Match[str]) -> str:
    """The task without the groups of the match that spell the language."""
    groups = [name for name in match.re.groupindex if name not in ("before", "after")]
    spans = [match.span(name) for name in groups if match[name] is not None]
    return _cut(task, min(start for start, _ in spans), max(end for _, end in spans))


def _cut(task: str, start: int, end: int) -> str:
    """The task without a part and the signs around it; one joint stays between what is left."""
    before = re.sub(r"[\W_]+$", "", task[:start])
    after = re.sub(r"^[\W_]+", "", task[end:])
    joint = task[len(before) : start][:1] if before and after else ""
    return before + joint + after or task


@cache
def _by_name() -> dict[str, str]:
    rows = registry.registry()
    return {
        name.casefold(): code for name, code in zip(rows["name"], rows["language"], strict=True)
    }


@cache
def _rows() -> tuple[_Row, ...]:
    table = read_rows(TABLE, ["suite", "tasks", "language", "codes"])
    return tuple(
        _Row(
            row.suite,
            _pattern(row.tasks),
            row.language,
            dict(pair.split("=") for pair in row.codes.split()),
        )
        for row in table.itertuples()
    )


def _pattern(tasks: str) -> re.Pattern[str]:
    """``mgsm_*_{language}`` as a pattern; a field's second occurrence is a separate group."""
    seen: dict[str, int] = {}
    parts = []
    for part in _FIELD.split(tasks):
        name = part[1:-1]
        if part == "*":
            parts.append(".*")
        elif part.startswith("{"):
            seen[name] = seen.get(name, 0) + 1
            parts.append(f"(?P<{name}_{seen[name]}>{_FIELDS[name]})")
        else:
            parts.append(re.escape(part))
    return re.compile("".join(parts), re.IGNORECASE)
