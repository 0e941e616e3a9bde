"""The one error that bad input raises."""

from __future__ import annotations

from collections.abc import Iterable, Set
from difflib import get_close_matches


class InputError(ValueError):
    """Input that cannot be used: says what is wrong, where, and what to do about it.

    The command line prints the message and exits with status 2; a library user catches it.
    """


def name_some(values: Iterable[object], limit: int = 8) -> str:
    """The values as a readable list, at most ``limit`` of them, the rest counted.

    A set, which has no order of its own, is sorted: a message must not change from run to run.
    """
    items = [str(value) for value in values]
    if isinstance(values, Set):
        items.sort()
    shown = ", ".join(items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit} more"


def suggest(value: str, known: Iterable[str]) -> str:
    """A ``did you mean`` clause with up to three near matches, or nothing."""
    folded = {str(name).casefold(): str(name) for name in known}
    near = get_close_matches(str(value).casefold(), folded, n=3, cutoff=0.5)
    return f" Did you mean {', '.join(folded[name] for name in near)}?" if near else ""
