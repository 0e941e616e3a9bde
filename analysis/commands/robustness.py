"""``transfer robustness``: what perturbing the questions costs, and how it reorders models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis.commands import complete, options, output, reading
from capability_transfer.analysis.figures import (
    figure_rank_changes,
    figure_rank_stability,
    figure_robustness,
)
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.engines import ENGINES
from capability_transfer.analysis.outcomes.study import TABLE_12, table_12_counts
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.robustness import (
    consistency,
    model,
    published,
    rankings,
    report,
    stability,
)
from capability_transfer.analysis.robustness import scores as score_tables
from capability_transfer.analysis.tables import table_contradictions, table_robustness
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import write_table
from capability_transfer.features.languages import resolve

NO_ENGINE = "none"
SHOWN = "context_names_numbers"
"""The perturbation whose ranking is shown, where there is one of this name; else the last."""
DIGITS = 5


EXAMPLES = {
    "The study's questions and MGSM-Pro's": "transfer robustness",
    "Accuracies of your own on perturbed questions":
        "transfer robustness --scores scores.csv --engine none",
}  # fmt: skip


@dataclass(frozen=True)
class Scored:
    """Scores to analyse: ``name`` begins the names of their files."""

    name: str
    scores: pd.DataFrame
    groups: pd.Series
    note: str


def command(
    outcomes: options.Outcomes = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            "--scores",
            help="Accuracies on perturbed questions: CSV with variant, language, perturbation, "
            "accuracy (or n_correct, n_total), and instance where there are several.",
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help=f"Of the drop model: {', '.join(ENGINES)}, or {NO_ENGINE} for none.",
            autocompletion=complete.engines_or_none,
        ),
    ] = "laplace",
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Robustness to symbolic variation: drops, rankings, their stability, and the drop as a GLMM.

    Without --outcomes and --scores: MGSM-Pro's published tables, checked against each other, and
    the study's original against its symbolic questions.
    """
    if engine not in (*ENGINES, NO_ENGINE):
        raise InputError(f"no engine {engine!r}; there are {', '.join(ENGINES)} and {NO_ENGINE}")
    if outcomes and scores:
        raise InputError("give --outcomes or --scores, not both: they are two sources of scores")
    say = output.current()
    directory = options.directory(out)
    sources = _sources(say, outcomes, scores)
    for scored in sources:
        say.data(scored.note.removeprefix("Data: "), scored.name)
        with progress.working(f"{scored.name}: rankings"):
            tables = report.robustness_tables(scored.scores, scored.groups, seed)
        if engine != NO_ENGINE and "n_total" in scored.scores.columns:
            tables["glmm"] = _drop_model(scored, engine, directory / "cache", say)
        write(scored, tables, directory)
        _show(scored.name, tables, say)
    listed = "\n".join(f"- `{scored.name}_*.csv`: {scored.note}" for scored in sources)
    write_note(directory / "robustness", "Robustness", listed)
    if not (outcomes or scores):
        _published(directory, say, seed)


def write(scored: Scored, tables: dict[str, pd.DataFrame], directory: Path) -> list[Path]:
    """CSV files ``robustness/name_*.csv``, a table of ranks, two figures and the note."""
    folder = directory / "robustness"
    paths = [
        write_table(rows.round(DIGITS), folder / f"{scored.name}_{label}.csv")
        for label, rows in tables.items()
    ]
    perturbations = list(tables["ranks"]["perturbation"].unique())
    shown = SHOWN if SHOWN in perturbations else perturbations[-1]
    ranks = tables["ranks"].query("perturbation == @shown").drop(columns="perturbation")
    groups = tables["groups"].query("perturbation == @shown")
    label = published.PERTURBATIONS.get(shown, shown)
    caption = f"Accuracy on original and perturbed questions ({label}) in percent, and ranks."
    table = table_robustness.build(
        f"table_robustness_{scored.name}", label, ranks, groups, caption, scored.note
    )
    paths += render.write(table, directory / "tables")
    over = label if len(perturbations) == 1 else f"mean of {len(perturbations)} perturbations"
    for name, figure in (
        ("groups", figure_robustness.draw(tables["groups"], scored.note, over)),
        ("ranks", figure_rank_changes.draw(ranks, label, scored.note)),
    ):
        base = directory / "figures" / f"figure_robustness_{scored.name}_{name}"
        paths += plots.save(figure, base)
    return paths


def _sources(say: output.Output, outcomes: Path | None, scores: Path | None) -> list[Scored]:
    """A user's scores or outcomes, or else the study's splits and MGSM-Pro."""
    if scores:
        table = score_tables.read_scores(scores)
        return [Scored("scores", table, _groups(table), note(f"scores of {scores.name}"))]
    if outcomes:
        cells = reading.cells(say, outcomes)
        table = score_tables.from_cells(cells)
        return [Scored("outcomes", table, _groups(table), note(cells.attrs["data_source"]))]
    study = score_tables.from_cells(table_12_counts())
    pro = model.implied_counts(
        published.published_scores(), consistency.QUESTIONS, published.INSTANCES
    )
    implied = (
        f"{published.SOURCE}; counts implied by the percentages; figures that contradict others "
        "(contradictions.csv) as printed"
    )
    return [
        Scored("study", study, _groups(study), note(TABLE_12)),
        Scored("mgsm_pro", pro, published.resource_groups(), note(implied)),
    ]


def _groups(table: pd.DataFrame) -> pd.Series:
    """Resource thirds of the scores' languages, under the codes that the scores use."""
    codes = list(table["language"].unique())
    return report.resource_groups([resolve(code) for code in codes]).set_axis(codes)


def _drop_model(scored: Scored, engine: str, cache: Path, say: output.Output) -> pd.DataFrame:
    """Fixed effects of perturbation × resource group (high is 1, low 0; log-odds)."""
    resource = scored.groups.map({"high": 1.0, "low": 0.0}).dropna()
    kept = scored.scores[scored.scores["language"].isin(resource.index)]
    data, names = model.drop_data(kept, resource)
    with progress.fitting("drop model") as tell:
        fit = cached_fit(
            engine,
            model.formula(names),
            data,
            cache,
            provenance={"data_source": scored.note},
            progress=tell,
        )
    for warning in fit.warnings():
        say.note(warning)
    return fit.fixed_effects


def _show(name: str, tables: dict[str, pd.DataFrame], say: output.Output) -> None:
    for label, table in tables.items():
        say.record(f"{name}_{label}", table)
    for label, rows in tables["ranks"].groupby("perturbation", sort=False):
        agreed = rankings.agreement(rows["original"], rows["accuracy"])
        drop = 100 * (rows["accuracy"] - rows["original"]).mean()
        say.line(
            f"  {label}: {drop:+.1f} points over {agreed['models']} models, Kendall's τ with the "
            f"original ranking {agreed['kendall']:.2f}, largest shift {agreed['max_change']}",
        )


def _published(directory: Path, say: output.Output, seed: int) -> None:
    """MGSM-Pro's tables against each other, and how stable its ranking can be."""
    folder = directory / "robustness"
    compared = consistency.comparisons()
    found = consistency.contradictions(compared)
    with progress.working("how stable a ranking is"):
        curves = report.published_stability(seed)
    text = note("MGSM-Pro, Tables 1–4 and 8–13 as published")
    say.record("contradictions", found)
    say.record("mgsm_pro_stability", curves)
    write_table(consistency.summary(compared), folder / "consistency.csv")
    write_table(found.round(DIGITS), folder / "contradictions.csv")
    write_table(curves.round(DIGITS), folder / "mgsm_pro_stability.csv")
    render.write(table_contradictions.build(found, text), directory / "tables")
    figure = figure_rank_stability.draw(
        curves,
        stability.THRESHOLD,
        note("means and ± of MGSM-Pro's Table 3 as published, instances simulated from them"),
    )
    plots.save(figure, directory / "figures" / "figure_rank_stability")
    say.line(
        f"  {len(found)} of {len(compared)} comparisons between the published figures contradict",
    )
    for way, rows in curves.groupby("reading", sort=False):
        needed = stability.enough(rows) or f"more than {rows['instances'].max()}"
        say.line(f"  instances until τ ≥ {stability.THRESHOLD}: {needed} ({way})")
