"""``transfer loo-predict``: what accuracy in a language is predicted without having tested it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis import study
from capability_transfer.analysis.commands import complete, options, output, reading
from capability_transfer.analysis.figures import (
    figure_05,
    figure_06,
    figure_14,
    figure_calibration,
    figure_ladder,
    figure_resource_shape,
    scatter,
)
from capability_transfer.analysis.glmm.engines import ENGINES
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.prediction import loo, partial_effect, scores, store
from capability_transfer.analysis.prediction.evaluate import DRAWS, Task
from capability_transfer.analysis.prediction.models import PairModel
from capability_transfer.analysis.prediction.predictors import PREDICTORS
from capability_transfer.analysis.prediction.predictors import predictor as predictor_of
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.tables import table_ladder
from capability_transfer.common.errors import InputError, suggest
from capability_transfer.common.files import write_table

CELL = ["variant", "language", "template", "n_correct", "n_total"]
NOTE = """Accuracies are shares (0–1), errors accuracy points. Leave-one-language-out:

- `pairs.csv`, `by_language.csv`, `summary.csv`: `predicted` is the plug-in prediction (modes, new
  effects zero); intervals are predictive: effects, their SDs and the binomial noise of the items
  asked are drawn.
- `points.csv`, `points_summary.csv`: the plug-in prediction beside the integrated one (the mean
  over the new effects).
- `intervals.csv`, `calibration.csv`: coverage, width and interval score.
- `published.csv`: the study's figures beside ours. `ladder.csv`: from its model to ours.
- `fits.csv`: fits to all data. `resource_shape.csv`: the smooth of resource.
- `nested.csv` (`--nested --out results`): each language predicted by the predictor with the
  smallest error over the others, `inner_…` (pair MAE with two languages held out).

`extrapolation.csv` and `extrapolation_intervals.csv` hold out whole edges: the three languages
with least text, the three most distant from English, the languages of each script.
`few_templates.csv` and `few_templates_coverage.csv` are of `make few-templates`: the error after k
templates of the language were seen. `simulated_coverage.csv` is of `make interval-check`: what
intervals cover in worlds drawn from the fitted models.

"""


EXAMPLES = {
    "Every predictor on every held-out language": "transfer loo-predict",
    "And the predictor chosen without each language": "transfer loo-predict --nested",
    "The study's model and ours, languages only": "transfer loo-predict "
    "--predictor study --predictor smooth --no-edges",
}


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help=f"Of the study's GLMMs: {', '.join(ENGINES)}.",
            autocompletion=complete.engines,
        ),
    ] = "laplace",
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            "--predictor",
            help=f"Repeatable; all without it: {', '.join(PREDICTORS)}. "
            f"Figures 5, 6 and 14 show {' and '.join(scatter.TITLES)}.",
            autocompletion=complete.predictors,
        ),
    ] = None,
    edges: Annotated[
        bool,
        typer.Option("--edges/--no-edges", help="Also hold out whole edges: the extrapolation."),
    ] = True,
    nest: Annotated[
        bool,
        typer.Option(
            "--nested",
            help="Also choose the predictor anew for each language, by the others alone (minutes).",
        ),
    ] = False,
    workers: options.Workers = 2,
    draws: Annotated[
        int, typer.Option("--draws", min=2, help="Draws of each predictive distribution.")
    ] = DRAWS,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """Hold out each language in turn, and several at the edges, and predict every model there.

    Finished folds are kept in OUT/cache: an interrupted run goes on where it stopped.
    """
    if engine not in ENGINES:
        raise InputError(f"no engine {engine!r}; there are {', '.join(ENGINES)}."
                         f"{suggest(engine, ENGINES)}")  # fmt: skip
    say = output.current()
    directory = options.directory(out)
    inputs = reading.inputs(
        say, outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts
    )
    for text in loo.describe_left_out(inputs, drop_missing):
        say.note(text)
    joined, vectors = loo.prepare(inputs, drop_missing)
    task = Task(joined, vectors, engine, draws, seed, directory / "cache", workers)
    chosen = predictor or PREDICTORS
    if engine != "laplace" and not predictor:
        left_out = [name for name in PREDICTORS if isinstance(predictor_of(name), PairModel)]
        chosen = [name for name in PREDICTORS if name not in left_out]
        say.note(f"left out, fitted by our engine alone: {', '.join(left_out)}")
    result = loo.loo(inputs, task, progress.counting, chosen, edges)
    write(result, inputs, directory, note(inputs.source))
    if "smooth" in chosen:
        key = store.data_key([outcomes, models, languages, tokenizer_counts])
        key += ("complete rows",) * drop_missing  # no prediction for other data may find this fit
        kept = replace(inputs, cells=joined[CELL])
        bundle = store.load_or_build(key, directory / "cache", lambda: kept)
        curves = partial_effect.resource_shape(bundle.fitted, bundle.constants, task.seed)
        slope = partial_effect.resource_slope(task)
        known = bundle.languages
        seen = known[known["language"].isin(joined["language"])]
        write_shape(curves, slope, seen, directory, note(inputs.source))
    show(result, say)
    if nest:
        chosen_anew = loo.nested(task, progress.counting)
        write_table(chosen_anew.round(loo.DIGITS), directory / "loo" / "nested.csv")
        say.line(loo.describe_nested(chosen_anew))


def write(
    result: loo.LeaveOut,
    inputs: Inputs,
    directory: options.Path,
    text: str,
) -> list[options.Path]:
    """Tables and figures of the predictions, and the note on the data beside them."""
    published = study.published_predictions()
    if not inputs.is_study:
        published = published[:0]
    steps = loo.ladder(result.one, result.edges, result.fits)
    calibration = scores.calibration(result.one)
    names = inputs.features.languages.set_index("language")["name"]
    figures = {}  # of the predictors that were asked for
    if result.one["predictor"].isin(scatter.TITLES).any():
        figures |= {
            "figure_05": figure_05.draw(result.one, published, text),
            "figure_06": figure_06.draw(result.pairs(), published, text),
            "figure_14": figure_14.draw(result.pairs(), names, text),
        }
    if not calibration.empty:
        figures["figure_calibration"] = figure_calibration.draw(calibration, text)
    if not steps.empty:
        figures["figure_ladder"] = figure_ladder.draw(steps, text)
    paths = loo.write(result, directory)
    paths.append(write_table(steps.round(loo.DIGITS), directory / "loo" / "ladder.csv"))
    paths.append(write_note(directory / "loo", "Predictions for held-out languages", NOTE + text))
    if not steps.empty:
        paths += render.write(table_ladder.build(steps, text), directory / "tables")
    for name, figure in figures.items():
        paths += plots.save(figure, directory / "figures" / name)
    return paths


def write_shape(
    curves: pd.DataFrame, slope: float, languages: pd.DataFrame, directory: options.Path, text: str
) -> list[options.Path]:
    """The shape of the resource effect, and the line that the study's model draws instead."""
    figure = figure_resource_shape.draw(curves, slope, languages, text)
    return [
        write_table(curves.round(loo.DIGITS), directory / "loo" / "resource_shape.csv"),
        *plots.save(figure, directory / "figures" / "figure_resource_shape"),
    ]


def show(result: loo.LeaveOut, say: output.Output) -> None:
    """Errors by predictor, beside the published ones."""
    for row in scores.summary(result.one).itertuples():
        covered = (
            "" if row.coverage_80 != row.coverage_80 else f", 80% covers {row.coverage_80:.0%}"
        )
        say.line(
            f"{row.level:8s} {row.predictor:15s} MAE {row.mae:5.2f}, r {row.pearson:.3f}{covered}",
        )
    if result.is_study:
        for row in result.beside_published().itertuples():
            say.line(
                f"published {row.level} {row.predictor} {row.statistic}: {row.published:g}, "
                f"ours {row.ours:.3f}",
            )
