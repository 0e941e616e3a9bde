"""``predict``: the command line's numbers, from Python."""

import pandas as pd
import pytest
from capability_transfer.analysis.cli import build
from capability_transfer.common.errors import InputError

from capability_transfer import predict


def test_predictions_are_those_of_the_command_line(cells, predictions, tmp_path):
    from typer.testing import CliRunner

    train, saved = tmp_path / "cells.csv", tmp_path / "saved.csv"
    cells.to_csv(train, index=False)
    asked = ["predict", "--model", "Qwen/Qwen3-8B", "--reasoning", "on", "--language", "swh",
             "--language", "isl", "--train", train, "--save", saved, "--out", tmp_path]  # fmt: skip
    run = CliRunner().invoke(build(), list(map(str, asked)))
    assert run.exit_code == 0, run.output
    read = pd.read_csv(saved, dtype={"fertility_source": str})
    pd.testing.assert_frame_equal(predictions.table, read, check_dtype=False)


def test_extrapolation_is_said_aloud(predictions):
    assert predictions.table["language"].tolist() == ["swh", "isl"]
    for shown in (repr(predictions), predictions._repr_html_()):
        assert "extrapolation: Swahili" in shown
        assert "in the data already: Icelandic" in shown
        assert "cells of the table of outcomes" in shown


def test_the_figure_has_a_line_a_language(predictions, figure):
    axes = predictions.plot()
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["Swahili (swh)", "Icelandic (isl)"]
    _, given = figure.subplots()
    assert predictions.plot(given) is given


def test_a_few_templates_calibrate_from_a_frame(study, cells, predictions):
    mine = cells.query("language == 'isl' and variant == 'Qwen3-8B (reasoning on)'").iloc[:4]
    mine = mine.assign(language="swh", n_correct=1)
    found = predict("swh", "Qwen/Qwen3-8B", reasoning=True, study=study, outcomes=mine)
    assert "calibrated with 4 templates" in repr(found)
    assert found.provenance.data == (
        "cells of the table of outcomes; calibrated with cells of the table of outcomes"
    )
    assert found.table["plug_in"].iloc[0] < predictions.table["plug_in"].iloc[0]
    with pytest.raises(InputError, match="the table of outcomes has no rows in isl"):
        predict("isl", "Qwen/Qwen3-8B", reasoning=True, study=study, outcomes=mine)


def test_a_target_is_answered_in_words(study):
    found = predict("deu", "Qwen/Qwen2.5-3B-Instruct", target=0.7, study=study)
    assert found.reaching["language"].tolist() == ["deu"]
    assert "70% in deu (plug-in)" in repr(found)
    predictor = "predictor: resource as a smooth, related languages alike (smooth); plug-in: what"
    assert any(line.startswith(predictor) for line in found.findings())
    few = study.cells.query("language == 'deu' and variant == 'Qwen2.5-3B-Instruct'").iloc[:3]
    again = predict("deu", "Qwen/Qwen2.5-3B-Instruct", target=0.7, study=study, outcomes=few)
    pd.testing.assert_frame_equal(again.reaching, found.reaching)
    assert "predicted without your templates" in repr(again)
    assert "without your templates" not in repr(found)
    with pytest.raises(InputError, match="no size up to"):
        predict("deu", "Qwen/Qwen2.5-3B-Instruct", target=0.99999, study=study)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"language": "xx", "model": "Qwen2.5-7B-Instruct"},
            "unknown language 'xx'.*languages= file",
        ),
        ({"language": "swh", "model": "Qwen/Qwen3-8B"}, "say which with reasoning="),
        ({"language": "swh"}, "model=NAME, or params=BILLIONS"),
        ({"language": "swh", "params": -1}, "params= is billions"),
        ({"language": "swh", "params": 8, "items": 0}, "items= is a whole number from 1 up"),
        ({"language": "swh", "params": 8, "family": "Quen3"}, "Did you mean Qwen3"),
        ({"language": "swh", "params": "8B"}, "params= is billions of parameters, a number"),
        ({"language": "swh", "model": ["Qwen3-8B"]}, "model= is one name"),
        ({"language": ["swh", 3], "params": 8}, "a language is named by its code"),
        ({"language": "swh", "params": 8, "target": 80}, "80% is 0.8"),
        ({"language": "swh", "params": 8, "target": "high"}, "target= is an accuracy"),
    ],
)
def test_what_is_wrong_is_said_in_pythons_words(study, options, message):
    with pytest.raises(InputError, match=message):
        predict(study=study, **options)
