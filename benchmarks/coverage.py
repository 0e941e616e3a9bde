"""``make coverage``: do 95% intervals hold the truth in 95% of simulated data sets?

Small designs with 15 languages, as in the study. Coverage of each coefficient and method is
compared with what binomial chance allows; where it falls short the cause is looked for. The usual
one is few levels: z quantiles and maximum-likelihood SDs both ignore that a language-level effect
has as many observations as there are languages. Intervals that allow for it (``glmm.degrees``) are
computed beside the Wald ones as evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer
from capability_transfer.analysis.commands.places import RESULTS, USER_RESULTS
from capability_transfer.analysis.glmm.degrees import t_table
from capability_transfer.analysis.glmm.inference import bootstrap, profile_intervals, wald_intervals
from capability_transfer.analysis.glmm.laplace import Model, report
from capability_transfer.analysis.glmm.laplace.model import one_thread
from capability_transfer.analysis.presentation.provenance import write_note
from capability_transfer.common.files import write_table
from capability_transfer.common.progress import counting
from capability_transfer.common.seeds import DEFAULT_SEED
from joblib import Parallel, delayed
from rich.console import Console
from scipy import special, stats

LEVEL = 0.95
ALPHA = 0.005  # per side: a coverage outside its central 99% is not chance
KEYS = ["method", "kind", "group", "term"]

FORMULA = (
    "~ resource * size + (1 | variant) + (1 | template) + (1 | language) + (1 | variant:language)"
)
LEVELS = {"language": 15, "variant": 16, "template": 10}
TRUTH = {
    ("fixed", "", "(Intercept)"): 0.3,
    ("fixed", "", "resource"): 0.8,
    ("fixed", "", "size"): 1.2,
    ("fixed", "", "resource:size"): -0.3,
    ("sd", "variant", "(Intercept)"): 0.5,
    ("sd", "template", "(Intercept)"): 1.0,
    ("sd", "language", "(Intercept)"): 0.4,
    ("sd", "variant:language", "(Intercept)"): 0.5,
}
BEHIND = {"(Intercept)": "template", "resource": "language", "size": "variant"}
"""The levels that a fixed effect is estimated from."""


@dataclass(frozen=True)
class Plan:
    """How many data sets each method gets, and the bootstrap's replicates."""

    wald: int = 1000
    profile: int = 200
    bootstrap: int = 200
    replicates: int = 199


def simulate_cells(rng: np.random.Generator) -> pd.DataFrame:
    """One data set from ``TRUTH``: 15 languages × 16 variants × 10 templates, 20 instances."""
    grid = pd.MultiIndex.from_product([range(n) for n in LEVELS.values()], names=list(LEVELS))
    data = grid.to_frame(index=False)
    at = {name: data[name].to_numpy() for name in LEVELS}
    at["variant:language"] = at["variant"] * LEVELS["language"] + at["language"]
    resource = np.linspace(-1.6, 1.6, LEVELS["language"])[at["language"]]
    size = rng.permutation(np.linspace(-1.6, 1.6, LEVELS["variant"]))[at["variant"]]
    columns = {
        "(Intercept)": 1.0, "resource": resource, "size": size, "resource:size": resource * size
    }  # fmt: skip
    eta = sum(value * columns[term] for (kind, _, term), value in TRUTH.items() if kind == "fixed")
    for (kind, group, _), sd in TRUTH.items():
        if kind == "sd":
            eta = eta + rng.normal(0.0, sd, at[group].max() + 1)[at[group]]
    labels = {name: data[name].map(f"{name[0]}{{:02d}}".format) for name in LEVELS}
    return data.assign(
        **labels,
        resource=resource,
        size=size,
        n_correct=rng.binomial(20, special.expit(eta)),
        n_total=20,
    )


def one_data_set(i: int, seed: int, plan: Plan) -> pd.DataFrame:
    """Every method's intervals on data set ``i``: ``KEYS``, estimate, conf_low, conf_high."""
    sequence = np.random.SeedSequence(seed, spawn_key=(i,))
    data = simulate_cells(np.random.default_rng(sequence))
    with one_thread():
        model = Model(FORMULA, data)
        optimum = model.optimise()
        fit = report(model, optimum)
        wald = wald_intervals(fit)
        few = t_table(fit, data).assign(method="wald, t", kind="fixed", group="")
        tables = [wald, few] if i < plan.wald else []
        if i < plan.profile:
            tables.append(profile_intervals(model, optimum))
        if i < plan.bootstrap:
            refits = bootstrap(
                FORMULA, data, seed=int(sequence.generate_state(1)[0]), start=fit,
                replicates=plan.replicates,
            )  # fmt: skip
            tables += [
                refits.intervals(kind=kind).assign(method=f"bootstrap, {kind}")
                for kind in ("percentile", "bias-corrected")
            ]
    return pd.concat([table[[*KEYS, "estimate", "conf_low", "conf_high"]] for table in tables])


def summarise(intervals: pd.DataFrame) -> pd.DataFrame:
    """Coverage by method and coefficient, its binomial tolerance, and a cause where it is short."""
    truth = [TRUTH[key] for key in zip(*(intervals[k] for k in KEYS[1:]), strict=True)]
    inside = (intervals["conf_low"] <= truth) & (intervals["conf_high"] >= truth)
    grouped = intervals.assign(truth=truth, inside=inside).groupby(KEYS, sort=False)
    table = grouped.agg(
        truth=("truth", "first"), mean_estimate=("estimate", "mean"),
        data_sets=("inside", "size"), coverage=("inside", "mean"),
    ).reset_index()  # fmt: skip
    n = table["data_sets"]
    table["tolerance_low"] = stats.binom.ppf(ALPHA, n, LEVEL) / n
    table["tolerance_high"] = stats.binom.ppf(1 - ALPHA, n, LEVEL) / n
    table["short"] = table["coverage"] < table["tolerance_low"]
    table["cause"] = [_cause(row, table) if row.short else "" for row in table.itertuples()]
    return table


def _cause(row, table: pd.DataFrame) -> str:
    group = row.group or BEHIND.get(row.term, "")
    if group not in LEVELS:
        return "unexplained"
    text = f"{LEVELS[group]} {group}s"
    if row.kind == "sd":
        return f"{text}: maximum likelihood finds {row.mean_estimate:.3f} on average, too small"
    widened = table.query("method == 'wald, t' and term == @row.term").iloc[0]
    state = "still short" if widened["short"] else "within tolerance"
    return f"{text}: with t and the SD's degrees of freedom {widened['coverage']:.3f}, {state}"


def main(
    out: Annotated[
        Path | None,
        typer.Option(
            help=f"Where the table goes: {RESULTS}/coverage without it, or "
            f"{USER_RESULTS}/coverage with any other option."
        ),
    ] = None,
    wald: Annotated[int, typer.Option(help="Data sets for Wald intervals.")] = Plan.wald,
    profile: Annotated[int, typer.Option(help="Data sets for profiles.")] = Plan.profile,
    boot: Annotated[
        int, typer.Option("--bootstrap", help="Data sets for the bootstrap.")
    ] = Plan.bootstrap,
    replicates: Annotated[int, typer.Option(help="Of every bootstrap.")] = Plan.replicates,
    seed: Annotated[int, typer.Option(help="Of all draws.")] = DEFAULT_SEED,
    jobs: Annotated[int, typer.Option(help="Processes; -1 is one per core.")] = -1,
) -> None:
    """Simulate, fit, and count how often each interval holds the truth."""
    console = Console()
    plan = Plan(wald, profile, boot, replicates)
    if out is None:
        out = (RESULTS if (plan, seed) == (Plan(), DEFAULT_SEED) else USER_RESULTS) / "coverage"
    count = max(wald, profile, boot)
    found = []
    work = Parallel(n_jobs=jobs, return_as="generator")
    with counting("data sets", count) as progress:
        for table in work(delayed(one_data_set)(i, seed, plan) for i in range(count)):
            found.append(table)
            progress(1)
    table = summarise(pd.concat(found))
    write_table(table, out / "coverage.csv")
    write_note(out, "Coverage of 95% intervals", _note(plan, seed))
    for row in table.itertuples():
        console.print(
            f"{row.method}: {row.group} {row.term} {row.coverage:.3f} of {row.data_sets} "
            f"{'SHORT: ' + row.cause if row.short else ''}",
            highlight=False,
        )


def _note(plan: Plan, seed: int) -> str:
    levels = ", ".join(f"{n} {name}s" for name, n in LEVELS.items())
    return (
        f"Data: simulated from known effects ({levels}, 20 instances a cell; seed {seed}); nothing "
        f"of the study's data. Wald intervals of {plan.wald} data sets, profiles of "
        f"{plan.profile}, bootstraps of {plan.bootstrap} with {plan.replicates} replicates "
        "each. `short`: coverage below the central 99% of what 95% would give by chance. "
        "`wald, t` allows for few levels: `conf_int(method='t')`."
    )


if __name__ == "__main__":
    typer.run(main)
