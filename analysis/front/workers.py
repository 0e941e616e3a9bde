"""Worker processes come and go without a word."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def replaced_quietly() -> Iterator[None]:
    """Keep loky from warning that it replaced a worker that had grown: no result is lost."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        yield
