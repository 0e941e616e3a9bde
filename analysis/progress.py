"""Progress of long work, shown on a terminal only: nothing of it is left in a file or a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextmanager
def working(console: Console, label: str) -> Iterator[Callable[[str], None]]:
    """Show that work of unknown length goes on, and for how long it has.

    Yields a function that says what is being done.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with _shown(console, *columns) as bar:
        task = bar.add_task(label, total=None)
        yield lambda text: bar.update(task, description=f"{label}: {text}")


@contextmanager
def fitting(
    console: Console, label: str, remaining: str = ""
) -> Iterator[Callable[[str, int, float], None]]:
    """Show a fit while it runs: stage, evaluations so far, deviance, time.

    Yields the callback that engines take as ``progress``. How long one fit will take is not
    known; ``remaining`` says what is of the fits it belongs to (see ``Fits``).
    """
    with working(console, f"{label}{remaining}") as tell:
        yield lambda stage, evaluations, deviance: tell(
            f"{stage}, {evaluations} evaluations, deviance {deviance:.3f}"
        )


class Fits:
    """A number of fits, one after another: a ``fitting`` that says how many and how long are left.

    Call it with a label, as ``partial(fitting, console)``; the time left is judged by the fits
    that are done.
    """

    def __init__(self, console: Console, total: int):
        self.console, self.total, self.done, self.began = console, total, 0, time.monotonic()

    @contextmanager
    def __call__(self, label: str) -> Iterator[Callable[[str, int, float], None]]:
        place = f" ({self.done + 1} of {self.total}"
        if self.done:
            left = (time.monotonic() - self.began) / self.done * (self.total - self.done)
            place += f", about {_minutes(left)} left"
        with fitting(self.console, label, f"{place})") as progress:
            yield progress
        self.done += 1


@contextmanager
def counting(console: Console, label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how many of ``total`` pieces of work are done and how long the rest may take.

    Yields a function to call with the number of pieces newly done.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with _shown(console, *columns, TimeRemainingColumn()) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def fraction(console: Console, label: str) -> Iterator[Callable[[int, int], None]]:
    """The same for work whose amount is not known beforehand.

    Yields a function to call with how many pieces are done, and of how many.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with _shown(console, *columns, TimeRemainingColumn()) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _shown(console: Console, *columns: object) -> Progress:
    shown = console.is_terminal
    return Progress(*columns, console=console, transient=True, disable=not shown,
                    redirect_stdout=False, redirect_stderr=shown)  # fmt: skip


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
