"""What determines capability: the study's GLMM, its constants and the variance it explains."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis import design as designs
from capability_transfer.analysis import study
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.diagnostics import separated_levels
from capability_transfer.analysis.glmm.engines import ENGINES
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.judge import Judgement, judge
from capability_transfer.analysis.glmm.r_session import session
from capability_transfer.analysis.glmm.result import Fit, untimed
from capability_transfer.analysis.glmm.separation import find_separation
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.variance import EXPLAINED_GROUPS, variance_explained
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.files import write_table
from capability_transfer.features.table import FEATURES

MODES = {
    "lme4": "our engine finds the optimum, lme4 evaluates its own likelihood there",
    "laplace": "our engine alone; needs no R",
    "lme4-cold": "lme4 alone, from nothing (many minutes on a full design)",
}
MODES |= {name: f"{name} alone" for name in ENGINES if name not in MODES}
"""How the model is fitted: who optimises and who judges."""

CHECK = "lme4_check.csv"
"""What lme4 says at the optimum, in ``glmm/``."""

OPTIMISER = {"lme4": "laplace", "lme4-cold": "lme4"}
"""The engine that optimises, where it is not the one of the mode's name."""


@dataclass(frozen=True)
class Determinants:
    """The fit of section 4.1 and what is read off it.

    Attributes:
        fit: the model.
        baseline: size alone with the same random terms, or None where the formula has neither a
            size effect nor the groups of the variance explained.
        design: the cells and constants behind the fit.
        judgement: what lme4 says at the optimum, where it was asked.
        is_study: whether published figures stand beside ours (embedded data, the study's model).
        intervals: of ``analysis.glmm.inference``, where they were asked for.
        notes: what the study's model is without, since these data cannot tell it.
    """

    fit: Fit
    baseline: Fit | None
    design: designs.Design
    is_study: bool
    judgement: Judgement | None = None
    intervals: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()

    def fixed_effects(self) -> pd.DataFrame:
        """Fixed effects (log-odds per SD), the published ones and the difference from them."""
        return self._beside(self.fit.fixed_effects, "term", "estimate", "fixed")

    def factors(self) -> list[str]:
        """Covariates that are text: their levels are compared with the first of them."""
        covariates = self.fit.formula.covariates()
        return [name for name in self.design.factors() if name in covariates]

    def unit(self) -> str:
        """What the fixed effects are measured in."""
        factors = self.factors()
        against = f"; levels of {', '.join(factors)} against the first" if factors else ""
        return f"log-odds per SD{against}"

    def random_effects(self) -> pd.DataFrame:
        """Random-effect SDs (log-odds) by group, largest first."""
        table = self.fit.random_effects
        if (table["term"] == "(Intercept)").all():
            table = table.drop(columns="term")
        table = table.sort_values("sd", ascending=False, ignore_index=True, kind="stable")
        return self._beside(table, "group", "sd", "random")

    def standardisation(self) -> pd.DataFrame:
        """Table 4: feature, mean, sd, published_mean, published_sd (raw units)."""
        table = self.design.constants.copy()
        for column in ("mean", "sd"):
            published = study.published(column) if self.is_study else pd.Series(dtype=float)
            table[f"published_{column}"] = table["feature"].map(published).astype(float)
        return table

    def variance_explained(self) -> pd.DataFrame:
        """Share of the SD² of language and variant:language that the features explain.

        With bootstrap intervals also their conf_low, conf_high (95%) and replicates.
        """
        if self.baseline is None:
            return pd.DataFrame(columns=["group", "sd_baseline", "sd", "explained"])
        table = variance_explained(self.fit, self.baseline)
        if self.intervals is not None and (self.intervals["kind"] == "explained").any():
            ends = self.intervals.query("kind == 'explained'")
            ends = ends[["group", "conf_low", "conf_high", "replicates"]]
            table = table.merge(ends, on="group", validate="one_to_one")
        return self._beside(table, "group", "explained", "explained")

    def lme4_check(self) -> pd.DataFrame:
        """Our log-likelihood, modes and standard errors beside lme4's at the same point."""
        if self.judgement is None:
            return pd.DataFrame(columns=["quantity", "term", "ours", "lme4", "difference"])
        return self.judgement.table()

    def _beside(self, table: pd.DataFrame, key: str, value: str, kind: str) -> pd.DataFrame:
        published = study.published(kind) if self.is_study else pd.Series(dtype=float)
        beside = table[key].map(published).astype(float)
        return table.assign(published=beside, difference=table[value] - beside)


def determinants(
    inputs: Inputs,
    formula: str | None,
    mode: str,
    cache: Path | None,
    fitting: Callable[[str], AbstractContextManager[Callable]],
    drop_missing: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Determinants:
    """Join, standardise and fit; the baseline too, where variance explained is defined.

    Args:
        inputs: outcomes and features.
        formula: lme4 syntax, the study's main model if None.
        mode: one of ``MODES``.
        cache: where finished fits are kept.
        fitting: makes a progress context from a label.
        drop_missing: drop rows that lack a feature instead of raising.
        tell: called before the fit with what the data let one expect of it (separated levels).

    Raises InputError for data or formulas that cannot be fitted, EngineMissing for ``lme4`` and
    ``lme4-cold`` without R.
    """
    check_asked(formula, mode)
    model, notes = designs.chosen(formula, study.MAIN, inputs.cells, inputs.features, drop_missing)
    _check_names(model, inputs)
    wanted = designs.needed(model, inputs.features)
    built = designs.build(inputs.cells, inputs.features, wanted, drop_missing)
    if mode in OPTIMISER:
        session()  # R missing is said before the work, not after it
    if tell is not None:
        for text in notes:
            tell(text)
        for text in expectations(model, built.data):
            tell(text)

    def run(label: str, which: Formula) -> Fit:
        engine = OPTIMISER.get(mode, mode)
        with fitting(label) as progress:
            return cached_fit(
                engine, which, built.data, cache, provenance=inputs.provenance, progress=progress
            )

    small = baseline_formula(model)
    fit = run("main model", model)
    return Determinants(
        fit=fit,
        baseline=None if small is None else run("size-only baseline", small),
        design=built,
        is_study=inputs.is_study and model == parse(study.MAIN),
        judgement=judge(fit, built.data, cache) if mode == "lme4" else None,
        notes=notes,
    )


def check_asked(formula: str | None, mode: object) -> None:
    """Raise InputError for what is no formula, and for no way of fitting (``MODES``)."""
    if formula is not None:
        parse(formula)
    if not isinstance(mode, str) or mode not in MODES:
        near = suggest(str(mode), MODES)
        raise InputError(f"no engine {mode!r}; there are {', '.join(MODES)}.{near}")


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
            f"the formula names {name}, which is no feature and no key of the outcomes."
            f"{suggest(name, known)} There are {name_some(known, 12)}. A covariate of your own is "
            "a column of a --languages or --models file"
        )


def baseline_formula(model: Formula) -> Formula | None:
    """Size alone with the same random terms (section 4.2), if ``model`` has what that needs."""
    groups = {term.group for term in model.random}
    has_size = "size" in model.variables()
    if not has_size or not groups.issuperset(EXPLAINED_GROUPS):
        return None
    return replace(model, fixed="size")


def write(result: Determinants, directory: Path) -> list[Path]:
    """Write the fit as tidy files into ``glmm/``: effects, SDs, constants, glance.

    A table that does not apply to the fit (correlations without slopes, say) is not written. What
    lme4 said of this very optimum in an earlier fit stays where it was not asked again. What a fit
    took is told, and kept with the fit in the cache; here ``seconds`` is empty, since the same data
    and code write the same files.
    """
    check = result.lme4_check()
    if result.judgement is None:
        check = kept_check(result.fit, directory)
    tables = {
        "fixed_effects": result.fixed_effects(),
        "random_effects": result.random_effects(),
        "standardisation": result.standardisation(),
        "variance_explained": result.variance_explained(),
        "correlations": result.fit.correlations,
        "lme4_check": check.round(5),
        "glance": untimed(result.fit.glance()),
    }
    written = []
    for name, table in tables.items():
        path = Path(directory) / "glmm" / f"{name}.csv"
        if not table.empty:
            written.append(write_table(table, path))
        else:
            path.unlink(missing_ok=True)  # of an earlier fit, to which it did apply
    return written


def kept_check(fit: Fit, directory: Path) -> pd.DataFrame:
    """What lme4 said of the optimum of ``fit`` when an earlier run wrote it; empty if it did not.

    The optimum is the same where the log-likelihood (within 0.001) and the standard errors of the
    same terms (within 0.1%) are.
    """
    try:
        kept = pd.read_csv(Path(directory) / "glmm" / CHECK)
        ours = kept.set_index(["quantity", "term"])["ours"]
        log_lik = ours["log_lik"].item()
        errors = ours["std_error"]
    except (OSError, ValueError, KeyError):
        return pd.DataFrame()
    own = fit.fixed_effects.set_index("term")["std_error"]
    same = (
        abs(log_lik - fit.log_lik) < 1e-3
        and errors.index.equals(own.index)
        and ((errors / own - 1).abs() < 1e-3).all()
    )
    return kept if same else pd.DataFrame()


def written_std_error_rx(directory: Path) -> pd.Series | None:
    """lme4's RX-based standard errors (log-odds) by term, as ``write`` left them; None without."""
    path = Path(directory) / "glmm" / CHECK
    if not path.is_file():
        return None
    kept = pd.read_csv(path)
    return kept[kept["quantity"] == "std_error"].set_index("term")["lme4"]
