"""What callers pass, in the shape that the front works with; else an InputError that names it."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral

from capability_transfer.common.errors import InputError


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
