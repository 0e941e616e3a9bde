"""Which attempt counts: samples of one task, and of others with the same ids."""

from pathlib import Path

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.policies import Policies, connect, settle
from capability_transfer.analysis.outcomes.samples import Sample
from capability_transfer.analysis.outcomes.staging import staging
from capability_transfer.common.errors import InputError

VARIANTS = pd.DataFrame(
    {"model": ["m", "n"], "stated": None, "reasoning": None, "variant": ["M", "N"]}
)
LANGUAGES = {"dan": "dan", "sw": "swh"}


def attempt(run, correct, task="task", sample="s", epoch=1, uuid=None, log=None, **more):
    labels = {"language": "dan", "template": "t", "split": "symbolic", "instance": "1"}
    facts = {"error": None if correct is not None else "broke", "model": "m"} | labels | more
    return Sample(
        *(log or f"{run}.eval", run, task, sample, epoch, uuid, facts["model"], None, None),
        *(facts[name] for name in labels),
        *(correct, facts["error"], facts.get("unfinished", False)),
    )


@pytest.fixture
def settled(tmp_path):
    """A function from samples to their counts and what was kept."""

    def run(*samples, **policies):
        staged = Path(tmp_path) / "s.parquet"
        with staging(staged) as add:
            for one in samples:
                add(one)
        with connect(tmp_path) as database:
            counts = settle(database, staged, VARIANTS, LANGUAGES, Policies(**policies))
            kept = database.execute("SELECT * FROM outcomes").df()
        parts = (counts.unfinished, counts.copies, counts.retried, counts.duplicates)
        dropped = counts.errors if policies.get("errors") == "drop" else 0
        assert counts.samples == sum(parts) + dropped + counts.outcomes
        return counts, kept

    return run


@pytest.mark.parametrize("order", [1, -1])
def test_success_counts_whenever_it_came(settled, order):
    attempts = [attempt("a", None), attempt("b", True), attempt("c", None)]
    counts, kept = settled(*attempts[::order])
    assert counts.retried == 2
    assert kept["correct"].tolist() == [True]
    assert kept["run"].tolist() == ["b"]


def test_errors_of_every_attempt_are_one_error(settled):
    counts, kept = settled(attempt("a", None), attempt("b", None), errors="wrong")
    assert (counts.retried, counts.errors) == (1, 1)
    assert (kept["correct"].tolist(), kept["errored"].tolist()) == ([False], [True])
    with pytest.raises(InputError, match="1 samples ended in an error"):
        settled(attempt("a", None), attempt("b", None))


def test_two_successes_are_duplicates(settled):
    pair = attempt("a", True, uuid="1"), attempt("b", False, uuid="2")
    with pytest.raises(InputError, match="1 samples are duplicates"):
        settled(*pair)
    counts, kept = settled(*pair, duplicates="first")
    assert counts.duplicates == 1
    assert kept["correct"].tolist() == [True]


def test_a_sample_that_a_retry_carried_over(settled):
    counts, _ = settled(attempt("a", True, uuid="1"), attempt("b", True, uuid="1"))
    assert (counts.retried, counts.duplicates) == (1, 0)


def test_another_task_does_not_mend_an_error(settled):
    """Equal sample ids are not enough: an error stays one beside another task's success."""
    pair = attempt("a", None, task="x"), attempt("b", True, task="y", instance="2")
    counts, _ = settled(*pair, errors="drop")
    assert (counts.retried, counts.errors, counts.outcomes) == (0, 1, 1)


LABELS = [
    {"model": "n"},
    {"language": "sw"},
    {"template": "u"},
    {"split": "original"},
    {"instance": "2"},
    {"epoch": 2},
]


@pytest.mark.parametrize("other", LABELS, ids=lambda label: next(iter(label)))
@pytest.mark.parametrize("uuid", [None, "1"])
def test_an_error_under_other_labels_is_no_attempt_at_this(settled, other, uuid):
    """Ids are given anew in every language: sample 2 of one is not sample 2 of another."""
    pair = attempt("a", True, uuid=uuid), attempt("a", None, **{"uuid": uuid} | other)
    for order in (pair, pair[::-1]):
        with pytest.raises(InputError, match="1 samples ended in an error"):
            settled(*order)
        counts, kept = settled(*order, errors="wrong")
        assert (counts.retried, counts.errors, counts.outcomes) == (0, 1, 2)
        assert sorted(kept["correct"]) == [False, True]


@pytest.mark.parametrize("other", LABELS, ids=lambda label: next(iter(label)))
def test_a_file_of_the_run_with_other_labels_is_no_copy(settled, other):
    pair = attempt("a", True, log="1.csv"), attempt("a", False, log="2.csv", **other)
    counts, kept = settled(*pair)
    assert (counts.copies, counts.outcomes) == (0, 2)
    assert kept["correct"].tolist() == [True, False]


def test_a_copy_is_named_with_both_files(settled):
    copy = attempt("a", True, log="1.csv"), attempt("a", True, log="2.csv")
    with pytest.raises(InputError, match=r"more than one file: M, dan.* of 2\.csv.* of 1\.csv"):
        settled(*copy)
    assert settled(*copy, duplicates="first")[0].copies == 1


def test_another_sample_of_the_run_in_another_file_is_no_copy(settled):
    """It is the same question again, of which the attempt with a score counts."""
    pair = attempt("a", None, log="1.csv"), attempt("a", True, log="2.csv", sample="other")
    counts, kept = settled(*pair, duplicates="first")
    assert (counts.copies, counts.duplicates) == (0, 1)
    assert kept["correct"].tolist() == [True]


def test_of_duplicates_the_first_with_a_score_counts(settled):
    pair = attempt("a", None, task="x"), attempt("b", True, task="y")
    counts, kept = settled(*pair, duplicates="first")
    assert (counts.duplicates, counts.errors) == (1, 0)
    assert kept["run"].tolist() == ["b"]


def test_epochs_are_apart(settled):
    counts, kept = settled(attempt("a", True), attempt("a", False, epoch=2))
    assert counts.epochs == 1
    assert kept["instance"].tolist() == ["1", "1/2"]


def test_unfinished_samples_are_nothing(settled):
    counts, _ = settled(attempt("a", True), attempt("b", None, unfinished=True, sample="z"))
    assert (counts.unfinished, counts.errors, counts.outcomes) == (1, 0, 1)
