"""Is the size effect a ceiling artefact? Eq. 1 on subsets without saturation (Appendix I.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
from capability_transfer.analysis import design, labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.outcomes.schema import pair_totals
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.tables import Table, number, stars
from capability_transfer.analysis.published import beside, values
from capability_transfer.analysis.studies.alternatives import Alternatives
from capability_transfer.analysis.study import MAIN
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, option
from capability_transfer.features.languages import ENGLISH
from capability_transfer.features.table import FEATURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SATURATED = 0.90
"""A (variant, language) pair above this accuracy counts as saturated."""

ENGLISH_BELOW = (0.95, 0.90)
CELLS_AT_MOST = (0.90,)
"""Table 7's thresholds: on a run's English accuracy, and on a pair's own."""

FEWEST_PAIRED = 5
"""With fewer base models run both ways, interactions with reasoning are not to be interpreted."""

DRAWN = ("resource:size", "distance:size")
SHOWN = (*DRAWN, "resource", "distance", "size")
CROSSED = ("resource:reasoning", "distance:reasoning", "fertility:reasoning", "size:reasoning")
COUNTS = {
    "variants": "Variants",
    "saturated_cells": "Cells above 90%",
    "paired_bases": "Bases run both ways",
}
EXPLANATION = (
    "Log-odds per SD of the subset. * p < .05, ** p < .01, *** p < .001. Dropping cells by their "
    "own outcome biases the estimates downwards; that column is shown for completeness. "
    "† Interactions with reasoning rest on fewer than five base models run both ways and are not "
    "to be interpreted."
)
COUNTED = (
    "Of the runs below 95% in English 17 pairs are above 90%; the 12 of the published table are "
    "not these data's, though its runs and estimates are."
)


class Ceiling(Alternatives):
    """The main model refitted under every restriction.

    Attributes:
        table: one row per restriction and fixed effect: restriction, label, term, estimate,
            std_error, statistic, p_value, conf_low, conf_high (log-odds per SD of the subset),
            variants, pairs, paired_bases (base models run with reasoning on and off),
            saturated_cells (pairs above 90%), interpretable (False for interactions with reasoning
            where few base models run both ways), published, difference (NaN where nothing is
            published).
    """

    folder = "ceiling"
    title = "The model without saturated cells"

    def tables(self) -> dict[str, Table]:
        return {"table_07": table_07(self.table, self.note)}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_ceiling": lambda: size_interactions(self.table, self.note)}


@speaking_python
def ceiling(
    study: Study | None = None,
    english: Sequence[float] = ENGLISH_BELOW,
    cells: Sequence[float] = CELLS_AT_MOST,
    formula: str | None = None,
) -> Ceiling:
    """Table 7: the main model refitted under every restriction.

    z-scores are recomputed on each subset, so a coefficient is per SD of that subset.

    Args:
        study: from ``load``; the embedded study without it.
        english: see ``restrictions``.
        cells: see ``restrictions``.
        formula: in place of the study's main model.

    Raises InputError for thresholds or data that leave nothing to fit.
    """
    study = given(study)
    inputs = study.inputs
    model, without = design.chosen(formula, MAIN, inputs.cells, inputs.features)
    names = [feature.name for feature in FEATURES if feature.name in model.variables()]
    scaled = [name for name in names if name not in design.INDICATORS]
    joined, _ = design.join(inputs.cells, inputs.features, names)
    pairs = pair_totals(joined)
    is_main = inputs.is_study and model == parse(MAIN)
    chosen = restrictions(pairs, english, cells)
    fitting = progress.fits(len(chosen))
    tables = []
    for restriction in chosen:
        kept = pairs[restriction.kept]
        if kept.empty:
            raise InputError(f"no cell is left under {restriction.label}: change the threshold")
        rows = joined.merge(kept[["variant", "language"]], on=["variant", "language"])
        try:
            data, _ = design.standardise(rows, scaled)
            with fitting(f"ceiling, {restriction.label}") as tell:
                fit = cached_fit(
                    "laplace", model, data, study.cache,
                    provenance=inputs.provenance, progress=tell,
                )  # fmt: skip
        except InputError as error:
            raise error.at(f"restricted to {restriction.label}: ") from error
        paired = _paired(kept["variant"], inputs.features.models)
        table = fit.fixed_effects.assign(
            restriction=restriction.name,
            label=restriction.label,
            variants=kept["variant"].nunique(),
            pairs=len(kept),
            paired_bases=paired,
            saturated_cells=int((kept["accuracy"] > SATURATED).sum()),
        )
        crossed = table["term"].str.contains("reasoning") & table["term"].str.contains(":")
        table["interpretable"] = ~crossed | (paired >= FEWEST_PAIRED)
        known = values("study_ceiling", "name", when=is_main, restriction=restriction.name)
        tables.append(beside(table, known, "term", "estimate"))
    table = pd.concat(tables, ignore_index=True)
    first = ["restriction", "label"]
    table = table[[*first, *(name for name in table.columns if name not in first)]]
    return Ceiling(table, str(model), without, inputs.source, study.seed)


@dataclass(frozen=True)
class Restriction:
    """A subset of the cells: what it is called, for files and for people, and what it keeps."""

    name: str
    label: str
    kept: pd.Series
    """One bool per row of the pairs."""


def restrictions(
    pairs: pd.DataFrame,
    english: Sequence[float] = ENGLISH_BELOW,
    cells: Sequence[float] = CELLS_AT_MOST,
) -> list[Restriction]:
    """Table 7's columns: everything, weak runs only, unsaturated pairs only.

    Args:
        pairs: variant, language, accuracy (0 to 1) of the symbolic split.
        english: keep runs whose English accuracy is below each of these (0 to 1).
        cells: keep pairs whose own accuracy is at most each of these. That filters on the outcome
            and biases what is estimated; it is there for completeness.

    Raises InputError for a threshold outside 0 to 1 and for runs without an English accuracy.
    """
    for threshold in (*english, *cells):
        if not 0 < threshold < 1:
            raise InputError(f"a threshold is a share between 0 and 1, not {threshold:g}")
    found = [Restriction("all", "Full", pd.Series(True, index=pairs.index))]
    if english:
        rows = pairs[pairs["language"] == ENGLISH]
        own = pairs["variant"].map(rows.set_index("variant")["accuracy"])
        if own.isna().any():
            raise InputError(
                f"{pairs['variant'][own.isna()].iloc[0]} has no English ({ENGLISH}) outcomes, "
                "so runs cannot be restricted by their English accuracy: leave "
                f"{option('english')} out",
                parameter="english",
            )
        for threshold in english:
            percent = f"{100 * threshold:g}"
            found.append(
                Restriction(f"english_below_{percent}", f"English <{percent}%", own < threshold)
            )
    for threshold in cells:
        percent = f"{100 * threshold:g}"
        kept = pairs["accuracy"] <= threshold
        found.append(Restriction(f"cells_at_most_{percent}", f"Cells ≤{percent}%", kept))
    return found


def _paired(variants: pd.Series, models: pd.DataFrame) -> int:
    """How many base models are there with reasoning on and off."""
    modes = models[models["variant"].isin(variants)].groupby("base_model")["reasoning"].nunique()
    return int((modes == 2).sum())


def table_07(table: pd.DataFrame, note: str) -> Table:
    """The size interactions under every restriction, from ``ceiling/table.csv``.

    Published figures stand in brackets where there are any.
    """
    wide = {name: rows.set_index("term") for name, rows in table.groupby("restriction", sort=False)}
    compared = table["published"].notna().any()
    known, known_stars = (
        values("study_ceiling", ["restriction", "name"], column, compared)
        for column in ("estimate", "stars")
    )
    lines = []
    for name, label in COUNTS.items():
        cells = []
        for restriction, rows in wide.items():
            text = str(rows[name].iloc[0])
            if (restriction, name) in known.index:
                text += f" [{known[restriction, name]:.0f}]"
            cells.append(text)
        lines.append([label, *cells])
    terms = [term for term in (*SHOWN, *CROSSED) if term in set(table["term"])]
    for term in terms:
        cells = []
        for restriction, rows in wide.items():
            row = rows.loc[term]
            text = number(row["estimate"], 3) + stars(row["p_value"])
            text += "" if row["interpretable"] else " †"
            if pd.notna(row["published"]):
                star = known_stars.fillna("")[restriction, term]
                text += f" [{number(row['published'], 3)}{star}]"
            cells.append(text)
        lines.append([labels.term(term), *cells])
    headings = [rows["label"].iloc[0] for rows in wide.values()]
    display = pd.DataFrame(lines, columns=["", *headings])
    caption = "Table 7. The model under progressively stricter removal of saturated cells"
    caption += "; published figures in brackets." if compared else "."
    explanation = f"{EXPLANATION} {COUNTED}" if compared else EXPLANATION
    return Table("table_07", caption, f"{explanation} {note}", table, display)


@plots.styled
def size_interactions(table: pd.DataFrame, note: str) -> Figure:
    """Table 7 as a picture, from ``ceiling/table.csv``: one panel per term, 95% Wald intervals."""
    figure = plots.new_figure(6.8, 0.36 * table["restriction"].nunique() + 1.5)
    terms = [term for term in DRAWN if term in set(table["term"])] or [table["term"].iloc[-1]]
    panels = figure.subplots(1, len(terms), sharey=True, sharex=True, squeeze=False)[0]
    for axes, term in zip(panels, terms, strict=True):
        draw_term(axes, table, term)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper left", ncols=2, fontsize=8)
    shows = (
        "Interactions with model size (log-odds per SD) as saturated cells are removed step "
        "by step, with 95% Wald intervals; hollow: as published."
    )
    plots.add_note(figure, note, shows)
    return figure


def draw_term(axes: Axes, table: pd.DataFrame, term: str) -> None:
    """One term under every restriction."""
    rows = table[table["term"] == term]
    names = [
        f"{plots.plain(row.label)}\n{row.variants} runs, {row.saturated_cells} cells above 90%"
        for row in rows.itertuples()
    ]
    plots.forest(axes, rows, names, published="published (Table 7)")
    axes.set_yticks(axes.get_yticks(), names, fontsize=8)  # in two lines each
    axes.set_title(plots.plain(labels.term(term)))
    axes.set_xlabel("log-odds per SD")
