"""``transfer compliance``: who answers in the format that was asked for, by language."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis import stages as s
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.determinants import check_asked
from capability_transfer.analysis.figures import figure_compliance
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.presentation.tables import number

EXAMPLES = {
    "Who boxes the answer, from a folder of logs": "transfer compliance logs/ --models models.csv",
}


def command(
    paths: options.Logs,
    models: options.Models = None,
    languages: options.Languages = None,
    formula: options.Formula = None,
    engine: options.Engine = "laplace",
    split: options.Split = "symbolic",
    mapping: options.MappingFile = None,
    scorer: options.Scorer = None,
    threshold: options.Threshold = None,
    errors: options.Errors = "fail",
    duplicates: options.Duplicates = "fail",
    skip_damaged: options.SkipDamaged = False,
    drop_missing: options.DropMissing = False,
    out: options.OutOfLogs = None,
) -> None:
    r"""The share of responses with a \boxed{}, by language, and the GLMM of it."""
    say = output.current()
    directory = options.directory(out or options.USER_RESULTS)
    check_asked(formula, engine)
    request, policies = Request(mapping, scorer, threshold), Policies(errors, duplicates)
    cells = reading.responses(say, paths, split, request, policies, skip_damaged)
    settings = s.Settings(formula, engine, models, languages, split, drop_missing)
    result = s.stages(cells, ["compliance"], settings, directory, progress.fits(2), say.note)
    text = note(result.source)
    rates = result.rates.sort_values("rate", ascending=False, ignore_index=True, kind="stable")
    shown = pd.DataFrame({"": rates["language"].map(labels.language)})
    shown["boxed"] = [f"{rate:.1%}" for rate in rates["rate"]]
    shown["of"] = rates["n"].astype(str)
    say.table("by_language", rates, "Responses with a boxed answer", shown)
    shown = pd.DataFrame({"": result.fixed["term"].map(labels.term)})
    for column, title in (("estimate", "estimate"), ("std_error", "SE")):
        shown[title] = [number(value, 3) for value in result.fixed[column]]
    say.table("fixed_effects", result.fixed, "Effects (log-odds)", shown)
    say.record("random_effects", result.random)
    s.write(result, directory, "compliance")
    figure = figure_compliance.draw(result.rates, text)
    plots.save(figure, directory / "figures" / "figure_compliance")
    write_note(directory / "compliance", "Compliance with the format", text)
