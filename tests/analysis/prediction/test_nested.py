"""Nested choice: from errors made up by hand, and on a part of the study."""

from itertools import combinations

import pandas as pd
import pytest
from capability_transfer.analysis.prediction import loo as module
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.prediction.loo import ALL, choose, describe_nested, nested
from capability_transfer.common.errors import InputError

from tests.progress import silent


def _pairs(fold: str, language: str, predictor: str, errors: list[float]) -> list[dict]:
    return [
        {"fold": fold, "language": language, "predictor": predictor, "observed": 0.2 + 0.1 * place,
         "plug_in": 0.2 + 0.1 * place + error / 100}
        for place, error in enumerate(errors)
    ]  # fmt: skip


def test_the_choice_is_by_the_other_languages_alone():
    inner, outer = [], []
    # "good" is better in a and b; c, where it is bad, is predicted by what a and b choose.
    errors = {"good": {"a": 1, "b": 1, "c": 9}, "bad": {"a": 4, "b": 4, "c": 2}}
    for name, by_language in errors.items():
        for pair in combinations("abc", 2):
            for language in pair:
                inner += _pairs(" ".join(pair), language, name, [by_language[language]] * 2)
        for language, error in by_language.items():
            outer += _pairs(language, language, name, [error, -error])
    table = choose(pd.DataFrame(inner), pd.DataFrame(outer), ["good", "bad"])
    assert table["language"].tolist() == ["a", "b", "c", ALL]
    rows = table.set_index("language")
    assert rows["chosen"].to_dict() == {"a": "bad", "b": "bad", "c": "good", ALL: "bad"}
    assert rows["inner_good"].to_dict() == pytest.approx({"a": 5, "b": 5, "c": 1, ALL: 11 / 3})
    assert rows["mae"].to_dict() == pytest.approx({"a": 4, "b": 4, "c": 9, ALL: 17 / 3})
    assert rows["language_mae"].tolist() == pytest.approx([0] * 4, abs=1e-9)
    assert "bad 2 of 3 times, good 1 of 3 times" in describe_nested(table)


@pytest.mark.heavy
def test_a_part_of_the_study(joined, vectors, monkeypatch, tmp_path):
    few = joined[joined["language"].isin(["eng", "deu", "rus", "isl", "hin", "mar"])]
    task = Task(few.reset_index(drop=True), vectors, cache=tmp_path, workers=1)
    held = []
    once = module.evaluate

    def spying(task, candidates, folds, counting):
        held.extend(fold.held_out for fold in folds)
        return once(task, candidates, folds, counting)

    monkeypatch.setattr(module, "evaluate", spying)
    table = nested(task, silent, ["study_pairs", "slopes"])
    assert len(held) == len(set(held)) == 15 + 6
    assert set(table["chosen"]) <= {"study_pairs", "slopes"}
    folds = table[table["language"] != ALL]
    lowest = folds[["inner_study_pairs", "inner_slopes"]].idxmin(axis=1)
    assert (lowest == "inner_" + folds["chosen"]).all()
    assert table["mae"].iloc[-1] == pytest.approx(folds["mae"].mean())


def test_too_few_languages_are_refused(joined, vectors):
    few = joined[joined["language"].isin(["eng", "deu", "isl", "mar"])]
    with pytest.raises(InputError, match="4 languages are too few"):
        nested(Task(few.reset_index(drop=True), vectors, workers=1), silent)
