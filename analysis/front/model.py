"""``fit``: a GLMM of the outcomes, with its estimates, tables and figure."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis import determinants as d
from capability_transfer.analysis import labels
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.figures import figure_02
from capability_transfer.analysis.front.errors import speaking_python
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.progress import fitting
from capability_transfer.analysis.presentation.provenance import note
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.analysis.presentation.tables import Table, number, p_value
from capability_transfer.analysis.studies.levers import Levers, read_off
from capability_transfer.analysis.tables import table_03, table_04
from capability_transfer.analysis.variance import unexplained
from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class FittedModel(Shown):
    """A fitted GLMM. Effects are in log-odds, per SD of the predictor where it is a number.

    Attributes:
        study: the data.
        determinants: the fit, the size-only baseline and the design.
    """

    study: Study
    determinants: d.Determinants

    @property
    def fit(self) -> Fit:
        """The engine's result: covariance, conditional modes, likelihood, diagnostics."""
        return self.determinants.fit

    @property
    def formula(self) -> str:
        """The model in lme4's syntax."""
        return str(self.fit.formula)

    @property
    def data(self) -> pd.DataFrame:
        """The rows that were fitted: keys, counts, and predictors (numbers as z-scores)."""
        return self.determinants.design.data.copy()

    @property
    def constants(self) -> pd.DataFrame:
        """feature, mean, sd (raw units): what the z-scores were made with."""
        return self.determinants.design.constants.copy()

    @property
    def fixed_effects(self) -> pd.DataFrame:
        """term, estimate, std_error, statistic, p_value, conf_low, conf_high (log-odds, Wald 95%).

        With published and difference where the study published the estimate.
        """
        return self._compared(self.determinants.fixed_effects())

    @property
    def random_effects(self) -> pd.DataFrame:
        """group, levels, sd (log-odds), largest first."""
        return self._compared(self.determinants.random_effects())

    @property
    def modes(self) -> pd.DataFrame:
        """group, term, level, mode, std_error: the conditional modes (BLUPs), log-odds."""
        return self.fit.modes.copy()

    @property
    def variance_explained(self) -> pd.DataFrame:
        """group, sd_baseline, sd, explained: against size alone with the same random terms.

        Empty where the formula has no size effect or lacks the groups (language and
        variant:language).
        """
        return self._compared(self.determinants.variance_explained())

    @property
    def lme4_check(self) -> pd.DataFrame:
        """quantity, term, ours, lme4, difference at our optimum; empty but for engine ``lme4``."""
        return self.determinants.lme4_check()

    @property
    def note(self) -> str:
        """Data and engine, for captions."""
        return note(self.study.source, self.fit)

    def warnings(self) -> list[str]:
        """What to know of this fit before trusting it: convergence, separation, dispersion."""
        explained = unexplained(self.determinants.variance_explained())
        return [*self.determinants.notes, *self.fit.warnings(), *explained]

    def tables(self) -> dict[str, Table]:
        """``table_03`` (effects) and ``table_04`` (constants), as the command line writes them.

        ``tables.write`` makes files of one.
        """
        fixed, random = self.determinants.fixed_effects(), self.determinants.random_effects()
        judgement = self.determinants.judgement
        rx = None if judgement is None else judgement.std_error_rx()
        made = (
            table_03.build(fixed, random, self.note, rx, self.fit.correlations),
            table_04.build(self.determinants.standardisation(), self.note),
        )
        return {table.name: table for table in made}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Forest plot of the fixed effects; published estimates are hollow marks."""
        table = self.determinants.fixed_effects()
        with plots.axes(ax, 6.4, figure_02.height(table), self.note) as ax:
            figure_02.forest(ax, table)
            plots.legend_above(ax)
        return ax

    @speaking_python
    def levers(self) -> Levers:
        """What size and reasoning do to the gap to English, and what scarcity costs in size."""
        return read_off(self.study, self.fit, self.determinants.design)

    def sheet(self) -> Sheet:
        fit, record = self.fit, self.fit.optimisation
        facts = {
            "formula": self.formula,
            "data": f"{fit.nobs:,} rows, {fit.trials:,} answers: {self.study.source}",
            "likelihood": f"log {fit.log_lik:.2f}, AIC {fit.aic:.1f} (Laplace approximation)",
            "engine": f"{fit.engine}, standard errors from the {record.hessian} Hessian",
        }
        if (judgement := self.determinants.judgement) is not None:
            facts[f"lme4 {judgement.theirs.versions['lme4']}"] = (
                f"its log-likelihood at this optimum is {judgement.theirs.log_lik:.2f}, modes "
                f"within {judgement.max_mode_difference:.0e}"
            )
        facts |= {
            f"explained, {labels.group(row.group)}": f"{row.explained:.1%} of the variance that "
            "size alone leaves"
            for row in self.variance_explained.dropna(subset="explained").itertuples()
        }
        title = "GLMM (binomial, logit), effects in log-odds"
        return Sheet(title, facts, self._display(), tuple(self.warnings()))

    def _display(self) -> pd.DataFrame:
        fixed = self.fixed_effects
        parts = pd.DataFrame(
            {
                "": [labels.term(term) for term in fixed["term"]],
                "estimate": [number(value, 3) for value in fixed["estimate"]],
                "SE": [number(value, 3) for value in fixed["std_error"]],
                "95% interval": [
                    f"{number(low, 2)} to {number(high, 2)}"
                    for low, high in zip(fixed["conf_low"], fixed["conf_high"], strict=True)
                ],
                "p": [p_value(value) for value in fixed["p_value"]],
            }
        )
        random = self.random_effects
        slopes = random.get("term", pd.Series("(Intercept)", random.index))
        spread = pd.DataFrame(
            {
                "": [
                    f"SD {labels.group(group)}"
                    + ("" if term == "(Intercept)" else f", {labels.term(term)}")
                    for group, term in zip(random["group"], slopes, strict=True)
                ],
                "estimate": [number(value, 3) for value in random["sd"]],
            }
        )
        if "published" in fixed:
            parts["published"] = [number(value, 3) for value in fixed["published"]]
            spread["published"] = [number(value, 3) for value in random["published"]]
        return pd.concat([parts, spread], ignore_index=True).fillna("")

    def _compared(self, table: pd.DataFrame) -> pd.DataFrame:
        """Without the columns of published figures where nothing was published."""
        if self.determinants.is_study:
            return table
        return table.drop(columns=["published", "difference"], errors="ignore")


@speaking_python
def fit(
    study: Study | None = None,
    formula: str | None = None,
    engine: str = "laplace",
    *,
    drop_missing: bool = False,
) -> FittedModel:
    """Fit a crossed random-effects logistic GLMM to a study's cells.

    Args:
        study: from ``load``; the embedded study without it.
        formula: in lme4's syntax, of features and columns of the study; the study's Eq. 1 without.
        engine: ``laplace`` (ours, no R), ``lme4`` (ours, with lme4's verdict at the optimum) or
            ``lme4-cold`` (lme4 alone).
        drop_missing: drop rows that lack a feature the formula names, instead of raising.

    Raises InputError for a formula that names what is not there, and for data that cannot be
    fitted; EngineMissing for ``lme4`` without R.
    """
    study = given(study)
    found = d.determinants(study.inputs, formula, engine, study.cache, fitting, drop_missing)
    return FittedModel(study, found)
