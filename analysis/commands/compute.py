"""``transfer compute``: tokens a response, and the language gap at a compute budget (Figure 13)."""

from __future__ import annotations

from rich.console import Console

from analysis import compute
from analysis.commands import options, responses
from analysis.figures import figure_13, style
from analysis.outcomes.policies import Policies
from analysis.outcomes.samples import Request
from analysis.provenance import note, write_note


def command(
    paths: options.Logs,
    models: options.Models = None,
    split: options.Split = "symbolic",
    mapping: options.MappingFile = None,
    scorer: options.Scorer = None,
    threshold: options.Threshold = None,
    errors: options.Errors = "fail",
    duplicates: options.Duplicates = "fail",
    out: options.Out = None,
) -> None:
    """Compute is 2 · parameters · output tokens; needs logs that count tokens."""
    console = Console()
    directory = out or options.USER_RESULTS
    request, policies = Request(mapping, scorer, threshold), Policies(errors, duplicates)
    cells, report = responses.read(paths, request, policies, split, console)
    variants = compute.by_variant(cells, models)
    text = note(report.source)
    for row in variants.itertuples():
        console.print(
            f"{row.variant:32s} {row.output_tokens:8.0f} tokens {row.tflops:9.2f} TFLOPs, others "
            f"÷ English {row.relative:.2f}",
            highlight=False,
        )
    written = compute.write(variants, compute.by_language(cells), directory)
    if variants["toggled"].any():
        figure = figure_13.draw(variants, text)
        written += style.save(figure, directory / "figures" / "figure_13")
    else:
        console.print("[yellow]![/] no model is there in both modes: no Figure 13")
    written.append(write_note(directory / "compute", "Tokens and compute", text))
    console.print(f"Wrote {len(written)} files to {directory}/ (compute, figures)")
