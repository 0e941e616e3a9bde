"""What is written where languages were held out under some predictors only."""

import warnings
from dataclasses import replace

import matplotlib as mpl
import pandas as pd
import pytest
from capability_transfer.analysis.data import Study
from capability_transfer.analysis.prediction import loo
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.prediction.loo import describe_left_out, prepare
from capability_transfer.analysis.studies.held_out import hold_out

LADDER = {"figure_calibration", "figure_ladder"}


@pytest.mark.parametrize(
    ("name", "figures", "steps"),
    [
        ("grand_mean", set(), []),  # no model and no intervals
        ("study_pairs", LADDER, ["study_pairs"]),
        pytest.param(
            "smooth",
            LADDER | {"figure_05", "figure_06", "figure_14"},
            ["smooth"],
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_figures_are_drawn_where_their_predictors_were_asked_for(
    inputs, tmp_path, name, figures, steps
):
    mpl.use("agg")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = hold_out(Study(inputs, 3, None), name, ["deu", "isl", "hin"], draws=20, workers=1)
        found.write(tmp_path)
    drawn = {path.stem for path in (tmp_path / "figures").glob("*.png")}
    assert drawn == figures
    assert found.ladder["predictor"].tolist() == steps
    assert (tmp_path / "loo" / "ladder.csv").exists() == bool(steps)
    assert set(pd.read_csv(tmp_path / "loo" / "pairs.csv")["predictor"]) == {name}
    assert not (tmp_path / "loo" / "published.csv").exists()  # which is of all languages
    assert "`pairs.csv`" in (tmp_path / "loo" / "README.md").read_text()


def test_fertility_that_some_pairs_lack_is_left_out_unless_those_are_dropped(inputs):
    pairs = inputs.features.pairs
    one = (pairs["variant"] == inputs.cells["variant"][0]) & (pairs["language"] == "isl")
    lacking = pairs.assign(fertility=pairs["fertility"].mask(one))
    some = replace(inputs, features=replace(inputs.features, pairs=lacking))
    cells = inputs.cells
    gone = ((cells["variant"] == cells["variant"][0]) & (cells["language"] == "isl")).sum()
    joined, vectors = prepare(some)
    assert "fertility" not in joined
    assert len(joined) == len(cells)
    assert set(vectors.index) == set(cells["language"])
    (told,) = describe_left_out(some)
    assert "without relative fertility, which is not known for 1 pairs" in told
    joined, _ = prepare(some, drop_missing=True)
    assert joined["fertility"].notna().all()
    assert len(joined) == len(cells) - gone
    assert describe_left_out(some, drop_missing=True) == ()


def test_edges_are_of_the_languages_that_there_are_outcomes_of(inputs, monkeypatch):
    asked = []

    def evaluate(task, predictors, folds, counting):
        asked.extend(folds)
        return pd.DataFrame({"kind": [fold.kind for fold in folds]}), pd.DataFrame()

    monkeypatch.setattr(loo, "evaluate", evaluate)
    whole = inputs.features.languages
    far = whole.iloc[[0]].assign(language="far", resource=0.1, distance=0.9)
    rows = pd.concat([whole, far], ignore_index=True)
    more = replace(inputs, features=replace(inputs.features, languages=rows))
    known = sorted(inputs.cells["language"].unique())
    task = Task(inputs.cells, None)
    found = loo.loo(more, task, None)
    held = {language for fold in asked for language in fold.held_out}
    assert held == set(known)
    assert [fold.held_out for fold in asked[: len(known)]] == [(code,) for code in known]
    assert asked[len(known)].name == "least text"
    assert found.is_study
    assert len(found.one) == len(known)
    assert len(found.edges) == len(asked) - len(known)
    asked.clear()
    few = loo.loo(more, task, None, edges=False, languages=["isl", "deu"])
    assert [fold.held_out for fold in asked] == [("deu",), ("isl",)]
    assert not few.is_study
