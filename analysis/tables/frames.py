"""A table of strings as plain text and as HTML: first column to the left, others to the right."""

from __future__ import annotations

from html import escape

import pandas as pd


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
