"""``transfer overview``: runs, families, languages and models as published. No model is fitted."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import overview as o
from capability_transfer.analysis.commands import options, output
from capability_transfer.analysis.figures import figure_12, figure_16, figure_family_gaps
from capability_transfer.analysis.outcomes.study import TABLE_12, TOTALS, study_counts
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.presentation.tables import number
from capability_transfer.analysis.tables import (
    table_08,
    table_09,
    table_10,
    table_11,
    table_12,
)
from capability_transfer.common.errors import name_some
from capability_transfer.common.files import write_table
from capability_transfer.features import models as model_registry
from capability_transfer.features.table import build_all

COUNTED = note(TOTALS)
FEATURES = note(
    "Common Crawl page counts and URIEL's syntax_knn vectors, packaged with the toolkit"
)
REGISTRY = note("model registry (study, Table 8)")
STATED = "Data: as the study states it."


EXAMPLES = {"The study at a glance; no model is fitted": "transfer overview --out /tmp/results"}


def command(out: options.Out = None) -> None:
    """The study's outcomes, models and languages described: Tables 8-12, Figures 12 and 16."""
    say = output.current()
    directory = options.directory(out)
    models = model_registry.registry()
    counts = study_counts(include_excluded=True)
    runs = o.beside_published(o.runs(counts)).merge(
        models[["variant", "family", "params_b", "reasoning"]], on="variant"
    )
    modelled = counts[counts["variant"].isin(models.loc[models["in_study"], "variant"])]
    gaps = o.reasoning_gaps(modelled, models[models["in_study"]])
    families = o.family_gaps(runs.drop(columns="family"), models)
    tables = {
        "runs": runs,
        "disagreements": o.disagreements(runs),
        "families": families,
        "reasoning_gap": gaps,
        "design_space": o.design_space(),
        "correlations": o.correlations(build_all(models[models["in_study"]])),
    }
    for name, table in tables.items():
        write_table(table, directory / "overview" / f"{name}.csv")
        say.record(name, table)
    write_note(directory / "overview", "The study's outcomes described", COUNTED)
    for built in (
        table_08.build(models, REGISTRY),
        table_09.build(o.languages(), STATED),
        table_10.build(o.annotation(), STATED),
        table_11.build(runs, COUNTED),
        table_12.build(o.wilson(), note(TABLE_12)),
    ):
        render.write(built, directory / "tables")
    for name, figure in (
        ("figure_12", figure_12.draw(gaps, COUNTED)),
        ("figure_16", figure_16.draw(tables["design_space"], FEATURES)),
        ("figure_family_gaps", figure_family_gaps.draw(families, runs, COUNTED)),
    ):
        plots.save(figure, directory / "figures" / name)
    say.data(COUNTED.removeprefix("Data: ").removesuffix("."))
    shown = pd.DataFrame({"": families["family"]})
    for column in ("gap", "published"):
        shown[column] = [number(value, 1) for value in families[column]]
    say.table("families", families, "Gap to English by family (accuracy points)", shown)
    found = tables["disagreements"]
    say.line(
        f"{len(found)} of {len(runs) * len(o.FIGURES)} figures of Table 11 differ from ours by "
        f"more than rounding ({name_some(found['figure'].unique())}), at most "
        f"{found['difference'].abs().max():.1f} points",
    )
