"""Panels of the studies' figures as inline SVG, at the page's width and in its type and colours."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from capability_transfer.analysis.presentation import plots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 3.9
"""Inches: 374 CSS pixels, as many as a phone has."""

LONG = 32
"""Letters of a legend's label that leave no room for another beside it."""

VARIABLES = {
    plots.INK: "var(--ink)",
    plots.MUTED: "var(--muted)",
    plots.OURS: "var(--ours)",
    plots.PUBLISHED: "var(--published)",
    plots.GRID: "var(--rule)",
    "#c4cbd2": "var(--faint)",
    "#ffffff": "var(--paper)",
    "#000000": "var(--ink)",
}
"""The house style's colours, and the page's names for them: they follow its light and dark."""


def picture(name: str, text: str, draw: Callable[..., None], *drawn: object, **options) -> str:
    """A panel as an ``svg`` element; see ``panel`` and ``inline``."""
    return inline(panel(draw, *drawn, **options), name, text)


@plots.styled
def panel(
    draw: Callable[..., None], *drawn: object, height: float = 3.6, **settings: object
) -> Figure:
    """A figure of one panel, narrow enough for a phone; a legend above unless it has its own.

    Args:
        draw: a study's function that draws on axes.
        drawn: what it takes after the axes.
        height: inches.
        settings: of the axes (``Axes.set``), in place of what ``draw`` sets.
    """
    figure = plots.new_figure(WIDTH, height)
    axes = figure.add_subplot()
    draw(axes, *drawn)
    axes.set(**settings)
    shown = axes.get_legend_handles_labels()[1]
    if shown and axes.get_legend() is None:
        columns = 2 if max(map(len, shown)) < LONG else 1
        figure.legend(loc="outside upper left", ncols=columns, fontsize=8.5, handletextpad=0.4,
                      columnspacing=1.2, borderaxespad=0)  # fmt: skip
    return figure


def inline(figure: Figure, name: str, text: str) -> str:
    """A figure as an ``svg`` element with ``text`` as its description.

    ``name`` keeps the ids of figures on one page apart. Text stays text; the background is the
    page's.
    """
    buffer = io.StringIO()
    with plots.house_style({"svg.fonttype": "none"}):
        plots.settle(figure)
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
