"""How commands talk: for people on a terminal or in a pipe, or as one JSON document for machines.

A command asks for ``current()`` and says what it found, without knowing who listens. Results go to
stdout; progress and errors to stderr. ``speaking`` opens and closes the conversation: files that
were written are known there, so no command lists them.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from capability_transfer.common import progress
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from capability_transfer.analysis.presentation.result import Result

WIDE = 10_000  # columns of a line that no terminal wraps
INTERRUPTED = 128 + signal.SIGINT
CACHE = "cache"
"""The folder of a results directory that holds finished pieces of work, not results."""


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM): left as by Ctrl-C."""


class Output:
    """What a command can say. This one says nothing: renderers say what they show."""

    def __init__(self) -> None:
        self.progress = Console(stderr=True, soft_wrap=True)

    def data(self, source: str, what: str = "Data") -> None:
        """Which data the results rest on."""

    def line(self, text: str) -> None:
        """A result in a sentence."""

    def note(self, text: str) -> None:
        """What a reader must know of the results."""

    def table(
        self,
        name: str,
        table: pd.DataFrame,
        title: str = "",
        display: pd.DataFrame | None = None,
    ) -> None:
        """A table: tidy, at full precision, and as strings for people where they differ."""

    def record(self, name: str, table: pd.DataFrame) -> None:
        """A table that people find in the files and machines here."""

    def records(self, frames: Callable[[], Mapping[str, pd.DataFrame]]) -> None:
        """Such tables by name, made only for who takes them."""

    def view(self, title: str, display: pd.DataFrame) -> None:
        """A table of strings for people."""

    def wrote(self, path: Path) -> None:
        """A file of interest that lies among the finished pieces of work."""

    def end(self, written: list[Path]) -> None:
        """The command is done and has written these results."""


class People(Output):
    """Text: coloured and fitted to its width on a terminal, plain and never cut elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.console = _Patient(soft_wrap=True, highlight=False)
        if not self.console.is_terminal:
            self.console.width = WIDE
        elif self.progress.is_terminal:
            self.progress = self.console  # one terminal: what is printed goes above the progress

    def data(self, source: str, what: str = "Data") -> None:
        self.line(f"{what}: {source}")

    def line(self, text: str) -> None:
        self._print(text, markup=False)

    def note(self, text: str) -> None:
        self._print(f"[yellow]![/] {escape(text)}")

    def _print(self, text: str, markup: bool = True) -> None:
        """Wrapped by words on a terminal, in one line elsewhere."""
        self.console.print(text, markup=markup, soft_wrap=not self.console.is_terminal)

    def table(
        self,
        name: str,
        table: pd.DataFrame,
        title: str = "",
        display: pd.DataFrame | None = None,
    ) -> None:
        self.view(title, _strings(table) if display is None else display)

    def view(self, title: str, display: pd.DataFrame) -> None:
        numeric = {column: _is_numeric(display[column]) for column in display.columns}
        if title:
            self.console.print(f"[bold]{escape(title)}[/]", soft_wrap=False)
        shown = _fitting(display, self.console.width)
        written = _whole if self.console.is_terminal else str  # what is searched stays as it is
        panel = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        for column, width in shown.items():
            side = "right" if numeric[column] else "left"
            panel.add_column(escape(str(column)), justify=side, width=width, overflow="fold")
        for row in display[list(shown)].itertuples(index=False, name=None):
            panel.add_row(*(escape(written(value)) for value in row))
        self.console.print(panel, soft_wrap=False)
        if left := [str(column) for column in display.columns if column not in shown]:
            self.console.print(f"[dim]… no room for {escape(', '.join(left))}[/]", soft_wrap=False)

    def wrote(self, path: Path) -> None:
        self.line(f"Wrote {path}")

    def end(self, written: list[Path]) -> None:
        if len(written) == 1:
            self.wrote(written[0])
        elif written:
            self.line(f"Wrote {_files(written)}")


class Machine(Output):
    """One JSON document on stdout when the command is done.

    Keys: command, version, options, seed (of the data or of draws, null where there is none),
    data (sentences), tables (name to a list of records, missing values null), findings and notes
    (sentences), files.
    """

    def __init__(self, command: str, options: Mapping[str, object]) -> None:
        super().__init__()
        self.document: dict[str, object] = {
            "command": command,
            "version": version(),
            "options": dict(options),
            "seed": options.get("seed"),
            "data": [],
            "tables": {},
            "findings": [],
            "notes": [],
            "files": [],
        }

    def data(self, source: str, what: str = "Data") -> None:
        self.document["data"].append(source)

    def line(self, text: str) -> None:
        self.document["findings"].append(text.strip())

    def note(self, text: str) -> None:
        self.document["notes"].append(text)

    def table(
        self,
        name: str,
        table: pd.DataFrame,
        title: str = "",
        display: pd.DataFrame | None = None,
    ) -> None:
        self.record(name, table)

    def record(self, name: str, table: pd.DataFrame) -> None:
        from capability_transfer.common.tables import records

        self.document["tables"][name] = records(table)

    def records(self, frames: Callable[[], Mapping[str, pd.DataFrame]]) -> None:
        for name, table in frames().items():
            self.record(name, table)

    def wrote(self, path: Path) -> None:
        self.document["files"].append(str(path))

    def end(self, written: list[Path]) -> None:
        self.document["files"] += [str(path) for path in written]
        text = json.dumps(_plain(self.document), ensure_ascii=False, allow_nan=False)
        try:
            print(text, flush=True)
        except BrokenPipeError:
            _close_stdout()


_current: ContextVar[Output | None] = ContextVar("output", default=None)


def current() -> Output:
    """Whom the running command talks to; people, where nobody opened a conversation."""
    return _current.get() or People()


@contextmanager
def speaking(
    command: str, options: Mapping[str, object] | None = None, machine: bool = False
) -> Iterator[Output]:
    """Open the conversation of one command, and end it with what was written.

    Without an exception, or with one that only carries an exit status, the results are complete
    and said. Ctrl-C and SIGTERM end with a line of what is kept and how to go on, and SystemExit
    130 or 143.
    """
    from capability_transfer.common.files import recording

    output = Machine(command, options or {}) if machine else People()
    token = _current.set(output)
    with recording() as written, progress.shown_on(output.progress):
        try:
            yield output
        except KeyboardInterrupt as stop:
            say_error(f"interrupted; {_kept(written)}", "interrupted")
            ended = signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT
            raise SystemExit(128 + ended) from None
        except typer.Exit:
            output.end(_results(written))
            raise
        else:
            output.end(_results(written))
        finally:
            _current.reset(token)


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn SIGTERM into an exception, so that temporary files and processes are cleared.

    That joblib cancels what is left is meant then. Its word on that can come as late as the
    interpreter's end, so it is kept back for good.
    """

    def stop(number: int, frame: object) -> None:
        raise Terminated

    warnings.filterwarnings("ignore", r"\d+ tasks ", UserWarning, "joblib.parallel")
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def deliver(result: Result, directory: Path | None) -> None:
    """Say a result to whoever listens, and write it below ``directory`` unless that is None."""
    from capability_transfer.analysis.commands.places import check_left_out

    check_left_out()
    say = current()
    if directory is not None:
        result.write(directory)
    for view in result.views():
        say.view(view.title, view.display)
    say.records(result.frames)
    for text in result.findings():
        say.line(text)
    for text in result.notes():
        say.note(text)


def wants_json() -> bool:
    """Whether JSON was asked for, known before options are understood: for errors in them."""
    return "--json" in sys.argv[1:]


def say_error(text: str, title: str = "error") -> None:
    """An error on stderr: in a line for people, as ``{"error": …}`` for machines."""
    if wants_json():
        print(json.dumps({"error": text}, ensure_ascii=False), file=sys.stderr)
        return
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    told = escape(text) if title == "interrupted" else f"[bold red]{title}:[/] {escape(text)}"
    console.print(told)


def version() -> str:
    """The installed version of the toolkit."""
    from importlib.metadata import version as of

    return of("capability-transfer")


class _Patient(Console):
    """A console whose reader may leave (``| head``): it goes on in silence, for the files' sake."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        _close_stdout()


def _close_stdout() -> None:
    """Let what is still in the buffer go nowhere, without a complaint at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _results(written: list[Path]) -> list[Path]:
    """What is there to be read: neither finished pieces of work nor files that were passing."""
    return _alike([path for path in written if CACHE not in path.parts and path.exists()])


def _alike(paths: list[Path]) -> list[Path]:
    """Paths once each, all absolute where some are, so that they have a folder in common."""
    mixed = len({path.is_absolute() for path in paths}) > 1
    return list(dict.fromkeys(path.absolute() if mixed else path for path in paths))


def _kept(written: list[Path]) -> str:
    """What an interrupted command leaves behind, and how to go on."""
    again = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    pieces = _alike([path for path in written if CACHE in path.parts])
    if not pieces:
        return f"what had been finished is kept. To go on: {again}"
    number = f"{len(pieces)} finished pieces of work are" if len(pieces) > 1 else (
        "1 finished piece of work is")  # fmt: skip
    where = os.path.commonpath([path.parent for path in pieces])
    return f"{number} kept in {where}. To go on from there: {again}"


def _files(paths: list[Path]) -> str:
    """A number of files by folder: ``18 files to results/: 8 glmm, 8 tables, 2 figures``."""
    base = Path(os.path.commonpath([path.parent for path in paths]))
    folders = Counter(
        relative.parts[0] if len(relative.parts) > 1 else ""
        for relative in (path.relative_to(base) for path in paths)
    )
    if set(folders) == {""}:
        return f"{', '.join(path.name for path in paths)} to {base}/"
    told = ", ".join(f"{name or 'here'} {number}" for name, number in folders.items())
    return f"{len(paths)} files to {base}/ ({told})"


def _strings(table: pd.DataFrame) -> pd.DataFrame:
    """A tidy table as strings: four significant digits, nothing for a missing value."""

    def text(value: object) -> str:
        if value is None or value != value:
            return ""
        return f"{value:.4g}" if isinstance(value, float) else str(value)

    return table.map(text)


def _fitting(display: pd.DataFrame, width: int) -> dict[str, int]:
    """The columns that fit a width with their numbers and words whole, each with its own width.

    The last columns go first; what is left over its width is taken from the widest ones.
    """
    cells = {column: [_whole(cell) for cell in [*display[column], column]] for column in display}
    least = {
        column: max((len(word) for cell in own for word in cell.split(" ")), default=1)
        for column, own in cells.items()
    }
    room = width + 1
    while len(least) > 2 and sum(least.values()) + len(least) > room:
        least.popitem()
    shown = {column: max(map(len, cells[column])) for column in least}
    while sum(shown.values()) + len(shown) > room:
        giving = [column for column in shown if shown[column] > least[column]]
        if not giving:  # not even two columns fit
            break
        shown[max(giving, key=shown.get)] -= 1
    return shown


def _whole(value: object) -> str:
    """A cell that breaks at spaces between words alone: ``0.25 [0.1, 0.4]`` stays in one piece."""
    return _BETWEEN_NUMBERS.sub("\u00a0", str(value))


_BETWEEN_NUMBERS = re.compile(r"(?<=[\d,/×%\]]) (?=[\d\[/−<×-])")
"""Spaces that a line may not break at."""


def _is_numeric(column: pd.Series) -> bool:
    """Whether a column of strings is to stand to the right: it begins like numbers."""
    values = [str(value).lstrip("−-+~<≤≥?") for value in column if str(value)]
    return bool(values) and all(value[:1].isdigit() or not value for value in values)


def _plain(value: object) -> object:
    """Values as JSON has them: NaN and infinity are null, paths are text."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if value is None or isinstance(value, str | int):
        return value
    return None if value != value else str(value)
