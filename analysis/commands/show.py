"""Tables on a terminal."""

from __future__ import annotations

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table


def frame(console: Console, title: str, display: pd.DataFrame) -> None:
    """A table of strings: first column as row names, the others to the right."""
    panel = Table(title=escape(title), title_justify="left", box=None, padding=(0, 1, 0, 0),
                  title_style="bold")  # fmt: skip
    for position, name in enumerate(display.columns):
        panel.add_column(escape(str(name)), justify="left" if position == 0 else "right")
    for row in display.itertuples(index=False, name=None):
        panel.add_row(*(escape(str(value)) for value in row))
    console.print(panel)


def line(console: Console, text: str) -> None:
    """A line of plain text: nothing in it is markup or coloured."""
    console.print(text, markup=False, highlight=False)
