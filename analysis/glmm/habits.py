"""What people type of a fitted model, under the names of statsmodels, lme4 and broom.

Everything is computed elsewhere; ``Habits`` says where.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import degrees, marginal, residuals, shares, wald
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.frames import Wide, as_frame
from capability_transfer.analysis.glmm.inference import (
    METHODS,
    bootstrap,
    likelihood_ratio_test,
    profile_intervals,
    simulate,
    t_intervals,
    wald_intervals,
)
from capability_transfer.analysis.glmm.laplace import Model, Optimum, Settings, report
from capability_transfer.analysis.glmm.predict import (
    averaged,
    linear_predictor,
    new_variance,
    probability,
    slope,
)
from capability_transfer.analysis.glmm.result import WALD_LEVEL, Fit, check_level, critical
from capability_transfer.analysis.glmm.uncertainty import standard_errors
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.seeds import DEFAULT_SEED

ELSEWHERE = {
    "coef": "params", "coefs": "params", "coefficients": "params", "beta": "params",
    "confint": "conf_int", "vcov": "cov_params", "tvalues": "zvalues", "logLik": "llf",
    "loglik": "llf", "log_lik": "llf", "AIC": "aic", "BIC": "bic", "n_obs": "nobs",
    "fitted": "fittedvalues", "residuals": "resid", "resid_pearson": "resid('pearson')",
    "resid_deviance": "resid('deviance')", "resid_response": "resid('response')",
    "t_test": "test", "wald_test": "test", "f_test": "test", "linear_hypothesis": "test",
    "lrt": "anova", "compare_lr_test": "anova", "get_margeff": "marginal_effects",
    "margins": "marginal_effects", "slopes": "marginal_effects", "pairs": "contrasts",
    "random_effects_cov": "VarCorr", "cov_re": "VarCorr", "fe_params": "params",
    "bse_fe": "bse", "ranef_var": "ranef", "vcomp": "VarCorr", "sigma": "VarCorr",
    "get_prediction": "predict", "post_hoc": "contrasts", "as_latex": "to_latex",
}  # fmt: skip
"""What others call things, and what they are called here."""


class Habits:
    """A fitted model with its rows. A subclass has ``fit`` and ``data``.

    Probabilities are 0 to 1; effects, SDs and intervals are in log-odds unless said otherwise.
    """

    fit: Fit
    data: pd.DataFrame

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        near = f" Did you mean {ELSEWHERE[name]}?" if name in ELSEWHERE else suggest(name, known)
        raise AttributeError(f"a fitted model has no {name!r}.{near}")

    @cached_property
    def _engine(self) -> tuple[Model, Optimum]:
        """Our engine's model of these rows at the fit's optimum."""
        ours = self.fit.optimisation.settings if self.fit.engine == "laplace" else {}
        settings = Settings(**ours | {"hessian": "exact"})
        model = Model(self.fit.formula, self.data, settings=settings)
        return model, model.optimise(self.fit)

    @property
    def params(self) -> pd.Series:
        """Fixed effects (log-odds) by term."""
        return self._fixed("estimate")

    @property
    def bse(self) -> pd.Series:
        """Standard errors of the fixed effects."""
        return self._fixed("std_error")

    @property
    def zvalues(self) -> pd.Series:
        """Fixed effects over their standard errors (Wald z)."""
        return self._fixed("statistic")

    @property
    def pvalues(self) -> pd.Series:
        """Two-sided p-values of the fixed effects (Wald)."""
        return self._fixed("p_value")

    @property
    def llf(self) -> float:
        """The maximised log-likelihood, binomial coefficients included."""
        return self.fit.log_lik

    @property
    def deviance(self) -> float:
        """−2 × the log-likelihood."""
        return self.fit.deviance

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return self.fit.aic

    @property
    def bic(self) -> float:
        """Schwarz's criterion; observations are rows, as in lme4."""
        return self.fit.bic

    @property
    def nobs(self) -> int:
        """The number of rows fitted."""
        return self.fit.nobs

    @property
    def df_resid(self) -> int:
        """Rows less estimated parameters, R's ``df.residual``."""
        return self.fit.nobs - self.fit.df

    @property
    def converged(self) -> bool:
        """Whether the optimiser ended at an optimum."""
        return self.fit.optimisation.converged

    @property
    def singular(self) -> bool:
        """Whether an SD is at zero or a correlation at ±1."""
        return self.fit.optimisation.singular

    @property
    def fittedvalues(self) -> pd.Series:
        """The probability of success of every row, random effects at their modes."""
        return self.predict()

    def fixef(self) -> pd.Series:
        """Fixed effects (log-odds) by term; lme4's name for ``params``."""
        return self.params

    def cov_params(self) -> pd.DataFrame:
        """The covariance matrix of the fixed effects."""
        names = self.params.index
        return pd.DataFrame(self.fit.covariance, names, names)

    def ranef(self, group: str | None = None) -> pd.DataFrame:
        """Conditional modes of the random effects: group, term, level, mode, std_error.

        ``std_error`` is the conditional SD given the estimates. With ``group`` that group's alone,
        as a table of levels × terms.
        """
        modes = self.fit.modes
        if group is None:
            return modes.copy()
        if group not in set(modes["group"]):
            known = modes["group"].unique()
            raise InputError(
                f"the model has no group {group}.{suggest(group, known)} It has {name_some(known)}"
            )
        own = modes[modes["group"] == group]
        names = own["term"].unique()
        return own.pivot(index="level", columns="term", values="mode")[names].loc[
            own["level"].unique()
        ]

    def VarCorr(self) -> pd.DataFrame:
        """Variances and covariances of the random effects: group, term_1, term_2, vcov, sdcor.

        As R's ``as.data.frame(VarCorr(fit))``: ``term_2`` is missing for a variance, whose
        ``sdcor`` is the SD; for a covariance that is the correlation.
        """
        sds = self.fit.random_effects
        rows = [(row.group, row.term, None, row.sd**2, row.sd) for row in sds.itertuples()]
        for pair in self.fit.correlations.itertuples():
            both = self.fit.sd(pair.group, pair.term_1) * self.fit.sd(pair.group, pair.term_2)
            value = pair.correlation
            rows.append((pair.group, pair.term_1, pair.term_2, value * both, value))
        order = {group: place for place, group in enumerate(dict.fromkeys(sds["group"]))}
        rows.sort(key=lambda row: order[row[0]])
        return pd.DataFrame(rows, columns=["group", "term_1", "term_2", "vcov", "sdcor"])

    def conf_int(
        self,
        level: float = WALD_LEVEL,
        method: str = "wald",
        *,
        alpha: float | None = None,
        replicates: int = 500,
        seed: int = DEFAULT_SEED,
        jobs: int = 1,
    ) -> pd.DataFrame:
        """Confidence intervals by term: conf_low, conf_high (log-odds).

        Args:
            level: 0.95 for 95%.
            method: ``wald`` (z), ``t`` (recommended where levels are few: quantiles and standard
                errors for the number of levels that an effect rests on), ``profile`` (likelihood
                ratio) or ``bootstrap`` (parametric, bias-corrected). The last two have the SDs too,
                as ``sd_(Intercept)|herd``.
            alpha: statsmodels' way of giving the level: 1 − ``level``.
            replicates: of the bootstrap.
            seed: of the bootstrap's draws.
            jobs: processes of the bootstrap; -1 is one per core.

        Raises InputError for another method or level, and where a profile has no end.
        """
        level = 1 - alpha if alpha is not None else level
        check_level(level)
        if method not in METHODS:
            raise InputError(
                f"intervals are by {', '.join(METHODS)}, not {method!r}.{suggest(method, METHODS)}"
            )
        if method == "wald":
            table = wald_intervals(self.fit, level)
        elif method == "t":
            table = t_intervals(self.fit, self.data, level)
        elif method == "profile":
            table = profile_intervals(*self._engine, level)
        else:
            refits = bootstrap(
                self.fit.formula, self.data, seed=seed, replicates=replicates, start=self.fit,
                jobs=jobs,
            )  # fmt: skip
            table = refits.intervals(level)
        names = [
            row.term if row.kind == "fixed" else f"sd_{row.term}|{row.group}"
            for row in table.itertuples()
        ]
        return table[["conf_low", "conf_high"]].set_axis(pd.Index(names, name="term"))

    def resid(self, kind: str = "deviance") -> pd.Series:
        """Residuals of every row: ``deviance``, ``pearson``, ``response`` or ``working``."""
        return residuals.residuals(self.fit, self.data, kind)

    def predict(
        self,
        data: pd.DataFrame | None = None,
        re_form: object = None,
        new_levels: str = "error",
        se: bool = False,
        kind: str = "response",
        level: float = WALD_LEVEL,
    ) -> pd.Series | pd.DataFrame:
        """Predictions for any rows.

        Args:
            data: rows with the covariates and groups; the rows fitted by default.
            re_form: which random effects enter, at their modes: all (None, as R's NULL), none
                (``"~0"``, 0 or R's NA), or some, as a formula ``"~ (1 | herd)"`` or group names.
            new_levels: for a level that the fit has not seen: ``error``, ``population`` (effect
                zero, and known), or ``integrate``: its effect is drawn from its distribution, which
                the probability is the mean over, and which the interval holds too.
            se: standard errors and intervals too.
            kind: ``response`` (probability; R's own default is the link) or ``link`` (log-odds).
            level: of the intervals.

        Returns a Series, or with ``se`` a frame: estimate, std_error, conf_low, conf_high; the
        interval of a probability is that of its log-odds, transformed.
        """
        if kind not in ("response", "link"):
            raise InputError(f"kind is 'response' or 'link', not {kind!r}")
        rows = self.data if data is None else as_frame(data)
        groups = self._groups(re_form)
        if new_levels not in ("error", "population", "integrate"):
            raise InputError(
                f"new_levels is 'error', 'population' or 'integrate', not {new_levels!r}"
            )
        integrated = new_levels == "integrate"
        known = "population" if integrated else new_levels
        eta = linear_predictor(self.fit, rows, groups, known)
        new = new_variance(self.fit, rows, groups) if integrated else np.zeros(len(rows))
        table = {"estimate": eta}
        if se:
            std_error = standard_errors(self.fit, *self._engine, rows, groups)
            std_error = np.sqrt(std_error**2 + new)
            half = critical(level) * std_error
            table |= {"std_error": std_error, "conf_low": eta - half, "conf_high": eta + half}
        if kind == "response":
            table = {
                name: value * slope(self.fit, eta, rows)
                if name == "std_error"
                else probability(self.fit, value, rows)
                for name, value in table.items()
            }
            if integrated:
                table["estimate"] = averaged(self.fit, eta, np.sqrt(new), rows)
        found = pd.DataFrame(table, index=rows.index)
        return found if se else found["estimate"].rename("fitted")

    def simulate(self, nsim: int = 1, seed: int | None = None) -> pd.DataFrame:
        """New successes for every row (columns ``sim_1``, …), all random effects drawn anew.

        Without a ``seed`` other ones every time.
        """
        if nsim < 1:
            raise InputError(f"simulate draws one data set or more, not {nsim}")
        rng, (model, optimum) = np.random.default_rng(seed), self._engine
        drawn = [simulate(model, optimum, rng) for _ in range(nsim)]
        names = [f"sim_{place}" for place in range(1, nsim + 1)]
        return pd.DataFrame(dict(zip(names, drawn, strict=True)), index=self.data.index)

    def refitted(self, successes: Sequence[float] | pd.DataFrame) -> tuple[Fit, pd.DataFrame]:
        """The same model fitted to other successes of the same rows and trials, and these rows."""
        counts = np.asarray(successes, dtype=float)
        if counts.ndim == 2 and counts.shape[1] == 1:  # what ``simulate`` gives
            counts = counts[:, 0]
        if counts.ndim != 1:
            raise InputError(
                f"a refit takes one column of successes, not an array of shape {counts.shape}"
            )
        model = self._engine[0].refit(counts)
        rows = self.fit.formula.with_successes(self.data, model.success, model.trials)
        if not np.array_equal(self.fit.formula.counts(rows)[1], model.trials):
            raise InputError(
                f"the trials of {self.fit.formula.response} change with its first column: fit a "
                "formula whose cbind is of successes and failures, or of successes and the rest"
            )
        return report(model, model.optimise(self.fit), provenance=self.fit.provenance), rows

    def anova(self, *others: Habits) -> pd.DataFrame:
        """Compare with other models by likelihood ratio, or test every term of this one.

        With other fits: one row per model, smallest first, with R's columns: model, npar, aic, bic,
        log_lik, deviance, statistic (χ²), df, p_value, and ``p_value_mixture``, which allows for
        variances being tested at their boundary. Alone: a joint Wald test of every term (type III,
        as ``car::Anova``): term, statistic, df, p_value.
        """
        if not others:
            return wald.term_tests(self.fit, self.data)
        if strange := [other for other in others if not isinstance(other, Habits)]:
            raise InputError(f"anova compares with other fitted models, not {strange[0]!r}")
        fits = sorted([self.fit, *(other.fit for other in others)], key=lambda fit: fit.df)
        rows = []
        for place, fit in enumerate(fits):
            row = {
                "model": str(fit.formula), "npar": fit.df, "aic": fit.aic, "bic": fit.bic,
                "log_lik": fit.log_lik, "deviance": fit.deviance,
            }  # fmt: skip
            if place:
                row |= likelihood_ratio_test(fit, fits[place - 1]).table().iloc[0].to_dict()
            rows.append(row)
        return pd.DataFrame(rows)

    def test(self, hypothesis: str | Sequence, level: float = WALD_LEVEL) -> pd.DataFrame:
        """Wald test of linear hypotheses: ``"resource = size"``, ``"period"``, or several jointly.

        See ``glmm.wald.linear_test``.
        """
        return wald.linear_test(self.fit, hypothesis, self.data, level)

    def emmeans(self, specs: str | Sequence[str], **options: object) -> pd.DataFrame:
        """Estimated marginal means as R's emmeans, as probabilities (``glmm.marginal.means``)."""
        return marginal.means(self.fit, self.data, specs, **options)

    def contrasts(self, specs: str | Sequence[str], **options: object) -> pd.DataFrame:
        """Contrasts of estimated means, in log-odds (``glmm.marginal.contrasts``)."""
        return marginal.contrasts(self.fit, self.data, specs, **options)

    def marginal_effects(
        self,
        variables: str | Sequence[str] | Mapping[str, Sequence] | None = None,
        re_form: object = None,
        level: float = WALD_LEVEL,
    ) -> pd.DataFrame:
        """Average marginal effects on the probability (``glmm.marginal.effects``)."""
        groups = self._groups(re_form)
        return marginal.effects(self.fit, self.data, variables, groups, level)

    def icc(self) -> pd.DataFrame:
        """Intraclass correlations on the scale of log-odds (``glmm.shares.icc``)."""
        return shares.icc(self.fit, self.data)

    def r2(self) -> pd.Series:
        """Nakagawa's R², ``marginal`` and ``conditional``."""
        return shares.r2(self.fit, self.data)

    def tidy(
        self,
        effects: str | Sequence[str] = ("fixed", "ran_pars"),
        conf_method: str = "wald",
        level: float = WALD_LEVEL,
        exponentiate: bool = False,
    ) -> pd.DataFrame:
        """Estimates as broom.mixed's ``tidy``: effect, group, term, estimate, std_error,
        statistic, p_value, conf_low, conf_high.

        Args:
            effects: of ``fixed``, ``ran_pars`` (SDs and correlations) and ``ran_vals`` (modes).
            conf_method: of the intervals, as ``conf_int``; ``t`` has its own standard errors, p
                and df.
            level: of the intervals.
            exponentiate: odds ratios for the fixed effects, their standard errors by the delta
                method.
        """
        asked = [effects] if isinstance(effects, str) else list(effects)
        if unknown := set(asked) - {"fixed", "ran_pars", "ran_vals"}:
            raise InputError(f"effects are fixed, ran_pars and ran_vals, not {name_some(unknown)}")
        tables, ends = [], self.conf_int(level, conf_method)
        if "fixed" in asked:
            if conf_method == "t":
                fixed = degrees.t_table(self.fit, self.data, level).drop(columns="group")
            else:
                own = ends.loc[self.params.index]
                fixed = self.fit.fixed_effects.assign(**own.reset_index(drop=True))
            if exponentiate:
                ratio = np.exp(fixed["estimate"])
                fixed = fixed.assign(
                    std_error=fixed["std_error"] * ratio, estimate=ratio,
                    conf_low=np.exp(fixed["conf_low"]), conf_high=np.exp(fixed["conf_high"]),
                )  # fmt: skip
            tables.append(fixed.assign(effect="fixed"))
        if "ran_pars" in asked:
            table = self.VarCorr()
            sd = table["term_2"].isna()
            names = np.where(
                sd, "sd__" + table["term_1"],
                "cor__" + table["term_1"] + "." + table["term_2"].fillna(""),
            )  # fmt: skip
            pars = {"group": table["group"], "term": names, "estimate": table["sdcor"]}
            own = ends.reindex(np.where(sd, "sd_" + table["term_1"] + "|" + table["group"], ""))
            pars |= own.reset_index(drop=True)
            tables.append(pd.DataFrame(pars).assign(effect="ran_pars"))
        if "ran_vals" in asked:
            half = critical(level) * self.fit.modes["std_error"]
            modes = self.fit.modes.rename(columns={"mode": "estimate"}).assign(effect="ran_vals")
            tables.append(
                modes.assign(conf_low=modes["estimate"] - half, conf_high=modes["estimate"] + half)
            )
        found = pd.concat(tables, ignore_index=True)
        order = ["effect", "group", "level", "term", "estimate", "std_error", "statistic", "df",
                 "p_value", "conf_low", "conf_high"]  # fmt: skip
        return Wide(found[[name for name in order if name in found.columns]])

    def glance(self) -> pd.DataFrame:
        """The fit in one row: nobs, log_lik, aic, bic, deviance, df, and the optimiser's record."""
        return self.fit.glance()

    def augment(self) -> pd.DataFrame:
        """The rows fitted with broom's columns: ``.fitted`` and ``.fixed`` (log-odds with and
        without random effects), ``.mu`` (probability), ``.resid`` (deviance residuals)."""
        rows, fit = self.data, self.fit
        eta = linear_predictor(fit, rows)
        return rows.assign(
            **{
                ".fitted": eta,
                ".fixed": linear_predictor(fit, rows, ()),
                ".mu": probability(fit, eta, rows),
                ".resid": self.resid(),
            }
        )

    def warnings(self) -> list[str]:
        """What to know of this fit before trusting it."""
        return self.fit.warnings()

    def _fixed(self, column: str) -> pd.Series:
        return self.fit.fixed_effects.set_index("term")[column]

    def _groups(self, re_form: object) -> tuple[str, ...] | None:
        """The groups that R's ``re.form`` names; None for all."""
        known = list(dict.fromkeys(term.group for term in self.fit.formula.random))
        if re_form is None:
            return None
        if isinstance(re_form, str):
            text = re_form.strip()
            if re.fullmatch(r"~\s*[01]", text):
                return ()
            if text.startswith("~"):
                asked = parse(f"{self.fit.formula.response} ~ 1 + {text[1:]}").random
                if extra := [str(term) for term in asked if term not in self.fit.formula.random]:
                    raise InputError(
                        f"the model has no random term {name_some(extra)}; it has "
                        f"{name_some(map(str, self.fit.formula.random))}"
                    )
                return tuple(term.group for term in asked)
            re_form = [text]
        elif (isinstance(re_form, float | int) and not re_form) or re_form != re_form:
            return ()
        if not isinstance(re_form, Sequence) or (unknown := set(re_form) - set(known)):
            wrong = name_some(unknown) if isinstance(re_form, Sequence) else repr(re_form)
            raise InputError(
                f"re_form is None (all random effects), '~0' (none), or names groups; {wrong} is "
                f"none of {name_some(known)}"
            )
        return tuple(re_form)
