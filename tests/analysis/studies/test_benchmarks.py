"""``predict`` on benchmarks, from Python and the command line."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.cli import build
from capability_transfer.common.errors import InputError

from capability_transfer import predict


@pytest.fixture(scope="module")
def found():
    return predict(["yor", "zul"], "gemma-3-27b-it", benchmark=["mgsm_pro", "mgsm_symbolic"])


def test_pairs_seen_are_predicted_near_what_was_observed(found):
    table = found.table.set_index(["benchmark", "language"])
    seen = table.loc["mgsm_pro", "yor"]
    assert seen["seen"]
    assert abs(seen["plug_in"] - 0.444) < 0.03
    new = table.loc["mgsm_pro", "zul"]
    assert not new["seen"]
    assert new["high_80"] - new["low_80"] > seen["high_80"] - seen["low_80"]
    assert (table["low_95"] <= table["low_50"]).all()
    assert (table["high_95"] <= 1).all()
    shown = repr(found)
    assert "1 of these pairs is in the data already" in shown
    assert "as Zulu" in shown
    assert "were 7 points off on average, and 80% intervals covered 79%" in shown


def test_a_registered_benchmark_without_outcomes_has_a_wider_interval(found):
    new = predict(["zul", "hmn"], "gemma-3-27b-it", benchmark="MGSM")
    assert any(line.startswith("Hmong has no Wikipedia") for line in new.notes())
    assert any(line.startswith("mgsm: no outcomes of it") for line in new.notes())
    known = found.table.set_index(["benchmark", "language"]).loc["mgsm_pro", "zul"]
    width = (new.table["high_80"] - new.table["low_80"])[0]
    assert new.table["name"][0] == "Zulu"
    assert width > known["high_80"] - known["low_80"]
    with pytest.raises(InputError, match="no outcomes of a benchmark 'belebele'"):
        predict("zul", "gemma-3-27b-it", benchmark="belebele")  # its answers are choices


@pytest.mark.slow
def test_results_of_ones_own_move_the_prediction_and_add_a_benchmark(tmp_path, found):
    from typer.testing import CliRunner

    own = pd.DataFrame(
        {"benchmark": ["mgsm_pro"] * 3 + ["My test"] * 2, "model": ["gemma-3-27b-it"] * 5,
         "language": ["zul", "xho", "sna", "yor", "eng"], "n_correct": [225, 220, 215, 60, 90],
         "n_total": [248, 248, 248, 100, 100], "floor": ["", "", "", 0.25, 0.25]}
    )  # fmt: skip
    train, saved = tmp_path / "own.csv", tmp_path / "saved.csv"
    own.to_csv(train, index=False)
    asked = ["predict", "--benchmark", "My test", "--benchmark", "mgsm_pro", "--language", "zul",
             "--model", "gemma-3-27b-it", "--train", train, "--save", saved]  # fmt: skip
    run = CliRunner().invoke(build(), list(map(str, [*asked, "--out", tmp_path])))
    assert run.exit_code == 0, run.output
    assert "Learned from: the study's published cells and MGSM-Pro's original" in run.output
    table = pd.read_csv(saved).set_index("benchmark")
    before = found.table.set_index(["benchmark", "language"]).loc["mgsm_pro", "zul"]
    assert table.loc["mgsm_pro", "plug_in"] > before["plug_in"] + 0.1
    assert table.loc["My test", "low_95"] > 0.2  # its floor, less the noise of the questions


@pytest.mark.slow
def test_a_model_of_unknown_size_and_every_model_of_a_benchmark(found):
    closed = predict("yor", "Mystery", benchmark="mgsm_pro", family="Claude")
    assert np.isnan(closed.models[0].size)
    assert any("size is not known" in line for line in closed.notes())
    every = predict("ibo", benchmark="MGSM-Pro")
    assert len(every.table) == 18
    assert every.table["seen"].all()


def test_what_goes_together_and_what_does_not():
    with pytest.raises(InputError, match="target= is not for benchmark="):
        predict("yor", "Claude 4", benchmark="mgsm_pro", target=0.8)
    with pytest.raises(InputError, match="train= goes with benchmark="):
        predict("yor", "Qwen3-8B", reasoning="on", train=pd.DataFrame())
