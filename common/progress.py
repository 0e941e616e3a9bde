"""Progress of long work: a display that vanishes on a terminal, elsewhere a line per minute.

It goes to stderr, or to the console that ``shown_on`` names; ``TRANSFER_PROGRESS=off`` in the
environment leaves it out.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

SWITCH = "TRANSFER_PROGRESS"
EVERY = 60.0
"""Seconds between two lines where there is no terminal."""

_console: ContextVar[Console | None] = ContextVar("console", default=None)
_open: list[Progress] = []
"""What is being done where there is no terminal, the part of a part last."""


@contextmanager
def shown_on(console: Console) -> Iterator[None]:
    """Let progress be shown on this console."""
    token = _console.set(console)
    try:
        yield
    finally:
        _console.reset(token)


@contextmanager
def working(label: str) -> Iterator[Callable[[str], None]]:
    """Show that work of unknown length goes on, and for how long it has.

    Yields a function that says what is being done.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with _shown(*columns) as bar:
        task = bar.add_task(label, total=None)
        yield lambda text: bar.update(task, description=f"{label}: {text}")


@contextmanager
def fitting(label: str, remaining: str = "") -> Iterator[Callable[[str, int, float], None]]:
    """Show a fit while it runs: stage, evaluations so far, deviance, time.

    Yields the callback that engines take as ``progress``. How long one fit will take is not
    known; ``remaining`` says what is of the fits it belongs to (see ``fits``).
    """
    with working(f"{label}{remaining}") as tell:
        yield lambda stage, evaluations, deviance: tell(
            f"{stage}, {evaluations} evaluations, deviance {deviance:.3f}"
        )


class fits:
    """A number of fits, one after another: a ``fitting`` that says how many and how long are left.

    Call it with a label, as ``fitting``; the time left is judged by the fits that are done.
    """

    def __init__(self, total: int):
        self.total, self.done, self.began = total, 0, time.monotonic()

    @contextmanager
    def __call__(self, label: str) -> Iterator[Callable[[str, int, float], None]]:
        place = f" ({self.done + 1} of {self.total}"
        if self.done:
            left = (time.monotonic() - self.began) / self.done * (self.total - self.done)
            place += f", about {_minutes(left)} left"
        with fitting(label, f"{place})") as progress:
            yield progress
        self.done += 1


@contextmanager
def counting(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how many of ``total`` pieces of work are done and how long the rest may take.

    Yields a function to call with the number of pieces newly done.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with _shown(*columns, TimeRemainingColumn()) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def fraction(label: str) -> Iterator[Callable[[int, int], None]]:
    """The same for work whose amount is not known beforehand.

    Yields a function to call with how many pieces are done, and of how many.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with _shown(*columns, TimeRemainingColumn()) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def _shown(*columns: object) -> Iterator[Progress]:
    console = _console.get() or Console(stderr=True)
    told = os.environ.get(SWITCH) != "off"
    shown = told and console.is_terminal
    bar = Progress(*columns, console=console, transient=True, disable=not shown,
                   redirect_stdout=False, redirect_stderr=shown)  # fmt: skip
    with bar if shown else _told(console, bar) if told else nullcontext():
        yield bar


@contextmanager
def _told(console: Console, bar: Progress) -> Iterator[None]:
    """Print a line per minute that says how far the innermost nested work is."""
    done = threading.Event()
    _open.append(bar)
    teller = threading.Thread(target=_tell, args=(console, done), daemon=True)
    first = len(_open) == 1
    if first:
        teller.start()
    try:
        yield
    finally:
        _open.remove(bar)
        done.set()
        if first:
            teller.join()


def _tell(console: Console, done: threading.Event) -> None:
    while not done.wait(EVERY):
        for bar in _open[-1:]:
            for task in bar.tasks:
                console.print(_sentence(task), markup=False, highlight=False)


def _sentence(task: Task) -> str:
    """``folds: 12 of 160 done after 3:00, about 37:00 left``."""
    elapsed = task.elapsed or 0.0
    if not task.total:
        return f"{task.description}: {_minutes(elapsed)} so far"
    told = (
        f"{task.description}: {task.completed:g} of {task.total:g} done after {_minutes(elapsed)}"
    )
    if not task.completed:
        return told
    left = elapsed / task.completed * (task.total - task.completed)
    return f"{told}, about {_minutes(left)} left"


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
