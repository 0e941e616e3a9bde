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
from capability_transfer.analysis.presentation.widths import WIDTHS, inches
from capability_transfer.common.files import record, replacing, write_text

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
    "pdf.fonttype": 42,  # publishers refuse matplotlib's Type 3 fonts
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


def add_note(figure: Figure, note: str, shows: str = "") -> None:
    """Where the data come from, in a line of small print under the figure; its words are ``plain``.

    ``shows`` says what is drawn and how to read it: it opens the caption, which ``save`` writes
    beside the figure.
    """
    figure.set_label(f"{shows} {note}".strip())
    note = " ".join(plain(word) for word in note.split(" "))
    figure.supxlabel(note, x=0.01, ha="left", fontsize=6.5, color=MUTED, wrap=True)


def alternative_text(figure: Figure) -> str:
    """What a figure has, for those who cannot see it: panels, axes, rows and marks by name."""
    panels = [axes for axes in figure.axes if axes.has_data()]
    told = [f"A chart of {len(panels)} panels." if len(panels) > 1 else "A chart."]
    for heading, of in (
        ("Panels", [axes.get_title("left") or axes.get_title() for axes in panels]),
        ("Across", [axes.get_xlabel() for axes in panels]),
        ("Upwards", [axes.get_ylabel() for axes in panels]),
        ("Rows", [_rows(axes) for axes in panels]),
        ("Marks", [name for axes in panels for name in axes.get_legend_handles_labels()[1]]),
    ):
        if names := [" ".join(name.split()) for name in dict.fromkeys(of) if name.strip()]:
            told.append(f"{heading}: {'; '.join(names)}.")
    return " ".join(told).replace(r"\$", "$").replace("\u200b", "")


def _rows(axes: Axes) -> str:
    """The names on the upward axis, where they are words."""
    names = [label.get_text().strip() for label in axes.get_yticklabels()]
    worded = any(sign.isalpha() for name in names for sign in name)
    return ", ".join(filter(None, names)) if worded else ""


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


SMALLEST = 2 / 3
"""Type shrinks with a figure, but no further than to this share: 6 of 9 points."""


def _resize(figure: Figure, wanted: float) -> None:
    """Bring a figure to a width; its height and type follow, as far as type can be read.

    One that is drawn wider than a page's text has more panels than a column can hold.
    """
    from matplotlib.text import Text

    width, height = figure.get_size_inches()
    wanted = wanted if width <= WIDTHS["text"] else WIDTHS["text"]
    share = min(1.0, max(wanted / width, SMALLEST))
    figure.set_size_inches(wanted, height * share)
    figure.draw_without_rendering()  # makes the labels of ticks
    for axes in figure.axes:
        for axis, which in ((axes.xaxis, "x"), (axes.yaxis, "y")):
            if labels := axis.get_ticklabels():
                axes.tick_params(which, labelsize=labels[0].get_fontsize() * share)
    ticks = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)
             for label in axis.get_ticklabels(which="both")}  # fmt: skip
    for text in set(figure.findobj(Text)) - ticks:
        text.set_fontsize(text.get_fontsize() * share)
    for axes in figure.axes:
        axes.xaxis.label.set_wrap(True)


def save(figure: Figure, base: Path) -> list[Path]:
    """Write ``base.png``, ``base.pdf`` and ``base.caption.txt``: caption and alternative text.

    There is no date or version inside: reruns give the same. Where pictures are there and show the
    same, they stay: on another processor the last digits of coordinates differ.
    """
    paths = png, pdf = [Path(base).with_suffix(suffix) for suffix in (".png", ".pdf")]
    told = f"{figure.get_label()}\n\nAlternative text: {alternative_text(figure)}\n"
    words = write_text(told.lstrip(), Path(base).with_suffix(".caption.txt"))
    unsaid = dict.fromkeys(("CreationDate", "Creator", "Producer"))
    with house_style():
        if width := inches():
            _resize(figure, width)
        settle(figure)
        picture = io.BytesIO()
        figure.savefig(picture, format="png", metadata={"Software": None})
        if all(path.is_file() for path in paths) and _looks_like(picture, png):
            for path in paths:
                record(path)
            return [*paths, words]
        with replacing(png) as temporary:
            temporary.write_bytes(picture.getvalue())
        with replacing(pdf) as temporary:
            figure.savefig(temporary, metadata=unsaid)
    return [*paths, words]


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
    if picture.getvalue() == path.read_bytes():
        return True
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
