"""Results of other options or data never land among the study's."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from capability_transfer.analysis.cli import COMMANDS, build
from capability_transfer.analysis.commands import places
from capability_transfer.common import files

from tests.analysis.command_line import transfer

NO_RESULTS = {"predict", "ingest", "export", "templates", "instances"}
"""Commands that write at most the file that is named."""

NEEDED = {
    "compare": ["--first", "one", "--second", "other"],
    **{name: ["logs"] for name in ("stages", "compliance", "compute")},
}
"""Words that commands cannot do without: what they say is then of one's own."""

PARTS = {"all": {"tables", "figures", "only", "force"}, "items": {"fail_above", "known"}}
VALUES = {
    "engine": "lme4",
    "formula": "~ size + (1 | variant)", "intervals": "profile",
    "predictor": "smooth", "feature_set": "geo", "source_language": "deu", "source": "deu",
    "first": "isl", "second": "deu", "effect": "size=1", "split": "original", "only": "main",
    "mapping": "mine.yaml", "scorer": "match", "errors": "drop", "duplicates": "first",
    "tokenizer": "tiktoken:o200k_base", "level": 0.1, "margin": 2, "english": 0.8, "cells": 0.8,
    "wanted": 2, "threshold": 0.5, "fail_above": 0.5, "width": "column",
}  # fmt: skip
OWN_VALUES = {("all", "only"): "overview", ("glmm", "engine"): "lme4-cold"}
FILES = {"outcomes", "models", "languages", "tokenizer_counts", "scores", "without_items", "known"}


class Chosen(Exception):
    """The folder that a command was about to use."""


def _value(command: str, parameter: typer.core.TyperOption) -> list[str]:
    """Words that give an option another value than its default."""
    flag = parameter.opts[0]
    if parameter.is_flag:
        return [parameter.secondary_opts[0] if parameter.default else flag]
    value = OWN_VALUES.get((command, parameter.name), VALUES.get(parameter.name))
    if parameter.name in FILES:
        value = f"{parameter.name}.csv"
    if value is None:  # a whole number
        value = (parameter.default or parameter.min or 0) + 3
    return [flag, str(value)]


def _cases():
    group = typer.main.get_command(build())
    for name in COMMANDS:
        if name in NO_RESULTS:
            continue
        options = [p for p in group.commands[name].params if isinstance(p, typer.core.TyperOption)]
        words = NEEDED.get(name, [])
        for parameter in options:
            if parameter.name in ("help", "out", "json"):
                continue
            alike = parameter.name in {*places.HOW, *PARTS.get(name, ())}
            study = alike and name not in NEEDED
            given = [*words, *_value(name, parameter)]
            yield pytest.param(name, given, study, id=f"{name} {parameter.opts[0]}")
        yield pytest.param(name, words, name not in NEEDED, id=name)


@pytest.fixture
def folder_of(monkeypatch, tmp_path):
    """The folder that a command line leads to, without its work."""

    def stop(path):
        raise Chosen(str(path))

    def folder_of(*words: str) -> Path:
        with pytest.raises(Chosen) as caught:
            transfer(*words, cwd=tmp_path)
        return Path(str(caught.value))

    for name in FILES:
        (tmp_path / f"{name}.csv").write_text("language\n")
    (tmp_path / "logs").mkdir()
    monkeypatch.setattr(files, "folder_to_write", stop)
    return folder_of


@pytest.mark.parametrize(("name", "words", "study"), list(_cases()))
def test_any_option_of_ones_own_keeps_the_study_s_results_as_they_are(
    name, words, study, folder_of
):
    assert folder_of(name, *words) == (places.RESULTS if study else places.USER_RESULTS)
    assert folder_of(name, *words, "--out", "elsewhere") == Path("elsewhere")


@pytest.mark.parametrize("command", ["glmm", "all"])
def test_our_engine_alone_finds_the_study_s_results_too(command, folder_of):
    assert folder_of(command, "--engine", "laplace") == places.RESULTS
    assert folder_of(command, "--engine", "lme4-cold") == places.USER_RESULTS


def test_a_default_that_is_spelt_out_is_no_option_of_ones_own(folder_of):
    assert folder_of("glmm", "--engine", "lme4", "--replicates", "500") == places.RESULTS


def test_a_reader_is_told_where_results_of_an_option_go(tmp_path):
    run = transfer("sample-size", "--n-templates", "5", cwd=tmp_path)
    assert run.returncode == 0
    assert "with --n-templates these are not the study's results" in run.stdout
    assert (tmp_path / "transfer-results" / "sample_size" / "templates.csv").is_file()
    assert not (tmp_path / "results").exists()
