"""The one error that bad input raises, and how messages name parameters.

A message that names a parameter holds a reference to it (``option``), not a spelling. Whoever
tells the message writes it their way (``spelled``): ``--models FILE`` on the command line
(``speaking_options``), ``models=FILE`` in Python.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Set
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches

_BEGIN, _NEXT, _END = "\ue000", "\ue001", "\ue002"  # which Unicode leaves to private use
_REFERENCE = re.compile(f"{_BEGIN}([a-z_]+){_NEXT}(.*?){_NEXT}(.*?){_END}", re.DOTALL)

_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)


@contextmanager
def speaking_options() -> Iterator[None]:
    """Within it messages are told on the command line, where parameters are options."""
    token = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(token)


def speaks_options() -> bool:
    """Whether messages are told on the command line, not in Python."""
    return _on_command_line.get()


def option(name: str, value: object = None, *, quoted: bool = False) -> str:
    """A reference to a parameter, for use in a message.

    Args:
        name: as in Python: ``drop_missing``.
        value: an example or a value: a word in capitals (FILE) stands for any value and is written
            as it is, other text is quoted in Python; True for a flag.
        quoted: quote the value on the command line too.

    Returns text that only ``spelled`` makes readable: an InputError does so when it is shown, any
    other message is spelled where it is made.
    """
    flag = f"--{name.replace('_', '-')}"
    if value is None:
        options, python = flag, f"{name}="
    elif value is True:
        options, python = flag, f"{name}=True"
    elif isinstance(value, int | float):
        options, python = f"{flag} {value:g}", f"{name}={value:g}"
    else:
        text = str(value)
        any_value = text.isalpha() and text.isupper()
        options = f"{flag} '{text}'" if quoted else f"{flag} {text}"
        python = f"{name}={text if any_value else repr(text)}"
    return f"{_BEGIN}{name}{_NEXT}{options}{_NEXT}{python}{_END}"


def spelled(message: str) -> str:
    """A message with its references written for whoever reads it."""
    group = 2 if speaks_options() else 3
    return _REFERENCE.sub(lambda reference: reference[group], message)


def parameters(message: str) -> set[str]:
    """The parameters that a message refers to."""
    return {reference[1] for reference in _REFERENCE.finditer(message)}


class InputError(ValueError):
    """Input that cannot be used: says what is wrong, where, and what to do about it.

    The command line prints the message and exits with status 2; a library user catches it. ``str``
    spells its references for whoever reads it.

    Args:
        problem: what is wrong, and what to do that does not depend on who asked.
        remedies: what else can be done, a clause each (f"leave it out of {option('formula')}").
            Whoever tells the message keeps those whose parameters it has (``with_parameters``).
        parameter: the name of the parameter at fault, if one is: ``params``.
    """

    def __init__(self, problem: str, remedies: Iterable[str] = (), parameter: str | None = None):
        self.problem, self.remedies, self.parameter = problem, tuple(remedies), parameter
        super().__init__(self.problem, self.remedies, self.parameter)  # as unpickling calls it

    @property
    def message(self) -> str:
        """Problem and remedies with their references, to be put into another message."""
        if not self.remedies:
            return self.problem
        advice = "; or ".join(self.remedies)
        stop = "" if self.problem.endswith((".", "?")) else "."
        return f"{self.problem}{stop} {advice[0].upper()}{advice[1:]}"

    def __str__(self) -> str:
        return spelled(self.message)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def at(self, place: str) -> InputError:
        """The same, its problem placed: ``mine.csv, line 3: `` before it."""
        return type(self)(f"{place}{self.problem}", self.remedies, self.parameter)

    def with_parameters(self, names: Collection[str]) -> InputError:
        """The same, without the remedies that refer to a parameter not among these."""
        kept = [text for text in self.remedies if parameters(text) <= set(names)]
        return type(self)(self.problem, kept, self.parameter)


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
