"""Commands to start with."""

from __future__ import annotations

from capability_transfer.analysis.commands import options
from capability_transfer.analysis.commands.output import current, deliver
from capability_transfer.analysis.commands.registry import command


@command({"The study at a glance; no model is fitted": "transfer overview --out /tmp/results"})
def overview(out: options.Out = None) -> None:
    """The study's outcomes, models and languages described: Tables 8-12, Figures 12 and 16."""
    from capability_transfer.analysis.studies.overview import overview

    directory = options.directory(out)
    result = overview()
    current().data(result.provenance.data)
    deliver(result, directory)
