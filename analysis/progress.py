"""Progress of long work on a terminal, and as plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PLAIN_SECONDS = 30.0


@contextmanager
def fitting(console: Console, label: str) -> Iterator[Callable[[str, int, float], None]]:
    """Show a fit while it runs: stage, evaluations so far, deviance, seconds.

    Yields the callback that engines take as ``progress``. Off a terminal a line is printed every
    half minute, so that logs of long fits show life without filling up.
    """
    began = last = time.monotonic()
    if console.is_terminal:
        with console.status(label) as status:

            def show(stage: str, evaluations: int, deviance: float) -> None:
                seconds = int(time.monotonic() - began)
                status.update(
                    f"{label}: {stage}, {evaluations} evaluations, deviance {deviance:.3f}, "
                    f"{seconds // 60}:{seconds % 60:02d}"
                )

            yield show
    else:

        def tell(stage: str, evaluations: int, deviance: float) -> None:
            nonlocal last
            if time.monotonic() - last >= PLAIN_SECONDS:
                last = time.monotonic()
                console.print(
                    f"{label}: {stage}, {evaluations} evaluations, deviance {deviance:.3f}, "
                    f"{last - began:.0f} s",
                    highlight=False,
                )

        yield tell


@contextmanager
def counting(console: Console, label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how many of ``total`` pieces of work are done and how long the rest may take.

    Yields a function to call with the number of pieces newly done. Off a terminal a line is
    printed every half minute.
    """
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
            task = bar.add_task(label, total=total)
            yield lambda done: bar.advance(task, done)
        return
    began = last = time.monotonic()
    finished = 0

    def tell(done: int) -> None:
        nonlocal last, finished
        finished += done
        now = time.monotonic()
        if now - last >= PLAIN_SECONDS:
            last = now
            left = (now - began) / finished * (total - finished)
            console.print(
                f"{label}: {finished} of {total}, about {left:.0f} s left", highlight=False
            )

    yield tell
