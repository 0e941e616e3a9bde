"""Git LFS pointers: what stands in a clone in place of a large file that was not fetched."""

from __future__ import annotations

from pathlib import Path

from analysis.outcomes.samples import DamagedLog

BEGINNING = b"version https://git-lfs.github.com/spec/"


def is_pointer(path: Path) -> bool:
    """Whether a file is a pointer of Git LFS to what should be there."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(BEGINNING)) == BEGINNING
    except OSError:
        return False


def refuse_pointer(path: Path) -> None:
    """Raise DamagedLog, saying how to get the file itself, for a pointer."""
    if is_pointer(path):
        raise DamagedLog(
            f"{path} is a Git LFS pointer, not the file itself: fetch it with `git lfs pull` in "
            "its repository, or download it again"
        )
