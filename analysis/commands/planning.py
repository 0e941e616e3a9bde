"""Commands that plan an evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from capability_transfer.analysis.commands import complete, options
from capability_transfer.analysis.commands.output import current, deliver
from capability_transfer.analysis.commands.registry import command

if TYPE_CHECKING:
    from capability_transfer.analysis.studies.items import Items

PANEL = "Plan an evaluation, check its items"


@command(
    {
        "The study's outcomes": "transfer sample-size",
        "How many templates for a standard error of 2 points?": "transfer sample-size --wanted 2",
    }
)
def sample_size(
    outcomes: options.Outcomes = None,
    templates: Annotated[
        list[int] | None,
        typer.Option("--n-templates", min=1, help="A template budget; repeatable."),
    ] = None,
    instances: Annotated[
        list[int] | None,
        typer.Option("--n-instances", min=1, help="An instance budget; repeatable."),
    ] = None,
    wanted: Annotated[
        list[float] | None,
        typer.Option("--wanted", help="How many templates for this standard error (points)?"),
    ] = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """How precise is a score, and how stable a ranking, on fewer templates or instances?"""
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies import sample_size as s

    directory = options.directory(out)
    if outcomes is None:
        data = reading.study(directory, seed=seed, split=None)
    else:
        data = reading.outcomes(outcomes, seed)
    result = s.sample_size(
        data,
        templates=templates or s.TEMPLATES,
        instances=instances or s.INSTANCES,
        wanted=wanted or s.WANTED,
    )
    deliver(result, directory)


@command(
    {
        "Would 8 languages do, or 30?": "transfer power --n-languages 8 --n-languages 30",
        "An interaction half as large, a first look at 20 simulations": "transfer power "
        "--n-languages 15 --effect resource:size=-0.13 --simulations 20",
    }
)
def power(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    n_languages: Annotated[
        list[int] | None,
        typer.Option("--n-languages", min=4, help="Languages planned; repeatable."),
    ] = None,
    n_variants: Annotated[
        list[int] | None, typer.Option("--n-variants", min=4, help="Runs planned; repeatable.")
    ] = None,
    n_templates: Annotated[
        list[int] | None,
        typer.Option("--n-templates", min=2, help="Templates planned; repeatable."),
    ] = None,
    n_instances: Annotated[
        list[int] | None,
        typer.Option("--n-instances", min=1, help="Instances per template planned; repeatable."),
    ] = None,
    effect: Annotated[
        list[str] | None,
        typer.Option(
            "--effect",
            help="An effect to detect, term=log-odds per SD: resource:size=-0.1; repeatable.",
            autocompletion=complete.effects,
        ),
    ] = None,
    formula: options.Formula = None,
    level: Annotated[float, typer.Option("--level", help="Level of the test (0-1).")] = 0.05,
    simulations: Annotated[
        int, typer.Option("--simulations", min=1, help="Per plan; more add to those kept.")
    ] = 100,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Simulations at once.")] = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """What would a planned study detect? Simulates it from the model fitted to the outcomes.

    Every combination of the planned numbers is a plan. Effects not given are the fitted ones.
    By default: 8, 15 and 30 languages, 46 runs, 50 templates, 10 instances.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies import power as p
    from capability_transfer.analysis.studies.main_model import fit

    p.check_level(level)
    effects = dict(p.planned_effect(text) for text in effect or [])
    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
    numbers = {
        "languages": n_languages,
        "variants": n_variants,
        "templates": n_templates,
        "instances": n_instances,
    }
    result = p.power(
        fit(study, formula, baseline=False),
        **{name: values for name, values in numbers.items() if values},
        effects=effects,
        simulations=simulations,
        level=level,
        workers=workers,
    )
    deliver(result, directory)


@command(
    {
        "The Danish templates": "transfer templates --language dan",
        "Your own folder, every check to a file":
            "transfer templates --language path/to/templates --out checks.csv",
    }
)  # fmt: skip
def templates(
    language: Annotated[
        str,
        typer.Option(
            "--language",
            help="A language of multilingual-gsm-symbolic (dan) or the path of a template folder.",
            autocompletion=complete.template_languages,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write every check as CSV or Parquet.")
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds", min=0, help="Time limit of one template's draws (processor seconds)."
        ),
    ] = 20.0,
) -> None:
    """Check a folder of templates: texts, conditions, solutions, ids, prompt.

    Exits with status 1 if a check fails that the package's own English template of the same id
    passes. ``loads``: the file can be read; ``id``: English has the
    same problem under the same id; ``question``, ``answer``: default values reproduce the original
    text; ``conditions``: default values satisfy them; ``solution``: the answer is the solution's
    last value; ``instances``: some can be drawn, are complete, and agree with their solutions.
    """
    from capability_transfer.common import progress
    from capability_transfer.common.errors import name_some
    from capability_transfer.common.files import file_to_write, write_table
    from capability_transfer.evaluation import quality
    from capability_transfer.evaluation.folders import find_folder

    say = current()
    if out is not None:
        file_to_write(out, ".csv", ".parquet")
    folder = find_folder(language)
    with progress.working("checks"):
        results = quality.check(folder, seconds)
    say.data(f"{folder.path} ({len(folder.files)} templates)", "Templates")
    say.table("checks", quality.summary(results))
    say.record("results", results)
    failed = results[~results["passed"]]
    with progress.working("the English templates"):
        alike = quality.inherited(failed, seconds)
    for row in failed.assign(also=alike).itertuples(index=False):
        also = " (so does the English template)" * row.also
        say.line(f"{row.check}: template {row.template}: {row.detail}{also}")
    shared, lacking = quality.shared_ids(folder)
    say.line(f"{len(shared)} template ids are shared with English")
    if lacking:
        say.line(f"not shared: {name_some(lacking, 100)}")
    prompt = quality.instruction_problem(folder)
    if prompt:
        say.line(f"prompt: {prompt}")
    if out:
        write_table(results, out)
    if prompt or not alike.all():
        raise typer.Exit(1)


@command(
    {
        "The study's templates": "transfer items",
        "Fail the nightly run of a benchmark when an item that is not known breaks":
            "transfer items --outcomes mine.csv --fail-above 0.9 --known known.csv",
        "The study's model without them":
            "transfer glmm --without-items results/items/items.csv",
    }
)  # fmt: skip
def items(
    outcomes: options.Outcomes = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold", help="Probability of being broken from which on an item is flagged."
        ),
    ] = 0.95,
    fail_above: Annotated[
        float | None,
        typer.Option(
            "--fail-above",
            help="Exit with status 1 if an item's probability of being broken is above this.",
        ),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            "--known",
            help="CSV with language and template of items that --fail-above passes over, such as "
            "an earlier items.csv (of which the flagged ones count).",
        ),
    ] = None,
    templates: Annotated[
        list[str] | None,
        typer.Option(
            "--templates",
            help="Whose texts to show: 'package' (multilingual-gsm-symbolic, as for the study's "
            "outcomes) or LANGUAGE=FOLDER; repeatable. Templates are matched by id_orig.",
        ),
    ] = None,
    check_seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            min=0,
            help="Also run the checks of `transfer templates` on flagged templates, with this time "
            "limit for the draws of each.",
        ),
    ] = 0.0,
    out: options.Out = None,
) -> None:
    """Find items that are broken in one language: faulty translations, as the answers show them.

    A template that every model fails in one language and solves in the others is most likely a
    mistake in its text. Every template in every language gets an effect, an interval and the
    probability of being broken; index.html beside the tables is for translators.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.items import check_limit, items

    check_limit(fail_above)
    directory = options.directory(out, parts=("fail_above", "known"))
    data = reading.study(directory) if outcomes is None else reading.outcomes(outcomes)
    result = items(data, threshold, known=known)
    if templates or outcomes is None:
        result = _with_texts(result, templates, check_seconds)
    deliver(result, directory)
    if fail_above is not None:
        found = result.newly_broken(fail_above)
        current().record("failing", found)
        for row in found.itertuples(index=False):
            current().line(
                f"{row.language} {row.template}: broken with probability {row.broken:.3f}"
            )
        if len(found):
            raise typer.Exit(1)


@command(
    {
        "The study's conclusions without its faulty items": "transfer sensitivity",
        "Without those of a list, and no language held out":
            "transfer sensitivity --items faulty.csv --predictor none",
    }
)  # fmt: skip
def sensitivity(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    items: Annotated[
        Path | None,
        typer.Option(
            "--items", help="CSV of the items to leave out. Default: those that a screen flags."
        ),
    ] = None,
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            "--predictor",
            help="Whose errors for languages held out are compared, repeatable; none for no one.",
            autocompletion=complete.predictors,
        ),
    ] = None,
    workers: options.Workers = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """What conclusions owe to odd items: estimates, ranks, penalties, errors, with and without.

    Main effects, accuracy by language, the symbolic penalty (of the study's own data), and the
    errors for languages held out.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.sensitivity import PREDICTORS, sensitivity

    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, seed=seed)
    chosen = [] if predictor == ["none"] else predictor or list(PREDICTORS)
    deliver(sensitivity(study, items, predictors=chosen, workers=workers), directory)


def _with_texts(result: Items, templates: list[str] | None, seconds: float) -> Items:
    """A screen with the texts of its flagged items: those asked for, or where they are at hand."""
    from capability_transfer.common import progress
    from capability_transfer.common.errors import InputError, option
    from capability_transfer.evaluation.folders import find_folder, package
    from capability_transfer.evaluation.translations import beside
    from capability_transfer.features.languages import among

    given = templates or []
    folders = dict(one.split("=", 1) for one in given if "=" in one)
    if odd := [one for one in given if "=" not in one and one != "package"]:
        raise InputError(
            f"{option('templates', odd[0])}: give 'package' or LANGUAGE=FOLDER", (), "templates"
        )
    try:
        package()
    except InputError as error:
        if templates:
            raise
        current().note(f"the items' texts are not shown: {error}")
        return result
    codes = result.items["language"].unique()
    folders = {among(language, codes): find_folder(path).path for language, path in folders.items()}
    with progress.working("texts"):
        return result.with_texts(beside(result.to_read(), folders, seconds=seconds))


@command(
    {
        "One instance of each of the first three templates":
            "transfer instances eng dan --templates :3 --n-instances 1 --out few.jsonl",
    }
)  # fmt: skip
def instances(
    languages: Annotated[
        list[str],
        typer.Argument(
            help="Languages of multilingual-gsm-symbolic (eng dan) or template folders.",
            autocompletion=complete.template_languages,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The instance file to write (JSON Lines).")
    ] = Path("instances.jsonl"),
    per_template: Annotated[
        int,
        typer.Option("--n-instances", min=1, help="Symbolic instances per template."),
    ] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the instances.")] = 1,
    split: Annotated[
        str,
        typer.Option(
            "--split",
            help="symbolic, original, or symbolic,original.",
            autocompletion=complete.splits,
        ),
    ] = "symbolic",
    templates: Annotated[
        str | None,
        typer.Option(
            "--templates", help="Only these template ids, with commas; or :N, the first N."
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds", min=0, help="Time limit of one template's instances (processor seconds)."
        ),
    ] = 120.0,
    workers: Annotated[int, typer.Option("--workers", help="Processes; -1 is one per core.")] = -1,
) -> None:
    """Draw instances of every template, in parallel, into a file that evaluations can share.

    An instance depends on the seed, its template and its index only. Templates that give none are
    named with the reason, here and in the file's first line.
    """
    import pandas as pd
    from capability_transfer.common import progress
    from capability_transfer.common.files import file_to_write
    from capability_transfer.evaluation.instances import counted, generate, write_instances

    file_to_write(out)
    chosen: int | list[str] | None = templates.split(",") if templates else None
    if templates and templates.startswith(":") and templates[1:].isdecimal():
        chosen = int(templates[1:])
    given = [code for text in languages for code in text.split(",")]
    with progress.fraction("templates") as tell:
        found, provenance = generate(
            given, per_template, seed, split.split(","), chosen, seconds, workers, tell
        )
    say = current()
    say.table("instances", pd.DataFrame(counted(found, provenance)), "Instances drawn")
    for lost in provenance.missing:
        say.note(f"no instance: {lost}")
    write_instances(found, provenance, out)
