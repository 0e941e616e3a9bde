"""What ``transfer loo-predict`` writes when it is asked for some predictors only."""

import warnings
from dataclasses import replace

import matplotlib as mpl
import pandas as pd
import pytest
from capability_transfer.analysis.commands.loo_predict import write
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.prediction.loo import loo

from tests.progress import silent

LADDER = {"figure_calibration", "figure_ladder"}


@pytest.mark.parametrize(
    ("name", "figures", "steps"),
    [
        ("grand_mean", set(), []),  # no model and no intervals
        ("study_pairs", LADDER, ["study_pairs"]),
        pytest.param("smooth", LADDER | {"figure_05", "figure_06", "figure_14"}, ["smooth"],
                     marks=pytest.mark.heavy),
    ],
)  # fmt: skip
def test_figures_are_drawn_where_their_predictors_were_asked_for(
    inputs, joined, vectors, tmp_path, name, figures, steps
):
    mpl.use("agg")
    part = joined[joined["language"].isin(["eng", "deu", "rus", "dan", "hin", "mar"])]
    task = Task(part, vectors, draws=20, seed=3, workers=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = loo(inputs, task, silent, [name], edges=False)
        write(replace(result, is_study=False), inputs, tmp_path, "Data: a part.")
    drawn = {path.stem for path in (tmp_path / "figures").glob("*.png")}
    assert drawn == figures
    assert pd.read_csv(tmp_path / "loo" / "ladder.csv")["predictor"].tolist() == steps
    assert set(pd.read_csv(tmp_path / "loo" / "pairs.csv")["predictor"]) == {name}
