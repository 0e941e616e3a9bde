"""Scores of logs: which of several is meant, and whether it says correct or wrong.

A choice is written ``NAME``, or ``TASK=NAME`` for the tasks of a name or of a pattern
(``mgsm_*=flexible-extract``). ``=NAME`` is a name that holds an equals sign itself. Nothing is
turned into correct or wrong by guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from numbers import Real

from capability_transfer.common.errors import InputError, name_some, option, suggest

LETTERS = {"C": 1.0, "I": 0.0, "N": 0.0, "P": 0.5}
"""Inspect's own: correct, incorrect, no answer, partial credit."""


def read_score(
    value: object, where: str, threshold: float | None = None, letters: bool = False
) -> bool | None:
    """A score as correct (True), wrong (False), or None where there is none (None, NaN).

    Args:
        value: a number in 0–1, a truth value, or with ``letters`` one of Inspect's letters.
        where: for messages.
        threshold: partial credit from here up is correct.

    Raises InputError for partial credit without a threshold, numbers outside 0–1, unknown text.
    """
    if isinstance(value, bool):
        return value
    if letters and isinstance(value, str) and value in LETTERS:
        value = LETTERS[value]
    if value is None or (isinstance(value, Real) and value != value):
        return None
    if not isinstance(value, Real) or not 0 <= value <= 1:
        expected = "C, I, N, P, a truth value or a number in 0–1" if letters else "0 or 1"
        raise InputError(f"{where}: the score is {value!r:.80}; expected {expected}")
    if value in (0, 1):
        return bool(value)
    if threshold is None:
        raise InputError(
            f"{where}: the score is {value}, partial credit: say from where it counts as correct "
            f"({option('threshold', 0.5)}), or choose another scorer ({option('scorer')})"
        )
    return bool(value >= threshold)


def choices(stated: str | Sequence[str] | None) -> dict[str, str]:
    """Scorer by pattern of tasks, ``*`` last; empty if nothing is chosen.

    Raises InputError for a choice without a name, and for two choices for the same tasks.
    """
    found: dict[str, str] = {}
    for text in [stated] if isinstance(stated, str) else stated or ():
        pattern, equals, name = str(text).partition("=")
        pattern, name = (pattern.strip() or "*", name.strip()) if equals else ("*", pattern.strip())
        if not name:
            raise InputError(
                f"{option('scorer')} {text!r} names no scorer: write NAME or TASK=NAME",
                parameter="scorer",
            )
        if found.setdefault(pattern, name) != name:
            tasks = "all tasks" if pattern == "*" else pattern
            raise InputError(
                f"{option('scorer')} names {found[pattern]} and {name} for {tasks}: choose one, "
                "or write TASK=NAME for each task",
                parameter="scorer",
            )
    return dict(sorted(found.items(), key=lambda pair: (_is_pattern(pair[0]), pair[0] == "*")))


def choose(stated: str | Sequence[str] | None, *task: str) -> str | None:
    """The scorer of a task, known by any of its names; None if nothing is chosen for it."""
    for pattern, name in choices(stated).items():
        if any(fnmatchcase(one, pattern) for one in task) or pattern == "*":
            return name
    return None


def check_choices(stated: str | Sequence[str] | None, tasks: Iterable[str]) -> None:
    """Raise InputError for a choice whose task none of the logs has."""
    known = sorted(set(tasks))
    for pattern in choices(stated):
        if pattern != "*" and not any(fnmatchcase(task, pattern) for task in known):
            raise InputError(
                f"{option('scorer')} names the task {pattern!r}, which no log has; tasks are "
                f"{name_some(known or ['none'], 20)}.{suggest(pattern, known)}",
                parameter="scorer",
            )


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in "*?[")
