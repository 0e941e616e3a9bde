"""A table as LaTeX that fits the page of a paper: booktabs rules, numbers aligned by siunitx.

The first line of a file says which packages it needs. A table that is wider than ``TEXT_WIDTH`` is
set smaller, then its text columns are wrapped, then it is turned sideways.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

TEXT_WIDTH, TEXT_HEIGHT = 345.0, 550.0
"""Points of a line, and of a page, in LaTeX's article class at 10 points."""

LONG, LONG_SIDEWAYS = 45, 24
"""Tables with more rows break over pages (longtable)."""

SIZES = {"normalsize": 10.0, "small": 9.25, "footnotesize": 8.5}
"""An em of LaTeX's sizes of type in points, in the order in which they are tried."""

GAP = {"normalsize": 12.0, "small": 8.0, "footnotesize": 6.0}
"""Points between two columns."""

_SIGNS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "_": r"\_",
    "#": r"\#",
    "{": r"\{",
    "}": r"\}",
    "[": "{[}",  # after a line's end it would be the end's argument
    "]": "{]}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "−": r"$-$",
    "–": "--",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "→": r"$\to$",
    "†": r"\dag{}",
    "²": r"\textsuperscript{2}",
    "’": "'",
    "β": r"$\beta$",
    "δ": r"$\delta$",
    "Δ": r"$\Delta$",
    "κ": r"$\kappa$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "χ": r"$\chi$",
}

_NUMBER = re.compile(r"[−-]?\d+(?:\.\d+)?")


def escape(text: object) -> str:
    """A text of one line that LaTeX shows as it stands."""
    return "".join(_SIGNS.get(character, character) for character in str(text))


@dataclass(frozen=True)
class _Column:
    """One column: its heading and cells as they are read, and how wide they are (of 1 em)."""

    heading: str
    cells: Sequence[str]
    first: bool

    @property
    def worded(self) -> bool:
        """Whether it stands on the left: the first column, and those of words."""
        return self.first or not any(re.match(r"[<−-]?\d", cell) for cell in self.cells)

    @property
    def numeric(self) -> bool:
        """Whether siunitx can align it: plain numbers alone."""
        filled = [cell for cell in self.cells if cell]
        return bool(filled) and all(_NUMBER.fullmatch(cell) for cell in filled)

    @property
    def wide(self) -> float:
        """The width that keeps its cells, and its heading's words, on a line each."""
        return max(map(_width, [*self.cells, *self.heading.split()]), default=0.0)

    @property
    def narrow(self) -> float:
        """The width below which a word would stick out; half of it all at the least."""
        words = (word for cell in self.cells for word in re.split(r"(?<=[ -])", cell))
        longest = max(map(_width, [*words, *self.heading.split()]), default=0.0)
        return self.wide if self.numeric else min(self.wide, max(longest, 0.45 * self.wide))

    def specification(self, wrapped: float | None) -> str:
        """The column's letter, a paragraph of ``wrapped`` points where it has to break lines."""
        if self.numeric:
            return f"S[table-format={self._format()}]"
        if wrapped is None:
            return "l" if self.worded else "r"
        side = r"\raggedright" if self.worded else r"\raggedleft"
        return rf">{{{side}\arraybackslash\hspace{{0pt}}}}p{{{wrapped:.1f}pt}}"

    def _format(self) -> str:
        parts = [cell.lstrip("−-").partition(".") for cell in self.cells if cell]
        sign = "-" if any(cell[:1] in ("−", "-") for cell in self.cells) else ""
        whole = max(len(before) for before, _, _ in parts)
        return f"{sign}{whole}.{max(len(after) for _, _, after in parts)}"

    def head(self, room: float) -> str:
        """The heading on as many lines as ``room`` (em) asks for."""
        lines: list[str] = []
        for word in self.heading.split():
            if lines and _width(f"{lines[-1]} {word}") <= room:
                lines[-1] = f"{lines[-1]} {word}"
            else:
                lines.append(word)
        if len(lines) < 2:
            return f"{{{escape(self.heading)}}}"
        side = "l" if self.worded else "r"
        stacked = r" \\ ".join(map(escape, lines))
        return rf"{{\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{stacked}\end{{tabular}}}}"

    def body(self, wrapped: bool) -> list[str]:
        """The cells; a name of many parts may break at what joins them."""
        if self.numeric:
            return [cell.replace("−", "-") for cell in self.cells]
        cells = map(escape, self.cells)
        return [cell.replace("/", r"/\hspace{0pt}") for cell in cells] if wrapped else list(cells)


@cache
def _width(text: str) -> float:
    """About the width of a text in em, on the generous side."""
    return sum(
        0.28 if sign in "ijlt.,;:'|!()[]I" else 0.34 if sign == " " else
        0.87 if sign in "mwMW%—" else 0.78 if sign.isupper() or sign in "−<>≤≥×±→" else 0.52
        for sign in text
    )  # fmt: skip


@dataclass(frozen=True)
class _Layout:
    """How a table is set: size of type, sideways or not, the widths (em) of wrapped columns."""

    size: str
    sideways: bool
    wrapped: tuple[float | None, ...]


ATTEMPTS = (
    *((size, False, False) for size in SIZES),
    *(
        ("footnotesize", sideways, wrap)
        for sideways, wrap in ((False, True), (True, False), (True, True))
    ),
)
"""Size, sideways and wrapped, in the order in which they are tried."""


def _fitting(columns: Sequence[_Column], size: str, sideways: bool, wrap: bool) -> _Layout | None:
    """The layout, or None where the table is wider than the line."""
    room = (TEXT_HEIGHT if sideways else TEXT_WIDTH) - GAP[size] * len(columns)
    room /= SIZES[size]  # in em
    wide = [column.wide for column in columns]
    over = sum(wide) - room
    if over <= 0:
        return _Layout(size, sideways, (None,) * len(columns))
    narrow = [column.narrow for column in columns]
    if not wrap or sum(narrow) > room:
        return None
    # the widest columns give way first, down to one common width
    for common in sorted({*wide, *narrow}, reverse=True):
        widths = [min(w, max(n, common)) for w, n in zip(wide, narrow, strict=True)]
        if sum(widths) <= room:
            break
    spare = room - sum(widths)
    bounded = [w - kept for w, kept in zip(wide, widths, strict=True)]
    widths = [kept + spare * b / sum(bounded) for kept, b in zip(widths, bounded, strict=True)]
    wrapped = [w if b else None for w, b in zip(widths, bounded, strict=True)]
    return _Layout(size, sideways, tuple(wrapped))


def latex(display: pd.DataFrame, caption: str, note: str, label: str) -> str:
    """A table for a paper.

    Args:
        display: strings; the first column names the rows.
        caption: what it shows, without a number: LaTeX counts.
        note: what stands below it in small print.
        label: for ``\\ref``, after ``tab:``.
    """
    columns = [
        _Column(str(name), [str(cell) for cell in display.iloc[:, place]], place == 0)
        for place, name in enumerate(display.columns)
    ]
    found = (_fitting(columns, *attempt) for attempt in ATTEMPTS)
    layout = next(filter(None, found), None)
    if layout is None:  # nothing fits: as narrow as can be
        narrow = tuple(None if column.numeric else column.narrow for column in columns)
        layout = _Layout("footnotesize", True, narrow)
    placed = list(zip(columns, layout.wrapped, strict=True))
    em = SIZES[layout.size]
    form = " ".join(column.specification(width and width * em) for column, width in placed)
    head = " & ".join(column.head(width or column.wide) for column, width in placed) + r" \\"
    bodies = [column.body(width is not None) for column, width in placed]
    rows = [" & ".join(row) + r" \\" for row in zip(*bodies, strict=True)]
    long = len(rows) > (LONG_SIDEWAYS if layout.sideways else LONG)
    title = rf"\caption{{{escape(caption)}}}\label{{tab:{label}}}"
    needs = ["booktabs", "array"]
    needs += ["siunitx"] if any(column.numeric for column in columns) else []
    needs += ["longtable"] if long else []
    needs += ["pdflscape" if long else "rotating"] if layout.sideways else []
    small = [rf"\{layout.size}", rf"\setlength{{\tabcolsep}}{{{GAP[layout.size] / 2:g}pt}}"]
    below = rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {escape(note)}}}"
    if long:
        begin, end = (r"\begin{landscape}", r"\end{landscape}") if layout.sideways else ("", "")
        parts = [
            begin, r"\begingroup", *small, rf"\begin{{longtable}}{{@{{}}{form}@{{}}}}",
            title + r" \\", r"\toprule", head, r"\midrule", r"\endfirsthead", r"\toprule", head,
            r"\midrule", r"\endhead", *rows, r"\bottomrule", r"\end{longtable}",
            below.replace(r"\par\smallskip", r"\noindent"), r"\par", r"\endgroup", end,
        ]  # fmt: skip
    else:
        kind = "sidewaystable" if layout.sideways else "table"
        parts = [
            rf"\begin{{{kind}}}", r"\centering", *small, title, r"\smallskip",
            rf"\begin{{tabular}}{{@{{}}{form}@{{}}}}", r"\toprule", head, r"\midrule", *rows,
            r"\bottomrule", r"\end{tabular}", below, rf"\end{{{kind}}}",
        ]  # fmt: skip
    first = rf"% needs: \usepackage{{{','.join(needs)}}}"
    return "\n".join([first, *filter(None, parts), ""])
