"""Checks on a folder of templates, for who adds or mends a language.

What the study's own test suite ensures (Section 3.1: default values reproduce the original, all
conditions hold) and what an evaluation relies on: readable answers that agree with their solution,
and the ids by which languages are matched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pandas as pd
from capability_transfer.common.errors import InputError
from capability_transfer.evaluation.answers.boxed import box_number
from capability_transfer.evaluation.answers.numbers import decimal_sign, numbers
from capability_transfer.evaluation.answers.stages import marks
from capability_transfer.evaluation.drawing import (
    HOLDS,
    Drawer,
    NoInstance,
    clock,
    condition_probe,
)
from capability_transfer.evaluation.folders import Folder, find_folder, load_template
from capability_transfer.evaluation.instances import final_answer, template_id

if TYPE_CHECKING:
    from multilingual_gsm_symbolic import AnnotatedQuestion

REFERENCE = "eng"
DRAWS = 3
"""Instances that are drawn of each template."""


@dataclass(frozen=True)
class Case:
    """One template under check, with what the checks look it up in."""

    template: AnnotatedQuestion
    folder: Folder
    file: Path
    reference: dict[str, int]
    seconds: float


def check(
    folder: Folder, seconds: float = 20.0, files: Iterable[Path] | None = None
) -> pd.DataFrame:
    """Every check on every template file of a folder.

    Args:
        folder: from ``evaluation.folders.find_folder``.
        seconds: time limit of one template's draws, of processor time.
        files: only these of its files.

    Returns columns templates (folder), template, check, passed, detail (why it failed). A template
    that does not load has the one row ``loads``; where a check could not be made, it has failed
    and its detail says why. Raises InputError if the folder's lists of values cannot be read.
    """
    _ = folder.replacements
    reference = _reference_ids()
    chosen = folder.files if files is None else files
    rows = [row for file in chosen for row in _checked(file, folder, reference, seconds)]
    return pd.DataFrame(rows, columns=["templates", "template", "check", "passed", "detail"])


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """How often each check passed: check, passed, failed, from ``check``'s rows."""
    passed = results.groupby("check")["passed"]
    table = pd.DataFrame({"passed": passed.sum(), "failed": passed.size() - passed.sum()})
    table = table.reindex(["loads", *CHECKS], fill_value=0).astype(int)
    return table.rename_axis("check").reset_index()


def inherited(failed: pd.DataFrame, seconds: float = 20.0) -> pd.Series:
    """Which failed checks the package's own English template of the same id fails too.

    They are nothing that a translation could mend.

    Args:
        failed: rows of ``check``.
        seconds: time limit of one template's draws, of processor time.
    """
    english, ids = find_folder(REFERENCE), _reference_ids()
    files = {template_id(file.stem): file for file in english.files}
    wanted = set(failed["template"]) & set(files)
    rows = [row for name in wanted for row in _checked(files[name], english, ids, seconds)]
    known = {(template, check) for _, template, check, passed, _ in rows if not passed}
    pairs = zip(failed["template"], failed["check"], strict=True)
    return pd.Series([pair in known for pair in pairs], index=failed.index, dtype=bool)


def shared_ids(folder: Folder) -> tuple[list[str], list[str]]:
    """Template ids that a folder shares with English (same id, same original problem), and English
    ids that it lacks. Files that do not load count as lacking."""
    here, reference = _original_ids(folder), _reference_ids()
    shared = [name for name, original in reference.items() if here.get(name) == original]
    return shared, [name for name in reference if name not in shared]


def instruction_problem(folder: Folder) -> str | None:
    r"""What is wrong with a folder's prompt, or None; it has to ask for ``\boxed{}``."""
    try:
        return None if r"\boxed{" in folder.instruction else r"the prompt names no \boxed{}"
    except InputError as error:
        return str(error)


def defaults(template: AnnotatedQuestion, replacements: Mapping) -> dict[str, object]:
    """The default value of every variable, those that the question does not show included.

    How hidden ones follow from those shown is the package's own rule, which it keeps to itself:
    this is the one place that calls it. Raises NoInstance if they do not follow.
    """
    try:
        return template._get_full_default_assignments(dict(replacements))
    except Exception as error:  # template expressions can raise anything
        raise NoInstance(f"defaults: {type(error).__name__}: {error}") from error


def _question(case: Case) -> str | None:
    template = case.template
    return _unlike(template.format_question(template.get_default_assignments()), template.question)


def _answer(case: Case) -> str | None:
    return _unlike(_rendered(case.template, case), case.template.answer)


def _conditions(case: Case) -> str | None:
    failed = [
        condition
        for condition in case.template.conditions
        if _rendered(condition_probe(case.template, [condition]), case) != HOLDS
    ]
    return f"default values fail {'; '.join(failed)}" if failed else None


def _rendered(template: AnnotatedQuestion, case: Case) -> str:
    """A template's answer at the default values of the case's template."""
    values = defaults(case.template, case.folder.replacements)
    try:
        return template.format_answer(values)
    except Exception as error:
        raise NoInstance(f"{type(error).__name__}: {error}") from error


def _solution(case: Case) -> str | None:
    return _disagreement(case.template.answer, case.folder.language)


def _instances(case: Case) -> str | None:
    drawer = Drawer(case.template, case.folder.replacements)
    deadline = clock() + case.seconds
    for index in range(DRAWS):
        drawn = drawer.draw(Random(f"quality/{index}"), deadline)
        if left := re.findall(r"\{[^}]*\}", drawn.question + drawn.answer):
            return f"an instance still has {left[0]}"
        if problem := _disagreement(drawn.answer, case.folder.language):
            return f"an instance: {problem}"
    return None


def _id(case: Case) -> str | None:
    name, template = template_id(case.file.stem), case.template
    if str(template.id_shuffled) != name:
        return f"the file is {case.file.name}, its id_shuffled {template.id_shuffled}"
    if name not in case.reference:
        return f"{REFERENCE} has no template {name}"
    if case.reference[name] != template.id_orig:
        return f"id_orig is {template.id_orig}, in {REFERENCE} {case.reference[name]}"
    return None


CHECKS: dict[str, Callable[[Case], str | None]] = {
    "id": _id,
    "question": _question,
    "answer": _answer,
    "conditions": _conditions,
    "solution": _solution,
    "instances": _instances,
}
"""Each check by its name: returns what is wrong, or None.

``id``: the file's number is the template's id, and English has the same problem under it;
``question``, ``answer``: default values reproduce the original's text; ``conditions``: default
values satisfy them; ``solution``: the answer after ``####`` is the solution's last value;
``instances``: some can be drawn, and each is complete and agrees with its solution."""


def _checked(
    file: Path, folder: Folder, reference: dict[str, int], seconds: float
) -> Iterator[tuple[str, str, str, bool, str]]:
    name = template_id(file.stem)
    try:
        case = Case(load_template(file), folder, file, reference, seconds)
    except InputError as error:
        yield folder.name, name, "loads", False, str(error)
        return
    yield folder.name, name, "loads", True, ""
    for check_name, problem_of in CHECKS.items():
        try:
            problem = problem_of(case)
        except NoInstance as error:
            problem = str(error)
        yield folder.name, name, check_name, problem is None, problem or ""


def _disagreement(solution: str, language: str) -> str | None:
    """How a solution's ``####`` line differs from its last value: marked, or just written last."""
    decimal = decimal_sign(language)
    answer = box_number(final_answer(solution, language), decimal)
    written = numbers(solution.rsplit("####", 1)[0], decimal)
    marked = [numbers(right, decimal) for _, right in marks(solution)]
    last: set[Fraction] = {*written[-1:], *(marked[-1][-1:] if marked else [])}
    if answer in last:
        return None
    shown = " and ".join(str(value) for value in sorted(last)) or "no number"
    return f"the answer is {answer}, the solution ends with {shown}"


@cache
def _reference_ids() -> dict[str, int]:
    """``_original_ids`` of the package's own English templates, which nobody edits."""
    return _original_ids(find_folder(REFERENCE))


def _original_ids(folder: Folder) -> dict[str, int]:
    """Each template's id and the number of the problem that it comes from."""
    ids = {}
    for file in folder.files:
        try:
            template = load_template(file)
        except InputError:
            continue
        ids[str(template.id_shuffled)] = template.id_orig
    return ids


def _unlike(found: str, wanted: str) -> str | None:
    """Where two texts part, with a few words of both; None if they are equal."""
    if found == wanted:
        return None
    pairs = enumerate(zip(found, wanted, strict=False))
    at = next((place for place, (a, b) in pairs if a != b), min(len(found), len(wanted)))
    start, end = max(0, at - 15), at + 25
    return f"defaults give ...{found[start:end]!r}, the original has ...{wanted[start:end]!r}"
