"""How wide figures are written. Apart from what draws them, since every command states it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

WIDTHS = {"column": 3.35, "text": 6.75}
"""Inches of a column and of a page's text in most journals."""

_width: ContextVar[str | None] = ContextVar("width", default=None)


@contextmanager
def as_wide_as(width: str | None) -> Iterator[None]:
    """Let figures that are saved be as wide as one of ``WIDTHS``, or as they were drawn (None)."""
    token = _width.set(width)
    try:
        yield
    finally:
        _width.reset(token)


def inches() -> float | None:
    """The width in force, None for figures as they were drawn."""
    name = _width.get()
    return WIDTHS[name] if name else None
