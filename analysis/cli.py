"""``transfer``: the command line. A new command is one function in ``analysis.commands``."""

from __future__ import annotations

import sys
from errno import ENOSPC
from io import TextIOWrapper
from shutil import get_terminal_size
from typing import Annotated, Literal

import typer
from capability_transfer.analysis.commands import (
    determinants,
    evaluations,
    measures,
    output,
    planning,
    registry,
    start,
    untested,
)
from capability_transfer.analysis.commands.options import WithoutItems
from capability_transfer.analysis.commands.places import asked, leaving_out
from capability_transfer.analysis.presentation import widths
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, speaking_options
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

MODULES = (start, evaluations, untested, determinants, measures, planning)
"""Where the commands are defined, a panel of the help each."""

PANELS = {module.PANEL: registry.names(module.__name__) for module in MODULES}
"""Every command, by the question that leads to it."""

READ = {"outcomes", "train", "paths"}
"""Parameters of commands that read outcomes."""

WRITERS = ("ingest", "export")
"""Commands that pass outcomes on whole."""

COMMANDS = tuple(name for names in PANELS.values() for name in names)

BOXED = 80
"""Columns from which the help of every command fits into boxes without cutting a name."""

RENAMED = {
    "--check-seconds": "--seconds",
    "--draws": "--replicates",
    "--instances": "--n-instances",
    "--items": "--n-items",
    "--jobs": "--workers",
    "--k": "--n-templates",
    "--per-template": "--n-instances",
    "--repeats": "--simulations",
    "--source-language": "--source",
    "--templates": "--n-templates",
    "--worlds": "--simulations",
}
"""What options were called, or are in other commands, and what they are: one idea has one name."""

EXAMPLES = {
    "What would Qwen3-8B score in Swahili, which nobody tested?":
        "transfer predict --model Qwen/Qwen3-8B --reasoning on --language swh",
    "The study's model, fitted to its published cells (without R)":
        "transfer glmm --engine laplace",
    "Your own evaluation logs to outcomes, and the model of them":
        "transfer ingest logs/ --out outcomes.parquet\n"
        "transfer glmm --outcomes outcomes.parquet --models models.csv",
    "For a program: one JSON document on stdout":
        "transfer predict --params 8 --family Qwen3 --reasoning off --language swh --json",
}  # fmt: skip


Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document on stdout, and nothing else there."),
]
Width = Annotated[
    Literal["column", "text"] | None,
    typer.Option(
        "--width",
        help="Figures as wide as a journal's column or text (many panels: text).",
    ),
]


def build() -> typer.Typer:
    """The command line; commands import what they run when they are run."""
    roomy = sys.stdout.isatty() and get_terminal_size().columns >= BOXED
    styled = "rich" if roomy else None  # boxes where names fit into them, plain text elsewhere
    app = typer.Typer(
        name="transfer",
        cls=Group,
        rich_markup_mode=styled,
        help="What determines how a model's capabilities transfer across languages: "
        "features, GLMMs, and predictions for languages that nobody tested.",
        pretty_exceptions_enable=False,
        context_settings={"max_content_width": 100},
    )
    app.callback()(transfer)
    for panel, names in PANELS.items():
        for name in names:
            app.command(name, cls=Command, rich_help_panel=panel)(registry.COMMANDS[name].function)
    return app


def transfer(
    scheduler: Annotated[
        str | None,
        typer.Option(
            envvar="TRANSFER_SCHEDULER",
            help="Run refits on a Dask cluster: its scheduler, such as tcp://host:8786.",
        ),
    ] = None,
    dask: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Run refits on a Dask cluster of N local processes."
        ),
    ] = 0,
    json: Json = False,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=lambda asked: _version(asked),
                           help="Print the version and exit.")
    ] = False,
) -> None:  # fmt: skip
    """The group of all commands; what is said here holds for any of them (`Command.invoke`)."""


def main() -> None:
    """Run a command; what cannot be done ends with its message on stderr and status 2.

    Ctrl-C ends with status 130, SIGTERM with 143.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a narrow encoding costs a sign, not the run
            stream.reconfigure(errors="replace")
    with speaking_options():
        status = _run()
    sys.exit(status)


def _run() -> int:
    """The command line's exit status, once all is said."""
    try:
        with output.stoppable():
            status = build()(sys.argv[1:] or ["--help"], standalone_mode=False)
    except TyperException as error:
        status = error.exit_code
        output.say_error(_told(error))
    except InputError as error:
        status = 2
        output.say_error(str(error))
    except OSError as error:
        status = 2
        output.say_error(_failed(error))
    except KeyboardInterrupt:
        status = output.INTERRUPTED
    return status if isinstance(status, int) else 0


class Command(TyperCommand):
    """A command that opens and ends its conversation, and shows examples below its help.

    Every one has the option ``--json``, those that read outcomes ``--without-items``, and those
    with ``--out`` the ``--width`` of their figures.
    """

    def __init__(self, name, *, params, **settings):
        own = {one.name for one in params}
        has = {
            "without_items": name not in WRITERS and bool(READ & own),
            "width": "out" in own,
            "json": True,
        }
        more = [one for one in _shared_options() if has[one.name]]
        super().__init__(name, params=[*params, *more], **settings)

    def invoke(self, ctx):
        """Run it, talking to people or, with ``--json`` here or before its name, to a machine."""
        from capability_transfer.common.parallel import cluster

        machine = ctx.params.pop("json") or ctx.find_root().params["json"]
        options, shared = dict(ctx.params), ctx.find_root().params
        items = ctx.params.pop("without_items", None)
        width = ctx.params.pop("width", None)
        with (
            leaving_out(items),
            speaking_options(),
            output.speaking(self.name, options, machine),
            asked(self.params, options),
            progress.working(self.name),  # below it, what is shown of parts of the work
            cluster(shared["scheduler"], shared["dask"]),
            widths.as_wide_as(width),
        ):
            try:
                return super().invoke(ctx)
            except InputError as error:  # name only options that this command has
                raise error.with_parameters(_parameters(self)) from error.__cause__

    def format_help(self, ctx, formatter):
        """Typer's help, and the examples."""
        super().format_help(ctx, formatter)
        formatter.write(_examples(registry.COMMANDS[self.name].examples))


class Group(TyperGroup):
    """All commands, by panel, with worked examples below."""

    def format_help(self, ctx, formatter):
        """Typer's help, and the examples."""
        super().format_help(ctx, formatter)
        formatter.write(_examples(EXAMPLES))
        formatter.write("\nA command's own examples: transfer COMMAND --help\n")

    def format_commands(self, ctx, formatter):
        """The commands by panel in plain help, as on a terminal."""
        for panel, names in PANELS.items():
            with formatter.section(panel):
                rows = [(name, _summary(self.get_command(ctx, name))) for name in names]
                formatter.write_dl(rows)


def _parameters(command: TyperCommand) -> set[str]:
    """What messages call a command's options: ``drop_missing`` for ``--drop-missing``."""
    flags = [flag for parameter in command.params for flag in parameter.opts]
    return {flag.lstrip("-").replace("-", "_") for flag in flags}


def _summary(command: TyperCommand) -> str:
    return (command.help or "").split("\n\n")[0].replace("\n", " ")


def _examples(examples: dict[str, str]) -> str:
    """Commands below what they do."""
    told = []
    for what, lines in examples.items():
        told.append(f"  # {what}")
        told += [f"  {line}" for line in lines.splitlines()]
    return "\n".join(["", "Examples:", *told, ""]) if told else ""


def _shared_options() -> list[TyperOption]:
    """The options of many commands, as Typer makes them."""
    app = typer.Typer(add_completion=False)
    app.command()(_only_shared)
    return typer.main.get_command(app).params


def _only_shared(
    without_items: WithoutItems = None, width: Width = None, json: Json = False
) -> None:
    """What ``_shared_options`` reads the options off."""


def _version(asked: bool) -> None:
    if asked:
        print(f"transfer {output.version()}")
        raise typer.Exit


def _failed(error: OSError) -> str:
    """A file that could not be read or written: which, why, and what becomes of the work."""
    reason = (error.strerror or str(error)).lower()
    where = f"{error.filename}: " if error.filename else ""
    advice = "; finished fits are kept, so make room and run it again" * (error.errno == ENOSPC)
    return f"{where}{reason}{advice}"


def _told(error: TyperException) -> str:
    """A misuse of the command line: what is wrong, what was meant, where help is."""
    near = getattr(error, "possibilities", None)
    name = RENAMED.get(getattr(error, "option_name", None))
    if name and any(name in one.opts for one in error.ctx.command.params):
        near = [name]
    text = error.message if near else error.format_message()
    if near:
        text = f"{text}. Did you mean {', '.join(sorted(near))}?"
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "transfer"
    return f"{text}{'' if text.endswith(('?', '.')) else '.'} See: {where} --help"


if __name__ == "__main__":
    main()
