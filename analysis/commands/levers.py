"""``transfer levers``: size and reasoning against the gap to English, and what scarcity costs."""

from __future__ import annotations

from functools import partial

import pandas as pd
from rich.console import Console

from analysis import design as designs
from analysis import levers as lever_curves
from analysis import scale_cost, study
from analysis.commands import options
from analysis.figures import figure_04, figure_15, style
from analysis.glmm.cache import cached_fit
from analysis.inputs import load
from analysis.progress import fitting
from analysis.provenance import note, write_note
from analysis.unseen.folds import FEATURES
from common.files import write_table


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """Figures 4 and 15: levers on the gap to English, and what a language costs in model size."""
    console = Console()
    directory = options.directory(out, outcomes)
    inputs = load(outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts)
    console.print(f"Data: {inputs.source}", highlight=False)
    built = designs.build(inputs.cells, inputs.features, FEATURES, drop_missing)
    with partial(fitting, console)("main model") as progress:
        fit = cached_fit("laplace", study.MAIN, built.data, directory / "cache",
                         provenance=inputs.provenance, progress=progress)  # fmt: skip
    rows = inputs.features.languages
    rows = rows[rows["language"].isin(built.data["language"])].reset_index(drop=True)
    curves = lever_curves.levers(fit, built, rows)
    cost = scale_cost.scale_cost(fit, built, inputs.cells, rows)
    rates = scale_cost.exchange_rates(fit, built)
    text = note(inputs.source, fit)
    folder = directory / "levers"
    names = rows.set_index("language")["name"]
    paths = [
        write_table(curves.round(6), folder / "levers.csv"),
        write_table(cost.round(6), folder / "scale_cost.csv"),
        write_table(_rates(rates), folder / "exchange_rates.csv"),
        write_note(folder, "Levers and scale cost", text),
        *style.save(figure_04.draw(curves, rows, text), directory / "figures" / "figure_04"),
        *style.save(figure_15.draw(cost, rates, names, text), directory / "figures" / "figure_15"),
    ]
    console.print(
        f"a doubling of parameters is worth {rates['parameters']:.3f} log-odds, one of pages "
        f"{rates['pages']:.3f}: {rates['doublings']:.1f} doublings, "
        f"{rates['times']:.0f} times the pages",
        highlight=False,
    )
    dearest = cost.iloc[0]
    console.print(
        f"{names[dearest['language']]} costs most: {dearest['multiple']:.1f}× the parameters by "
        f"the exchange rate, {dearest['implied_multiple']:.1f}× by what the features imply",
        highlight=False,
    )
    console.print(f"Wrote {len(paths)} files to {directory}/ (levers, figures)")


def _rates(rates: pd.Series) -> pd.DataFrame:
    return rates.round(6).rename_axis("quantity").rename("value").reset_index()
