"""``transfer hat-noise``: simulated models that show what few passes do to HAT."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from analysis.commands import options
from analysis.figures import figure_hat_noise, style
from analysis.transfer_metrics import simulation
from common.files import write_table

COVERED = (2, 3, 5, 10, 20, 50)


def command(
    repeats: Annotated[int, typer.Option("--repeats", help="Simulated models.")] = 2000,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Bias of plain and noise-corrected HAT, and coverage of their intervals, by passes per item.

    All data are simulated: a linear profile of known slope, 100 items, 10 target languages.
    """
    console = Console()
    directory = options.directory(out, None)
    bias = simulation.bias(COVERED, repeats=repeats, seed=seed)
    coverage = simulation.coverage(COVERED, repeats=repeats, seed=seed)
    text = (
        f"Simulated data only: {repeats:,} models per number of passes, 100 items, 10 target "
        f"languages, s from Beta{simulation.HARDNESS}, slope {simulation.SLOPE} (seed {seed})."
    )
    folder = directory / "transfer_metrics"
    paths = [
        write_table(bias.round(5), folder / "noise.csv"),
        write_table(coverage.round(5), folder / "coverage.csv"),
        *style.save(
            figure_hat_noise.draw(bias, coverage, text), directory / "figures" / "figure_hat_noise"
        ),
    ]
    console.print(text, highlight=False)
    means = bias.pivot(index="passes", columns="metric", values="mean")
    covered = coverage.pivot(index="passes", columns="metric", values="coverage")
    for passes, row in means.iterrows():
        console.print(
            f"{passes:3d} passes: HAT {row['hat']:.3f}, corrected {row['hat_corrected']:.3f}; "
            f"coverage {covered.loc[passes, 'hat']:.1%} and "
            f"{covered.loc[passes, 'hat_corrected']:.1%}",
            highlight=False,
        )
    console.print(f"Wrote {len(paths)} files to {directory}/")
