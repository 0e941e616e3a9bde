"""``make items-power``: what the screen of items finds in simulated worlds, and what it costs.

Every world has items broken on purpose (``analysis.items.simulation``). Recall is power; the false
discovery rate is compared with the five per cent that the default threshold allows at most, up to
what binomial chance makes of it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer
from capability_transfer.analysis.commands.places import RESULTS, USER_RESULTS
from capability_transfer.analysis.items.screen import THRESHOLD
from capability_transfer.analysis.items.simulation import World, outcome
from capability_transfer.analysis.presentation.provenance import write_note
from capability_transfer.common.files import write_table
from capability_transfer.common.progress import counting
from capability_transfer.common.seeds import DEFAULT_SEED
from joblib import Parallel, delayed
from scipy import stats

WORLDS = 8
SHARES = (0.005, 0.02, 0.05)
EFFECTS = (-2.0, -4.0, -8.0)
MODELS = (5, 10, 20, 46)
ANSWERS = (5, 20)
CHANCE = 0.995
"""Of the binomial distribution: more false discoveries than this quantile are not chance."""

SETTINGS = [
    *(("models and answers", World(models=m, answers=n, effect=effect))
      for effect in EFFECTS for m in MODELS for n in ANSWERS),
    *(("share", World(models=10, answers=10, share=share, effect=effect))
      for share in SHARES for effect in (-2.0, -4.0)),
    *(("together", World(models=10, answers=10, together=n)) for n in (2, 4, 7)),
    *(("too easy", World(models=10, answers=10, effect=effect)) for effect in (3.0, 4.0)),
    *(("languages", World(models=10, answers=10, languages=n, templates=200))
      for n in (3, 4, 5, 8)),
    *(("sparse", World(models=20, answers=10, present=share)) for share in (0.2, 0.5)),
    *(("one answer", World(models=m, answers=1, templates=400)) for m in (10, 20, 46)),
    ("none broken", World(models=10, answers=10, share=0.0)),
    ("none broken", World(share=0.0)),
]  # fmt: skip
"""What is varied, and the design."""


def summarised(what: str, world: World, runs: pd.DataFrame) -> dict[str, object]:
    """One row of the table: the design, power and false discoveries over all its worlds."""
    sums = runs.sum()
    false, flagged = sums["flagged"] - sums["found"], sums["flagged"]
    most = stats.binom.ppf(CHANCE, flagged, 1 - THRESHOLD) if flagged else 0
    return {
        "varied": what,
        **vars(world),
        "worlds": len(runs),
        "broken": int(sums["broken"]),
        "flagged": int(flagged),
        "recall": sums["found"] / sums["broken"] if sums["broken"] else np.nan,
        "precision": sums["found"] / flagged if flagged else np.nan,
        "false_discovery_rate": false / flagged if flagged else np.nan,
        "expected_by_the_screen": sums["promised"] / flagged if flagged else np.nan,
        "held": bool(false <= most),
    }


def main(
    out: Annotated[
        Path | None,
        typer.Option("--out", help=f"Default: {RESULTS}/items_power, or {USER_RESULTS}/items_power "
                     "with other options."),
    ] = None,
    worlds: Annotated[int, typer.Option("--worlds", min=1, help="Per design.")] = WORLDS,
    seed: Annotated[int, typer.Option("--seed", min=0)] = DEFAULT_SEED,
    workers: Annotated[int, typer.Option("--workers", min=1)] = 2,
) -> None:  # fmt: skip
    """Simulate, screen, and write power.csv."""
    own = worlds != WORLDS or seed != DEFAULT_SEED
    out = out or (USER_RESULTS if own else RESULTS) / "items_power"
    jobs = [
        delayed(outcome)(world, seed + number) for _, world in SETTINGS for number in range(worlds)
    ]
    found = []
    with counting("worlds", len(jobs)) as tell:
        for one in Parallel(n_jobs=workers, return_as="generator")(jobs):
            found.append(one)
            tell(1)
    rows = [
        summarised(what, world, pd.DataFrame(found[place * worlds : (place + 1) * worlds]))
        for place, (what, world) in enumerate(SETTINGS)
    ]
    table = pd.DataFrame(rows)
    write_table(table, out / "power.csv")
    write_note(out, "What the screen of items finds", note(table, worlds, seed))
    typer.echo(table.drop(columns=["ordinary", "template", "cell"]).to_string())


def note(table: pd.DataFrame, worlds: int, seed: int) -> str:
    """What the README beside the table says."""
    default = replace(World())
    main = table[table["varied"] == "models and answers"]
    display = main.pivot_table(index=["effect", "answers"], columns="models", values="recall")
    lines = display.round(2).add_suffix(" models").reset_index().to_markdown(index=False)
    broken = table.loc[~table["held"], "varied"].value_counts()
    told = ", ".join(f"{name} ({count})" for name, count in broken.items()) or "none"
    return (
        f"Power of `transfer items` at its default threshold ({THRESHOLD:g}) in {worlds} simulated "
        f"worlds per design (seed {seed}); {default.languages} languages and {default.templates} "
        f"templates unless the table says otherwise, {default.share:.0%} of items broken, effects "
        f"of ordinary items with an SD of {default.ordinary:g}.\n\n"
        "Share of broken items that are flagged, by effect (log-odds), answers per cell and number "
        f"of models:\n\n{lines}\n\n"
        "`power.csv` has every design, with precision and the false discovery rate. `held`: no "
        f"more false discoveries than chance makes of {1 - THRESHOLD:.0%}, the most that the "
        f"threshold allows. Designs in which it is not: {told}."
    )


if __name__ == "__main__":
    typer.run(main)
