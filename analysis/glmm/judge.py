"""lme4 judges an optimum found elsewhere: its own deviance, modes and standard errors there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import lme4
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common.errors import InputError, name_some

JUDGE = lme4.Settings(pirls_tolerance=1e-13, hessian=False)


@dataclass(frozen=True)
class Judgement:
    """A fit and lme4's own object, built at the fit's estimates without optimising.

    ``theirs`` has lme4's log-likelihood there, its conditional modes, and its RX-based standard
    errors, which take the random-effect SDs as known.
    """

    ours: Fit
    theirs: Fit

    @property
    def log_lik_difference(self) -> float:
        """Our log-likelihood minus lme4's at the same point."""
        return self.ours.log_lik - self.theirs.log_lik

    @property
    def max_mode_difference(self) -> float:
        """The largest difference of a conditional mode (log-odds)."""
        keys = ["group", "term", "level"]
        both = self.ours.modes.merge(self.theirs.modes, on=keys, validate="one_to_one")
        return float((both["mode_x"] - both["mode_y"]).abs().max())

    def std_error_rx(self) -> pd.Series:
        """lme4's RX-based standard errors (log-odds) by term."""
        return self.theirs.fixed_effects.set_index("term")["std_error"]

    def table(self) -> pd.DataFrame:
        """Tidy: quantity (log_lik, max_abs_mode, std_error), term, ours, lme4, difference."""
        rows = [
            ("log_lik", "", self.ours.log_lik, self.theirs.log_lik, self.log_lik_difference),
            ("max_abs_mode", "", np.nan, np.nan, self.max_mode_difference),
        ]
        rx = self.std_error_rx()
        for row in self.ours.fixed_effects.itertuples():
            theirs = rx[row.term]
            rows.append(("std_error", row.term, row.std_error, theirs, row.std_error - theirs))
        return pd.DataFrame(rows, columns=["quantity", "term", "ours", "lme4", "difference"])


def judge(fit: Fit, data: pd.DataFrame, cache: Path | None) -> Judgement:
    """Let lme4 evaluate its deviance and PIRLS (tolPwrss 1e-13) at the estimates of ``fit``.

    lme4 reads the formula as it was written, and judges what this project took it to mean too.

    Raises EngineMissing without R or lme4, InputError where lme4 takes the formula for another
    model than the fit's.
    """
    theirs = cached_fit(
        "lme4",
        fit.formula,
        data,
        cache,
        provenance=fit.provenance,
        start=fit,
        optimise=False,
        settings=JUDGE,
    )
    check_same_model(fit, theirs)
    return Judgement(fit, theirs)


def check_same_model(ours: Fit, theirs: Fit) -> None:
    """Raise InputError unless two fits of one formula have the same effects and parameters."""
    pairs = {
        "fixed effects": [set(fit.fixed_effects["term"]) for fit in (ours, theirs)],
        "random effects": [_effects(fit.random_effects, "group", "term") for fit in (ours, theirs)],
    }
    for kind, (own, other) in pairs.items():
        if different := sorted(own ^ other):
            raise InputError(
                f"lme4 takes {ours.formula.source} for another model than this engine: they do "
                f"not share the {kind} {name_some(different)}"
            )
    if ours.df != theirs.df:
        raise InputError(
            f"lme4 finds {theirs.df} parameters in {ours.formula.source}, this engine {ours.df}"
        )


def _effects(table: pd.DataFrame, *columns: str) -> set[str]:
    return set(table[list(columns)].agg(" ".join, axis=1)) if len(table) else set()
