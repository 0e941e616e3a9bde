"""Matplotlib figures as inline SVG that takes the page's type and colours."""

from __future__ import annotations

import io
import re
from html import escape

import matplotlib
from capability_transfer.analysis.presentation.plots import (
    GRID,
    INK,
    MUTED,
    OURS,
    PUBLISHED,
    RC,
    settle,
)
from matplotlib.figure import Figure

VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    OURS: "var(--ours)",
    PUBLISHED: "var(--published)",
    GRID: "var(--rule)",
    "#c4cbd2": "var(--faint)",
    "#ffffff": "var(--paper)",
    "#000000": "var(--ink)",
}
"""The house style's colours, and the page's names for them: they follow its light and dark."""


def inline(figure: Figure, name: str, text: str) -> str:
    """A figure as an ``svg`` element with ``text`` as its description.

    ``name`` keeps the ids of figures on one page apart. Text stays text; the background is the
    page's.
    """
    buffer = io.StringIO()
    with matplotlib.rc_context(RC | {"svg.fonttype": "none"}):
        settle(figure)
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(href="|url\()#', rf"\1#{name}-", svg)
    svg = re.sub(r"(\d+(?:\.\d+)?px) [^;\"]*sans[^;\"]*", r"\1 var(--sans)", svg)
    for colour, variable in VARIABLES.items():
        svg = re.sub(colour, variable, svg, flags=re.IGNORECASE)
    svg = re.sub(r'\b(?:d|x|y|width|height|transform)="[^"]*"', _shorter, svg)
    width, height = (float(side) for side in re.findall(r'viewBox="0 0 (\S+) (\S+)"', svg)[0])
    head = f'<svg class="figure" viewBox="0 0 {width:g} {height:g}" role="img" ' \
           f'aria-label="{escape(text, quote=True)}">'  # fmt: skip
    return re.sub(r"<svg[^>]*>", lambda _: head, svg, count=1).strip()


def _shorter(attribute: re.Match) -> str:
    """Coordinates to hundredths of a point; numbers that are read are text, and stay."""
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", attribute[0])
