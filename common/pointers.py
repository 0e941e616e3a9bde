"""Git LFS pointers: what stands in a clone in place of a large file that was not fetched."""

from __future__ import annotations

from pathlib import Path

BEGINNING = b"version https://git-lfs.github.com/spec/"


def is_pointer(path: str | Path) -> bool:
    """Whether a file is a pointer of Git LFS to what should be there."""
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(BEGINNING)) == BEGINNING
    except OSError:
        return False


def told(path: str | Path) -> str:
    """What to say of a pointer: what it is, and how to get the file itself."""
    return (
        f"{path} is a Git LFS pointer, not the file itself: fetch it with `git lfs pull` in its "
        "repository, or download it again"
    )
