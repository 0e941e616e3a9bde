"""How results look: a title, facts, a table and remarks, as text and as HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from html import escape

import pandas as pd
from capability_transfer.analysis.presentation import tables as frames

ROWS = 20
"""Rows of a table that are shown; the whole one is an attribute of the result."""


@dataclass(frozen=True)
class Sheet:
    """What a result shows of itself.

    Attributes:
        title: what it is.
        facts: lines of name and value.
        display: a table of strings, the first column names its rows.
        remarks: what a reader must know.
    """

    title: str
    facts: dict[str, str] = field(default_factory=dict)
    display: pd.DataFrame | None = None
    remarks: tuple[str, ...] = ()


class Shown(ABC):
    """A result that shows itself: its ``sheet`` on a terminal and in a notebook."""

    @abstractmethod
    def sheet(self) -> Sheet:
        """What is shown."""

    def __repr__(self) -> str:
        return as_text(self.sheet())

    def _repr_html_(self) -> str:
        return as_html(self.sheet())


def as_text(sheet: Sheet) -> str:
    """A sheet for a terminal."""
    lines = [sheet.title]
    width = max(map(len, sheet.facts), default=0)
    lines += [f"  {name:{width}}  {value}" for name, value in sheet.facts.items()]
    if sheet.display is not None:
        lines += ["", frames.as_text(sheet.display.head(ROWS)), *_more(sheet.display)]
    lines += [f"! {remark}" for remark in sheet.remarks]
    return "\n".join(lines)


def as_html(sheet: Sheet) -> str:
    """A sheet for a notebook: a table with its caption, headings and remarks."""
    parts = [f"<p><strong>{escape(sheet.title)}</strong></p>"]
    if sheet.facts:
        rows = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left">{escape(value)}</td></tr>'
            for name, value in sheet.facts.items()
        )
        parts.append(f"<table>{rows}</table>")
    if sheet.display is not None:
        parts.append(frames.as_html(sheet.display.head(ROWS)))
        parts += [f"<p>{escape(text)}</p>" for text in _more(sheet.display)]
    if sheet.remarks:
        items = "".join(f"<li>{escape(remark)}</li>" for remark in sheet.remarks)
        parts.append(f"<ul>{items}</ul>")
    return "\n".join(parts)


def _more(display: pd.DataFrame) -> list[str]:
    left = len(display) - ROWS
    return [f"… and {left} more rows"] if left > 0 else []
