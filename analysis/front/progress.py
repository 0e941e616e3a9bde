"""Progress of long calls: shown on a terminal, silent elsewhere, lest it stay in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from capability_transfer.analysis.presentation import progress
from rich.console import Console


def fitting(label: str) -> AbstractContextManager[Callable[[str, int, float], None]]:
    """``analysis.presentation.progress.fitting`` where the caller's output goes."""
    return progress.fitting(Console(), label)


def counting(label: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    """``analysis.presentation.progress.counting`` where the caller's output goes."""
    return progress.counting(Console(), label, total)
