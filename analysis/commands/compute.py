"""``transfer compute``: tokens a response, and the language gap at a compute budget (Figure 13)."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import compute
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.figures import figure_13
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import note, write_note

EXAMPLES = {
    "Tokens and operations of every model, from a folder of logs": "transfer compute logs/",
}


def command(
    paths: options.Logs,
    models: options.Models = None,
    split: options.Split = "symbolic",
    mapping: options.MappingFile = None,
    scorer: options.Scorer = None,
    threshold: options.Threshold = None,
    errors: options.Errors = "fail",
    duplicates: options.Duplicates = "fail",
    skip_damaged: options.SkipDamaged = False,
    out: options.OutOfLogs = None,
) -> None:
    """Tokens per response and the compute they take, against the gap to English.

    Compute is 2 · parameters · output tokens; needs logs that count tokens.
    """
    say = output.current()
    directory = options.directory(out or options.USER_RESULTS)
    request, policies = Request(mapping, scorer, threshold), Policies(errors, duplicates)
    cells = reading.responses(say, paths, split, request, policies, skip_damaged)
    variants = compute.by_variant(cells, models)
    text = note(cells.attrs["data_source"])
    shown = pd.DataFrame({"": variants["variant"]})
    shown["tokens"] = [f"{value:.0f}" for value in variants["output_tokens"]]
    shown["TFLOPs"] = [f"{value:.2f}" for value in variants["tflops"]]
    shown["others ÷ English"] = [f"{value:.2f}" for value in variants["relative"]]
    say.table("by_variant", variants, "Tokens and compute of a response", shown)
    tokens = compute.by_language(cells)
    say.record("tokens", tokens)
    compute.write(variants, tokens, directory)
    if variants["toggled"].any():
        figure = figure_13.draw(variants, text)
        plots.save(figure, directory / "figures" / "figure_13")
    else:
        say.note("no model is there in both modes: no Figure 13")
    write_note(directory / "compute", "Tokens and compute", text)
