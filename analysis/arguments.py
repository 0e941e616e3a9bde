"""How functions for notebooks take arguments, and say what is wrong with them.

Messages speak of arguments to Python and of options to the command line.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from numbers import Integral

from capability_transfer.common.errors import InputError

_COMMAND = re.compile(r"(`[^`]*`)")
_OPTION = re.compile(r"--([a-z][a-z-]*[a-z])(?: ([A-Z]{2,}|laplace|lme4))?")
LOADED = ("outcomes", "models", "languages", "tokenizer_counts")
"""Arguments of ``load``, by which any function's data can be changed."""

_FLAGS = ("drop-missing", "intersect", "skip-damaged")

_in_command: ContextVar[bool] = ContextVar("in_command", default=False)


@contextmanager
def speaking_options() -> Iterator[None]:
    """Let messages keep their options: a command asks."""
    token = _in_command.set(True)
    try:
        yield
    finally:
        _in_command.reset(token)


def in_python(message: str) -> str:
    """``--models`` as ``models=``; what stands in backticks is a shell command and stays."""
    parts = _COMMAND.split(message)
    return "".join(part if part.startswith("`") else _OPTION.sub(_argument, part) for part in parts)


def _argument(option: re.Match) -> str:
    name, value = option.groups()
    if value and value.islower():  # an engine, not the place of a value
        value = f"'{value}'"
    written = f"{name.replace('-', '_')}="
    return written + ("True" if name in _FLAGS else value or "")


def speaking_python(function: Callable) -> Callable:
    """``function``, with its InputErrors in Python's words and without the frames below it.

    Remedies name arguments of this function, or of ``load``. Called by a command
    (``speaking_options``) it is ``function`` as it is.
    """

    taken = {*inspect.signature(function).parameters, *LOADED}
    options = [f"--{name.replace('_', '-')}" for name in taken]

    @wraps(function)
    def wrapped(*args, **kwargs):
        if _in_command.get():
            return function(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        except InputError as error:
            told = type(error)(in_python(str(error.with_options(options))))
        raise told

    return wrapped


def several(name: str, values: object) -> list:
    """One value or more, as a list; InputError for none."""
    found = [values] if isinstance(values, str) or not isinstance(values, Iterable) else values
    if not (found := list(found)):
        raise InputError(f"{name}= is empty: one at least is needed")
    return found


def whole(name: str, value: object, least: int = 1) -> int:
    """A whole number from ``least`` up."""
    if not isinstance(value, Integral) or value < least:
        raise InputError(f"{name}= is a whole number from {least} up, not {value!r}")
    return int(value)
