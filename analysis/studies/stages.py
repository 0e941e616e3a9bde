"""What responses in your logs tell: how far answers get, in which format, at which cost.

Stages (section 4.4, Appendix I): an outcome is counted in a cell: operands of the gold solution
that the response names, its intermediate values, the final answer; beside them compliance with the
answer format. The model is Eq. 1 whole unless a formula says otherwise; the study's text describes
Table 6 without the reasoning terms. Compute (Appendix E.2): what a language gap costs to close.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import labels, published, study
from capability_transfer.analysis.data import Study
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.inputs import load
from capability_transfer.analysis.outcomes.responses import stage_cells
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, View
from capability_transfer.analysis.presentation.tables import Table, number, p_value
from capability_transfer.analysis.studies import main_model
from capability_transfer.common.errors import InputError, option
from capability_transfer.common.files import write_table
from capability_transfer.features import models as model_registry
from statsmodels.stats.proportion import proportion_confint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {"operands": "Operands read", "intermediates": "Intermediate values", "final": "Answer"}
REFERENCE = "eng"
LOOKS = (
    ("o", plots.OURS),
    ("s", plots.PUBLISHED),
    ("D", plots.INK),
    ("^", plots.MUTED),
)
"""Of the stages: mark and colour."""

MODES = {"off": ("o", plots.OURS), "on": ("D", plots.PUBLISHED)}


@dataclass(frozen=True)
class Settings:
    """Settings of the fit of every stage, as for ``transfer glmm``.

    ``directory`` keeps each stage's cells (``stages/STAGE.parquet``: they are outcome files of
    their own) and finished fits.

    Raises InputError for a formula or an engine that is not one.
    """

    directory: Path
    formula: str | None = None
    engine: str = "laplace"
    models: Path | None = None
    languages: Path | None = None
    split: str | None = "symbolic"
    drop_missing: bool = False

    def __post_init__(self) -> None:
        main_model.check_asked(self.formula, self.engine)


@dataclass(frozen=True, eq=False, repr=False)
class Stages(Result):
    """Effects and rates at each stage.

    Attributes:
        fixed: stage, term, estimate, std_error, statistic, p_value, conf_low, conf_high
            (log-odds per SD).
        random: stage, group, levels, sd (log-odds).
        rates: stage, language, rate (0–1), conf_low, conf_high (95% Wilson), n: pooled over
            variants and templates.
        fit: of the last stage, which names the engine and the model.
        source: in words, what the logs are.
        told: what the study's model is without, since these data cannot tell it.
        is_main: whether the formula is the study's, so that Table 6 stands beside ours.
    """

    fixed: pd.DataFrame
    random: pd.DataFrame
    rates: pd.DataFrame
    fit: Fit
    source: str
    told: tuple[str, ...]
    is_main: bool

    folder = "stages"
    title = "Stages of solutions"

    @property
    def provenance(self) -> Provenance:
        return Provenance.of(self.source, self.fit)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {
            "fixed_effects": self.fixed,
            "random_effects": self.random,
            "by_language": self.rates,
        }

    def tables(self) -> dict[str, Table]:
        known = published.read("study_stages") if self.is_main else None
        return {"table_06": table_06(self.fixed, self.random, known, self.note)}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {
            "figure_03": partial(rates_by_stage, self.rates, self.note),
            "figure_17": partial(effects_by_stage, self.fixed, self.note),
        }

    def notes(self) -> list[str]:
        return list(self.told)


class Compliance(Stages):
    """The share of responses in the format asked for, and its model: one stage of ``Stages``."""

    folder = "compliance"
    title = "Compliance with the format"

    def tables(self) -> dict[str, Table]:
        return {}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_compliance": partial(boxed_by_language, self.rates, self.note)}

    def views(self) -> list[View]:
        rates = _highest_first(self.rates)
        shown = pd.DataFrame({"": rates["language"].map(labels.language)})
        shown["boxed"] = [f"{rate:.1%}" for rate in rates["rate"]]
        shown["of"] = rates["n"].astype(str)
        effects = pd.DataFrame({"": self.fixed["term"].map(labels.term)})
        for column, title in (("estimate", "estimate"), ("std_error", "SE")):
            effects[title] = [number(value, 3) for value in self.fixed[column]]
        return [
            View("Responses with a boxed answer", shown),
            View("Effects (log-odds)", effects),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Compute(Result):
    """Tokens, compute and the language gap.

    Attributes:
        variants: ``gap_and_compute`` of the cells.
        tokens: ``tokens_by_language`` of the same.
        source: in words, what the logs are.
    """

    variants: pd.DataFrame
    tokens: pd.DataFrame
    source: str

    folder = "compute"
    title = "Tokens and compute"

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"by_variant": self.variants, "tokens": self.tokens}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        if not self.variants["toggled"].any():
            return {}
        return {"figure_13": partial(gap_at_budget, self.variants, self.note)}

    def views(self) -> list[View]:
        shown = pd.DataFrame({"": self.variants["variant"]})
        for title, name, digits in (
            ("tokens", "output_tokens", 0),
            ("TFLOPs", "tflops", 2),
            ("others ÷ English", "relative", 2),
        ):
            shown[title] = [f"{value:.{digits}f}" for value in self.variants[name]]
        return [View("Tokens and compute of a response", shown)]

    def notes(self) -> list[str]:
        return [] if self.figures() else ["no model is there in both modes: no Figure 13"]


def stages(cells: pd.DataFrame, settings: Settings, names: Sequence[str] = tuple(NAMES)) -> Stages:
    """The same model for every stage of a solution.

    Args:
        cells: of ``outcomes.responses.response_cells``.
        settings: of the fits.
        names: the stages.

    Raises InputError for what cannot be joined or fitted.
    """
    return Stages(**_fitted(cells, settings, names))


def compliance(cells: pd.DataFrame, settings: Settings) -> Compliance:
    r"""The share of responses with a ``\boxed{}``, by language, and the GLMM of it; see ``stages``.

    Raises InputError for what cannot be joined or fitted.
    """
    return Compliance(**_fitted(cells, settings, ["compliance"]))


def compute(cells: pd.DataFrame, models: Path | None = None) -> Compute:
    """Tokens per response and the compute they take, against the gap to English.

    Args:
        cells: of ``outcomes.responses.response_cells``.
        models: a models file beside the registry.

    Raises InputError as ``gap_and_compute`` does.
    """
    variants = gap_and_compute(cells, models)
    return Compute(variants, tokens_by_language(cells), cells.attrs["data_source"])


def _fitted(cells: pd.DataFrame, settings: Settings, names: Sequence[str]) -> dict[str, object]:
    """The attributes of ``Stages``."""
    told: dict[str, None] = {}
    fixed, random, rates = [], [], []
    for name in names:
        counts = stage_cells(cells, name)
        path = write_table(counts, settings.directory / "stages" / f"{name}.parquet")
        inputs = load(path, settings.models, settings.languages, 0, settings.split)
        found = main_model.fit(
            Study(inputs, 0, settings.directory),
            settings.formula,
            settings.engine,
            drop_missing=settings.drop_missing,
        )
        told |= dict.fromkeys(found.without)
        fixed.append(found.fit.fixed_effects.assign(stage=name))
        random.append(found.fit.random_effects.assign(stage=name))
        rates.append(rates_by_language(inputs.cells).assign(stage=name))
    return {
        "fixed": _stacked(fixed),
        "random": _stacked(random),
        "rates": _stacked(rates),
        "fit": found.fit,
        "source": cells.attrs["data_source"],
        "told": tuple(told),
        "is_main": settings.formula is None or parse(settings.formula) == parse(study.MAIN),
    }


def _stacked(tables: list[pd.DataFrame]) -> pd.DataFrame:
    table = pd.concat(tables, ignore_index=True)
    return table[["stage", *(name for name in table.columns if name != "stage")]]


def rates_by_language(cells: pd.DataFrame) -> pd.DataFrame:
    """Pooled rates: language, rate (0–1), conf_low, conf_high (95% Wilson), n trials."""
    sums = cells.groupby("language", as_index=False)[["n_correct", "n_total"]].sum()
    low, high = proportion_confint(sums["n_correct"], sums["n_total"], method="wilson")
    return pd.DataFrame(
        {
            "language": sums["language"],
            "rate": sums["n_correct"] / sums["n_total"],
            "conf_low": np.asarray(low),
            "conf_high": np.asarray(high),
            "n": sums["n_total"],
        }
    )


def _highest_first(rates: pd.DataFrame) -> pd.DataFrame:
    return rates.sort_values("rate", ascending=False, ignore_index=True, kind="stable")


def gap_and_compute(cells: pd.DataFrame, models: Path | None = None) -> pd.DataFrame:
    """Tokens, compute and the language gap of every variant.

    Args:
        cells: of ``outcomes.responses.response_cells``; templates weigh by their outcomes.
        models: a models file beside the registry.

    Returns variant, base_model, family, reasoning (on, off), params_b, toggled (whether the base
    model is there in both modes), output_tokens (mean per response, reasoning included), tflops
    (10¹² operations per response: 2 · parameters · output tokens), english, others (accuracy, 0–1;
    languages weigh equally), relative (others ÷ english).

    Raises InputError without English, without another language, and where no log counts tokens.
    """
    if cells["output_tokens"].isna().all():
        raise InputError("the logs count no output tokens")
    if REFERENCE not in set(cells["language"]) or cells["language"].nunique() < 2:
        raise InputError("compute compares English with other languages: both are needed")
    weighed = cells.assign(weight=cells["n_responses"].where(cells["output_tokens"].notna(), 0))
    weighed["tokens"] = weighed["output_tokens"].fillna(0) * weighed["weight"]
    sums = weighed.groupby("variant")[["tokens", "weight"]].sum()
    tokens = sums["tokens"] / sums["weight"].replace(0, np.nan)
    pairs = cells.groupby(["variant", "language"])[["n_correct", "n_total"]].sum()
    accuracy = (pairs["n_correct"] / pairs["n_total"]).unstack()
    others = accuracy.drop(columns=REFERENCE).mean(axis=1)
    rows = model_registry.registry()
    if models is not None:
        own = model_registry.read_models(models)
        rows = pd.concat([own, rows[~rows["variant"].isin(own["variant"])]])
    known = rows.set_index("variant")[["base_model", "family", "reasoning", "params_b"]]
    table = pd.DataFrame({"variant": accuracy.index}).merge(
        known, left_on="variant", right_index=True, how="left"
    )
    if (unknown := table["params_b"].isna()).any():
        raise InputError(
            f"the size of {', '.join(table['variant'][unknown])} is not known: describe it in a "
            f"models file ({option('models')})"
        )
    table["toggled"] = table.groupby("base_model")["reasoning"].transform("nunique") > 1
    table["output_tokens"] = table["variant"].map(tokens)
    table["tflops"] = 2 * table["params_b"] * table["output_tokens"] / 1e3
    table["english"] = table["variant"].map(accuracy[REFERENCE])
    table["others"] = table["variant"].map(others)
    table["relative"] = table["others"] / table["english"].replace(0, np.nan)
    return table.sort_values(["family", "params_b", "reasoning"], ignore_index=True)


def tokens_by_language(cells: pd.DataFrame) -> pd.DataFrame:
    """Mean input_tokens, output_tokens and reasoning_tokens by variant and language."""
    names = ["input_tokens", "output_tokens", "reasoning_tokens"]
    weights = cells["n_responses"]
    rows = cells[["variant", "language"]].copy()
    for name in names:
        rows[name] = cells[name] * weights
        rows[f"{name} n"] = weights.where(cells[name].notna(), 0)
    sums = rows.groupby(["variant", "language"], sort=True).sum(min_count=1)
    means = {name: sums[name] / sums[f"{name} n"].replace(0, np.nan) for name in names}
    return pd.DataFrame(means).reset_index()


def table_06(
    fixed: pd.DataFrame, random: pd.DataFrame, known: pd.DataFrame | None, note: str
) -> Table:
    """One row per term and component, one column per stage.

    Args:
        fixed: of ``Stages``.
        random: see ``fixed``.
        known: Table 6 as printed (``study_stages``), on the study's own logs, where the study's
            own model was fitted; else None.
        note: on the data.
    """
    effects = fixed.rename(columns={"term": "name"}).assign(kind="fixed")
    names = [
        group if term == "(Intercept)" else f"{group}, {term}"
        for group, term in zip(random["group"], random["term"], strict=True)
    ]
    spreads = random.rename(columns={"sd": "estimate"}).assign(name=names, kind="random")
    data = pd.concat([effects, spreads], ignore_index=True)
    names = ["stage", "kind", "name", "estimate", "std_error", "p_value", "conf_low", "conf_high"]
    data = data[names]
    if known is not None:
        printed = known.rename(columns={"estimate": "published"}).drop(columns="source")
        data = data.merge(printed, on=["stage", "kind", "name"], how="left")
    rows = []
    for (kind, name), group in data.groupby(["kind", "name"], sort=False):
        each = group.set_index("stage")
        row = {"": labels.term(name) if kind == "fixed" else _component(name)}
        for stage in data["stage"].unique():
            row[stage] = _cell(each.loc[stage]) if stage in each.index else ""
            if known is not None:
                value = each["published"].get(stage)
                row[f"{stage} (published)"] = "" if pd.isna(value) else number(value, 3)
        rows.append(row)
    caption = "Table 6. Fixed effects (log-odds per SD) and random-effect SDs at each stage."
    return Table("table_06", caption, note, data, pd.DataFrame(rows))


def _cell(row: pd.Series) -> str:
    text = number(row["estimate"], 3)
    return text if pd.isna(row["p_value"]) else f"{text} (p {p_value(row['p_value'])})"


def _component(name: str) -> str:
    group, _, term = name.partition(", ")
    return f"SD {labels.group(group)}" + (f", {labels.term(term)}" if term else "")


@plots.styled
def rates_by_stage(rates: pd.DataFrame, note: str) -> Figure:
    """Figure 3: success at the depths of a solution, a line per language, in percent.

    The languages with the highest and the lowest final rate are named and drawn in colour.
    """
    table = rates.pivot(index="language", columns="stage", values="rate")[list(NAMES)] * 100
    table = table.sort_values("final", ascending=False, kind="stable")
    figure = plots.new_figure(5.2, 3.6)
    axes = figure.add_subplot()
    for position, (language, row) in enumerate(table.iterrows()):
        edge = position in (0, len(table) - 1)
        axes.plot(
            range(len(NAMES)), row, color=plots.OURS if edge else plots.MUTED, marker="o",
            markersize=4, linewidth=1.8 if edge else 0.8,
        )  # fmt: skip
        if edge or len(table) <= 6:
            axes.annotate(
                plots.plain(labels.language(language)), (len(NAMES) - 1, row.iloc[-1]),
                xytext=(6, 0), textcoords="offset points", va="center", fontsize=8,
                color=plots.INK,
            )  # fmt: skip
    axes.set_xticks(range(len(NAMES)), NAMES.values())
    axes.set_xlim(-0.2, len(NAMES) - 0.4)
    axes.set_ylabel("reached, % of gold values")
    plots.grid(axes, "y")
    shows = (
        "Success at the depths of a solution, a line per language; the languages with the "
        "highest and the lowest final rate are named."
    )
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def effects_by_stage(fixed: pd.DataFrame, note: str) -> Figure:
    """Figure 17: estimates with 95% Wald intervals (log-odds per SD), without the intercept."""
    table = fixed[fixed["term"] != "(Intercept)"]
    terms, names = list(table["term"].unique()), list(table["stage"].unique())
    figure = plots.new_figure(6.4, 0.42 * len(terms) + 1.3)
    axes = figure.add_subplot()
    axes.axvline(0, color=plots.MUTED, linewidth=0.8)
    for position, (name, (mark, colour)) in enumerate(zip(names, LOOKS, strict=False)):
        rows = table[table["stage"] == name].set_index("term").loc[terms]
        heights = -np.arange(len(terms)) - 0.2 * (position - (len(names) - 1) / 2)
        axes.hlines(heights, rows["conf_low"], rows["conf_high"], color=colour, linewidth=1.3)
        axes.plot(
            rows["estimate"], heights, mark, color=colour, markersize=4.5, label=plots.plain(name)
        )
    axes.set_yticks(-np.arange(len(terms)), [plots.plain(labels.term(name)) for name in terms])
    axes.tick_params(axis="y", length=0)
    plots.grid(axes, "x")
    axes.set_xlabel("log-odds per SD of the predictor (reasoning: on against off)")
    figure.legend(loc="outside upper left", ncols=len(names), fontsize=8)
    shows = (
        "Fixed effects at each stage of a solution with 95% Wald intervals (log-odds per "
        "SD), without the intercept."
    )
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def boxed_by_language(rates: pd.DataFrame, note: str) -> Figure:
    """Share of responses with a ``\\boxed{}`` (percent, 95% Wilson intervals), highest first."""
    table = _highest_first(rates)
    columns = ["rate", "conf_low", "conf_high"]
    figure = plots.new_figure(5.2, 0.26 * len(table) + 1.1)
    axes = figure.add_subplot()
    names = table["language"].map(labels.language)
    plots.forest(axes, 100 * table[columns], names, "rate", reference=None)
    axes.set_xlabel(r"responses with a \boxed{}, % (95% Wilson interval)")
    shows = "Share of responses with a boxed answer, with 95% Wilson intervals, highest first."
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def gap_at_budget(variants: pd.DataFrame, note: str) -> Figure:
    """Figure 13: accuracy elsewhere ÷ in English against compute per response.

    From ``compute/by_variant.csv``, models of two modes only; a line joins the two of a base model.
    """
    table = variants[variants["toggled"]]
    figure = plots.new_figure(5.6, 3.6)
    axes = figure.add_subplot()
    for name, pair in table.groupby("base_model", sort=False):
        pair = pair.sort_values("reasoning", kind="stable")
        axes.plot(pair["tflops"], pair["relative"], color=plots.MUTED, linewidth=0.8, zorder=1)
        last = pair.iloc[-1]
        axes.annotate(
            plots.plain(name), (last["tflops"], last["relative"]), xytext=(5, 4),
            textcoords="offset points", fontsize=7, color=plots.INK,
        )  # fmt: skip
    for mode, (mark, colour) in MODES.items():
        rows = table[table["reasoning"] == mode]
        axes.plot(
            rows["tflops"], rows["relative"], mark, color=colour, markersize=5,
            label=f"reasoning {mode}",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlabel("compute per response, TFLOPs (2 · parameters · output tokens)")
    axes.set_ylabel("accuracy, other languages ÷ English")
    plots.grid(axes)
    figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    shows = (
        "Accuracy in other languages relative to English against compute per response; a "
        "line joins the two modes of a base model."
    )
    plots.add_note(figure, note, shows)
    return figure
