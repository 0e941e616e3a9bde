"""What an analysis found, and how it shows itself: as text, HTML, JSON and files, written once.

An analysis returns a ``Result``. The same object is what a notebook shows, what the command line
prints and writes (``commands.output.deliver``) and what the report takes its figures from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from capability_transfer.analysis.presentation import tables as formats
from capability_transfer.analysis.presentation.provenance import RECORD, Provenance, write_note
from capability_transfer.analysis.presentation.tables import Table
from capability_transfer.common.files import rounded, write_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROWS = 20
"""Rows of a table that are shown; the whole one is an attribute of the result."""


@dataclass(frozen=True)
class View:
    """A table for people: strings, the first column names the rows."""

    title: str
    display: pd.DataFrame


@dataclass(frozen=True)
class Sheet:
    """What a result shows of itself in a notebook or at a prompt.

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
    """Something that shows itself: its ``sheet`` on a terminal and in a notebook."""

    @abstractmethod
    def sheet(self) -> Sheet:
        """What is shown."""

    def __repr__(self) -> str:
        return as_text(self.sheet())

    def _repr_html_(self) -> str:
        return as_html(self.sheet())


class Result(Shown):
    """What an analysis found: a subclass says what it holds, and nothing of how it is written.

    Attributes:
        folder: where its files go, below the results directory.
        title: heading of that folder's README, and of the sheet.
        about: what that README says of the files, a text that ends in a blank line.
        part: the name of a result that shares its folder with a larger one: its record has this
            name, and the README is the larger one's.
        digits: decimals of its CSV files, all where it is None.
    """

    folder: str = ""
    title: str = ""
    about: str = ""
    part: str = ""
    digits: int | None = None

    @property
    @abstractmethod
    def provenance(self) -> Provenance:
        """Which data, fit and seed it rests on."""

    @property
    def note(self) -> str:
        """Data and engine in a sentence or two, for captions."""
        return self.provenance.note

    def frames(self) -> dict[str, pd.DataFrame]:
        """Tidy tables by name, a CSV file in ``folder`` each; one without rows has no file."""
        return {}

    def tables(self) -> dict[str, Table]:
        """Tables for papers by name, each as CSV, Markdown and LaTeX in ``tables/``."""
        return {}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        """What draws each figure, by name, each as PNG and PDF in ``figures/``."""
        return {}

    def views(self) -> list[View]:
        """What people see of it in a terminal: its tables, unless a subclass says otherwise."""
        return [View(table.caption, table.display) for table in self.tables().values()]

    def findings(self) -> list[str]:
        """What it says, in sentences."""
        return []

    def notes(self) -> list[str]:
        """What a reader must know of it."""
        return []

    def readme(self) -> str:
        """What the README of its folder says below the title."""
        return self.about + self.note

    def sheet(self) -> Sheet:
        """Its title, data and findings, the first table for people, and its notes."""
        facts = {"data": self.provenance.data}
        display = next((view.display for view in self.views()), None)
        return Sheet(self.title, facts, display, (*self.findings(), *self.notes()))

    def written(self, name: str, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame as its file has it: with the result's decimals, and without times."""
        return _untimed(frame if self.digits is None else rounded(frame, self.digits))

    def write(self, directory: str | Path) -> None:
        """Write frames, tables and figures below ``directory``, and what they rest on.

        How long a fit took is not written (column ``seconds``), so that the same data and code
        write the same files.
        """
        directory = Path(directory)
        for name, frame in self.frames().items():
            path = directory / self.folder / f"{name}.csv"
            if frame.empty:
                path.unlink(missing_ok=True)  # of an earlier run, to which it did apply
            else:
                write_table(self.written(name, frame), path)
        for table in self.tables().values():
            formats.write(table, directory / "tables")
        if drawn := self.figures():
            from capability_transfer.analysis.presentation import plots  # slow to import

            for name, draw in drawn.items():
                plots.save(draw(), directory / "figures" / name)
        folder = directory / self.folder
        self.provenance.write(folder / (f"{self.part}.json" if self.part else RECORD), self.title)
        if not self.part:
            write_note(folder, self.title, self.readme())


def _untimed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(seconds=float("nan")) if "seconds" in frame.columns else frame


def as_text(sheet: Sheet) -> str:
    """A sheet for a terminal."""
    lines = [sheet.title]
    width = max(map(len, sheet.facts), default=0)
    lines += [f"  {name:{width}}  {value}" for name, value in sheet.facts.items()]
    if sheet.display is not None:
        lines += ["", formats.as_text(sheet.display.head(ROWS)), *_more(sheet.display)]
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
        parts.append(formats.as_html(sheet.display.head(ROWS)))
        parts += [f"<p>{escape(text)}</p>" for text in _more(sheet.display)]
    if sheet.remarks:
        items = "".join(f"<li>{escape(remark)}</li>" for remark in sheet.remarks)
        parts.append(f"<ul>{items}</ul>")
    return "\n".join(parts)


def _more(display: pd.DataFrame) -> list[str]:
    left = len(display) - ROWS
    return [f"… and {left} more rows"] if left > 0 else []
