"""Commands on what determines transfer."""

from __future__ import annotations

from capability_transfer.analysis.commands import options
from capability_transfer.analysis.commands.output import deliver
from capability_transfer.analysis.commands.registry import command


@command({"Original against symbolic questions": "transfer penalty"})
def penalty(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Are symbolic variants harder than the original questions, and is that so by language?

    Outcomes need a column split with the values original and symbolic.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.penalty import penalty

    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, seed=seed, split=None)
    deliver(penalty(study), directory)
