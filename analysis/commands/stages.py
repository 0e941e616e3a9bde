"""``transfer stages``: how far answers get, Table 6 and Figures 3 and 17, from a user's logs."""

from __future__ import annotations

from capability_transfer.analysis import stages as s
from capability_transfer.analysis import study
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.determinants import check_asked
from capability_transfer.analysis.figures import figure_03, figure_17
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.tables import table_06

NAMES = ("operands", "intermediates", "final")

EXAMPLES = {
    "Where solutions go wrong, from a folder of logs": "transfer stages logs/ --models models.csv",
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
    """Operands read, intermediate values reached, final answers: the same model for each.

    Needs logs with responses and with gold solutions that mark <<lhs=rhs>>.
    """
    say = output.current()
    directory = options.directory(out or options.USER_RESULTS)
    check_asked(formula, engine)
    request, policies = Request(mapping, scorer, threshold), Policies(errors, duplicates)
    cells = reading.responses(say, paths, split, request, policies, skip_damaged)
    settings = s.Settings(formula, engine, models, languages, split, drop_missing)
    result = s.stages(cells, NAMES, settings, directory, progress.fits(2 * len(NAMES)), say.note)
    text = note(result.source)
    beside = s.published() if formula is None or parse(formula) == parse(study.MAIN) else None
    table = table_06.build(result.fixed, result.random, beside, text)
    say.table("fixed_effects", result.fixed, table.caption, table.display)
    say.record("random_effects", result.random)
    say.record("by_language", result.rates)
    s.write(result, directory)
    render.write(table, directory / "tables")
    plots.save(figure_03.draw(result.rates, text), directory / "figures" / "figure_03")
    plots.save(figure_17.draw(result.fixed, text), directory / "figures" / "figure_17")
    write_note(directory / "stages", "Stages of solutions", text)
