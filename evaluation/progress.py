"""Progress of a known number of jobs: a bar on a terminal, a line per minute elsewhere.

``TRANSFER_PROGRESS=off`` in the environment leaves it out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

EVERY = 60.0
"""Seconds between two lines where there is no terminal."""


@contextmanager
def counting(label: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that takes how many jobs are done and of how many; shows it on stderr."""
    console = Console(stderr=True)
    if os.environ.get("TRANSFER_PROGRESS") == "off":
        yield lambda done, total: None
        return
    if console.is_terminal:
        with Progress(console=console, transient=True) as bar:
            line = bar.add_task(label)
            yield lambda done, total: bar.update(line, completed=done, total=total)
        return
    last = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            console.print(f"{label}: {done} of {total}", highlight=False)

    yield tell
