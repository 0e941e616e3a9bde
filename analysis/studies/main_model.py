"""What determines capability: the study's GLMM, or a user's, with its tables and figure.

Table 3 (effects), Table 4 (constants), Figure 2, and the variance that the features explain
(sections 4.1 and 4.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.design import Design, build, chosen, needed
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.glmm.degrees import few_levels
from capability_transfer.analysis.glmm.diagnostics import separated_levels
from capability_transfer.analysis.glmm.engines import OPTIMISER, check_mode
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.judge import Judgement, judge
from capability_transfer.analysis.glmm.r_session import session
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.glmm.separation import find_separation
from capability_transfer.analysis.glmm.variance import (
    EXPLAINED_GROUPS,
    unexplained,
    variance_explained,
)
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, Sheet, View
from capability_transfer.analysis.presentation.tables import Table, number, p_value
from capability_transfer.analysis.published import beside, values
from capability_transfer.analysis.studies import sentences
from capability_transfer.analysis.studies.glmer import Glmm
from capability_transfer.analysis.studies.inference import Findings, Request, infer
from capability_transfer.analysis.study import MAIN
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some, option, suggest
from capability_transfer.common.files import rounded
from capability_transfer.common.memory import release
from capability_transfer.features.table import FEATURES

if TYPE_CHECKING:
    from capability_transfer.analysis.studies.levers import Levers
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CHECK = ["quantity", "term", "ours", "lme4", "difference"]
"""Columns of what lme4 says at an optimum."""

COLUMNS = ("part", "name", "term", "levels", "estimate", "std_error", "std_error_rx", "statistic",
           "p_value", "conf_low", "conf_high", "published", "difference")  # fmt: skip
RX = "SE (RX): lme4's, which take the SDs as known"
DISPLAYED = {
    "estimate": ("Estimate", partial(number, digits=3)),
    "std_error": ("SE", partial(number, digits=3)),
    "std_error_rx": ("SE (RX)", partial(number, digits=3)),
    "statistic": ("z", partial(number, digits=2)),
    "p_value": ("p", p_value),
    "published": ("Published", partial(number, digits=3)),
    "difference": ("Difference", partial(number, digits=3)),
}


@dataclass(frozen=True, eq=False, repr=False)
class FittedModel(Result, Glmm):
    """A fitted GLMM. Effects are in log-odds, per SD of the predictor where it is a number.

    Beside what is here it answers to everything that ``Glmm`` does: ``summary()``, ``conf_int()``.

    Attributes:
        study: the data.
        fit: the engine's result: covariance, conditional modes, likelihood, diagnostics.
        baseline: size alone with the same random terms, or None where the formula has neither a
            size effect nor the groups of the variance explained.
        design: the cells and constants behind the fit.
        is_study: whether published figures stand beside ours (embedded data, the study's model).
        without: what the study's model is without, since these data cannot tell it.
        expected: what was known of the fit beforehand, see ``expectations``.
        judgement: what lme4 says at the optimum, where it was asked.
        lme4_check: quantity, term, ours, lme4, difference at our optimum; empty but for engine
            ``lme4``.
        asked: intervals and checks, where they were asked for.
    """

    study: Study
    fit: Fit
    baseline: Fit | None
    design: Design
    is_study: bool
    without: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    judgement: Judgement | None = None
    lme4_check: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=CHECK))
    asked: Findings = field(default_factory=Findings)

    folder = "glmm"
    title = "Fit of `transfer glmm`"

    @property
    def provenance(self) -> Provenance:
        return Provenance.of(self.study.source, self.fit, self.study.seed)

    @property
    def formula(self) -> str:
        """The model in lme4's syntax."""
        return str(self.fit.formula)

    @property
    def data(self) -> pd.DataFrame:
        """The rows that were fitted: keys, counts, and predictors (numbers as z-scores)."""
        return self.design.data.copy()

    @property
    def constants(self) -> pd.DataFrame:
        """feature, mean, sd (raw units): what the z-scores were made with."""
        return self.design.constants.copy()

    @property
    def fixed_effects(self) -> pd.DataFrame:
        """term, estimate, std_error, statistic, p_value, conf_low, conf_high (log-odds, Wald 95%).

        With published and difference where the study published the estimate.
        """
        return self._compared("fixed_effects")

    @property
    def random_effects(self) -> pd.DataFrame:
        """group, levels, sd (log-odds), largest first."""
        return self._compared("random_effects")

    @property
    def modes(self) -> pd.DataFrame:
        """group, term, level, mode, std_error: the conditional modes (BLUPs), log-odds."""
        return self.fit.modes.copy()

    @property
    def variance_explained(self) -> pd.DataFrame:
        """group, sd_baseline, sd, explained: against size alone with the same random terms.

        Empty where the formula has no size effect or lacks the groups (language and
        variant:language). With bootstrap intervals also their conf_low, conf_high (95%) and
        replicates.
        """
        return self._compared("variance_explained")

    def _compared(self, name: str) -> pd.DataFrame:
        """A frame without the columns of published figures where nothing was published."""
        unpublished = [] if self.is_study else ["published", "difference"]
        return self.frames()[name].drop(columns=unpublished, errors="ignore")

    def factors(self) -> list[str]:
        """Covariates that are text: their levels are compared with the first of them."""
        covariates = self.fit.formula.covariates()
        return [name for name in self.design.factors() if name in covariates]

    def unit(self) -> str:
        """What the fixed effects are measured in."""
        factors = self.factors()
        against = f"; levels of {', '.join(factors)} against the first" if factors else ""
        return f"log-odds per SD{against}"

    def frames(self) -> dict[str, pd.DataFrame]:
        """Effects, SDs, constants, what is explained, correlations, lme4's verdict, glance; and
        what was asked for."""
        random = self.fit.random_effects
        if (random["term"] == INTERCEPT).all():
            random = random.drop(columns="term")
        random = random.sort_values("sd", ascending=False, ignore_index=True, kind="stable")
        return {
            "fixed_effects": self._beside(self.fit.fixed_effects, "term", "estimate", "fixed"),
            "random_effects": self._beside(random, "group", "sd", "random"),
            "standardisation": self._standardisation(),
            "variance_explained": self._explained(),
            "correlations": self.fit.correlations,
            "lme4_check": self.lme4_check,
            "glance": self.fit.glance(),
            **self.asked.tables(),
        }

    def _standardisation(self) -> pd.DataFrame:
        table = self.constants
        for column in ("mean", "sd"):
            table[f"published_{column}"] = table["feature"].map(self._known(column)).astype(float)
        return table

    def _explained(self) -> pd.DataFrame:
        if self.baseline is None:
            return pd.DataFrame(columns=["group", "sd_baseline", "sd", "explained"])
        table = variance_explained(self.fit, self.baseline)
        if (intervals := self.asked.intervals) is not None:
            ends = intervals[intervals["kind"] == "explained"]
            if len(ends):
                ends = ends[["group", "conf_low", "conf_high", "replicates"]]
                table = table.merge(ends, on="group", validate="one_to_one")
        return self._beside(table, "group", "explained", "explained")

    def _beside(self, table: pd.DataFrame, key: str, value: str, kind: str) -> pd.DataFrame:
        return beside(table, self._known(kind), key, value)

    def _known(self, kind: str) -> pd.Series:
        return values("study_estimates", "name", when=self.is_study, kind=kind)

    def tables(self) -> dict[str, Table]:
        """``table_03`` (effects) and ``table_04`` (constants)."""
        frames = self.frames()
        errors = self.lme4_check[self.lme4_check["quantity"] == "std_error"]
        made = (
            table_03(
                frames["fixed_effects"],
                frames["random_effects"],
                self.note,
                None if errors.empty else errors.set_index("term")["lme4"],
                self.fit.correlations,
                self.unit(),
            ),
            table_04(frames["standardisation"], self.note),
        )
        return {table.name: table for table in made}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        levels = "".join(f" Levels of {name} against the first." for name in self.factors())
        fixed = self.frames()["fixed_effects"]
        return {"figure_02": lambda: figure_02(fixed, self.note + levels)}

    def views(self) -> list[View]:
        """Table 3 in two parts, the variance explained, and intervals where they were asked for."""
        table = self.tables()["table_03"]
        fixed, display = table.data["part"] == "fixed", table.display.drop(columns="z")
        random = display.columns.difference(["SE", "SE (RX)", "p"], sort=False)
        shown = [
            View(f"Fixed effects ({self.unit()}{self._legend()})", display[fixed]),
            View("Random effects (log-odds)", display.loc[~fixed, random]),
        ]
        explained = self.variance_explained
        if not explained.empty:
            columns = {
                "": explained["group"].map(labels.group),
                "SD size only": [number(value, 3) for value in explained["sd_baseline"]],
                "SD": [number(value, 3) for value in explained["sd"]],
                "Explained": explained["explained"].map(_percent),
            }
            if "published" in explained.columns:
                columns["Published"] = explained["published"].map(_percent)
                points = [number(100 * value, 1) for value in explained["difference"]]
                columns["Difference (points)"] = points
            title = "Variance explained, against size alone"
            shown.append(View(title, pd.DataFrame(columns)))
        return [*shown, *self.asked.views()]

    def _legend(self) -> str:
        """What the column of lme4's standard errors is, where there is one."""
        return "" if self.lme4_check.empty else f"; {RX}"

    def findings(self) -> list[str]:
        fit, record = self.fit, self.fit.optimisation
        told = [
            f"{fit.engine} {fit.versions.get(fit.engine, '')}: {fit.nobs:,} rows, {fit.trials:,} "
            f"trials, logLik {fit.log_lik:.2f}, AIC {fit.aic:.1f}; {record.optimizer}, "
            f"{record.evaluations} evaluations, {record.seconds:.1f} s, standard errors: "
            f"{record.hessian} Hessian, {'converged' if record.converged else 'NOT CONVERGED'}"
        ]
        if self.judgement is not None:
            theirs = self.judgement.theirs
            told.append(
                f"lme4 {theirs.versions['lme4']} at this optimum: logLik {theirs.log_lik:.6f}, "
                f"ours minus lme4's {self.judgement.log_lik_difference:.1e}; conditional modes "
                f"within {self.judgement.max_mode_difference:.1e}"
            )
        return [*told, *self.asked.notes]

    def notes(self) -> list[str]:
        """What to know of this fit before trusting it: what was left out, few levels,
        convergence, separation, dispersion."""
        told = [*self.without, *self.expected, *self.design.omissions()]
        told += unexplained(self._explained())
        if self.asked.intervals is None or (self.asked.intervals["method"] == "wald").all():
            told += few_levels(self.fit, self.design.data)
        for label, which in (("main model", self.fit), ("size-only baseline", self.baseline)):
            told += [f"{label}: {text}" for text in (which.warnings() if which else ())]
        return told

    warnings = notes

    def sheet(self) -> Sheet:
        fit, record = self.fit, self.fit.optimisation
        facts = {
            "formula": self.formula,
            "data": f"{fit.nobs:,} rows, {fit.trials:,} answers: {self.study.source}",
            "likelihood": f"log {fit.log_lik:.2f}, AIC {fit.aic:.1f} (Laplace approximation)",
            "engine": f"{fit.engine}, standard errors from the {record.hessian} Hessian",
        }
        if (judgement := self.judgement) is not None:
            facts[f"lme4 {judgement.theirs.versions['lme4']}"] = (
                f"its log-likelihood at this optimum is {judgement.theirs.log_lik:.2f}, modes "
                f"within {judgement.max_mode_difference:.0e}; {RX}"
            )
        facts |= {
            f"explained, {labels.group(row.group)}": f"{row.explained:.1%} of the variance that "
            "size alone leaves"
            for row in self.variance_explained.dropna(subset="explained").itertuples()
        }
        table = self.tables()["table_03"]
        display = table.display.drop(columns="z")
        ends = zip(table.data["conf_low"], table.data["conf_high"], strict=True)
        interval = [
            "" if pd.isna(low) else f"{number(low, 2)} to {number(high, 2)}" for low, high in ends
        ]
        display.insert(display.columns.get_loc("p"), "95% interval", interval)
        title = "GLMM (binomial, logit), effects in log-odds"
        return Sheet(title, facts, display, tuple(self.notes()))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Forest plot of the fixed effects; published estimates are hollow marks."""
        table = self.fixed_effects
        with plots.axes(ax, 6.4, height(table), self.note) as ax:
            forest(ax, table)
            plots.legend_above(ax)
        return ax

    def report(self) -> str:
        """Sentences for a paper's Methods and Results, and what has to be said with them."""
        return sentences.report(
            self.fit, self.study.source, self.data, self.study.seed, self.notes()
        )

    @speaking_python
    def levers(self) -> Levers:
        """What size and reasoning do to the gap to English, and what scarcity costs in size."""
        from capability_transfer.analysis.studies.levers import read_off  # which fits this model

        return read_off(self)

    def write(self, directory: str | Path) -> None:
        """Write it as every result; a table that does not apply to the fit is not written.

        What lme4 said of this very optimum in an earlier fit stays where it was not asked again.
        """
        check = rounded(self.lme4_check, 5)
        if self.judgement is None:
            check = kept_check(self.fit, Path(directory) / self.folder / "lme4_check.csv")
        Result.write(replace(self, lme4_check=check), directory)


@speaking_python
def fit(
    study: Study | None = None,
    formula: str | None = None,
    engine: str = "laplace",
    *,
    drop_missing: bool = False,
    baseline: bool = True,
    request: Request | None = None,
) -> FittedModel:
    """Fit a crossed random-effects logistic GLMM to a study's cells.

    Args:
        study: from ``load``; the embedded study without it.
        formula: in lme4's syntax, of features and columns of the study; the study's Eq. 1 without.
        engine: ``laplace`` (ours, no R), ``lme4`` (ours, with lme4's verdict at the optimum) or
            ``lme4-cold`` (lme4 alone).
        drop_missing: drop rows that lack a feature the formula names, instead of raising.
        baseline: fit size alone too, where the variance explained is defined.
        request: intervals and checks to compute besides.

    Raises InputError for a formula that names what is not there, and for data that cannot be
    fitted; EngineMissing for ``lme4`` and ``lme4-cold`` without R.
    """
    check_asked(formula, engine)
    study = given(study)
    inputs = study.inputs
    model, without = chosen(formula, MAIN, inputs.cells, inputs.features, drop_missing)
    _check_names(model, inputs)
    wanted = needed(model, inputs.features)
    design = build(inputs.cells, inputs.features, wanted, drop_missing)
    if engine in OPTIMISER:
        session()  # R missing is said before the work, not after it
    small = baseline_formula(model)
    second = small if baseline else None
    fitting = progress.fits(1 if second is None else 2)

    release()

    def run(label: str, which: Formula) -> Fit:
        with fitting(label) as tell:
            return cached_fit(
                OPTIMISER.get(engine, engine), which, design.data, study.cache,
                provenance=inputs.provenance, progress=tell,
            )  # fmt: skip

    fitted = run("main model", model)
    result = FittedModel(
        study,
        fitted,
        None if second is None else run("size-only baseline", second),
        design,
        inputs.is_study and model == parse(MAIN),
        without,
        tuple(expectations(model, design.data)),
    )
    if engine == "lme4":
        verdict = judge(fitted, design.data, study.cache)
        result = replace(result, judgement=verdict, lme4_check=verdict.table())
    if request is None:
        return result
    return replace(result, asked=infer(fitted, design.data, small, request, study.cache))


def check_asked(formula: str | None, mode: object) -> None:
    """Raise InputError for a text that is not a formula, and for no way of fitting (``MODES``)."""
    if formula is not None:
        parse(formula)
    check_mode(mode)


def expectations(model: Formula, data: pd.DataFrame) -> list[str]:
    """What is known of a fit beforehand: covariates that foretell outcomes without error, and
    levels whose outcomes are all right or all wrong."""
    told = []
    matrix, names = model.fixed_matrix(data)
    found = find_separation(matrix, np.eye(len(names)), names, *model.counts(data))
    if found is not None:
        told.append(found.sentence())
    if (levels := separated_levels(model, data)) and found is None:
        told.append(
            f"{name_some(levels)}: their effects are held back by the random-effect SD alone"
        )
    return told


def _check_names(model: Formula, inputs: Inputs) -> None:
    """Raise InputError for a name that is neither a feature nor a column of the cells."""
    tables = inputs.features
    features = [*tables.languages.columns, *tables.models.columns, *tables.pairs.columns]
    known = list(dict.fromkeys([*(f.name for f in FEATURES), *inputs.cells.columns, *features]))
    for name in sorted(model.variables().difference(known)):
        raise InputError(
            f"the formula names {name}, which is neither a feature nor a key of the outcomes."
            f"{suggest(name, known)} There are {name_some(known, 12)}. A covariate of your own is "
            f"a column of a {option('languages')} or {option('models')} file"
        )


def baseline_formula(model: Formula) -> Formula | None:
    """Size alone with the same random terms (section 4.2), if ``model`` has what that needs."""
    groups = {term.group for term in model.random}
    has_size = "size" in model.variables()
    if not has_size or not groups.issuperset(EXPLAINED_GROUPS):
        return None
    return replace(model, fixed="size")


def kept_check(fit: Fit, path: Path) -> pd.DataFrame:
    """What lme4 said of the optimum of ``fit`` when an earlier run wrote it; empty if it did not.

    The optimum is the same where the log-likelihood (within 0.001) and the standard errors of the
    same terms (within 0.1%) are.
    """
    try:
        kept = pd.read_csv(path)
        ours = kept.set_index(["quantity", "term"])["ours"]
        log_lik = ours["log_lik"].item()
        errors = ours["std_error"]
    except (OSError, ValueError, KeyError):
        return pd.DataFrame(columns=CHECK)
    own = fit.fixed_effects.set_index("term")["std_error"]
    same = (
        abs(log_lik - fit.log_lik) < 1e-3
        and errors.index.equals(own.index)
        and ((errors / own - 1).abs() < 1e-3).all()
    )
    return kept if same else pd.DataFrame(columns=CHECK)


def table_03(
    fixed_effects: pd.DataFrame,
    random_effects: pd.DataFrame,
    note: str,
    std_error_rx: pd.Series | None = None,
    correlations: pd.DataFrame | None = None,
    unit: str = "log-odds per SD",
) -> Table:
    """Fixed effects and random-effect SDs, ours beside the published ones.

    From ``fixed_effects.csv`` and ``random_effects.csv`` as ``make glmm`` writes them.
    ``std_error_rx`` are lme4's standard errors by term, which take the SDs as known; they stand
    beside the fit's own where they were computed. ``correlations`` are those of random slopes,
    ``unit`` that of the fixed effects. Columns of published figures are left out where there are
    none.
    """
    fixed = fixed_effects.rename(columns={"term": "name"}).assign(part="fixed")
    random = random_effects.rename(columns={"group": "name", "sd": "estimate"})
    parts = [fixed, random.assign(part="random")]
    if correlations is not None and not correlations.empty:
        term = correlations["term_1"] + " ~ " + correlations["term_2"]
        named = correlations.rename(columns={"group": "name", "correlation": "estimate"})
        parts.append(named.assign(part="correlation", term=term))
    data = pd.concat(parts, ignore_index=True)
    compared = data["published"].notna().any()
    if std_error_rx is not None:
        data["std_error_rx"] = data["name"].where(data["part"] == "fixed").map(std_error_rx)
    data = data.reindex(columns=[name for name in COLUMNS if name in data.columns])
    data = data.astype({"levels": "Int64"})
    display = pd.DataFrame({"": [_label(row) for row in data.to_dict("records")]})
    for column, (heading, write) in DISPLAYED.items():
        if column in data.columns and (compared or column not in ("published", "difference")):
            display[heading] = ["" if pd.isna(value) else write(value) for value in data[column]]
    caption = f"Fixed effects ({unit}) and random-effect SDs."
    caption = f"Table 3. {caption}" if compared else caption
    if std_error_rx is not None:
        note = f"{note} SE: from the exact Hessian; {RX}."
    return Table("table_03", caption, note, data, display)


def _label(row: dict) -> str:
    if row["part"] == "fixed":
        return labels.term(row["name"])
    if row["part"] == "correlation":
        pair = " and ".join(labels.term(name) for name in row["term"].split(" ~ "))
        return f"Correlation {labels.group(row['name'])}, {pair}"
    slope = row.get("term", INTERCEPT)
    what = "" if slope == INTERCEPT else f", {labels.term(slope)}"
    return f"SD {labels.group(row['name'])}{what} ({row['levels']} levels)"


def _percent(share: float) -> str:
    return f"{number(100 * share, 1)}%" if share == share else "–"


def table_04(standardisation: pd.DataFrame, note: str) -> Table:
    """The constants that return standardised effects to raw units, from ``standardisation.csv``."""
    compared = standardisation["published_mean"].notna().any()
    columns = {"Mean": "mean", "SD": "sd"}
    if compared:
        columns |= {"Published mean": "published_mean", "Published SD": "published_sd"}
    names = standardisation["feature"]
    display = pd.DataFrame(
        {
            "Term": [labels.FEATURES.get(name, name) for name in names],
            "Raw quantity": [labels.RAW.get(name, "") for name in names],
            **{
                heading: [number(value, 3) for value in standardisation[column]]
                for heading, column in columns.items()
            },
        }
    )
    caption = "Table 4. Standardisation constants." if compared else "Standardisation constants."
    return Table("table_04", caption, note, standardisation, display)


@plots.styled
def figure_02(table: pd.DataFrame, note: str) -> Figure:
    """Fixed effects with 95% Wald intervals, the published estimates beside them.

    From ``glmm/fixed_effects.csv``; the intercept is left out.
    """
    figure = plots.new_figure(6.4, height(table))
    forest(figure.add_subplot(), table)
    figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    compared = "published" in table and table["published"].notna().any()
    shows = "Fixed effects with 95% Wald intervals, without the intercept" + (
        "; hollow: as published (Table 3)." if compared else "."
    )
    plots.add_note(figure, note, shows)
    return figure


def height(table: pd.DataFrame) -> float:
    """Inches that a forest plot of these fixed effects takes."""
    return 0.29 * (table["term"] != INTERCEPT).sum() + 1.3


def forest(axes: Axes, table: pd.DataFrame) -> None:
    """The forest plot itself, without a legend."""
    table = table[table["term"] != INTERCEPT]
    names = [labels.term(name) for name in table["term"]]
    plots.forest(axes, table, names, published="published (Table 3)")
    estimates = [number(value, 2) for value in table["estimate"]]
    plots.name_rows(axes, axes.get_yticks(), names, estimates)
    axes.set_xlabel(
        "log-odds of a correct answer per SD of the predictor (reasoning: on against off)"
    )
