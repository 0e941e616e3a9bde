"""The command line as a whole: help, completion, versions, and what it says of mistakes."""

import os
import resource
import shlex
import subprocess
import sys
from inspect import signature
from pathlib import Path
from unittest.mock import patch

import pytest
import typer
from capability_transfer.analysis import cli
from capability_transfer.analysis.commands import registry

import capability_transfer as ct
from tests.analysis.command_line import transfer

TRANSFER = Path(sys.executable).with_name("transfer")
FORMULA = "~ resource + size + (1 | variant) + (1 | language) + (1 | template)"


def examples():
    """Every command line that help shows."""
    shown = [cli.EXAMPLES]
    for name in cli.COMMANDS:
        own = registry.COMMANDS[name].examples
        assert own, name
        shown.append(own)
    for table in shown:
        for lines in table.values():
            yield from lines.replace("\\\n", " ").splitlines()


@pytest.mark.parametrize("line", list(examples()))
def test_every_example_of_the_help_is_understood(line, tmp_path, monkeypatch):
    monkeypatch.setattr(cli.Command, "invoke", lambda self, ctx: None)
    program, *arguments = shlex.split(line)
    assert program == "transfer"
    assert transfer(*arguments, cwd=tmp_path) == (0, "", "")


@pytest.mark.parametrize(
    "line",
    [pytest.param("transfer overview", marks=pytest.mark.heavy), "transfer outcomes",
     pytest.param("transfer templates --language dan",
                  marks=[pytest.mark.needs("templates"), pytest.mark.heavy]),
     pytest.param("transfer instances eng dan --templates :3 --n-instances 1 --out few.jsonl",
                  marks=pytest.mark.needs("templates"))],
)  # fmt: skip
def test_cheap_examples_run(line, tmp_path):
    assert any(example.startswith(line) for example in examples())
    code, printed, said = transfer(*shlex.split(line)[1:], cwd=tmp_path)
    assert (code, said) == (0 if "templates -" not in line else 1, "")
    assert printed


def test_help_lists_every_command_by_panel_with_examples(tmp_path):
    for arguments in (["--help"], []):
        code, shown, said = transfer(*arguments, cwd=tmp_path)
        assert (code, said) == (0, "")
        for panel, names in cli.PANELS.items():
            section = shown.split(f"\n{panel}:\n")[1].split("\n\n")[0]
            assert [row.split()[0] for row in section.splitlines() if row[2] != " "] == list(names)
        assert "Examples:\n  # " in shown
        assert shown.isascii() or not set(shown) & set("─│╭╮╰╯")


def test_help_of_a_command_ends_with_its_examples(tmp_path):
    shown = transfer("predict", "--help", cwd=tmp_path)[1]
    assert shown.rstrip().endswith("--train mine.csv")


def test_every_command_can_speak_json():
    group = typer.main.get_command(cli.build())
    assert set(group.commands) == set(registry.COMMANDS) == set(cli.COMMANDS)
    for name, command in group.commands.items():
        assert [one.opts for one in command.params].count(["--json"]) == 1, name


MEANT_TO_DIFFER = {("glmm", "engine"), ("loo-predict", "edges"), ("few-templates", "draws")}
"""A command makes the study's results, where the function is to answer soon and without R."""


def test_a_command_s_defaults_are_those_of_its_function():
    functions = {"glmm": "fit", "loo-predict": "hold_out", "transfer-metrics": "measures"}
    compared, differ = 0, set()
    for name, one in registry.COMMANDS.items():
        function = functions.get(name, name.replace("-", "_"))
        if function in ct.ENTRIES:
            own = signature(one.function).parameters
            other = signature(getattr(ct, function)).parameters
            for option in own.keys() & other.keys():
                if own[option].default is not None:
                    compared += 1
                    if own[option].default != other[option].default:
                        differ.add((name, option))
    assert compared > 25
    assert differ == MEANT_TO_DIFFER


def typed(shell, words):
    """The variables by which a shell asks what to offer after ``words``."""
    line = " ".join(words)
    asked = (
        {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        if shell == "bash"
        else {"_TYPER_COMPLETE_ARGS": line}
    )
    return asked | {"_TRANSFER_COMPLETE": f"complete_{shell}"}


def complete(shell, words, cwd):
    """What the shell gets to offer after ``words``, in a process of its own as shells do it."""
    variables = typed(shell, words) | {"PYTHONPROFILEIMPORTTIME": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [TRANSFER], env=os.environ | variables, cwd=cwd, capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    imported = {line.split("|")[-1].strip() for line in ended.stderr.splitlines()}
    assert "typer" in imported
    assert not imported & {"pandas", "numpy", "scipy", "matplotlib"}
    assert seconds < 1.0, seconds  # processor time; 0.25 s on a machine of its own
    return ended.stdout


OFFERS = [
    (["predict", "--language", "sw"], ["swe", "swh"], "Swahili"),
    (["templates", "--language", "da"], ["dan"], "Danish"),
    (["predict", "--model", "Qwen/Qwen3-8"], ["Qwen/Qwen3-8B"], "Qwen3, 8B"),
    (["predict", "--family", "OLMo"], ["OLMo 2", "OLMo 3"], None),
    (["predict", "--reasoning", "o"], ["on", "off"], None),
    (["loo-predict", "--predictor", "study"], ["study", "study_pairs"], None),
    (["glmm", "--engine", "lap"], ["laplace"], "needs no R"),
    (["robustness", "--engine", "no"], ["none"], None),
    (["features", "--feature-set", "syntax_k"], ["syntax_knn"], None),
    (["power", "--effect", "resource:s"], ["resource:size="], None),
    (["all", "--only", "glm"], ["glmm"], None),
    (["specifications", "--only", "scr"], ["script"], "Latin"),
    (["glmm", "--obs"], ["--observation-level"], None),
    (["loo"], ["loo-predict"], None),
]


def check_completion(complete, words, offered, told, cwd):
    shown = complete("bash", ["transfer", *words], cwd).split("\n")
    assert set(offered) <= set(shown)
    assert all(one.startswith(words[-1]) for one in shown if one)
    shown = complete("zsh", ["transfer", *words], cwd)
    for one in offered:
        assert f'"{one}"'.replace(":", r"\\:") in shown
    assert told is None or told in shown


@pytest.mark.parametrize(("words", "offered", "told"), OFFERS)
def test_what_is_offered(words, offered, told, tmp_path, capsys):
    def complete(shell, words, cwd):
        with patch.dict(os.environ, typed(shell, words)), pytest.raises(SystemExit):
            cli.build()([], prog_name="transfer")
        return capsys.readouterr().out

    check_completion(complete, words, offered, told, tmp_path)


@pytest.mark.parametrize(
    ("words", "offered", "told"),
    [OFFERS[0], *(pytest.param(*offer, marks=pytest.mark.heavy) for offer in OFFERS[1:])],
)
def test_bash_and_zsh_complete(words, offered, told, tmp_path):
    check_completion(complete, words, offered, told, tmp_path)


def test_completion_offers_what_the_commands_know():
    from capability_transfer.analysis.commands import complete
    from capability_transfer.analysis.glmm.engines import ENGINES, MODES
    from capability_transfer.analysis.glmm.inference import METHODS
    from capability_transfer.analysis.outcomes.policies import DUPLICATES, ERRORS
    from capability_transfer.analysis.prediction.predictors import PREDICTORS
    from capability_transfer.analysis.study import SPECIFICATIONS
    from capability_transfer.features.languages import registry
    from capability_transfer.features.typology import feature_sets

    assert complete.engines("") == list(ENGINES)
    assert [name for name, _ in complete.modes("")] == list(MODES)
    assert complete.predictors("") == list(PREDICTORS)
    assert complete.intervals("") == list(METHODS)
    assert complete.error_policies("") == list(ERRORS)
    assert complete.duplicate_policies("") == list(DUPLICATES)
    known = [one.name for one in SPECIFICATIONS]
    assert [name for name, _ in complete.specifications("")] == known
    assert complete.feature_sets("") == feature_sets()
    assert {code for code, _ in complete.languages("")} == set(registry()["language"])


def test_help_imports_no_command(tmp_path):
    code = (
        "import sys; sys.argv = ['transfer', '--help']\n"
        "from capability_transfer.analysis.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'pandas', 'numpy', 'joblib', 'scipy'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""
    assert ended.returncode == 0


def test_the_version_is_that_of_the_package(tmp_path):
    from importlib.metadata import version

    told = f"transfer {version('capability-transfer')}\n"
    assert transfer("--version", cwd=tmp_path) == (0, told, "")


@pytest.fixture(scope="module")
def folder(own_cells, tmp_path_factory):
    """Outcomes of six variants and six languages, sound ones and spoilt ones."""
    path = tmp_path_factory.mktemp("own")
    kept = own_cells.sort_values(["language", "variant", "template"])
    kept.to_csv(path / "cells.csv", index=False)
    kept.replace({"language": {"isl": "icl"}}).to_csv(path / "language.csv", index=False)
    kept.replace({"variant": {"Qwen2.5-7B-Instruct": "my-model"}}).to_csv(
        path / "model.csv", index=False
    )
    kept.rename(columns={"variant": "model"}).to_csv(path / "columns.csv", index=False)
    kept[:0].to_csv(path / "header.csv", index=False)
    kept.to_csv(path / "semicolons.csv", index=False, sep=";")
    kept.to_csv(path / "cells.txt", index=False)
    (path / "empty.csv").write_text("")
    (path / "file").write_text("in the way")
    (path / "models.csv").write_text(
        "variant,base_model,family,params_b,reasoning\nmy-model,my-model,Mine,seven,off\n"
    )
    return path


OWN = ("glmm", "--engine", "laplace", "--formula", FORMULA, "--outcomes")
PREDICT = ("predict", "--model", "Qwen/Qwen3-8B", "--reasoning", "on")
MISTAKES = {
    "no file": ((*OWN, "absent.csv"), ["there is no file absent.csv"]),
    "wrong suffix": ((*OWN, "cells.txt"), ["no reader for .txt", ".csv, .parquet"]),
    "wrong column": ((*OWN, "columns.csv"), ["no column 'variant'", "these are there: model"]),
    "unknown language": (
        (*OWN, "language.csv"),
        [
            "language.csv, line 194 and 47 more rows: unknown language 'icl'. Did you mean isl",
            "Name it by its ISO 639 code (swh or sw) or in English; or describe it in a "
            "--languages file",
        ],
    ),
    "unknown model": (
        (*OWN, "model.csv"),
        ["model.csv, line ", " and 47 more rows: no features are known for model my-model"],
    ),
    "size in words": (
        (*OWN, "model.csv", "--models", "models.csv"),
        ["models.csv: column 'params_b' is not a finite number: line 2 ('seven')"],
    ),
    "only a header": ((*OWN, "header.csv"), ["header.csv has no rows"]),
    "empty file": ((*OWN, "empty.csv"), ["empty.csv is empty"]),
    "semicolons": ((*OWN, "semicolons.csv"), ["separated by ';'"]),
    "formula without tilde": (
        ("glmm", "--outcomes", "cells.csv", "--formula", "resource"),
        ["needs a '~'"],
    ),
    "formula with a typo": (
        ("glmm", "--outcomes", "cells.csv", "--formula", "~ resorce + (1 | language)"),
        ["Did you mean resource"],
    ),
    "out is a file": ((*OWN, "cells.csv", "--out", "file"), ["file is a file; choose another"]),
    "out below a file": ((*OWN, "cells.csv", "--out", "file/x"), ["is a file; choose another"]),
    "misspelt engine": (
        ("glmm", "--outcomes", "cells.csv", "--engine", "laplce"),
        ["Did you mean laplace"],
    ),
    "misspelt option": ((*OWN, "cells.csv", "--sed", "1"), ["Did you mean --seed?", "glmm --help"]),
    "misspelt command": (("glm",), ["No such command 'glm'. Did you mean 'glmm'?"]),
    "negative seed": (("glmm", "--seed", "-1"), ["--seed", "greater than or equal to 0"]),
    "no items": ((*PREDICT, "--language", "swh", "--n-items", "0"), ["--n-items"]),
    "target in percent": (
        (*PREDICT, "--language", "swh", "--target", "80"),
        ["between 0 and 1", "80% is 0.8"],
    ),
    "no language": (PREDICT, ["Missing option '--language'", "predict --help"]),
    "predictions to a spreadsheet": (
        (*PREDICT, "--language", "swh", "--save", "x.xlsx"),
        [".csv or .parquet"],
    ),
    "cells to ingest": (
        ("ingest", "cells.csv", "--out", "o.parquet"),
        ["needs no ingest", "--outcomes"],
    ),
    "outcomes to CSV": (("ingest", "cells.csv", "--out", "o.csv"), ["name ending in .parquet"]),
    "unknown template folder": (("templates", "--language", "xx"), ["There are afr, amh"]),
    "threshold in percent": (
        ("ceiling", "--outcomes", "cells.csv", "--english", "95"),
        ["between 0 and 1"],
    ),
    "level in percent": (("power", "--level", "5"), ["between 0 and 1", "0.05"]),
    "language not tabulated": (("equivalence", "--first", "xx"), ["It has ara, dan"]),
    "unknown language in answers to a prediction": (
        (*PREDICT, "--language", "isl", "--outcomes", "language.csv"),
        ["language.csv: unknown language 'icl'. Did you mean isl", "--languages file"],
    ),
    "metrics from no language": (
        ("transfer-metrics", "--engine", "none", "--outcomes", "cells.csv", "--source", "xx"),
        ["unknown language 'xx'", "Did you mean xho"],
    ),
    "metrics from a language without outcomes": (
        ("transfer-metrics", "--engine", "none", "--outcomes", "cells.csv", "--source", "swh"),
        ["no outcomes in Swahili (swh)", "deu"],
    ),
}


TEMPLATES = {"unknown template folder"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.needs("templates")] * (name in TEMPLATES))
     for name in MISTAKES],
)  # fmt: skip
def test_a_mistake_is_named_with_what_to_do_and_nothing_is_written(name, folder):
    arguments, says = MISTAKES[name]
    before = sorted(folder.rglob("*"))
    code, _, said = transfer(*arguments, cwd=folder)
    assert code == 2
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    for words in says:
        assert words in said
    assert sorted(folder.rglob("*")) == before
