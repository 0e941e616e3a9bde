"""A table as CSV for machines, Markdown for reading and LaTeX for papers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from unicodedata import category

import pandas as pd
from capability_transfer.analysis.presentation.latex import latex
from capability_transfer.common.files import agreed, write_table, write_text


@dataclass(frozen=True, repr=False)
class Table:
    """A table of the study, or of ours.

    Attributes:
        name: file name without suffix, ``table_03`` as numbered in the study.
        caption: what it shows.
        note: where the data come from.
        data: tidy values; the file has them as ``common.files.steady`` rounds.
        display: the same for reading, as strings.
    """

    name: str
    caption: str
    note: str
    data: pd.DataFrame
    display: pd.DataFrame

    def __repr__(self) -> str:
        return f"{self.caption}\n\n{as_text(self.display)}\n\n{self.note}"

    def _repr_html_(self) -> str:
        return (
            f"<p><strong>{escape(self.caption)}</strong></p>\n{as_html(self.display)}\n"
            f"<p><small>{escape(self.note)}</small></p>"
        )


def write(table: Table, directory: Path) -> list[Path]:
    """Write ``name.csv``, ``name.md`` and ``name.tex`` into ``directory``."""
    base = Path(directory) / table.name
    alignment = ["left"] + ["right"] * (table.display.shape[1] - 1)
    cells = table.display.map(_markdown, na_action="ignore").rename(columns=_markdown)
    markdown = cells.to_markdown(
        index=False, disable_numparse=True, colalign=alignment, missingval=""
    )
    return [
        write_table(table.data, base.with_suffix(".csv")),
        write_text(f"**{table.caption}**\n\n{markdown}\n\n{table.note}\n", base.with_suffix(".md")),
        write_text(as_latex(table), base.with_suffix(".tex")),
    ]


def as_latex(table: Table) -> str:
    """For a paper, as ``latex.latex`` sets it."""
    display = table.display.fillna("").map(_one_line).rename(columns=_one_line)
    caption = re.sub(r"^Table \d+\. ", "", table.caption)  # LaTeX counts
    label = table.name.removeprefix("table_").replace("_", "-")
    return latex(display, caption, table.note, label)


def number(value: float, digits: int) -> str:
    """A fixed number of decimals with a true minus sign; nothing for a missing value."""
    if pd.isna(value):
        return ""
    text = f"{agreed(value):.{digits}f}"
    return text.replace("-", "−") if float(text) != 0 else text.lstrip("-")


def p_value(value: float) -> str:
    """A p-value as the study prints it: four decimals when small, a bound below 2 × 10⁻¹⁶.

    Nothing for a missing value.
    """
    if pd.isna(value):
        return ""
    if value < 2.2e-16:
        return "<2e−16"
    return f"{value:.1e}".replace("-", "−") if value < 1e-4 else f"{value:.4f}"


def stars(p_value: float) -> str:
    """``*`` below .05, ``**`` below .01, ``***`` below .001 (Tables 6 and 7)."""
    return "*" * sum(p_value < bound for bound in (0.05, 0.01, 0.001))


DIGITS = "%.8g"
"""Of values in CSV files, so that the last bits of a computation leave a table as it was."""


def _markdown(text: object) -> str:
    """A cell of a Markdown table: no end of the cell, and no HTML element, in it."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", _one_line(text).replace("|", r"\|"))


def _one_line(text: object) -> str:
    """Text without line breaks and other control characters, which no cell can hold."""
    return "".join(" " if category(sign) in ("Cc", "Zl", "Zp") else sign for sign in str(text))


def as_text(display: pd.DataFrame) -> str:
    """Columns of equal width."""
    cells = [[str(name) for name in display.columns], *display.astype(str).to_numpy().tolist()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            text.rjust(width) if place else text.ljust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def as_html(display: pd.DataFrame) -> str:
    """An HTML table with column headings."""
    head = "".join(
        f'<th scope="col" style="text-align:{_side(place)}">{escape(str(name))}</th>'
        for place, name in enumerate(display.columns)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{_side(place)}">{escape(str(value))}</td>'
            for place, value in enumerate(row)
        )
        + "</tr>"
        for row in display.itertuples(index=False, name=None)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _side(place: int) -> str:
    return "right" if place else "left"
