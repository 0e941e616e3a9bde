"""One look for every figure, and how a figure becomes files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.files import replacing

INK = "#1f2933"
MUTED = "#7b8794"
OURS = "#1f5a94"
PUBLISHED = "#c2571a"
GRID = "#e4e7eb"

RC = {
    "font.size": 9,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "grid.color": GRID,
    "legend.frameon": False,
    "savefig.bbox": "tight",
    "savefig.dpi": 300,
    "svg.hashsalt": "capability-transfer",
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
}


def new_figure(width: float, height: float) -> Figure:
    """An empty figure (inches) in the house style, without a screen."""
    with matplotlib.rc_context(RC):
        return Figure(figsize=(width, height), layout="constrained")


def add_note(figure: Figure, note: str) -> None:
    """Where the data come from, in small print under the figure."""
    figure.supxlabel(note, x=0.01, ha="left", fontsize=6.5, color=MUTED, wrap=True)


def name_rows(
    axes: Axes,
    positions: Sequence[float],
    names: Sequence[str],
    values: Iterable[str],
    fontsize: float = 8,
) -> None:
    """A chart of rows: their names on the left, their values in words on the right."""
    for position, value in zip(positions, values, strict=True):
        axes.annotate(
            value,
            (1.0, position),
            xytext=(6, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize=fontsize,
            color=INK,
        )
    axes.set_yticks(positions, names)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def save(figure: Figure, base: Path) -> list[Path]:
    """Write ``base.png`` and ``base.pdf``; no dates inside, so that reruns give the same files."""
    paths = []
    for suffix, metadata in ((".png", {"Software": None}), (".pdf", {"CreationDate": None})):
        path = Path(base).with_suffix(suffix)
        with matplotlib.rc_context(RC), replacing(path) as temporary:
            figure.savefig(temporary, metadata=metadata)
        paths.append(path)
    return paths
