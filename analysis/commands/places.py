"""Where results go: the study's apart from those of other data or options."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from capability_transfer.analysis.commands import output
from typer.core import TyperArgument, TyperOption

RESULTS = Path("results")
"""The study's results, of its embedded data and default options; those of ``make`` are committed.
"""

USER_RESULTS = Path("transfer-results")
"""Every other result, unless ``--out`` says otherwise."""

HOW = ("out", "workers", "jobs", "json")
"""Options that say how the work is done and never change a result."""

DATA = ("outcomes", "scores", "paths")
"""Options that nobody takes for questions to the study's data."""

_changed: ContextVar[dict[str, tuple[str, object]] | None] = ContextVar("changed", default=None)


_leave_out: ContextVar[list[Path] | None] = ContextVar("leave_out", default=None)
"""The file of ``--without-items``, until whoever reads outcomes has taken it."""


@contextmanager
def leaving_out(items: Path | None) -> Iterator[None]:
    """Let whoever reads the running command's outcomes know which items to leave out."""
    token = _leave_out.set([] if items is None else [items])
    try:
        yield
    finally:
        _leave_out.reset(token)


def items_to_leave_out() -> Path | None:
    """The file of ``--without-items``, for whoever reads outcomes; None without one."""
    waiting = _leave_out.get()
    return waiting.pop() if waiting else None


def check_left_out() -> None:
    """Raise InputError if nobody has taken ``--without-items``: the result would be of all items.

    Where a command without ``--outcomes`` uses totals, there are no items to leave out.
    """
    from capability_transfer.common.errors import InputError, option

    if _leave_out.get():
        raise InputError(
            f"{option('without_items')}: what this command uses without {option('outcomes')} are "
            f"totals over all items; give {option('outcomes', 'FILE')} with a row per template"
        )


@contextmanager
def asked(
    parameters: Sequence[TyperOption | TyperArgument], values: Mapping[str, object]
) -> Iterator[None]:
    """Let ``directory`` know which options of the running command differ from their defaults."""
    changed = {
        one.name: (one.opts[0], values[one.name])
        for one in parameters
        if one.name in values
        and one.name not in HOW
        and values[one.name] != one.default
        and (values[one.name] or one.default)  # not given: None, or an empty list
    }
    token = _changed.set(changed)
    try:
        yield
    finally:
        _changed.reset(token)


def directory(
    out: Path | None, parts: Collection[str] = (), same: Mapping[str, object] | None = None
) -> Path:
    """The results directory of the running command.

    What is computed from other data or with other options never lands among the study's results,
    unless ``out`` says so.

    Args:
        out: what the user says.
        parts: options that only choose which of the results are made.
        same: values of options other than the default that lead to the same results.

    Raises InputError, before any work, if it cannot be written to.
    """
    from capability_transfer.common.files import folder_to_write

    changed = _changed.get() or {}
    alike = [*(same or {}).items()]
    own = [
        flag
        for name, (flag, value) in changed.items()
        if name not in parts and (name, value) not in alike
    ]
    if out is None and own and not changed.keys() & DATA:
        output.current().note(
            f"with {', '.join(own)} these are not the study's results: they go to "
            f"{USER_RESULTS}/ (--out changes that)"
        )
    return folder_to_write(out or (USER_RESULTS if own else RESULTS))


def training_directory(out: Path | None, train: Path | None) -> Path:
    """Whose cache keeps the fit that a command without results needs: a user's is apart.

    Raises InputError, before any work, if it cannot be written to.
    """
    from capability_transfer.common.files import folder_to_write

    return folder_to_write(out or (USER_RESULTS if train else RESULTS))
