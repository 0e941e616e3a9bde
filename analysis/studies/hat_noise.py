"""What few passes do to HAT: simulated pass rates along a known linear profile.

s is drawn from a Beta distribution, the target probability is slope × s in every target language,
and both are seen through ``passes`` answers per item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis.arguments import speaking_python, whole
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, View
from capability_transfer.analysis.transfer_metrics.items import ItemRates
from capability_transfer.analysis.transfer_metrics.metrics import (
    DRAWS,
    METRICS,
    Sample,
    interval,
    item_weights,
)
from capability_transfer.common import progress
from capability_transfer.common.seeds import DEFAULT_SEED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SLOPE = 0.8
PASSES = (2, 3, 5, 10, 20, 50)
HARDNESS = (2.0, 2.0)
"""Beta parameters of s: items neither all easy nor all hard."""

SHOWN = ("hat", "hat_corrected", "hat_area", "transfer_score", "r_squared")


@dataclass(frozen=True, eq=False, repr=False)
class HatNoise(Result):
    """Estimators of HAT on simulated models.

    Attributes:
        noise: ``bias`` by number of passes.
        covered: ``coverage`` by number of passes.
        repeats: simulated models of each number of passes.
        seed: of the simulation.
    """

    noise: pd.DataFrame
    covered: pd.DataFrame
    repeats: int
    seed: int

    folder = "transfer_metrics"
    part = "hat_noise"
    title = "HAT and the noise of few passes"
    digits = 5

    @property
    def provenance(self) -> Provenance:
        return Provenance(
            f"simulated, {self.repeats:,} models per number of passes, 100 items, 10 target "
            f"languages, s from Beta{HARDNESS}, slope {SLOPE} (seed {self.seed})",
            seed=self.seed,
        )

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"noise": self.noise, "coverage": self.covered}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_hat_noise": lambda: bias_and_coverage(self.noise, self.covered, self.note)}

    def views(self) -> list[View]:
        means = self.noise.pivot(index="passes", columns="metric", values="mean")
        covered = self.covered.pivot(index="passes", columns="metric", values="coverage")
        shown = pd.DataFrame({"passes": means.index})
        for metric, title in (("hat", "HAT"), ("hat_corrected", "corrected")):
            shown[title] = [f"{value:.3f}" for value in means[metric]]
            shown[f"{title} covers"] = [f"{value:.1%}" for value in covered[metric]]
        return [View("Means, and what 95% intervals cover", shown)]


@speaking_python
def hat_noise(repeats: int = 2000, seed: int = DEFAULT_SEED) -> HatNoise:
    """Bias of plain and noise-corrected HAT, and coverage of their intervals, by passes per item.

    Args:
        repeats: simulated models of each number of passes, at least 2.
        seed: of the simulation.

    Raises InputError for fewer than two repeats.
    """
    whole("repeats", repeats, 2)
    with progress.counting("simulations", 2 * repeats) as tell:
        noise = bias(repeats=repeats, seed=seed)
        tell(repeats)
        covered = coverage(repeats=repeats, seed=seed, tell=tell)
    return HatNoise(noise, covered, repeats, seed)


def draw_rates(
    rng: np.random.Generator,
    slope: float = SLOPE,
    passes: int = 5,
    items: int = 100,
    languages: int = 10,
    hardness: tuple[float, float] = HARDNESS,
) -> ItemRates:
    """One simulated model: s ~ Beta(hardness), t = slope · s, both seen through ``passes``."""
    s = rng.beta(*hardness, size=items)
    seen_source = rng.binomial(passes, s) / passes
    seen_target = rng.binomial(passes, slope * s[:, None], size=(items, languages)) / passes
    return ItemRates(
        variant="simulated",
        source="source",
        languages=tuple(f"target {number}" for number in range(1, languages + 1)),
        items=tuple(map(str, range(items))),
        source_rate=seen_source,
        source_trials=np.full(items, passes),
        target_rate=seen_target,
    )


def bias(
    passes: Sequence[int] = PASSES,
    slope: float = SLOPE,
    repeats: int = 500,
    seed: int = DEFAULT_SEED,
    **settings: object,
) -> pd.DataFrame:
    """Mean and spread of the estimators over simulated models, by number of passes.

    Returns passes, metric, slope (the truth of the HAT estimators), mean, sd, repeats.
    ``settings`` go to ``draw_rates``.
    """
    rows = []
    for number in passes:
        rng = np.random.default_rng([seed, number])
        models = [draw_rates(rng, slope, number, **settings) for _ in range(repeats)]
        samples = [Sample(model, np.ones((1, len(model.items)))) for model in models]
        for metric in SHOWN:
            values = np.array([METRICS[metric](sample)[0] for sample in samples])
            rows.append(
                {
                    "passes": number,
                    "metric": metric,
                    "slope": slope,
                    "mean": np.nanmean(values),
                    "sd": np.nanstd(values, ddof=1),
                    "repeats": repeats,
                }
            )
    return pd.DataFrame(rows)


def coverage(
    passes: Sequence[int] = PASSES,
    slope: float = SLOPE,
    repeats: int = 500,
    draws: int = DRAWS,
    seed: int = DEFAULT_SEED,
    tell: Callable[[int], None] = lambda count: None,
    **settings: object,
) -> pd.DataFrame:
    """How often the 95% bootstrap interval of the plain and of the corrected HAT has the slope.

    Returns passes, metric, slope, coverage (0 to 1), width (mean), repeats. The resamples of a
    repeat are the same for every number of passes. ``tell`` hears of every repeat.
    """
    streams = {number: np.random.default_rng([seed, number, 1]) for number in passes}
    ends = {number: {metric: [] for metric in ("hat", "hat_corrected")} for number in passes}
    for repeat in range(repeats):
        weights = None
        for number, rng in streams.items():
            model = draw_rates(rng, slope, number, **settings)
            if weights is None:
                weights = item_weights(len(model.items), draws, [seed, repeat])
            sample = Sample(model, weights)
            for metric, found in ends[number].items():
                found.append(interval(METRICS[metric](sample)))
        tell(1)
    rows = []
    for number, by_metric in ends.items():
        for metric, found in by_metric.items():
            low, high = np.array(found).T
            rows.append(
                {
                    "passes": number,
                    "metric": metric,
                    "slope": slope,
                    "coverage": np.mean((low <= slope) & (slope <= high)),
                    "width": np.mean(high - low),
                    "repeats": repeats,
                }
            )
    return pd.DataFrame(rows)


@plots.styled
def bias_and_coverage(bias: pd.DataFrame, coverage: pd.DataFrame, note: str) -> Figure:
    """Where plain and noise-corrected HAT part, from ``noise.csv`` and ``coverage.csv``."""
    truth = bias["slope"].iloc[0]
    shown = (
        ("hat", "as defined", plots.PUBLISHED, "s--"),
        ("hat_corrected", "noise-corrected", plots.OURS, "o-"),
    )
    figure = plots.new_figure(7.0, 3.2)
    left, right = figure.subplots(1, 2)
    left.axhline(truth, color=plots.MUTED, linewidth=0.9)
    right.axhspan(0.92, 0.98, color=plots.GRID, linewidth=0)
    right.axhline(0.95, color=plots.MUTED, linewidth=0.9)
    for metric, label, colour, style in shown:
        means = bias[bias["metric"] == metric]
        low, high = means["mean"] - means["sd"], means["mean"] + means["sd"]
        left.fill_between(means["passes"], low, high, color=colour, alpha=0.15, linewidth=0)
        left.plot(means["passes"], means["mean"], style, color=colour, markersize=4, label=label)
        covered = coverage[coverage["metric"] == metric]
        right.plot(covered["passes"], covered["coverage"], style, color=colour, markersize=4)
    ticks = sorted(bias["passes"].unique())
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("passes per item")
        plots.grid(axes, "y")
    left.set_title(f"HAT, mean ± SD over models (truth {truth:g})", fontsize=9)
    right.set_title("coverage of the 95% interval", fontsize=9)
    right.set_ylim(-0.02, 1.02)
    figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    shows = (
        "Where plain and noise-corrected HAT part on simulated pass rates: bias, and how "
        "often 95% intervals hold the truth."
    )
    plots.add_note(figure, note, shows)
    return figure
