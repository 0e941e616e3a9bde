"""The one error that bad input raises."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Set
from difflib import get_close_matches

_COMMAND = re.compile(r"`[^`]*`")  # of a shell, with options of its own
_OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*")


class InputError(ValueError):
    """Input that cannot be used: says what is wrong, where, and what to do about it.

    The command line prints the message and exits with status 2; a library user catches it.

    Args:
        problem: what is wrong, and what to do that does not depend on who asked.
        remedies: what else can be done, a clause each ("leave it out of --formula"). Whoever tells
            the message keeps those whose options it has (``with_options``).
    """

    def __init__(self, problem: str, remedies: Iterable[str] = ()):
        self.problem, self.remedies = problem, tuple(remedies)
        told = "; or ".join(self.remedies)
        stop = "" if problem.endswith((".", "?")) else "."
        super().__init__(f"{problem}{stop} {told[0].upper()}{told[1:]}" if told else problem)

    def at(self, place: str) -> InputError:
        """The same, its problem placed: ``mine.csv, line 3: `` before it."""
        return type(self)(f"{place}{self.problem}", self.remedies)

    def with_options(self, options: Collection[str]) -> InputError:
        """The same, without the remedies that name an option (``--formula``) not among these."""
        named = [(text, _OPTION.findall(_COMMAND.sub("", text))) for text in self.remedies]
        return type(self)(self.problem, [text for text, own in named if set(own) <= set(options)])


class DamagedFile(InputError):
    """A file that is not what it was written as: cut off, not JSON, a pointer to another.

    Not a file that needs a choice or a mapping: nothing is wrong with that one.
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
