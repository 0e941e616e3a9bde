"""Progress of long calls: shown on a terminal, silent elsewhere, lest it stay in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from analysis import progress


@contextmanager
def fitting(label: str) -> Iterator[Callable[[str, int, float], None]]:
    """``analysis.progress.fitting`` on a terminal, else nothing."""
    console = Console()
    if console.is_terminal:
        with progress.fitting(console, label) as tell:
            yield tell
    else:
        yield lambda stage, evaluations, deviance: None


@contextmanager
def counting(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """``analysis.progress.counting`` on a terminal, else nothing."""
    console = Console()
    if console.is_terminal:
        with progress.counting(console, label, total) as tell:
            yield tell
    else:
        yield lambda done: None
