"""The study's outcomes described: runs, families, reasoning, languages. No model is fitted here.

Tables 8 to 12, Figures 12 and 16, and the English gap of every family.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.outcomes.published import (
    read_accuracy,
    read_candidates,
    read_overview,
)
from capability_transfer.analysis.outcomes.study import TABLE_12, TOTALS, study_counts
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance, note
from capability_transfer.analysis.presentation.result import Result, View
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.published import beside, read, values
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.features import languages as language_registry
from capability_transfer.features import models as model_registry
from capability_transfer.features import resource, typology
from capability_transfer.features.table import Tables, build_all
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENGLISH = "eng"
PRINTED = 0.05 + 1e-9
"""Half a unit of the last printed digit, accuracy points; ties are rounded either way."""

FIGURES = ("original", "symbolic", "english", "non_english", "gap", "worst_accuracy")
HEADINGS = {
    "original": "Orig.",
    "symbolic": "Symb.",
    "english": "English",
    "non_english": "Non-Eng.",
    "gap": "Gap",
}
VERIFIED = {"yes": "verified", "in progress": "in progress", "no": ""}
INCLUDED = {"eu": "EU", "ethnologue": "Ethnologue", "unassigned": "?", "": ""}
SPLITS = {"original": "Original", "symbolic": "Symbolic"}

FEATURES = note(
    "Common Crawl page counts and URIEL's syntax_knn vectors, packaged with the toolkit"
)
REGISTRY = note("model registry (study, Table 8)")
STATED = "Data: as the study states it."

MODES = {
    "off": ("reasoning off", plots.PUBLISHED, "D"),
    "on": ("reasoning on", plots.OURS, "o"),
}
OFFSETS = {
    "eng": (-6, 6, "right"), "ukr": (0, 7, "center"), "nld": (-6, 4, "right"),
    "dan": (-6, -3, "right"), "rus": (6, -3, "left"), "fra": (-2, 7, "center"),
    "hin": (-6, -3, "right"), "zho": (6, 3, "left"), "isl": (-6, 3, "right"),
    "mar": (-6, 4, "right"),
}  # fmt: skip
"""Where a label would cover a neighbour: points right, points up, alignment."""


@dataclass(frozen=True, eq=False, repr=False)
class Overview(Result):
    """The study's outcomes, models and languages.

    Attributes:
        models: the model registry.
        runs: ``runs`` beside the published figures, with family, params_b and reasoning.
        families: ``family_gaps``.
        gaps: ``reasoning_gaps``.
        space: ``design_space``.
        correlated: ``correlations``.
    """

    models: pd.DataFrame
    runs: pd.DataFrame
    families: pd.DataFrame
    gaps: pd.DataFrame
    space: pd.DataFrame
    correlated: pd.DataFrame

    folder = "overview"
    title = "The study's outcomes described"

    @property
    def provenance(self) -> Provenance:
        return Provenance(TOTALS)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {
            "runs": self.runs,
            "disagreements": disagreements(self.runs),
            "families": self.families,
            "reasoning_gap": self.gaps,
            "design_space": self.space,
            "correlations": self.correlated,
        }

    def tables(self) -> dict[str, Table]:
        return {
            "table_08": model_table(self.models, REGISTRY),
            "table_09": language_table(languages(), STATED),
            "table_10": annotation_table(annotation(), STATED),
            "table_11": run_table(self.runs, self.note),
            "table_12": pair_table(wilson(), note(TABLE_12)),
        }

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {
            "figure_12": lambda: gaps_by_reasoning(self.gaps, self.note),
            "figure_16": lambda: feature_space(self.space, FEATURES),
            "figure_family_gaps": lambda: gaps_by_family(self.families, self.runs, self.note),
        }

    def views(self) -> list[View]:
        shown = pd.DataFrame({"": self.families["family"]})
        for column in ("gap", "published"):
            shown[column] = [number(value, 1) for value in self.families[column]]
        return [View("Gap to English by family (accuracy points)", shown)]

    def findings(self) -> list[str]:
        found = disagreements(self.runs)
        return [
            f"{len(found)} of {len(self.runs) * len(FIGURES)} figures of Table 11 differ from ours "
            f"by more than rounding ({name_some(found['figure'].unique())}), at most "
            f"{found['difference'].abs().max():.1f} points"
        ]


@speaking_python
def overview() -> Overview:
    """Describe the study's outcomes, models and languages, all 48 runs where it counts them."""
    with progress.working("overview"):
        models = model_registry.registry()
        modelled = models[models["in_study"]]
        counts = study_counts(include_excluded=True)
        table = beside_published(runs(counts))
        return Overview(
            models=models,
            runs=table.merge(models[["variant", "family", "params_b", "reasoning"]], on="variant"),
            families=family_gaps(table, models),
            gaps=reasoning_gaps(counts[counts["variant"].isin(modelled["variant"])], modelled),
            space=design_space(),
            correlated=correlations(build_all(modelled)),
        )


def runs(counts: pd.DataFrame) -> pd.DataFrame:
    """Table 11 from pair counts: one row per run, averages over languages in percent.

    Args:
        counts: variant, language, split, n_correct, n_total (or k_published, n_published, which
            are taken where they are there: they are not rescaled).

    Returns variant, original, symbolic, english, non_english, gap (English minus the mean of the
    others), worst_accuracy, worst_language, strongest run first. All but ``original`` are on the
    symbolic split. Raises InputError without English outcomes.
    """
    exact = "k_published" in counts.columns
    correct, total = ("k_published", "n_published") if exact else ("n_correct", "n_total")
    percent = counts.assign(accuracy=100 * counts[correct] / counts[total])
    wide = percent.pivot(index=["split", "variant"], columns="language", values="accuracy")
    symbolic = wide.loc["symbolic"]
    if ENGLISH not in symbolic.columns:
        raise InputError(f"the outcomes have no English ({ENGLISH}): no gap can be computed")
    others = symbolic.drop(columns=ENGLISH).mean(axis=1)
    splits = wide.index.get_level_values("split")
    original = wide.loc["original"].mean(axis=1) if "original" in splits else np.nan
    table = pd.DataFrame(
        {
            "original": original,
            "symbolic": symbolic.mean(axis=1),
            "english": symbolic[ENGLISH],
            "non_english": others,
            "gap": symbolic[ENGLISH] - others,
            "worst_accuracy": symbolic.min(axis=1),
            "worst_language": symbolic.idxmin(axis=1),
        }
    )
    return (
        table.sort_values("symbolic", ascending=False, kind="stable")
        .rename_axis("variant")
        .reset_index()
    )


def beside_published(table: pd.DataFrame) -> pd.DataFrame:
    """``runs`` with Table 11's figures: published_x, difference_x for each, and in_study."""
    known = read_overview().set_index("variant").reindex(table["variant"])
    columns = {"in_study": known["in_study"].to_numpy()}
    for name in FIGURES:
        columns[f"published_{name}"] = known[name].to_numpy()
        columns[f"difference_{name}"] = table[name].to_numpy() - known[name].to_numpy()
    columns["published_worst_language"] = known["worst_language"].to_numpy()
    return table.assign(**columns)


def disagreements(table: pd.DataFrame) -> pd.DataFrame:
    """What rounding cannot explain: variant, figure, ours, published, difference (points).

    Args:
        table: from ``beside_published``.
    """
    rows = [
        (row["variant"], name, row[name], row[f"published_{name}"], row[f"difference_{name}"])
        for row in table.to_dict("records")
        for name in FIGURES
        if abs(row[f"difference_{name}"]) > rounding(name)
    ]
    columns = ["variant", "figure", "ours", "published", "difference"]
    return pd.DataFrame(rows, columns=columns)


def rounding(figure: str) -> float:
    """What rounding can make of a figure, accuracy points; the gap is one of rounded means."""
    return 2 * PRINTED if figure == "gap" else PRINTED


def wilson() -> pd.DataFrame:
    """Table 12 from counts: variant, language, split, k, n, and accuracy, conf_low, conf_high.

    The count is the smallest that prints as the published figures do, of which there may be
    several; the figures (percent, one decimal) and the published ones, ``published`` to
    ``published_high``, are the same in every row, which a test holds them to.
    """
    smallest = read_candidates().groupby(["variant", "language", "split"], sort=False).first()
    counts = smallest.reset_index()
    low, high = proportion_confint(counts["k"], counts["n"], method="wilson")
    shares = {"accuracy": counts["k"] / counts["n"], "conf_low": low, "conf_high": high}
    for name, share in shares.items():
        clipped = np.clip(np.asarray(share, dtype=float), 0, 1)
        counts[name] = [float(f"{value:.1%}"[:-1]) for value in clipped]
    known = read_accuracy().rename(
        columns={
            "accuracy": "published",
            "conf_low": "published_low",
            "conf_high": "published_high",
        }
    )
    return counts.merge(known, on=["variant", "language", "split"], validate="one_to_one")


def family_gaps(table: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """Mean English gap of each family's runs: family, runs, gap, lowest, highest, published.

    Args:
        table: from ``runs``, with the excluded runs, as the study counts them.
        models: variant, family.
    """
    joined = table.merge(models[["variant", "family"]], on="variant", validate="one_to_one")
    grouped = joined.groupby("family")["gap"]
    gaps = grouped.agg(runs="size", gap="mean", lowest="min", highest="max").reset_index()
    gaps = beside(gaps, values("study_families", "family", "gap"), "family", "gap")
    return gaps.sort_values("gap", ignore_index=True, kind="stable")


def reasoning_gaps(counts: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """English minus the mean of the other languages, with reasoning on and off (Figure 12).

    Args:
        counts: as for ``runs``.
        models: variant, base_model, family, params_b, reasoning.

    Returns one row per run of a base model that was run both ways: base_model, family, params_b,
    reasoning, gap, conf_low, conf_high (points; a t-interval over the other languages),
    languages.
    """
    symbolic = counts[counts["split"] == "symbolic"]
    accuracy = 100 * symbolic["n_correct"] / symbolic["n_total"]
    wide = symbolic.assign(accuracy=accuracy).pivot(
        index="variant", columns="language", values="accuracy"
    )
    gaps = -wide.drop(columns=ENGLISH).sub(wide[ENGLISH], axis=0)
    number = gaps.notna().sum(axis=1)
    half = stats.t.ppf(0.975, number - 1) * gaps.std(axis=1) / np.sqrt(number)
    mean = gaps.mean(axis=1)
    table = pd.DataFrame(
        {"gap": mean, "conf_low": mean - half, "conf_high": mean + half, "languages": number}
    ).reset_index()
    columns = ["variant", "base_model", "family", "params_b", "reasoning"]
    table = models[columns].merge(table, on="variant", validate="one_to_one")
    both = table.groupby("base_model")["reasoning"].transform("nunique") == 2
    order = ["family", "params_b", "reasoning"]
    return table[both].sort_values(order, ignore_index=True, kind="stable")


def design_space() -> pd.DataFrame:
    """Every language with templates in the feature space (Figure 16).

    Returns language, name, in_study, resource (log10 pages), distance (cosine, from English);
    languages that lack a feature are left out.
    """
    rows = language_registry.registry()
    rows = rows[rows["template"] != ""].reset_index(drop=True)
    table = rows[["language", "name", "in_study"]].copy()
    table["resource"] = resource.build(rows)["resource"].to_numpy()
    table["distance"] = typology.build(rows)["distance"].to_numpy()
    return table.dropna().reset_index(drop=True)


def correlations(tables: Tables) -> pd.DataFrame:
    """Pearson correlations of typological distance with fertility over languages (section 4.1).

    ``fertility_ratio``: a language's token ratio to English, averaged over the study's runs;
    ``fertility``: the relative one, whose mean by language is zero by construction, over pairs.

    Returns first, second, over, n, correlation, published.
    """
    distance = tables.languages.set_index("language")["distance"]
    plain = tables.pairs.groupby("language")["fertility_ratio"].mean()
    pairs = tables.pairs.assign(distance=tables.pairs["language"].map(distance))
    rows = [
        ("distance", "fertility_ratio", "languages", distance.corr(plain), len(plain), 0.8),
        ("distance", "fertility", "pairs", pairs["distance"].corr(pairs["fertility"]),
         len(pairs), np.nan),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["first", "second", "over", "correlation", "n", "published"])


def languages() -> pd.DataFrame:
    """Table 9: language, name, verified (yes, in progress, no), included_as (eu, ethnologue)."""
    table = read("study_languages").fillna("")
    return table.sort_values("name", ignore_index=True, kind="stable")


def annotation() -> pd.DataFrame:
    """Table 10: how each of the 15 languages was translated and reviewed."""
    return read("study_annotation").fillna("")


def model_table(models: pd.DataFrame, note: str) -> Table:
    """Table 8: the models' repositories and revisions, one row per checkpoint of the registry."""
    columns = ["family", "hub_id", "revision", "params_b"]
    data = models.drop_duplicates("hub_id")[columns].reset_index(drop=True)
    display = pd.DataFrame(
        {
            "Family": data["family"],
            "Model ID": data["hub_id"],
            "Revision": data["revision"],
            "Billions of parameters": [f"{size:g}" for size in data["params_b"]],
        }
    )
    caption = "Table 8. Repositories and revisions of the evaluated models."
    return Table("table_08", caption, note, data, display)


def language_table(languages: pd.DataFrame, note: str) -> Table:
    """Table 9: the languages of the benchmark and why each is there, from ``languages``."""
    display = pd.DataFrame(
        {
            "Language": languages["name"],
            "ISO 639-3": languages["language"],
            "Human verified": languages["verified"].map(VERIFIED),
            "Included as": languages["included_as"].map(INCLUDED),
        }
    )
    counts = languages["verified"].value_counts()
    caption = (
        f"Table 9. Languages of the benchmark: {len(languages)}, of which {counts['yes']} verified "
        f"and {counts['in progress']} in progress."
    )
    explanation = (
        "The study's table prints ticks whose columns are not told apart in its text: a tick that "
        "verification does not explain is taken for EU where the language is official there, for "
        "Ethnologue otherwise, and left open for Norwegian Bokmål."
    )
    return Table("table_09", caption, f"{explanation} {note}", languages, display)


def annotation_table(annotation: pd.DataFrame, note: str) -> Table:
    """Table 10: how the verified languages were translated and reviewed, from ``annotation``."""
    display = pd.DataFrame(
        {
            "Language": [labels.language(code) for code in annotation["language"]],
            "Human review": annotation["human_review"],
            "Comp. validated": annotation["computationally_validated"],
            "Error analysis": annotation["error_analysis"],
            "Translation model": annotation["translation_model"],
            "From": [labels.language(code) for code in annotation["source_language"]],
        }
    )
    caption = "Table 10. Translation and review of the verified languages."
    return Table("table_10", caption, note, annotation, display)


def run_table(runs: pd.DataFrame, note: str) -> Table:
    """Table 11: every run's averages, recomputed from the cells and from Table 12.

    From ``overview/runs.csv``; published in brackets where more than rounding differs.
    """
    known = "in_study" in runs.columns
    lines = []
    for row in runs.to_dict("records"):
        line = [row["variant"] + ("" if row.get("in_study", True) else " *")]
        line += [_figure(row, name) for name in HEADINGS]
        line.append(f"{_figure(row, 'worst_accuracy')} ({row['worst_language']})")
        lines.append(line)
    display = pd.DataFrame(lines, columns=["Model", *HEADINGS.values(), "Worst"])
    caption = "Table 11. Accuracy by run, averaged over languages"
    caption += "; published figures in brackets where more than rounding differs." if known else "."
    explanation = (
        "Percent; Gap: English minus the mean of the others, points; Worst: the lowest language on "
        "the symbolic split. * Left out of the model."
    )
    if known:
        explanation += (
            " Every symbolic figure is the published one. Originals come from Table 12, which "
            "pools repeated runs (Danish, German, Estonian, Japanese) where Table 11 does not."
        )
    return Table("table_11", caption, f"{explanation} {note}", runs, display)


def _figure(row: dict, name: str) -> str:
    ours, known = number(row[name], 1), row.get(f"published_{name}")
    if known is None or pd.isna(known) or abs(row[name] - known) <= rounding(name):
        return ours
    return f"{ours} [{number(known, 1)}]"


def pair_table(wilson: pd.DataFrame, note: str) -> Table:
    """Table 12: accuracy by run and language with Wilson intervals, from ``wilson``."""
    shown = wilson.assign(
        text=[
            f"{row.accuracy:.1f} [{row.conf_low:.1f}–{row.conf_high:.1f}]"
            for row in wilson.itertuples()
        ],
        answers=wilson["n"].map("{:,}".format),
    )
    wide = shown.pivot(index=["variant", "language"], columns="split", values=["text", "answers"])
    order = wilson[["variant", "language"]].drop_duplicates()
    wide = wide.loc[pd.MultiIndex.from_frame(order)]
    display = pd.DataFrame(
        {
            "Model": order["variant"].to_numpy(),
            "Language": [labels.language(code) for code in order["language"]],
        }
    )
    for split, label in SPLITS.items():
        display[f"{label}, % [95% CI]"] = wide["text", split].to_numpy()
        display[f"n, {label.lower()}"] = wide["answers", split].to_numpy()
    caption = "Table 12. Accuracy by model and language with 95% Wilson intervals."
    explanation = (
        "The table publishes no denominators; n is the smallest number of answers whose interval "
        "prints as published (all 1,536 do)."
    )
    return Table("table_12", caption, f"{explanation} {note}", wilson, display)


@plots.styled
def gaps_by_reasoning(gaps: pd.DataFrame, note: str) -> Figure:
    """Figure 12: the transfer gap with reasoning on and off, by family and size.

    From ``overview/reasoning_gap.csv``: one panel per family, a base model where it has both.
    """
    families = list(dict.fromkeys(gaps["family"]))
    figure = plots.new_figure(7.0, 3.1)
    widths = [gaps.loc[gaps["family"] == name, "base_model"].nunique() + 0.6 for name in families]
    panels = figure.subplots(
        1, len(families), sharey=True, squeeze=False, gridspec_kw={"width_ratios": widths}
    )[0]
    for axes, family in zip(panels, families, strict=True):
        rows = gaps[gaps["family"] == family]
        sizes = sorted(rows["params_b"].unique())
        for mode, (label, color, marker) in MODES.items():
            part = rows[rows["reasoning"] == mode].sort_values("params_b", kind="stable")
            shift = 0.1 if mode == "on" else -0.1
            places = [sizes.index(size) + shift for size in part["params_b"]]
            axes.vlines(places, part["conf_low"], part["conf_high"], color=color, linewidth=1.4)
            axes.plot(
                places, part["gap"], marker, color=color, markersize=4.5, linestyle="-",
                linewidth=0.8, label=label,
            )  # fmt: skip
        axes.axhline(0, color=plots.MUTED, linewidth=0.8)
        axes.set_xticks(range(len(sizes)), [f"{size:g}" for size in sizes])
        axes.set_xlim(-0.5, len(sizes) - 0.5)
        axes.set_title(plots.plain(family), fontsize=9)
        plots.grid(axes, "y")
    panels[0].set_ylabel("English − other languages, points")
    panels[len(panels) // 2].set_xlabel("billions of parameters")
    others = gaps["languages"].iloc[0]
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper left", ncols=2, fontsize=8)
    shows = (
        "Accuracy in English minus the other languages with reasoning on and off, by family and "
        f"size: the mean over n = {others} languages with its 95% t-interval."
    )
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def feature_space(languages: pd.DataFrame, note: str) -> Figure:
    """Figure 16: the languages in the space of the two language features.

    From ``overview/design_space.csv``; other languages with templates are small and grey.
    """
    figure = plots.new_figure(5.6, 4.4)
    axes = figure.add_subplot()
    others, study = (languages[languages["in_study"] == flag] for flag in (False, True))
    axes.plot(
        others["resource"], others["distance"], "o", color=plots.MUTED, alpha=0.45, markersize=3,
        markeredgewidth=0, label=f"other languages with templates (n = {len(others)})",
    )  # fmt: skip
    axes.plot(
        study["resource"], study["distance"], "o", color=plots.OURS, markersize=5.5,
        label=f"languages of the study (n = {len(study)})",
    )  # fmt: skip
    for row in study.itertuples():
        x, y, alignment = OFFSETS.get(row.language, (6, -3, "left"))
        axes.annotate(
            plots.plain(row.name), (row.resource, row.distance), xytext=(x, y), ha=alignment,
            textcoords="offset points", fontsize=8, color=plots.INK,
        )  # fmt: skip
    plots.grid(axes)
    axes.set_xlabel("resource level, log10 of Common Crawl pages")
    axes.set_ylabel("typological distance from English")
    figure.legend(loc="outside upper left", ncols=1, fontsize=8)
    shows = (
        "The languages by resource level and typological distance from English; grey: other "
        "languages with templates."
    )
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def gaps_by_family(families: pd.DataFrame, runs: pd.DataFrame, note: str) -> Figure:
    """The English gap of every run by family (Limitations, in words there): a small dot per run.

    From ``overview/families.csv`` and ``runs.csv`` (with ``family``).
    """
    positions = -np.arange(len(families), dtype=float)
    figure = plots.new_figure(5.6, 0.3 * len(families) + 1.4)
    axes = figure.add_subplot()
    axes.axvline(0, color=plots.MUTED, linewidth=0.8)
    for position, name in zip(positions, families["family"], strict=True):
        gaps = runs.loc[runs["family"] == name, "gap"]
        axes.plot(
            gaps, np.full(len(gaps), position), "o", color=plots.MUTED, alpha=0.6, markersize=3,
            markeredgewidth=0, label="one run" if position == 0 else None,
        )  # fmt: skip
    axes.plot(families["gap"], positions, "o", color=plots.OURS, markersize=6, label="mean of runs")
    axes.plot(
        families["published"], positions - 0.28, "D", markersize=4.5, markerfacecolor="none",
        markeredgecolor=plots.PUBLISHED, markeredgewidth=1.1, label="published",
    )  # fmt: skip
    names = [f"{plots.plain(row.family)} (n = {row.runs})" for row in families.itertuples()]
    axes.set_yticks(positions, names)
    axes.tick_params(axis="y", length=0)
    plots.grid(axes, "x")
    axes.set_xlabel("English − mean of the other languages, points")
    figure.legend(loc="outside upper left", ncols=3, fontsize=8)
    shows = (
        "Accuracy in English minus the mean of the other languages (points) by family: a "
        "dot per run, the mean of the runs, and the published one."
    )
    plots.add_note(figure, note, shows)
    return figure
