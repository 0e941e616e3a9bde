"""The parametric bootstrap: outcomes simulated from a fit, and the model refitted to each.

Replicate i draws from child i of the seed and starts its refit where the original fit ended, so
it is the same whoever computes it. Finished replicates are kept and are not computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.inference.coordinates import Coordinates
from capability_transfer.analysis.glmm.inference.intervals import interval_table
from capability_transfer.analysis.glmm.inference.simulate import simulate
from capability_transfer.analysis.glmm.laplace import (
    Kernel,
    Model,
    Optimum,
    Settings,
    WarmStart,
    warm_start,
)
from capability_transfer.analysis.glmm.result import WALD_LEVEL, Fit
from capability_transfer.analysis.glmm.variance import EXPLAINED_GROUPS, ZERO, share_explained
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import hash_table
from capability_transfer.common.kept import Store
from joblib import Parallel, delayed
from scipy.special import ndtr, ndtri

FORMAT = 1
REFIT = Settings(hessian="working")
TYPES = ("percentile", "bias-corrected")


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Refits to simulated outcomes.

    Attributes:
        estimates: kind (fixed, sd, explained), group, term, estimate: the original fit's.
        values: replicates × estimates, in the order of ``estimates``; converged refits only.
        failed: replicates whose refit did not converge or had nothing to fit; they are left out.
        seed: of all draws.
    """

    estimates: pd.DataFrame
    values: np.ndarray
    failed: int
    seed: int

    def intervals(self, level: float = WALD_LEVEL, kind: str = "bias-corrected") -> pd.DataFrame:
        """Intervals in ``intervals.COLUMNS``.

        ``percentile`` takes quantiles of the refits' estimates. ``bias-corrected`` (Efron 1981)
        moves them by where the fit's estimate lies among the refits', since SDs over few levels
        are estimated too small, by the refits once more.
        """
        if kind not in TYPES:
            raise InputError(f"a bootstrap interval is {' or '.join(TYPES)}, not {kind!r}")
        rows = []
        for row, values in zip(self.estimates.itertuples(index=False), self.values.T, strict=True):
            values = values[~np.isnan(values)]  # a share of nothing is missing
            if np.isnan(row.estimate) or not len(values):
                rows.append((*row, np.nan, np.nan))
                continue
            at = np.array([(1 - level) / 2, (1 + level) / 2])
            if kind == "bias-corrected":
                at = _bias_corrected(at, values, row.estimate)
            rows.append((*row, *np.quantile(values, at)))
        return interval_table(rows, "bootstrap", len(self.values), self.seed)

    def bias(self) -> pd.DataFrame:
        """Mean of the refits minus the fit: kind, group, term, estimate, bias, mc_error.

        What maximum likelihood, the approximation included, gets wrong on average at estimates
        such as these; ``mc_error`` is the standard error of the mean over replicates.
        """
        spread = np.nanstd(self.values, axis=0, ddof=1) / np.sqrt(len(self.values))
        bias = np.nanmean(self.values, axis=0) - self.estimates["estimate"]
        return self.estimates.assign(bias=bias, mc_error=spread)


def bootstrap(
    formula: Formula | str,
    data: pd.DataFrame,
    *,
    seed: int,
    replicates: int = 500,
    start: Fit | None = None,
    baseline: Formula | str | None = None,
    structured: Sequence[Kernel] = (),
    jobs: int = 1,
    cache: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Bootstrap:
    """Fit, simulate from the fit and refit, ``replicates`` times.

    Args:
        formula: the model.
        data: see ``formula``.
        structured: see ``formula``.
        seed: of the draws. Results depend on it, never on ``jobs``.
        start: a fit of this model, to save finding the optimum again; a fit by quadrature has its
            refits by quadrature.
        baseline: a model refitted to the same simulated outcomes, for intervals of the variance
            explained (``glmm.variance``).
        jobs: processes; -1 is one per core.
        cache: directory in which finished replicates are kept, under a hash of data, models,
            settings and seed; more replicates of the same run add to them.
        progress: called with the number of replicates newly at hand: first those found in
            ``cache``, then 1 each.

    Raises InputError for a model that cannot be fitted, and if no two refits converge.
    """
    if replicates < 2:
        raise InputError(f"a bootstrap needs at least two replicates, not {replicates}")
    formulas = [parse(f) if isinstance(f, str) else f for f in (formula, baseline) if f is not None]
    settings = replace(REFIT, quadrature=1 if start is None else start.quadrature)
    refits = [_prepare(formulas[0], data, structured, settings, start)]
    refits += [_prepare(other, data, structured, settings, None) for other in formulas[1:]]
    estimates = _estimates([r.model for r in refits], [r.optimum for r in refits])
    kept = Store(cache).pieces("bootstrap", *_key(formulas, data, structured, settings, seed))

    def replicate(piece: dict) -> dict:
        number = None if piece["values"] is None else len(piece["values"])
        if number not in (None, len(estimates)):
            raise ValueError(f"it has {number} estimates")
        return piece

    known = kept.find(range(replicates), replicate)
    if progress is not None and known:
        progress(len(known))
    wanted = [i for i in range(replicates) if i not in known]
    work = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for piece in work(delayed(_replicate)(refits, seed, i) for i in wanted):
        known[piece["replicate"]] = piece
        kept.keep(piece["replicate"], piece)
        if progress is not None:
            progress(1)
    values = [known[i]["values"] for i in range(replicates) if known[i]["values"] is not None]
    if len(values) < 2:
        raise InputError(f"of {replicates} refits to simulated outcomes {len(values)} converged")
    zero = estimates["group"][(estimates["kind"] == "sd") & (estimates["estimate"] < ZERO)]
    at_zero = (estimates["kind"] == "explained") & estimates["group"].isin(zero)
    estimates["estimate"] = estimates["estimate"].mask(at_zero)  # as ``variance_explained``
    return Bootstrap(estimates, np.array(values, dtype=float), replicates - len(values), seed)


@dataclass(frozen=True, eq=False)
class _Refit:
    """A model, its fit, and where its refits start (modes are the data's own, so not there)."""

    model: Model
    optimum: Optimum
    start: WarmStart


def _prepare(formula, data, structured, settings, start) -> _Refit:
    model = Model(formula, data, structured, settings)
    optimum = model.optimise(start)
    return _Refit(model, optimum, replace(warm_start(model, optimum), modes=None))


def _replicate(refits: list[_Refit], seed: int, i: int) -> dict:
    """One replicate as it is kept; ``values`` is None if a refit failed."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i,)))
    success = simulate(refits[0].model, refits[0].optimum, rng)
    values, message = None, ""
    try:
        models = [refit.model.refit(success) for refit in refits]
        optima = [m.optimise(r.start) for m, r in zip(models, refits, strict=True)]
        if all(optimum.converged for optimum in optima):
            values = _estimates(models, optima)["estimate"].tolist()
        message = "; ".join(text for optimum in optima for text in optimum.messages)
    except (InputError, FloatingPointError) as error:
        message = str(error)
    return {"replicate": i, "values": values, "message": message}


def _estimates(models: list[Model], optima: list[Optimum]) -> pd.DataFrame:
    """Fixed effects, SDs and, with a baseline, the variance explained: kind, group, term, value."""
    full, *baseline = (_components(m, o) for m, o in zip(models, optima, strict=True))
    rows = [(*key, value) for key, value in full.items()]
    for other in baseline:
        for group in EXPLAINED_GROUPS:
            key = ("sd", group, INTERCEPT)
            rows.append(("explained", group, "", share_explained(full[key], other[key])))
    return pd.DataFrame(rows, columns=["kind", "group", "term", "estimate"])


def _components(model: Model, optimum: Optimum) -> dict[tuple[str, str, str], float]:
    coordinates = Coordinates(model)
    values = coordinates.of(optimum.point.phi)
    return {
        (label.kind, label.group, label.term): float(value)
        for label, value in zip(coordinates.labels, values, strict=True)
        if label.kind != "angle"
    }


def _bias_corrected(at: np.ndarray, values: np.ndarray, estimate: float) -> np.ndarray:
    """The probabilities ``at``, moved by twice the normal score of the estimate's rank."""
    count = len(values)
    below = ((values < estimate).sum() + (values == estimate).sum() / 2) / count
    shift = ndtri(np.clip(below, 0.5 / count, 1 - 0.5 / count))
    return ndtr(2 * shift + ndtri(at))


def _key(
    formulas: list[Formula], data: pd.DataFrame, structured: Sequence[Kernel], settings, seed
) -> tuple:
    columns = set().union(*(f.variables() for f in formulas), *(k.factors() for k in structured))
    kernels = [
        [k.name, k.factor, list(map(str, k.levels)), np.asarray(k.matrix).tolist(), k.by]
        for k in structured
    ]
    data_hash = hash_table(data[sorted(columns)])
    return (FORMAT, data_hash, list(map(str, formulas)), kernels, asdict(settings), seed)
