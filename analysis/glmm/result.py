"""What every engine returns: tidy estimates, modes, the optimiser's record and diagnostics."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.columns import INTERCEPT, Factor, Levels
from capability_transfer.analysis.glmm.formula import Formula, RandomTerm, parse
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.files import replacing
from capability_transfer.common.kept import UNREADABLE
from scipy.special import ndtr, ndtri

FORMAT = 2
WALD_LEVEL = 0.95


@dataclass(frozen=True)
class Optimisation:
    """The record of a fit's optimisation.

    ``hessian`` says where the standard errors come from (``exact``, ``finite-difference``,
    ``estimated``: exact but for a log-determinant's part that random probes estimate, which moves
    standard errors by some 1e-4 of their size; ``rx``: lme4's, which takes the random-effect SDs as
    known). ``max_abs_gradient`` is that of
    the deviance (lme4) or of the log-likelihood (laplace), on the scale the engine optimises.
    """

    optimizer: str
    evaluations: int
    converged: bool
    singular: bool
    max_abs_gradient: float
    hessian: str
    seconds: float
    messages: tuple[str, ...] = ()
    settings: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Fit:
    """A fitted GLMM. Effects are in log-odds.

    Attributes:
        formula: the model.
        engine: ``lme4`` or ``laplace``; ``versions`` has its version and its companions'.
        fixed_effects: term, estimate, std_error, statistic (Wald z), p_value, conf_low,
            conf_high (95%).
        covariance: of the fixed-effect estimates, in the order of ``fixed_effects``.
        random_effects: group, term, levels, sd; one row per group and varying covariate.
        correlations: group, term_1, term_2, correlation; empty without correlated slopes.
        modes: group, term, level, mode, std_error (conditional SD given the estimates).
        log_lik: the maximised Laplace log-likelihood, binomial coefficients included.
        df: number of estimated parameters.
        levels: of every covariate that is a factor, and what functions have learned of others, by
            name (``columns.Levels``); rows are coded by them, whichever levels the rows have. A
            covariate that is not here is a number.
        optimisation: the optimiser's record.
        diagnostics: e.g. ``dispersion`` (Pearson statistic over residual df), ``separated`` (levels
            that are all right or all wrong), ``separation`` (of the fixed part, in words),
            ``redundant`` (pairs of random terms), ``dropped`` (fixed columns), ``columns`` (a hash
            of every column of the data, by which fits to the same rows are known).
        provenance: data_source, data_hash.
    """

    formula: Formula
    engine: str
    versions: dict[str, str]
    fixed_effects: pd.DataFrame
    covariance: np.ndarray
    random_effects: pd.DataFrame
    correlations: pd.DataFrame
    modes: pd.DataFrame
    nobs: int
    trials: int
    log_lik: float
    df: int
    levels: Levels
    optimisation: Optimisation
    diagnostics: dict = field(default_factory=dict)
    provenance: dict = field(default_factory=dict)

    @property
    def deviance(self) -> float:
        """−2 × the log-likelihood."""
        return -2 * self.log_lik

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return self.deviance + 2 * self.df

    @property
    def bic(self) -> float:
        """Schwarz's criterion; observations are rows, as in lme4."""
        return self.deviance + np.log(self.nobs) * self.df

    @property
    def coefficients(self) -> pd.Series:
        """Fixed-effect estimates (log-odds) by term."""
        return self.fixed_effects.set_index("term")["estimate"]

    @property
    def quadrature(self) -> int:
        """Points of Gauss–Hermite quadrature per random effect; 1 is Laplace's approximation."""
        return int(self.optimisation.settings.get("quadrature", 1))

    def fixed_matrix(self, rows: pd.DataFrame) -> np.ndarray:
        """The fixed-effects design of any rows, columns in the order of ``fixed_effects``.

        Factors are coded by the fit's levels. Raises InputError for a level that it has not seen.
        """
        matrix, names = self.formula.fixed_matrix(rows, self.levels)
        return matrix[:, [names.index(term) for term in self.fixed_effects["term"]]]

    def random_matrix(self, term: RandomTerm, rows: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
        """The covariates of a random term for any rows, coded likewise, and their names."""
        return term.matrix(rows, self.levels)

    def sd(self, group: str, term: str = INTERCEPT) -> float:
        """The random-effect SD (log-odds) of one group and covariate."""
        table = self.random_effects
        if (group, term) not in self._sds:
            known = name_some(table["group"] + " " + table["term"], 20)
            raise InputError(f"the fit has no random effect {group} {term}; it has {known}")
        return self._sds[group, term]

    @cached_property
    def _sds(self) -> dict[tuple[str, str], float]:
        rows = self.random_effects.drop_duplicates(["group", "term"])
        return dict(zip(zip(rows["group"], rows["term"], strict=True), rows["sd"], strict=True))

    def glance(self) -> pd.DataFrame:
        """The fit in one row (columns as broom's, and the optimiser's record)."""
        record = self.optimisation
        return pd.DataFrame(
            [
                {
                    "nobs": self.nobs,
                    "trials": self.trials,
                    "log_lik": self.log_lik,
                    "aic": self.aic,
                    "bic": self.bic,
                    "deviance": self.deviance,
                    "df": self.df,
                    "engine": self.engine,
                    "engine_version": self.versions.get(self.engine, ""),
                    "optimizer": record.optimizer,
                    "evaluations": record.evaluations,
                    "converged": record.converged,
                    "singular": record.singular,
                    "max_abs_gradient": record.max_abs_gradient,
                    "seconds": round(record.seconds, 3),
                    "data_source": self.provenance.get("data_source"),
                    "data_hash": self.provenance.get("data_hash"),
                }
            ]
        )

    def warnings(self) -> list[str]:
        """Everything about this fit that a reader must know before trusting it."""
        record, found = self.optimisation, []
        if not record.converged:
            found.append("the optimiser did not converge")
        found += list(record.messages)
        found += _of_starts(self.diagnostics.get("starts", []))
        if record.singular:
            zero = self.random_effects.query("sd < 1e-4")
            one = self.correlations.query("abs(correlation) > 0.9999")
            names = [*(zero["group"] + " " + zero["term"])]
            names += [*("correlation of ±1 in " + one["group"])]
            found.append(f"singular fit: {name_some(names) or 'a combination of random effects'}")
        if separated := self.diagnostics.get("separation"):
            found.append(separated)
        for pair in self.diagnostics.get("redundant", ()):
            found.append(
                f"{pair} cannot be told apart: the data have the sum of their variances alone; "
                "leave one out"
            )
        if dropped := self.diagnostics.get("dropped"):
            found.append(f"left out as combinations of other columns: {name_some(dropped)}")
        if held := self.diagnostics.get("separated"):
            fixed = "fixed effects tell their outcomes apart, see the separation above"
            why = fixed if separated else "their effects are held back by the SD alone"
            found.append(f"{'; '.join(held)}: {why}")
        dispersion = self.diagnostics.get("dispersion")
        # one trial per row has no variance beyond the binomial's: the statistic says nothing of it
        if dispersion is not None and dispersion > 1.2 and self.trials > self.nobs:
            found.append(
                f"overdispersed: Pearson statistic over residual df is {dispersion:.2f}, so rows "
                "vary more than the model's binomial variation; effects at row level have "
                "standard errors that are too small"
            )
        return found

    def __repr__(self) -> str:
        fixed = self.fixed_effects.round(4).to_string(index=False)
        random = self.random_effects.round(4).to_string(index=False)
        notes = "".join(f"\n! {note}" for note in self.warnings())
        return (
            f"GLMM (binomial, logit) by {self.engine}: {self.formula}\n"
            f"{self.nobs:,} rows, {self.trials:,} trials, logLik {self.log_lik:.2f}, "
            f"AIC {self.aic:.1f}\n\nFixed effects (log-odds)\n{fixed}\n\n"
            f"Random effects (SD, log-odds)\n{random}{notes}"
        )


def _of_starts(reached: list[float]) -> list[str]:
    """That starts led to different maxima, where they did."""
    best = max(reached, default=0.0)
    ended = [value for value in reached if best - value > 0.01]
    if not ended:
        return []
    first = f", the usual start {best - reached[0]:.2f} lower" if reached[0] in ended else ""
    return [
        f"the likelihood has more than one maximum: of {len(reached)} starts {len(ended)} ended at "
        f"lower ones{first}"
    ]


def check_level(level: object) -> None:
    """Raise InputError for what is not the level of an interval."""
    if not isinstance(level, Real) or not 0.5 <= level < 1:
        raise InputError(
            f"the level of an interval is 0.5 or more and less than 1, not {level}; statsmodels' "
            "0.05 is written alpha=0.05"
        )


def critical(level: float = WALD_LEVEL) -> float:
    """Standard errors to either end of a Wald interval. Raises InputError for no level."""
    check_level(level)
    return float(ndtri(0.5 + level / 2))


def wald_table(terms: list[str], estimate: np.ndarray, covariance: np.ndarray) -> pd.DataFrame:
    """Fixed effects with Wald z, two-sided p and 95% intervals, all in log-odds."""
    estimate = np.asarray(estimate, dtype=float)
    std_error = np.sqrt(np.diag(covariance))
    statistic = estimate / std_error
    half = critical() * std_error
    return pd.DataFrame(
        {
            "term": terms,
            "estimate": estimate,
            "std_error": std_error,
            "statistic": statistic,
            "p_value": 2 * ndtr(-np.abs(statistic)),
            "conf_low": estimate - half,
            "conf_high": estimate + half,
        }
    )


def correlations_table(rows: list[tuple[str, str, str, float]] = ()) -> pd.DataFrame:
    """Correlations between the random effects of one group, as a tidy table."""
    table = pd.DataFrame(list(rows), columns=["group", "term_1", "term_2", "correlation"])
    return table.astype({"group": str, "term_1": str, "term_2": str, "correlation": float})


_TABLES = ("fixed_effects", "random_effects", "correlations", "modes")


def save(fit: Fit, path: str | Path) -> Path:
    """Write a fit as one ``.fit`` file, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(dumps(fit))
    return Path(path)


def dumps(fit: Fit) -> bytes:
    """A fit as a ``.fit`` file's contents: a zip of ``fit.json`` and ``arrays.npz``, undated."""
    header = {
        "format": FORMAT,
        "formula": fit.formula.source,
        "weights": fit.formula.weights,
        "contrasts": dict(fit.formula.contrasts),
        "engine": fit.engine,
        "versions": fit.versions,
        "nobs": fit.nobs,
        "trials": fit.trials,
        "log_lik": fit.log_lik,
        "df": fit.df,
        "levels": fit.levels,
        "optimisation": fit.optimisation.__dict__,
        "diagnostics": fit.diagnostics,
        "provenance": fit.provenance,
    }
    arrays = io.BytesIO()
    tables = {}
    for name in _TABLES:
        table = getattr(fit, name)
        header.setdefault("columns", {})[name] = list(table.columns)
        for column in table.columns:
            tables[f"{name}.{column}"] = _plain(table[column])
    np.savez_compressed(arrays, covariance=fit.covariance, **tables)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(zipfile.ZipInfo("fit.json"), json.dumps(header, indent=1))
        archive.writestr(zipfile.ZipInfo("arrays.npz"), arrays.getvalue())
    return written.getvalue()


def load(path: str | Path) -> Fit:
    """Read a fit that ``save`` wrote; raises InputError if the file is not a fit or has another
    format."""
    try:
        return loads(Path(path).read_bytes())
    except UNREADABLE as error:
        raise InputError(f"{path} is not a saved fit: {error}") from error


def loads(contents: bytes) -> Fit:
    """A fit of what ``dumps`` gave; raises one of ``common.kept.UNREADABLE`` for anything else."""
    with zipfile.ZipFile(io.BytesIO(contents)) as archive:
        header = json.loads(archive.read("fit.json"))
        if header["format"] != FORMAT:
            raise ValueError(f"it has fit format {header['format']}, not {FORMAT}: refit")
        with np.load(io.BytesIO(archive.read("arrays.npz")), allow_pickle=False) as stored:
            arrays = dict(stored)
    tables = {
        name: pd.DataFrame(
            {column: arrays[f"{name}.{column}"] for column in header["columns"][name]}
        )
        for name in _TABLES
    }
    record = header["optimisation"] | {"messages": tuple(header["optimisation"]["messages"])}
    formula = parse(header["formula"], header.get("weights", ""), header.get("contrasts"))
    return Fit(
        formula=formula,
        engine=header["engine"],
        versions=header["versions"],
        covariance=arrays["covariance"],
        nobs=header["nobs"],
        trials=header["trials"],
        log_lik=header["log_lik"],
        df=header["df"],
        levels={
            name: levels
            if isinstance(levels, dict)
            else Factor.coded(levels, dict(formula.contrasts).get(name, "treatment"))
            for name, levels in header["levels"].items()
        },
        optimisation=Optimisation(**record),
        diagnostics=header["diagnostics"],
        provenance=header["provenance"],
        **tables,
    )


def _plain(column: pd.Series) -> np.ndarray:
    """A column as an array that npz stores without pickling."""
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy()
    return column.astype(str).to_numpy(dtype=np.str_)
