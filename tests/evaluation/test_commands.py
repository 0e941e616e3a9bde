"""``transfer templates`` and ``transfer instances`` as a user runs them."""

import pandas as pd
import pytest
from capability_transfer.analysis.cli import build
from capability_transfer.evaluation.instances import read_instances
from typer.testing import CliRunner

pytestmark = pytest.mark.needs("templates")


def invoke(*arguments):
    return CliRunner().invoke(build(), [str(argument) for argument in arguments])


def test_template_checks_are_shown_written_and_decide_the_status(make_folder, tmp_path):
    out = tmp_path / "checks.csv"
    result = invoke("templates", "--language", make_folder("- a < b"), "--out", out)
    assert result.exit_code == 1
    assert "answer: template 0: defaults: ValueError" in result.output
    assert "1 template ids are shared with English" in result.output
    checks = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert list(checks.columns) == ["templates", "template", "check", "passed", "detail"]


def test_instances_are_counted_and_written(make_folder, tmp_path):
    out = tmp_path / "instances.jsonl"
    folder = make_folder("- a < b", "- a > 10")
    result = invoke(
        "instances", folder, "--n-instances", 2, "--seconds", 0.1, "--workers", 1, "--out", out
    )
    assert result.exit_code == 0
    assert "no instance: xyz symbolic, template 1: none of" in result.output
    instances, provenance = read_instances(out)
    assert len(instances) == 2
    assert [lost.template for lost in provenance.missing] == ["1"]


def test_the_first_templates_or_those_named(tmp_path):
    out = tmp_path / "instances.jsonl"
    for chosen, expected in ((":2", {"473", "103"}), ("3,9", {"740", "930"})):
        result = invoke(
            "instances",
            "eng",
            "--templates",
            chosen,
            "--n-instances",
            1,
            "--workers",
            1,
            "--split",
            "original",
            "--out",
            out,
        )
        assert result.exit_code == 0
        assert {one.template for one in read_instances(out)[0]} == expected


def test_the_english_templates_have_no_fault_that_is_theirs_to_mend(tmp_path):
    result = invoke("templates", "--language", "eng")
    assert result.exit_code == 0, result.output
    assert result.output.count("(so does the English template)") == 7  # of version 0.5.5
