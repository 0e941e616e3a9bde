"""How functions for notebooks take arguments, and say what is wrong with them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from numbers import Integral

from capability_transfer.common.errors import InputError, option, speaks_options

LOADED = ("outcomes", "models", "languages", "tokenizer_counts")
"""Arguments of ``load``, by which any function's data can be changed."""


def speaking_python(function: Callable) -> Callable:
    """``function``, with InputErrors that advise what it takes, and without the frames below it.

    Remedies name parameters of this function, or of ``load``. Called by a command
    (``speaking_options``) it is ``function`` as it is.
    """
    taken = {*inspect.signature(function).parameters, *LOADED}

    @wraps(function)
    def wrapped(*args, **kwargs):
        if speaks_options():
            return function(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        except InputError as error:
            advised = error.with_parameters(taken)
        raise advised

    return wrapped


def several(name: str, values: object) -> list:
    """One value or more, as a list; InputError for none."""
    found = [values] if isinstance(values, str) or not isinstance(values, Iterable) else values
    if not (found := list(found)):
        raise InputError(f"{option(name)} is empty: one at least is needed", parameter=name)
    return found


def whole(name: str, value: object, least: int = 1) -> int:
    """A whole number from ``least`` up."""
    if not isinstance(value, Integral) or value < least:
        raise InputError(
            f"{option(name)} is a whole number from {least} up, not {value!r}", parameter=name
        )
    return int(value)
