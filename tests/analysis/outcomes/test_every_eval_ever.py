"""Every Eval Ever's samples with several results: which of them counts."""

import json

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.common.errors import InputError


def line(sample, correct, name="mgsm_direct_sw", result=None, question="?", **metadata):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "mgsm/qwen/1",
        "model_id": "Qwen/Qwen2.5-1.5B-Instruct",
        "evaluation_name": name,
        "sample_id": str(sample),
        "input": {"raw": question, "reference": ["3"]},
        "evaluation": {"score": float(correct), "is_correct": correct},
        "metadata": metadata,
    } | ({} if result is None else {"evaluation_result_id": result})


@pytest.fixture
def right(tmp_path):
    """A function from lines to (language, template, correct) of the outcomes."""

    def run(lines, scorer=None, **policies):
        path, out = tmp_path / "x_samples.jsonl", tmp_path / "o.parquet"
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        report = ingest([path], out, Request(scorer=scorer), Policies(**policies))
        return report, pd.read_parquet(out)["correct"].tolist()

    return run


def filters(stated, ids):
    """A sample that is wrong under one filter and right under the other."""
    for name, correct in (("strict-match", False), ("flexible-extract", True)):
        about = {"filter": name} if stated else {}
        result = f"exact_match:{name}" if ids else None
        yield line(0, correct, f"mgsm_direct_sw/{name}", result, **about)


@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("duplicates", ["fail", "first"])
def test_the_filter_of_the_name(right, stated, ids, duplicates):
    lines = list(filters(stated, ids))
    for name, correct in (("strict-match", False), ("flexible-extract", True)):
        told = [name, f"mgsm_direct_sw/{name}", f"mgsm_direct_sw={name}", f"mgsm_*={name}"]
        told += [f"exact_match:{name}", f"exact_match,{name}"] if ids else []
        for scorer in told:
            report, found = right(lines, scorer, duplicates=duplicates)
            assert found == [correct]
            assert report.languages["language"].tolist() == ["swh"]
    shown = "exact_match:" if ids else ""
    with pytest.raises(InputError, match=f"by {shown}flexible-extract, {shown}strict-match: choo"):
        right(lines, duplicates=duplicates)
    with pytest.raises(InputError, match=rf"no result 'nonsense'; it has {shown}flexible-extract"):
        right(lines, "nonsense", duplicates=duplicates)


def test_one_filter_only(right):
    lines = [line(n, n == 1, "mgsm_direct_sw/flexible-extract") for n in range(3)]
    for scorer in (None, "flexible-extract"):
        assert right(lines, scorer)[1] == [False, True, False]
    with pytest.raises(InputError, match="no result 'strict-match'; it has flexible-extract"):
        right(lines, "strict-match")


def test_a_filter_of_one_s_own_is_known_by_the_same_question(right):
    lines = [line(0, True, "mgsm_sw/mine"), line(0, False, "mgsm_sw/yours")]
    with pytest.raises(InputError, match="was scored by mine, yours: choose one"):
        right(lines)
    assert right(lines, "yours")[1] == [False]


def test_a_filter_of_one_s_own_that_is_stated(right):
    report, found = right([line(0, True, "mgsm_direct_sw/mine", filter="mine")], "mine")
    assert found == [True]
    assert report.languages["language"].tolist() == ["swh"]
    assert report.logs[0].tasks == ["mgsm_direct_sw", "mgsm_direct_sw/mine"]


def test_results_of_different_samples_are_no_rivals(right):
    """Two samples under one label are the same question twice, whatever they were scored by."""
    lines = [line(n, True, "mgsm_sw", name, f"{n}", template="t") for n, name in enumerate("xy")]
    with pytest.raises(InputError, match="1 samples are duplicates"):
        right(lines)
    assert right(lines, duplicates="first")[1] == [True]


def test_a_name_with_a_slash_is_no_filter(right):
    """Two tasks of one package ask different questions under equal ids."""
    lines = [
        line(n, n == 0, f"inspect_evals/mgsm_{language}", question=f"{language} {n}")
        for language in ("sw", "de")
        for n in range(2)
    ]
    report, found = right(lines)
    assert sorted(found) == [False, False, True, True]
    assert set(report.languages["language"]) == {"swh", "deu"}
    with pytest.raises(InputError, match="task inspect_evals/mgsm_de has no result 'mgsm_sw'"):
        right(lines, "mgsm_sw")


def test_results_named_after_languages_are_no_rivals(right):
    lines = [
        line(n, n < 2, "mgsm", f"accuracy_{language}", f"{language} {n}", language=language)
        for language in ("sw", "de")
        for n in range(3)
    ]
    for order in (lines, lines[::-1], [*lines[::2], *lines[1::2]]):
        report, found = right(order)
        assert len(found) == 6
        assert sum(found) == 4
        assert dict(report.languages[["language", "outcomes"]].values) == {"swh": 3, "deu": 3}
    report, found = right(lines, "accuracy_sw")
    assert len(found) == 3
    assert any("3 of 6 samples have no result of the chosen name" in one for one in report.notes)


def test_each_task_its_scorer(right):
    lines = [
        *(line(0, n == "a", "mgsm_sw", n, language="swh") for n in "ab"),
        *(line(0, n == "c", "mgsm_de", n, language="deu") for n in "cd"),
    ]
    assert right(lines, ("mgsm_sw=a", "mgsm_de=d"))[1] == [True, False]
    assert right(lines, ("mgsm_sw=b", "c"))[1] == [False, True]
    with pytest.raises(InputError, match="the task mgsm_de has no result 'a'; it has c, d"):
        right(lines, "a")
    with pytest.raises(InputError, match="by c, d: choose one, .* scorer='mgsm_de=d'"):
        right(lines, "mgsm_sw=a")
    with pytest.raises(
        InputError, match="the task 'mgsm_fr', which no log has; .*mgsm_de, mgsm_sw"
    ):
        right(lines, ("mgsm_sw=a", "mgsm_de=d", "mgsm_fr=a"))


def test_the_same_result_twice_is_a_duplicate(right):
    lines = [line(0, True, result="x"), line(0, False, result="x"), line(1, True, result="x")]
    with pytest.raises(InputError, match="1 samples are duplicates"):
        right(lines, "x")
    assert right(lines, "x", duplicates="first")[1] == [True, True]


@pytest.mark.parametrize(("score", "correct"), [(0.0, True), (1.0, False), (0, True)])
def test_a_whole_score_leaves_what_is_correct_to_the_file(right, score, correct):
    """Such as an error rate, of which 0 is right."""
    told = line(0, True) | {"evaluation": {"score": score, "is_correct": correct}}
    assert right([told])[1] == [correct]


def test_a_scorer_of_a_file_without_names(right):
    with pytest.raises(InputError, match="no result 'x'; it has one result without a name"):
        right([line(0, True)], "x")
    assert right([line(0, True)])[1] == [True]


def test_a_retry_is_of_the_same_task(right):
    """Tasks of one run number their samples alike: another's success makes up for no error."""
    about = {"language": "swh", "template": "t1"}
    failed = line(0, False, "exam", **about) | {"error": "timed out"}
    report, found = right([failed, line(0, True, "exam", **about)])
    assert (report.counts.retried, found) == (1, [True])
    with pytest.raises(InputError, match="1 samples are duplicates"):
        right([failed, line(0, True, "quiz", **about)])
