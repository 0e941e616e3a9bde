"""Choices of scorers: for all tasks, for one, for those of a pattern."""

import pytest
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.analysis.outcomes.scores import check_choices, choose
from capability_transfer.common.errors import InputError


@pytest.mark.parametrize(
    ("stated", "task", "scorer"),
    [
        (None, "gsm8k", None),
        ((), "gsm8k", None),
        ("a", "gsm8k", "a"),
        ("a,b", "gsm8k", "a,b"),
        (("gsm8k=a", "b"), "gsm8k", "a"),
        (("b", "gsm8k=a"), "gsm8k", "a"),
        (("b", "gsm8k=a"), "math", "b"),
        (("gsm8k=a",), "math", None),
        (("gsm*=a", "gsm8k=b"), "gsm8k", "b"),
        (("gsm*=a", "gsm8k=b"), "gsm_plus", "a"),
        ("=k=5", "gsm8k", "k=5"),
        (("a", "a"), "gsm8k", "a"),
    ],
)
def test_the_scorer_of_a_task(stated, task, scorer):
    assert choose(stated, task) == scorer
    assert Request(scorer=stated).scorer_of(task) == scorer


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ("", "names no scorer"),
        ("gsm8k=", "'gsm8k=' names no scorer"),
        (("a", "b"), "names a and b for all tasks: choose one"),
        (("gsm8k=a", "gsm8k=b"), "names a and b for gsm8k"),
    ],
)
def test_choices_that_are_none(stated, message):
    with pytest.raises(InputError, match=message):
        Request(scorer=stated)


def test_a_task_that_no_log_has():
    check_choices(("gsm8k=a", "mgsm_*=b", "c"), ["gsm8k", "mgsm_de"])
    with pytest.raises(InputError, match=r"'gsm8', which no log has; tasks are gsm8k, math\. Did"):
        check_choices("gsm8=a", ["math", "gsm8k", "math"])
