"""Would another model have found the same? Alternative specifications (Appendix A.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import design, labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.glmm.variance import EXPLAINED_GROUPS, variance_explained
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.result import View
from capability_transfer.analysis.presentation.tables import Table, number, stars
from capability_transfer.analysis.published import values
from capability_transfer.analysis.studies.alternatives import Alternatives
from capability_transfer.analysis.study import MAIN, SPECIFICATIONS, Specification
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some, option, suggest
from capability_transfer.features.table import FEATURES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = {"non_latin": "Script other than Latin", "resource:distance": "Resource × distance"}
GROUPS = {"template:language": "Template × language", "cell": "Observation"}
DRAWN = ("resource", "distance", "size", "reasoning", "resource:size", "distance:size",
         "resource:reasoning", "distance:reasoning")  # fmt: skip
COLUMNS = 4
BASELINE = laplace.Settings(hessian="working")  # of a baseline no standard error is read
EXPLANATION = (
    "* p < .05, ** p < .01, *** p < .001; standard errors in parentheses. Explained: against "
    "size alone with the same random terms. The study states its alternatives in words only "
    "and on an earlier state of its data."
)


class Specifications(Alternatives):
    """The main model beside its alternatives.

    Attributes:
        table: one row per specification and effect: specification, label, part (``fixed``,
            ``random``), term, estimate (log-odds per SD; an SD for random effects, whose term is
            ``group`` or ``group [covariate]``), std_error, p_value, change (estimate minus the
            main model's), significance_changed (p crosses .05), aic, aic_change, log_lik, df,
            singular, explained_language, explained_variant_language (1 − SD²/SD² of a baseline
            with size alone and the same random terms), published, published_p_value.
    """

    folder = "specifications"
    title = "Alternative specifications"

    def tables(self) -> dict[str, Table]:
        return {"table_specifications": side_by_side(self.table, self.note)}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_specifications": lambda: coefficients(self.table, self.note)}

    def views(self) -> list[View]:
        """None: the table is wider than a terminal, and the findings say what differs."""
        return []

    def findings(self) -> list[str]:
        told = []
        for _, rows in self.table.groupby("specification", sort=False):
            row = rows.iloc[0]
            changed = rows.loc[rows["significance_changed"], "term"].tolist()
            largest = rows.loc[rows["part"] == "fixed", "change"].abs().max()
            told.append(
                f"{row['label']}: AIC {row['aic_change']:+,.1f}, coefficients move by at most "
                f"{largest:.3f}"
                + (f", significance of {', '.join(changed)} changes" if changed else "")
            )
        return told


@speaking_python
def specifications(
    study: Study | None = None, only: Sequence[str] | None = None, formula: str | None = None
) -> Specifications:
    """Fit every specification and its size-only baseline.

    Args:
        study: from ``load``; the embedded study without it.
        only: names of the specifications to fit beside the main model; all of
            ``study.SPECIFICATIONS`` without it.
        formula: in place of the study's main model.

    Raises InputError for a specification that is not there or cannot be fitted.
    """
    chosen = SPECIFICATIONS if only is None else choose(only)
    study = given(study)
    inputs = study.inputs
    model, without = design.chosen(formula, MAIN, inputs.cells, inputs.features)
    data = prepared(inputs, model.source)
    fitting = progress.fits(2 * len(chosen))

    def run(label: str, which: Formula, **settings: laplace.Settings) -> Fit:
        with fitting(label) as tell:
            return cached_fit(
                "laplace", which, data, study.cache, provenance=inputs.provenance, progress=tell,
                **settings,
            )  # fmt: skip

    tables = []
    for specification in chosen:
        name, label = specification.name, specification.label
        changed = varied(specification, model.source)
        try:
            fit = run(label, changed)
        except InputError as error:
            raise InputError(
                f"specification {name}: {error.message}. Choose others with {option('only')}"
            ) from error
        baseline = None
        if "size" in changed.variables():
            baseline = run(f"{label}, size only", replace(changed, fixed="size"), settings=BASELINE)
        tables.append(
            _effects(fit).assign(
                specification=name,
                label=label,
                aic=fit.aic,
                log_lik=fit.log_lik,
                df=fit.df,
                singular=fit.optimisation.singular,
                **_explained(fit, baseline),
            )
        )
    table = _with_changes(pd.concat(tables, ignore_index=True))
    table = _with_published(table, inputs.is_study and model == parse(MAIN))
    first = ["specification", "label", "part", "term", "estimate", "std_error", "p_value"]
    table = table[[*first, *(name for name in table.columns if name not in first)]]
    return Specifications(table, str(model), without, inputs.source, study.seed)


def choose(names: Sequence[str]) -> tuple[Specification, ...]:
    """The specifications of these names, the main one first; InputError for one there is not."""
    known = {each.name: each for each in SPECIFICATIONS}
    for name in names:
        if name not in known:
            raise InputError(
                f"no specification {name!r}.{suggest(name, known)} There are {name_some(known, 12)}"
            )
    return tuple(known[name] for name in dict.fromkeys(("main", *names)))


def varied(specification: Specification, main: str = MAIN) -> Formula:
    """The main model with the change of a specification."""
    model = parse(main + (f" + {specification.add}" if specification.add else ""))
    kept = tuple(term for term in model.random if term.group != specification.drop)
    return replace(model, random=kept)


def prepared(inputs: Inputs, main: str = MAIN) -> pd.DataFrame:
    """The data of every specification: ``non_latin`` is 0 or 1, ``cell`` a label of each row.

    Raises InputError for languages without a script.
    """
    added = set().union(*(varied(each, main).variables() for each in SPECIFICATIONS))
    wanted = [feature.name for feature in FEATURES if feature.name in added]
    built = design.build(inputs.cells, inputs.features, wanted)
    scripts = inputs.features.languages.set_index("language")["script"].replace("", np.nan)
    script = built.data["language"].map(scripts)
    if script.isna().any():
        unknown = name_some(built.data["language"][script.isna()].unique())
        raise InputError(
            f"no script is known for {unknown}: give it in a {option('languages')} file"
        )
    return built.data.assign(
        non_latin=(script != "Latn").astype(float), cell=np.arange(len(script)).astype(str)
    )


def _effects(fit: Fit) -> pd.DataFrame:
    fixed = fit.fixed_effects[["term", "estimate", "std_error", "p_value"]].assign(part="fixed")
    random = fit.random_effects
    intercept = random["term"] == INTERCEPT
    names = random["group"].where(intercept, random["group"] + " [" + random["term"] + "]")
    spread = pd.DataFrame({"part": "random", "term": names, "estimate": random["sd"]})
    return pd.concat([fixed, spread], ignore_index=True)


def _explained(fit: Fit, baseline: Fit | None) -> dict[str, float]:
    """Shares of variance, missing where there is no such effect or an SD is at zero."""
    has = {term.group for term in fit.formula.random} if baseline is not None else set()
    shares = {}
    for group in EXPLAINED_GROUPS:
        share = np.nan
        if group in has:
            share = variance_explained(fit, baseline, (group,))["explained"].iloc[0]
        shares[f"explained_{group.replace(':', '_')}"] = share
    return shares


def _with_changes(table: pd.DataFrame) -> pd.DataFrame:
    """What differs from the main model, effect by effect."""
    main = table[table["specification"] == "main"].set_index(["part", "term"])
    keys = pd.MultiIndex.from_frame(table[["part", "term"]])
    before = main.reindex(keys)
    crossed = (table["p_value"] < 0.05).to_numpy() != (before["p_value"] < 0.05).to_numpy()
    known = table["p_value"].notna().to_numpy() & before["p_value"].notna().to_numpy()
    return table.assign(
        change=table["estimate"].to_numpy() - before["estimate"].to_numpy(),
        significance_changed=crossed & known,
        aic_change=table["aic"] - main["aic"].iloc[0],
    )


def _with_published(table: pd.DataFrame, is_main: bool) -> pd.DataFrame:
    keys = pd.MultiIndex.from_frame(table[["specification", "part", "term"]])
    estimate, p_value = (
        values("study_specifications", ["specification", "part", "name"], column, is_main)
        .reindex(keys)
        .to_numpy()
        for column in ("estimate", "p_value")
    )
    return table.assign(published=estimate, published_p_value=p_value)


def side_by_side(table: pd.DataFrame, note: str) -> Table:
    """A column per specification, a row per effect, from ``specifications/table.csv``."""
    wide = dict(iter(table.groupby("specification", sort=False)))
    lines = []
    for part, term in table[["part", "term"]].drop_duplicates().itertuples(index=False, name=None):
        line = [_label(part, term)]
        for rows in wide.values():
            found = rows[(rows["part"] == part) & (rows["term"] == term)]
            if found.empty:
                line.append("")
                continue
            row = found.iloc[0]
            text = number(row["estimate"], 3)
            if part == "fixed":
                text += f"{stars(row['p_value'])} ({number(row['std_error'], 3)})"
            if pd.notna(row["published"]):
                text += f" [{number(row['published'], 2)}]"
            line.append(text)
        lines.append(line)
    lines.sort(key=lambda line: line[0].startswith("SD"))
    for label, column, write in (
        ("AIC − main model's", "aic_change", lambda value: number(value, 1)),
        ("Explained, language", "explained_language", _percent),
        ("Explained, variant × language", "explained_variant_language", _percent),
    ):
        lines.append([label, *(write(rows[column].iloc[0]) for rows in wide.values())])
    headings = ["", *(rows["label"].iloc[0] for rows in wide.values())]
    display = pd.DataFrame(lines, columns=headings)
    caption = "Alternative specifications (log-odds per SD); published figures in brackets."
    return Table("table_specifications", caption, f"{EXPLANATION} {note}", table, display)


def _label(part: str, term: str) -> str:
    if part == "fixed":
        return LABELS.get(term, labels.term(term))
    group, _, covariate = term.partition(" [")
    name = GROUPS.get(group, labels.group(group))
    return f"SD {name}" + (f", {labels.term(covariate[:-1])}" if covariate else "")


def _percent(share: float) -> str:
    return "" if pd.isna(share) else f"{number(100 * share, 1)}%"


@plots.styled
def coefficients(table: pd.DataFrame, note: str) -> Figure:
    """The main coefficients under every specification, one panel each, 95% Wald intervals.

    From ``specifications/table.csv``.
    """
    specifications = table.drop_duplicates("specification").set_index("specification")["label"]
    figure = plots.new_figure(8.0, 2 * (0.21 * len(specifications) + 0.75) + 0.5)
    terms = [term for term in DRAWN if term in set(table["term"])]
    panels = figure.subplots(2, COLUMNS, sharey=True, squeeze=False)
    for axes in panels.flat[len(terms) :]:
        axes.set_visible(False)
    fixed = table[table["part"] == "fixed"]
    for axes, term in zip(panels.flat, terms, strict=False):
        rows = fixed[fixed["term"] == term].set_index("specification").reindex(specifications.index)
        half = 1.96 * rows["std_error"]
        ends = {"conf_low": rows["estimate"] - half, "conf_high": rows["estimate"] + half}
        axes.axvline(rows.loc["main", "estimate"], color=plots.MUTED, linewidth=0.8, linestyle=":")
        plots.forest(axes, rows[["estimate"]].assign(**ends), specifications, fontsize=8)
        axes.set_title(plots.plain(labels.term(term)), fontsize=7.5)
        axes.tick_params(axis="x", labelsize=7.5)
        axes.margins(x=0.08)
    for axes in panels[-1]:
        axes.set_xlabel("log-odds per SD", fontsize=8)
    shows = (
        "Estimates of the main model's coefficients under every alternative specification, with "
        "95% Wald intervals; dotted: the main model's own."
    )
    plots.add_note(figure, note, shows)
    return figure
