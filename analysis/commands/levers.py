"""``transfer levers``: size and reasoning against the gap to English, and what scarcity costs."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import design as designs
from capability_transfer.analysis import levers as lever_curves
from capability_transfer.analysis import scale_cost, study
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.figures import figure_04, figure_15
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.common.files import write_table

EXAMPLES = {"The gap to English by size and reasoning": "transfer levers"}


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """What narrows the gap to English, and what a language costs in model size: Figures 4, 15."""
    say = output.current()
    directory = options.directory(out)
    inputs = reading.inputs(
        say, outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts
    )
    lever_curves.check_modes(inputs.features.models, inputs.cells)
    model, told = designs.of_ours(study.MAIN, inputs.cells, inputs.features, drop_missing)
    for text in told:
        say.note(text)
    wanted = designs.needed(model, inputs.features)
    built = designs.build(inputs.cells, inputs.features, wanted, drop_missing)
    reading.dropped(say, built)
    with progress.fitting("main model") as tell:
        fit = cached_fit("laplace", model, built.data, directory / "cache",
                         provenance=inputs.provenance, progress=tell)  # fmt: skip
    rows = inputs.features.languages
    rows = rows[rows["language"].isin(built.data["language"])].reset_index(drop=True)
    curves = lever_curves.levers(fit, built, rows)
    cost = scale_cost.scale_cost(fit, built, inputs.cells, rows)
    rates = scale_cost.exchange_rates(fit, built)
    text = note(inputs.source, fit)
    folder = directory / "levers"
    names = rows.set_index("language")["name"]
    tables = {"levers": curves, "scale_cost": cost, "exchange_rates": _rates(rates)}
    for name, table in tables.items():
        # odds ratios in the tens: their sixth decimal is not the same on every processor
        write_table(table.round(4 if name == "levers" else 6), folder / f"{name}.csv")
        say.record(name, table)
    write_note(folder, "Levers and scale cost", text)
    for figure, name in (
        (figure_04.draw(curves, rows, text), "figure_04"),
        (figure_15.draw(cost, rates, names, text), "figure_15"),
    ):
        plots.save(figure, directory / "figures" / name)
    say.line(
        f"a doubling of parameters is worth {rates['parameters']:.3f} log-odds, one of pages "
        f"{rates['pages']:.3f}: {rates['doublings']:.1f} doublings, "
        f"{rates['times']:.0f} times the pages"
    )
    dearest = cost.iloc[0]
    say.line(
        f"{names[dearest['language']]} costs most: {dearest['multiple']:.1f}× the parameters by "
        f"the exchange rate, {dearest['implied_multiple']:.1f}× by what the features imply"
    )


def _rates(rates: pd.Series) -> pd.DataFrame:
    return rates.rename_axis("quantity").rename("value").reset_index()
