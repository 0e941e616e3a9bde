"""Text files in UTF-8, and what to say of those that are not, or are pointers of Git LFS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from capability_transfer.common.errors import DamagedFile

_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_POINTER = b"version https://git-lfs.github.com/spec/"
_BEGINNING = 64  # bytes: enough to tell text from chance


@contextmanager
def utf8(path: str | Path) -> Iterator[None]:
    """Read a text file as UTF-8, with its mark or without, in the block.

    Raises DamagedFile for text in another encoding, saying which as far as it can be known, in
    which line, and how to convert it, and for a pointer of Git LFS. What else goes wrong is left to
    the block.
    """
    refuse_pointer(path)
    if wide := _wide(path):
        raise DamagedFile(f"{path} is in {wide}, not in UTF-8: {_way_on(wide)}")
    try:
        yield
    except UnicodeDecodeError as error:
        where, byte = _line(path), error.object[error.start]
        if error.reason == "unexpected end of data":
            raise DamagedFile(f"{where} ends within a character; was the file cut off?") from error
        raise DamagedFile(
            f"{where} is not in UTF-8 (byte 0x{byte:02x}; perhaps in Windows-1252): "
            f"{_way_on('CP1252')}"
        ) from error


def check_utf8(path: str | Path) -> None:
    """Raise DamagedFile, as ``utf8`` does, for a file that is in another encoding."""
    with utf8(path), Path(path).open(encoding="utf-8") as stream:
        for _ in stream:
            pass


def is_pointer(path: str | Path) -> bool:
    """Whether a file is what Git LFS leaves in a clone in place of one that was not fetched."""
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(_POINTER)) == _POINTER
    except OSError:
        return False


def refuse_pointer(path: str | Path) -> None:
    """Raise DamagedFile for a pointer of Git LFS, saying how to get the file itself."""
    if is_pointer(path):
        raise DamagedFile(
            f"{path} is a Git LFS pointer, not the file itself: fetch it with `git lfs pull` in "
            "its repository, or download it again"
        )


def _wide(path: str | Path) -> str | None:
    """The encoding, in iconv's terms, of a file that begins with its mark, or every second byte of
    whose beginning is zero; None for any other."""
    try:
        with Path(path).open("rb") as stream:
            start = stream.read(_BEGINNING)
    except OSError:
        return None
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            return name
    if len(start) > 3 and any(start):
        if not any(start[1::2]):
            return "UTF-16LE"
        if not any(start[::2]):
            return "UTF-16BE"
    return None


def _line(path: str | Path) -> str:
    """The file and its first line that is not UTF-8; the file alone where it is compressed."""
    with Path(path).open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return f"{path}, line {number},"
    return f"{path}"


def _way_on(code: str) -> str:
    return (
        'save it as UTF-8 (in a spreadsheet, as "CSV UTF-8"), or convert it with '
        f"`iconv -f {code} -t UTF-8`"
    )
