"""``transfer``: the command line. A new command is one file in `analysis.commands` and one line."""

from __future__ import annotations

import sys
from collections.abc import Collection
from importlib import import_module
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from common.errors import InputError
from common.parallel import cluster

COMMANDS = (
    "features",
    "outcomes",
    "glmm",
    "transfer-metrics",
    "hat-noise",
    "robustness",
    "ceiling",
    "penalty",
    "templates",
    "instances",
    "ingest",
    "stages",
    "compliance",
    "compute",
    "export",
    "equivalence",
    "sample-size",
    "specifications",
    "loo-predict",
    "few-templates",
    "predict",
    "interval-check",
    "levers",
    "overview",
    "all",
    "power",
)

INTERRUPTED = 130


def build(names: Collection[str] = COMMANDS) -> typer.Typer:
    """The command line with the commands ``names``; importing one costs what it needs."""
    app = typer.Typer(
        name="transfer",
        help="What determines how a model's capabilities transfer across languages: "
        "features, GLMMs, and predictions for languages that nobody tested.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(transfer)
    for name in names:
        module = import_module(f"analysis.commands.{name.replace('-', '_')}")
        app.command(name)(module.command)
    return app


def transfer(
    context: typer.Context,
    scheduler: Annotated[
        str | None,
        typer.Option(
            envvar="TRANSFER_SCHEDULER",
            help="Run refits on a Dask cluster: its scheduler, such as tcp://host:8786.",
        ),
    ] = None,
    dask: Annotated[
        int, typer.Option(metavar="N", help="Run refits on a Dask cluster of N local processes.")
    ] = 0,
) -> None:
    """The group of all commands; where their parallel work runs is one choice for all."""
    context.with_resource(cluster(scheduler, dask))


def main() -> None:
    """Run a command; what cannot be done ends with its message on stderr and status 2.

    Only the command that is asked for is imported, since all of them together take seconds; the
    help, completion and a misspelt command need all.
    """
    asked = [word for word in sys.argv[1:] if word in COMMANDS][:1]
    try:
        build(asked or COMMANDS)()
    except (InputError, OSError) as error:
        _say(f"[bold red]error:[/] {escape(str(error))}")
        sys.exit(2)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            _say("interrupted; what was finished is kept: the same command goes on from there")
        raise


def _say(text: str) -> None:
    Console(stderr=True, soft_wrap=True).print(text, highlight=False)
