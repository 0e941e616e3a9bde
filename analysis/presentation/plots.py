"""One look for every figure, and how a figure becomes files.

Matplotlib is imported where something is drawn: it takes longer than most analyses to read.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.common.files import record, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1f2933"
MUTED = "#7b8794"
OURS = "#1f5a94"
PUBLISHED = "#c2571a"
GRID = "#e4e7eb"

FAINT = 3 / 255
"""A difference of colour (of 1) that nobody sees."""

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


def house_style(more: Mapping[str, object] | None = None) -> AbstractContextManager[None]:
    """The house style, and ``more`` of matplotlib's settings, in force."""
    import matplotlib

    return matplotlib.rc_context(RC | dict(more or {}))


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """A function that draws, with the house style in force."""

    @wraps(draw)
    def drawing(*args, **kwargs) -> Figure:
        with house_style():
            return draw(*args, **kwargs)

    return drawing


def grid(axes: Axes, axis: str = "both") -> None:
    """Faint lines behind what is drawn."""
    axes.grid(axis=axis, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def forest(
    axes: Axes,
    table: pd.DataFrame,
    names: Iterable[object],
    value: str = "estimate",
    label: str = "this fit, 95% Wald interval",
    published: str = "published",
    fontsize: float | None = None,
    reference: float | None = 0,
) -> None:
    """A row per estimate with its interval, the first on top; published ones are hollow marks.

    Args:
        axes: to draw on.
        table: ``value``, conf_low, conf_high, and published where it is known.
        names: of the rows; they may be anybody's.
        value: the column of the estimates.
        label: of the estimates in a legend.
        published: of the published ones.
        fontsize: of the names.
        reference: where a line stands behind all rows, None for none.
    """
    positions = -np.arange(len(table), dtype=float)
    if reference is not None:
        axes.axvline(reference, color=MUTED, linewidth=0.8)
    axes.hlines(positions, table["conf_low"], table["conf_high"], color=OURS, linewidth=1.6)
    axes.plot(table[value], positions, "o", color=OURS, markersize=5, label=label)
    if "published" in table.columns and table["published"].notna().any():
        axes.plot(
            table["published"], positions - 0.24, "D", markersize=4.5, markerfacecolor="none",
            markeredgecolor=PUBLISHED, markeredgewidth=1.1, label=published,
        )  # fmt: skip
    axes.set_yticks(positions, [plain(name) for name in names], fontsize=fontsize)
    axes.set_ylim(0.4 - len(table), 0.5)
    axes.tick_params(axis="y", length=0)
    grid(axes, "x")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure (inches) in the house style, without a screen."""
    from matplotlib.figure import Figure

    with house_style():
        return Figure(figsize=(width, height), layout="constrained")


LONGEST = 60
"""Characters of a name in a figure; a longer one is shown with its middle left out."""


def plain(text: object, longest: int = LONGEST) -> str:
    r"""A text that is not ours (a name, a level, a file) so that a figure shows it as it stands.

    Matplotlib reads what is between two ``$`` as mathematics and fails on what is not, leaves a
    legend's entry out if it begins with ``_``, and cannot encode half of a surrogate pair; a line
    break or a very long name would push the axes out of the figure.
    """
    shown = "".join(_WRITTEN.get(unicodedata.category(sign), sign) for sign in str(text))
    if len(shown) > longest:
        shown = f"{shown[: longest * 2 // 3]}…{shown[len(shown) - longest // 3 + 1 :]}"
    shown = shown.replace("$", r"\$")
    return f"\u200b{shown}" if shown.startswith("_") else shown


_WRITTEN = {"Cc": " ", "Zl": " ", "Zp": " ", "Cs": "\ufffd"}
"""Line breaks, other control characters and lone surrogates, and what is drawn for them."""


def add_note(figure: Figure, note: str) -> None:
    """Where the data come from, in small print under the figure; its words are ``plain``."""
    note = " ".join(plain(word) for word in note.split(" "))
    figure.supxlabel(note, x=0.01, ha="left", fontsize=6.5, color=MUTED, wrap=True)


def name_rows(
    axes: Axes,
    positions: Sequence[float],
    names: Sequence[str],
    values: Iterable[str],
    fontsize: float = 8,
) -> None:
    """A chart of rows: their names on the left, their values in words on the right.

    Names may be anybody's; they are shown ``plain``.
    """
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
    axes.set_yticks(positions, [plain(name) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def save(figure: Figure, base: Path) -> list[Path]:
    """Write ``base.png`` and ``base.pdf``, with no date or version inside: reruns give the same.

    Where both are there and show the same picture, they stay: on another processor the last digits
    of coordinates differ.
    """
    paths = [Path(base).with_suffix(suffix) for suffix in (".png", ".pdf")]
    unsaid = dict.fromkeys(("CreationDate", "Creator", "Producer"))
    with house_style():
        settle(figure)
        picture = io.BytesIO()
        figure.savefig(picture, format="png", metadata={"Software": None})
        if all(path.is_file() for path in paths) and _looks_like(picture, paths[0]):
            for path in paths:
                record(path)
            return paths
        for path, metadata in zip(paths, ({"Software": None}, unsaid), strict=True):
            with replacing(path) as temporary:
                figure.savefig(temporary, metadata=metadata)
    return paths


def settle(figure: Figure) -> None:
    """Lay a figure out once and for all, to places that do not hang on a solver's last digits."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        bounds = axes.get_position(original=True).bounds
        axes.set_position([round(bound, 4) for bound in bounds], which="original")
    for text in figure.texts:
        text.set_position([round(place, 4) for place in text.get_position()])


def _looks_like(picture: io.BytesIO, path: Path) -> bool:
    """Whether no pixel of two pictures differs by more than what rounding does to its colour."""
    from matplotlib import image

    picture.seek(0)
    try:
        new, old = image.imread(picture), image.imread(path)
    except (OSError, SyntaxError):  # what is there is no picture
        return False
    return new.shape == old.shape and float(np.abs(new - old).max()) < FAINT


@contextmanager
def axes(ax: Axes | None, width: float, height: float, note: str) -> Iterator[Axes]:
    """``ax``, or axes of a new pyplot figure (inches), while the house style is in force.

    A new figure has ``note``, where its data come from, in small print.
    """
    figure = None if ax is not None else _figure(width, height)
    with house_style():
        if figure is not None:
            ax = figure.add_subplot()
            add_note(figure, note)
        yield ax


def _figure(width: float, height: float) -> Figure:
    """A figure that pyplot shows: made outside the style, for the first one sets up the screen."""
    import matplotlib.pyplot as plt  # here, where a figure is asked for

    return plt.figure(figsize=(width, height), layout="constrained")


def legend_above(ax: Axes, columns: int = 3) -> None:
    """The legend in a line above the axes, where it hides nothing."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, fontsize=8)
