"""The engines that are compared, each at its defaults unless its name says otherwise.

A new engine is one function and one line of ``ENGINES``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import version

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import lme4
from capability_transfer.analysis.glmm.formula import Formula
from capability_transfer.analysis.glmm.laplace import Settings
from capability_transfer.analysis.glmm.laplace import fit as laplace_fit
from capability_transfer.analysis.glmm.laplace.optimise import Objective
from capability_transfer.analysis.glmm.r_session import EngineMissing, session, to_r_frame
from capability_transfer.analysis.glmm.result import Fit


class NotInstalled(Exception):
    """The engine is an optional extra that is not here."""


@dataclass(frozen=True)
class Outcome:
    """What an engine found: its own log-likelihood, fixed effects by R's term names, SDs by group.

    ``evaluations`` are what the engine counts: of the likelihood, or iterations (gpboost).
    ``limit_cpu_seconds`` are those of our engine's evaluations alone, the information matrix at the
    end among them: what a fit would take in which nothing else cost anything.
    """

    log_lik: float
    beta: dict[str, float]
    sd: dict[str, float]
    evaluations: int | None
    converged: bool
    version: str
    messages: list[str] = field(default_factory=list)
    limit_cpu_seconds: float | None = None


@contextmanager
def _evaluations_timed() -> Iterator[list[float]]:
    """Processor seconds of every evaluation of the likelihood and its gradient meanwhile."""
    spent, evaluate = [], Objective.at

    def timed(*arguments, **options):
        began = time.process_time()
        try:
            return evaluate(*arguments, **options)
        finally:
            spent.append(time.process_time() - began)

    Objective.at = timed
    try:
        yield spent
    finally:
        Objective.at = evaluate


def _ours(formula: Formula, data: pd.DataFrame, settings: Settings) -> Outcome:
    with _evaluations_timed() as spent:
        found = laplace_fit(formula, data, settings=settings)
    return replace(_outcome(found), limit_cpu_seconds=sum(spent))


def laplace(formula: Formula, data: pd.DataFrame) -> Outcome:
    """Our engine from a cold start, standard errors from the exact Hessian."""
    return _ours(formula, data, Settings())


def laplace_rx(formula: Formula, data: pd.DataFrame) -> Outcome:
    """Our engine from a cold start, standard errors that take the SDs as known."""
    return _ours(formula, data, Settings(hessian="working"))


def lme4_nagq1(formula: Formula, data: pd.DataFrame) -> Outcome:
    """glmer, nAGQ = 1 (Laplace), bobyqa, the project's PIRLS tolerance, its Hessian."""
    return _outcome(lme4.fit(formula, data))


def lme4_nagq1_rx(formula: Formula, data: pd.DataFrame) -> Outcome:
    """The same without the Hessian: standard errors that take the SDs as known."""
    return _outcome(lme4.fit(formula, data, settings=lme4.Settings(hessian=False)))


def lme4_nagq0(formula: Formula, data: pd.DataFrame) -> Outcome:
    """glmer, nAGQ = 0: fixed effects found with the modes, not by maximising the likelihood."""
    return _r_outcome("bench_lme4_nagq0", formula, data)


def glmmtmb(formula: Formula, data: pd.DataFrame) -> Outcome:
    """glmmTMB: Laplace with automatic derivatives."""
    return _r_outcome("bench_glmmtmb", formula, data)


def gpboost(formula: Formula, data: pd.DataFrame) -> Outcome:
    """gpboost's GPModel with the binomial likelihood of proportions."""
    import gpboost as package

    success, trials = formula.counts(data)
    matrix, names = formula.fixed_matrix(data)
    groups = pd.DataFrame({term.group: term.levels(data) for term in formula.random})
    model = package.GPModel(
        group_data=groups, likelihood="binomial_logit", weights=trials, num_parallel_threads=1
    )
    model.fit(y=success / trials, X=matrix, params={"trace": False})
    variances = np.ravel(model.get_cov_pars().to_numpy()[0])
    return Outcome(
        log_lik=-float(model.get_current_neg_log_likelihood()),
        beta=dict(zip(names, np.ravel(model.get_coef().to_numpy()[0]).tolist(), strict=True)),
        sd=dict(zip(groups.columns, np.sqrt(variances).tolist(), strict=True)),
        evaluations=int(model.num_optim_iter) if hasattr(model, "num_optim_iter") else None,
        converged=True,  # it says nothing else
        version=package.__version__,
    )


def glmm(formula: Formula, data: pd.DataFrame) -> Outcome:
    """The PyPI package ``glmm``."""
    import glmm as package

    success, trials = formula.counts(data)
    counts = {"n_correct": success, "n_wrong": trials - success}
    right = str(formula).partition("~")[2]
    columns = data[sorted(formula.variables() - {"n_correct", "n_total"})]
    table = columns.assign(**counts).reset_index(drop=True)
    found = package.fit(table, f"cbind(n_correct, n_wrong) ~ {right}", "binomial")
    variances = np.array([np.ravel(block)[0] for block in found.varcorr])
    return Outcome(
        log_lik=float(found.loglik),
        beta=dict(zip(found.names, np.asarray(found.beta).tolist(), strict=True)),
        sd=dict(zip([group for group, _ in found.re_groups], np.sqrt(variances), strict=True)),
        evaluations=int(found.n_eval),
        converged=bool(found.converged),
        version=version("glmm"),
        messages=[str(text) for text in found.warnings],
    )


def _outcome(fit: Fit) -> Outcome:
    record = fit.optimisation
    return Outcome(
        log_lik=fit.log_lik,
        beta=fit.coefficients.to_dict(),
        sd=dict(zip(fit.random_effects["group"], fit.random_effects["sd"], strict=True)),
        evaluations=record.evaluations,
        converged=record.converged,
        version=fit.versions[fit.engine],
        messages=list(record.messages),
    )


def _package(name: str) -> Callable[[], None]:
    """Import a Python package, or say that it is not there."""

    def load() -> None:
        try:
            import_module(name)
        except ImportError as error:
            raise NotInstalled(name) from error

    return load


def _r_package(name: str) -> Callable[[], None]:
    """Start R and load a package of it, or say that one of them is not there."""

    def load() -> None:
        try:
            r = session()
        except EngineMissing as error:
            raise NotInstalled(name) from error
        if not r.robjects.r(f"(requireNamespace('{name}', quietly = TRUE))")[0]:
            raise NotInstalled(name)

    return load


def _r_outcome(function: str, formula: Formula, data: pd.DataFrame) -> Outcome:
    r = session()
    frame = to_r_frame(data[sorted(formula.variables())], formula.levels(data))
    found = r.call(function, formula.source, frame)
    found = dict(zip(found.names, found, strict=True))
    return Outcome(
        log_lik=float(found["log_lik"][0]),
        beta=dict(zip(found["terms"], map(float, found["estimate"]), strict=True)),
        sd=dict(zip(found["groups"], map(float, found["sd"]), strict=True)),
        evaluations=int(found["evaluations"][0]),
        converged=bool(found["converged"][0]),
        version=str(found["version"][0]),
        messages=list(found["messages"]),
    )


ENGINES: dict[str, tuple[Callable[[], None], Callable[[Formula, pd.DataFrame], Outcome]]] = {
    "laplace": (_package("capability_transfer.analysis.glmm.laplace"), laplace),
    "laplace, RX": (_package("capability_transfer.analysis.glmm.laplace"), laplace_rx),
    "glmmTMB": (_r_package("glmmTMB"), glmmtmb),
    "lme4 nAGQ=0": (_r_package("lme4"), lme4_nagq0),
    "lme4 nAGQ=1": (_r_package("lme4"), lme4_nagq1),
    "lme4 nAGQ=1, RX": (_r_package("lme4"), lme4_nagq1_rx),
    "gpboost": (_package("gpboost"), gpboost),
    "glmm (PyPI)": (_package("glmm"), glmm),
}
"""What loads an engine and what fits by it."""
