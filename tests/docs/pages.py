"""The documentation's pages and their fenced blocks."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "analysis/outcomes/README.md",
    ROOT / "evaluation/README.md",
)
BLOCK = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, language, the file it is to be saved as (or ""), and its text."""

    page: str
    language: str
    title: str
    text: str

    def commands(self) -> list[list[str]]:
        """The words of every command line, comments and continuations resolved."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [words for line in lines if (words := shlex.split(line, comments=True))]


def blocks(path: Path) -> list[Block]:
    """The blocks of a page in order."""
    page = str(path.relative_to(ROOT))
    return [Block(page, *found) for found in BLOCK.findall(path.read_text(encoding="utf-8"))]


def every_block() -> list[Block]:
    """The blocks of all pages."""
    return [block for path in PAGES for block in blocks(path)]


def titled(page: str) -> dict[str, str]:
    """The files that a page of ``docs/`` says to write: text by path."""
    return {block.title: block.text for block in blocks(ROOT / "docs" / page) if block.title}
