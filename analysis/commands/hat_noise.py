"""``transfer hat-noise``: simulated models that show what few passes do to HAT."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis.commands import options, output
from capability_transfer.analysis.figures import figure_hat_noise
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.transfer_metrics import simulation
from capability_transfer.common.files import write_table

COVERED = (2, 3, 5, 10, 20, 50)

EXAMPLES = {
    "A quick look": "transfer hat-noise --repeats 20 --out /tmp/results",
}


def command(
    repeats: Annotated[
        int, typer.Option("--repeats", min=2, help="Simulated models of each number of passes.")
    ] = 2000,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Bias of plain and noise-corrected HAT, and coverage of their intervals, by passes per item.

    All data are simulated: a linear profile of known slope, 100 items, 10 target languages.
    """
    say = output.current()
    directory = options.directory(out)
    tables = {"noise": simulation.bias, "coverage": simulation.coverage}
    with progress.counting("simulations", len(tables) * len(COVERED)) as tell:
        for name, simulate in tables.items():
            parts = []
            for passes in COVERED:  # one at a time: each has its own seed
                parts.append(simulate([passes], repeats=repeats, seed=seed))
                tell(1)
            tables[name] = pd.concat(parts, ignore_index=True)
    bias, coverage = tables.values()
    text = (
        f"Simulated data only: {repeats:,} models per number of passes, 100 items, 10 target "
        f"languages, s from Beta{simulation.HARDNESS}, slope {simulation.SLOPE} (seed {seed})."
    )
    for name, table in tables.items():
        write_table(table.round(5), directory / "transfer_metrics" / f"{name}.csv")
        say.record(name, table)
    figure = figure_hat_noise.draw(bias, coverage, text)
    plots.save(figure, directory / "figures" / "figure_hat_noise")
    say.data(text)
    means = bias.pivot(index="passes", columns="metric", values="mean")
    covered = coverage.pivot(index="passes", columns="metric", values="coverage")
    shown = pd.DataFrame({"passes": COVERED})
    for metric, title in (("hat", "HAT"), ("hat_corrected", "corrected")):
        shown[title] = [f"{value:.3f}" for value in means.loc[list(COVERED), metric]]
        shown[f"{title} covers"] = [f"{v:.1%}" for v in covered.loc[list(COVERED), metric]]
    say.table("estimators", means.reset_index(), "Means, and what 95% intervals cover", shown)
