"""Which score is meant where logs have several: one for all tasks, or one for each.

A choice is written ``NAME``, or ``TASK=NAME`` for the tasks of a name or of a pattern
(``mgsm_*=flexible-extract``). ``=NAME`` is a name that holds an equals sign itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from capability_transfer.common.errors import InputError, name_some, suggest


def choices(stated: str | Sequence[str] | None) -> dict[str, str]:
    """Scorer by pattern of tasks, ``*`` last; empty if nothing is chosen.

    Raises InputError for a choice without a name, and for two choices for the same tasks.
    """
    found: dict[str, str] = {}
    for text in [stated] if isinstance(stated, str) else stated or ():
        pattern, equals, name = str(text).partition("=")
        pattern, name = (pattern.strip() or "*", name.strip()) if equals else ("*", pattern.strip())
        if not name:
            raise InputError(f"--scorer {text!r} names no scorer: write NAME or TASK=NAME")
        if found.setdefault(pattern, name) != name:
            tasks = "all tasks" if pattern == "*" else pattern
            raise InputError(
                f"--scorer names {found[pattern]} and {name} for {tasks}: choose one, or write "
                "TASK=NAME for each task"
            )
    return dict(sorted(found.items(), key=lambda pair: (_is_pattern(pair[0]), pair[0] == "*")))


def choose(stated: str | Sequence[str] | None, *task: str) -> str | None:
    """The scorer of a task, known by any of its names; None if nothing is chosen for it."""
    for pattern, name in choices(stated).items():
        if any(fnmatchcase(one, pattern) for one in task) or pattern == "*":
            return name
    return None


def check(stated: str | Sequence[str] | None, tasks: Iterable[str]) -> None:
    """Raise InputError for a choice whose task none of the logs has."""
    known = sorted(set(tasks))
    for pattern in choices(stated):
        if pattern != "*" and not any(fnmatchcase(task, pattern) for task in known):
            raise InputError(
                f"--scorer names the task {pattern!r}, which no log has; tasks are "
                f"{name_some(known or ['none'], 20)}.{suggest(pattern, known)}"
            )


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in "*?[")
