"""Stages, compliance and compute, from real logs of the scripted provider."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from capability_transfer.analysis.cli import build
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.responses import measure, response_cells, stage_cells
from capability_transfer.analysis.outcomes.samples import Request, Response, Sample
from capability_transfer.analysis.studies import stages as s
from capability_transfer.common.errors import InputError
from typer.testing import CliRunner

LOGS = Path(__file__).parents[2] / "data" / "inspect"
ALL = [LOGS / name for name in ("big_on.eval", "big_off.eval", "small_off.eval")]
ALL += [LOGS / "plain_json.json"]
SOLUTION = "First <<2*3=6>>6, then <<6+1.5=7.5>>7.5. #### 7.5"


def sample(text, language="eng", **more):
    labels = ("x", "x", "x", "1", 1, None, "m", None, None, language, "t", None, "1")
    return Sample(*labels, True, None, response=Response(text, SOLUTION, **more))


@pytest.mark.parametrize(
    ("text", "language", "operands", "intermediates", "compliant"),
    [
        (r"2 times 3 is 6, and 1.5: \boxed{7.5}", "eng", 4, 2, True),
        (r"2 * 3 = 6", "eng", 3, 1, False),
        (r"\boxed{}", "eng", 0, 0, True),
        (r"২ × ৩ = ৬", "ben", 3, 1, False),
        ("2 og 3, siden 1,5 og 7,5", "dan", 3, 1, False),
    ],
)
def test_measures(text, language, operands, intermediates, compliant):
    solution = SOLUTION if language != "dan" else SOLUTION.replace(".", ",")
    one = sample(text, language, output_tokens=9)
    one = measure(
        Sample(
            *(getattr(one, name) for name in one.__slots__[:-1]),
            response=Response(text, solution, output_tokens=9),
        )
    )
    assert (one["operands"], one["intermediates"]) == (4, 2)  # 2, 3, 6, 1.5 and 6, 7.5
    assert one["operands_retrieved"] == operands
    assert one["intermediates_retrieved"] == intermediates
    assert one["compliant"] is compliant
    assert one["output_tokens"] == 9


@pytest.fixture(scope="module")
def cells():
    return response_cells(ALL, Request(), Policies())[0]


def test_cells_of_responses(cells):
    assert len(cells) == 4 * 2 * 2
    assert (cells["n_total"] == 2).all()
    assert (cells["n_responses"] == 2).all()
    right = cells[cells["n_correct"] == 2]
    assert (right["intermediates_retrieved"] == right["intermediates"]).all()
    assert (right["n_compliant"] == 2).all()
    on = cells[cells["variant"].str.contains("reasoning on")]
    assert (on["reasoning_tokens"] > 0).all()
    assert "scripted answers for 2 of 2 models" in cells.attrs["data_source"]


def test_stages_that_logs_do_not_have(cells):
    empty = cells.assign(operands=0)
    empty.attrs = cells.attrs
    with pytest.raises(InputError, match="nothing to count for operands"):
        stage_cells(empty, "operands")


def test_stage_models(cells, tmp_path):
    names = ["operands", "final"]
    result = s.stages(cells, s.Settings(tmp_path, "~ size + (1 | variant:language)"), names)
    assert result.fixed["stage"].unique().tolist() == names
    pooled = result.rates.set_index(["stage", "language"])["rate"]
    danish = cells[cells["language"] == "dan"]
    share = danish["operands_retrieved"].sum() / danish["operands"].sum()
    assert pooled["operands", "dan"] == pytest.approx(share)
    assert "(published)" not in " ".join(result.tables()["table_06"].display.columns)
    table = replace(result, is_main=True).tables()["table_06"]
    assert list(table.display.columns[:3]) == ["", "operands", "operands (published)"]
    row = table.data.query("stage == 'final' and name == 'size'")
    assert row["published"].item() == 1.881


def test_compute(cells):
    table = s.gap_and_compute(cells).set_index("variant")
    assert table["toggled"].all()
    one = cells[cells["variant"] == "Qwen3-8B (reasoning on)"]
    tokens = one["output_tokens"].mean()
    row = table.loc["Qwen3-8B (reasoning on)"]
    assert row["output_tokens"] == pytest.approx(tokens)
    assert row["tflops"] == pytest.approx(2 * 8e9 * tokens / 1e12)
    english = one[one["language"] == "eng"]
    assert row["english"] == english["n_correct"].sum() / english["n_total"].sum()
    with pytest.raises(InputError, match="compares English"):
        s.gap_and_compute(cells[cells["language"] == "dan"])
    with pytest.raises(InputError, match="count no output tokens"):
        s.gap_and_compute(cells.assign(output_tokens=float("nan")))


def run(*arguments):
    result = CliRunner().invoke(build(), [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_commands(tmp_path):
    formula = "~ size + (1 | language)"
    run("stages", *ALL, "--formula", formula, "--out", tmp_path)
    run("compliance", *ALL, "--formula", formula, "--out", tmp_path)
    run("compute", *ALL, "--out", tmp_path)
    for name in ("figure_03", "figure_13", "figure_17", "figure_compliance"):
        assert (tmp_path / "figures" / f"{name}.png").stat().st_size > 5000
    for topic in ("stages", "compliance", "compute"):
        assert "scripted answers" in (tmp_path / topic / "README.md").read_text()
    assert len(pd.read_csv(tmp_path / "compute" / "by_variant.csv")) == 4
