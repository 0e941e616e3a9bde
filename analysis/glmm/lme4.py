"""The reference engine: lme4's glmer through rpy2, Laplace approximation, bobyqa."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.columns import numbers
from capability_transfer.analysis.glmm.diagnostics import (
    check_design,
    column_hashes,
    dispersion,
    dropped_columns,
    fixed_separation,
    outcome_hash,
    redundant_terms,
    separated_levels,
)
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.r_session import from_r_frame, session, to_r_frame
from capability_transfer.analysis.glmm.result import (
    Fit,
    Optimisation,
    correlations_table,
    wald_table,
)
from capability_transfer.analysis.glmm.separation import refuse_complete
from capability_transfer.common.errors import InputError

Progress = Callable[[str, int, float], None]


@dataclass(frozen=True)
class Settings:
    """Settings of lme4's fit.

    Attributes:
        pirls_tolerance: glmerControl's ``tolPwrss``. lme4's default of 1e-7 leaves the deviance
            so rough that bobyqa can stall for most of an hour on designs of this size.
        hessian: standard errors from the finite-difference Hessian (lme4's default for glmer);
            otherwise lme4's RX-based ones, which take the SDs as known.
    """

    pirls_tolerance: float = 1e-10
    hessian: bool = True


DEFAULT = Settings()


def fit(
    formula: Formula | str,
    data: pd.DataFrame,
    *,
    settings: Settings = DEFAULT,
    start: Fit | None = None,
    optimise: bool = True,
    provenance: dict | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Maximum likelihood by ``lme4::glmer`` (Bates et al., 2015; nAGQ = 1).

    Args:
        formula: lme4 syntax, e.g. ``~ resource * size + (1 | language)``.
        data: one row per cell or instance, with every column that the formula names.
        settings: tolerances and the kind of Hessian.
        start: begin at another fit of the same formula instead of lme4's nAGQ = 0 stage.
        optimise: False evaluates lme4's deviance at ``start`` and builds the fit there.
        provenance: data_source and data_hash, kept with the result.
        progress: called with (stage, evaluations so far, deviance) after every evaluation.

    Raises InputError for a design that cannot be fitted, EngineMissing without R or lme4.
    """
    formula = parse(formula) if isinstance(formula, str) else formula
    if formula.weights or formula.contrasts:
        raise InputError(
            "lme4 judges models of counts, cbind(successes, failures), or of 0 and 1, with "
            "treatment contrasts; our engine fits those with weights and other contrasts"
        )
    if formula.floor is not None:
        raise InputError("lme4 has no floor of the probability: fit by the engine laplace")
    kept = check_design(formula, data)
    known = formula.levels(data)
    separation = fixed_separation(formula, data, kept)
    refuse_complete(separation)
    began = time.perf_counter()
    r = session()
    robjects = r.robjects
    tick, raised = _tick(progress)
    try:
        found = r.call(
            "fit_glmer",
            formula.source,
            to_r_frame(_numbered(formula, data), known),
            settings.pirls_tolerance,
            robjects.NULL if start is None else _start(start),
            optimise,
            settings.hessian,
            tick,
        )
    except InputError:
        if raised:
            raise raised[0] from None
        raise
    found = dict(zip(found.names, found, strict=True))
    singular = bool(found["singular"][0])
    # lme4 says so of a singular fit among its messages; singularity has a flag of its own here
    messages = tuple(text for text in found["messages"] if "isSingular" not in text)
    covariance = np.array(found["covariance"])
    success, trials = formula.counts(data)
    random_effects, correlations = _components(found)
    result = Fit(
        formula=formula,
        engine="lme4",
        versions=r.versions,
        fixed_effects=wald_table(list(found["terms"]), np.array(found["estimate"]), covariance),
        covariance=covariance,
        random_effects=random_effects,
        correlations=correlations,
        modes=from_r_frame(found["modes"]),
        nobs=len(data),
        trials=int(trials.sum()),
        log_lik=found["log_lik"][0],
        df=int(found["df"][0]),
        levels=known,
        optimisation=Optimisation(
            optimizer=found["optimizer"][0],
            evaluations=int(found["evaluations"][0]),
            converged=found["code"][0] == 0 and not messages,
            singular=singular,
            max_abs_gradient=float(found["gradient"][0]),
            hessian="finite-difference" if settings.hessian and optimise else "rx",
            seconds=time.perf_counter() - began,
            messages=messages,
            settings=asdict(settings),
        ),
        provenance=provenance or {},
    )
    result.diagnostics["std_error_rx"] = np.sqrt(np.diag(np.array(found["covariance_rx"]))).tolist()
    result.diagnostics["theta"] = list(found["theta"])
    result.diagnostics.update(
        columns=column_hashes(formula, data) | outcome_hash(formula, success, trials),
        separated=separated_levels(formula, data),
        separation="" if separation is None else separation.sentence(),
        redundant=redundant_terms(formula, data, known),
        dropped=dropped_columns(formula, data, kept),
    )
    result.diagnostics["dispersion"] = dispersion(result, data)
    return result


def _numbered(formula: Formula, data: pd.DataFrame) -> pd.DataFrame:
    """The formula's columns, outcomes as numbers (a boolean elsewhere is a factor)."""
    outcomes = {name: data[name] for name in sorted(formula.outcomes())}
    if len(outcomes) == 1:
        (name,) = outcomes
        outcomes = {name: formula.counts(data)[0]}
    outcomes = {name: numbers(pd.Series(column)) for name, column in outcomes.items()}
    return data[sorted(formula.variables())].assign(**outcomes)


def _start(start: Fit) -> object:
    """Another fit's SDs, correlations and fixed effects, as ``fit_glmer`` takes them."""
    robjects = session().robjects
    sds, pairs = start.random_effects, start.correlations
    missing = robjects.NA_Character
    columns = {
        "group": robjects.StrVector([*sds["group"], *pairs["group"]]),
        "term_1": robjects.StrVector([*sds["term"], *pairs["term_1"]]),
        "term_2": robjects.StrVector([missing] * len(sds) + list(pairs["term_2"])),
        "value": robjects.FloatVector([*sds["sd"], *pairs["correlation"]]),
    }
    components = robjects.DataFrame(columns)
    effects = robjects.FloatVector(start.coefficients)
    effects.names = robjects.StrVector(start.coefficients.index)
    return robjects.ListVector({"components": components, "fixef": effects})


def _tick(progress: Progress | None) -> tuple[object, list[BaseException]]:
    """``fit_glmer``'s callback, and where it leaves what was raised in it (an interrupt, say)."""
    from rpy2.rinterface import rternalize

    raised: list[BaseException] = []

    @rternalize
    def tick(stage, evaluation, deviance):
        try:
            if progress is not None:
                progress(stage[0], int(evaluation[0]), float(deviance[0]))
        except BaseException as error:  # R cannot carry it: stop R, then raise it again
            raised.append(error)
        return 0 if raised else 1  # an integer, the one kind that rpy2 3.5 hands over as it is

    return tick, raised


def _components(found: dict) -> tuple[pd.DataFrame, pd.DataFrame]:
    """R's VarCorr as SDs by group and term, and correlations."""
    table = from_r_frame(found["components"])
    levels = dict(zip(found["levels"].names, found["levels"], strict=True))
    is_sd = table["term_2"].isna()
    sds = table[is_sd].rename(columns={"term_1": "term", "value": "sd"})
    sds.insert(2, "levels", [int(levels[group]) for group in sds["group"]])
    pairs = table[~is_sd]
    rows = list(pairs[["group", "term_1", "term_2", "value"]].itertuples(index=False, name=None))
    return sds[["group", "term", "levels", "sd"]].reset_index(drop=True), correlations_table(rows)
