"""Scores from files and cells."""

import pandas as pd
import pytest
from capability_transfer.analysis.robustness.scores import from_cells, read_scores
from capability_transfer.common.errors import InputError

HEADER = "variant,language,perturbation,accuracy\n"


def test_accuracies_and_counts_are_read(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(HEADER + "m,no,original,0.5\nm,no,numbers,\n")
    scores = read_scores(path)
    assert scores["language"].tolist() == ["no", "no"]
    assert scores["accuracy"].isna().tolist() == [False, True]
    path.write_text(
        "variant,language,perturbation,instance,n_correct,n_total\n"
        "m,deu,original,1,3,4\nm,deu,numbers,1,1,4\nm,deu,numbers,2,2,4\n"
    )
    assert read_scores(path)["accuracy"].tolist() == [0.75, 0.25, 0.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "m,deu,original,50\nm,deu,numbers,0.4\n", "not percent"),
        (HEADER + "m,deu,original,half\n", r"'accuracy' is not a finite number: line 2 \('half'\)"),
        ("variant,language,perturbation\nm,deu,original\n", "neither accuracy nor"),
        (
            "variant,language,perturbation,n_correct,n_total\nm,deu,original,5,4\n",
            "line 2: n_correct is not between",
        ),
        (HEADER + "m,deu,original,0.5\nm,deu,original,0.5\nm,deu,numbers,0.4\n", "more than once"),
    ],
)
def test_bad_files_are_refused(tmp_path, text, message):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_scores(path)


def test_one_split_is_nothing_to_compare():
    cells = pd.DataFrame(
        {"variant": ["m"], "language": ["deu"], "template": ["a"], "n_correct": [1], "n_total": [2]}
    )
    with pytest.raises(InputError, match="hold only one.*scores="):
        from_cells(cells)
    with pytest.raises(InputError, match="hold only one"):
        from_cells(cells.assign(split="symbolic"))
