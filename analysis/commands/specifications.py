"""``transfer specifications``: the model's alternatives, Appendix A.1."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis import design, study
from capability_transfer.analysis.ablations import specifications as s
from capability_transfer.analysis.commands import complete, options, output, reading
from capability_transfer.analysis.figures import figure_specifications
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.tables import table_specifications
from capability_transfer.common.files import write_table

NAMES = ", ".join(each.name for each in s.SPECIFICATIONS)


EXAMPLES = {
    "One alternative beside the main model": "transfer specifications --only script",
}


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help=f"Fit these beside the main model; repeatable: {NAMES}.",
            autocompletion=complete.specifications,
        ),
    ] = None,
    formula: options.Formula = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Would another specification have found the same determinants?"""
    say = output.current()
    directory = options.directory(out)
    chosen = s.choose(only) if only else s.SPECIFICATIONS
    inputs = reading.inputs(
        say, outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts
    )
    main, told = design.chosen(formula, study.MAIN, inputs.cells, inputs.features)
    for text in told:
        say.note(text)
    table = s.specifications(
        inputs,
        progress.fits(2 * len(chosen)),
        directory / "cache",
        chosen,
        main.source,
    )
    text = note(inputs.source) + " Fit: laplace, Laplace approximation."
    write_table(table, directory / "specifications" / "table.csv")
    write_note(directory / "specifications", "Alternative specifications", text)
    built = table_specifications.build(table, text)
    render.write(built, directory / "tables")
    figure = figure_specifications.draw(table, text)
    plots.save(figure, directory / "figures" / "figure_specifications")
    for _, rows in table.groupby("specification", sort=False):
        row = rows.iloc[0]
        changed = rows.loc[rows["significance_changed"], "term"].tolist()
        largest = rows.loc[rows["part"] == "fixed", "change"].abs().max()
        say.line(
            f"{row['label']}: AIC {row['aic_change']:+,.1f}, coefficients move by at most "
            f"{largest:.3f}"
            + (f", significance of {', '.join(changed)} changes" if changed else ""),
        )
    say.record("specifications", table)
