"""Rows of a table as samples: epochs, tokens, errors, tasks and what is refused."""

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.responses import response_cells
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.common.errors import InputError

ROW = {"variant": "own", "language": "deu", "template": "t1", "instance": "i", "correct": "1"}
OTHER = {**ROW, "language": "swh", "correct": "0"}


@pytest.fixture
def read(tmp_path):
    """``read(rows)``: the report of rows of a CSV file, and its outcomes."""

    def made(*rows, request=None, **policies):
        path = tmp_path / "rows.csv"
        pd.DataFrame(rows).to_csv(path, index=False)
        out = tmp_path / "out.parquet"
        report = ingest([path], out, request or Request(), Policies(**policies))
        return report, pd.read_parquet(out)

    return made


def test_epochs_of_a_question_are_instances_and_the_first_need_not_be_said(read):
    report, table = read({**ROW, "epoch": ""}, {**ROW, "epoch": "2", "correct": "0"}, OTHER)
    assert table["instance"].tolist() == ["i", "i/2", "i"]
    assert table["correct"].tolist() == [True, False, False]
    assert report.counts.epochs == 1


def test_a_task_is_what_runs_that_try_it_again_share(read):
    row = {**ROW, "sample": "s"}
    failed = {**row, "run": "one", "error": "timed out"}
    again = {**row, "run": "two", "error": ""}
    report, table = read({**failed, "task": "exam"}, {**again, "task": "exam"})
    assert report.counts.retried == 1
    assert table["correct"].tolist() == [True]
    for task in ("", "quiz"):  # without one every run is a task of its own
        with pytest.raises(InputError, match="ended in an error|duplicates"):
            read({**failed, "task": "exam" if task else ""}, {**again, "task": task})


@pytest.mark.parametrize("epoch", ["two", "1000000000", "-1", "1.5"])
def test_an_epoch_that_is_no_count_is_refused(read, epoch):
    said = rf"rows.csv.*line 3: epoch is '{epoch}', not a whole number below a billion"
    with pytest.raises(InputError, match=said):
        read({**ROW, "epoch": "1"}, {**OTHER, "epoch": epoch})
    assert len(read(ROW, {**OTHER, "epoch": "999999999"})[1]) == 2


@pytest.mark.parametrize(
    ("score", "correct"), [("1", True), ("0", False), ("true", True), ("False", False)]
)
def test_scores_are_0_and_1_or_true_and_false(read, score, correct):
    assert read({**ROW, "correct": score}, OTHER)[1]["correct"].tolist() == [correct, False]


def test_other_scores_are_refused_and_an_error_is_none(read):
    with pytest.raises(InputError, match=r"the score is '0.5'; a table's scores are 0 and 1"):
        read({**ROW, "correct": "0.5"}, OTHER)
    rows = {**ROW, "error": "timed out"}, {**OTHER, "error": ""}
    with pytest.raises(InputError, match="1 samples ended in an error.*timed out"):
        read(*rows)
    report, table = read(*rows, errors="wrong")
    assert report.counts.errors == 1
    assert table["correct"].tolist() == [False, False]  # its score does not count
    assert read({**ROW, "correct": ""}, OTHER, errors="drop")[1]["language"].tolist() == ["swh"]


def test_a_scorer_is_a_column(read):
    strict, lenient = {**ROW, "lenient": "1", "correct": "0"}, {**OTHER, "lenient": "1"}
    assert read(strict, lenient)[1]["correct"].tolist() == [False, False]
    chosen = read(strict, lenient, request=Request(scorer="lenient"))[1]
    assert chosen["correct"].tolist() == [True, True]
    with pytest.raises(InputError, match="no column 'lenien' for scorer=.*Did you mean lenient"):
        read(strict, lenient, request=Request(scorer="lenien"))


def test_counts_of_cells_need_no_reading(read):
    cells = [{"variant": "v", "language": x, "template": "t", "n_correct": 1, "n_total": 2}
             for x in ("deu", "swh")]  # fmt: skip
    with pytest.raises(InputError, match="holds counts of cells, not answers"):
        read(*cells)


def test_tokens_and_solutions_are_read_with_the_responses(tmp_path):
    told = {"response": r"2 * 3 = 6: \boxed{6}", "solution": "<<2*3=6>>6", "input_tokens": "7",
            "output_tokens": "5"}  # fmt: skip
    path = tmp_path / "rows.csv"
    pd.DataFrame([{**ROW, **told}, {**OTHER, **told, "input_tokens": ""}]).to_csv(path, index=False)
    cells = response_cells([path], Request(), Policies())[0].set_index("language")
    assert cells.loc["deu", ["input_tokens", "output_tokens"]].tolist() == [7, 5]
    assert pd.isna(cells.loc["swh", "input_tokens"])
    assert cells["intermediates_retrieved"].tolist() == [1, 1]
    assert cells["n_compliant"].tolist() == [1, 1]
    assert cells["n_responses"].tolist() == [1, 1]


def test_an_error_leaves_an_outcome_without_a_response(tmp_path):
    path = tmp_path / "rows.csv"
    told = {**ROW, "response": "6", "error": ""}
    rows = [told, {**told, "instance": "j", "response": r"\boxed{6}", "error": "cut off"}, OTHER]
    pd.DataFrame(rows).to_csv(path, index=False)
    cells = response_cells([path], Request(), Policies(errors="wrong"))[0].set_index("language")
    counts = ["n_correct", "n_total", "n_compliant", "n_responses"]
    assert cells.loc["deu", counts].tolist() == [1, 2, 0, 1]
