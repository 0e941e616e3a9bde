"""Inspect logs, real ones, to outcomes: what is read, what is refused, and with which message."""

import json

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.responses import response_cells
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.common.errors import InputError
from inspect_ai.log import (
    EvalLog,
    ProvenanceData,
    invalidate_samples,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.scorer import Score


def outcomes(paths, out, request=None, **policies):
    report = ingest(paths, out, request or Request(), Policies(**policies))
    return report, pd.read_parquet(out)


def test_folder_of_logs(logs, tmp_path):
    names = ("big_on.eval", "big_off.eval", "small_off.eval", "one_mode.eval", "plain_json.json")
    for name in names:
        (tmp_path / name).write_bytes((logs / name).read_bytes())
    (tmp_path / "notes.txt").write_text("not a log")
    (tmp_path / "logs.json").write_text('{"a.eval": {"version": 2, "status": "x", "eval": {}}}')
    (tmp_path / "results.csv").write_text("a,b\n1,2\n")  # beside logs, a table is not a log
    report, table = outcomes([tmp_path], tmp_path / "out" / "o.parquet")
    assert len(table) == report.counts.outcomes == 40
    assert [path.name for path in report.others] == ["logs.json", "notes.txt", "results.csv"]
    assert set(table["variant"]) == {
        "Qwen3-8B (reasoning on)",
        "Qwen3-8B (reasoning off)",
        "Qwen3-0.6B (reasoning on)",
        "Qwen3-0.6B (reasoning off)",
        "Qwen2.5-1.5B-Instruct",  # one mode, which the log does not state
    }
    assert set(table["language"]) == {"eng", "dan"}
    one = table[
        (table["log"].str.endswith("big_off.eval")) & (table["sample"] == "eng-symbolic-1-0")
    ]
    assert one["template"].item() == "1"
    assert not one["correct"].item()  # as inspect_ai reads it
    assert not any((tmp_path / "out").glob(".*"))
    cells = read_outcomes(tmp_path / "out" / "o.parquet")
    assert cells["n_total"].sum() == 40
    assert cells["n_correct"].sum() == table["correct"].sum()
    assert "5 Inspect AI" in cells.attrs["data_source"]


def test_logs_straight_to_cells(logs):
    cells = read_outcomes(logs / "big_on.eval")
    assert cells["n_total"].tolist() == [2, 2, 2, 2]
    with pytest.raises(InputError, match="4 samples ended in an error"):
        read_outcomes(logs / "status_error.eval")


def test_equal_sample_ids_of_two_models_stay_apart(logs, tmp_path):
    paths = [logs / "big_off.eval", logs / "small_off.eval"]
    report, table = outcomes(paths, tmp_path / "o.parquet")
    assert report.counts.retried == report.counts.duplicates == 0
    assert table.groupby("variant").size().tolist() == [8, 8]


def test_retry_replaces_what_failed(logs, tmp_path):
    paths = [logs / "status_error.eval", logs / "retried.eval"]
    for order in (paths, paths[::-1]):
        report, table = outcomes(order, tmp_path / "o.parquet")
        assert report.counts.retried == 8  # four carried over, four errors
        assert report.counts.errors == 0
        assert len(table) == 8
        assert not table["errored"].any()
    assert any("status error" in note for note in report.notes)


@pytest.mark.parametrize(
    ("policy", "right", "total"), [("wrong", 2, 8), ("drop", 2, 6), ("fail", None, None)]
)
def test_eight_samples_two_right_two_errored(edited, tmp_path, policy, right, total):
    values = ["C", "C", "I", "I", "I", "I", None, None]

    def edit(log: EvalLog):
        for sample, value in zip(log.samples, values, strict=True):
            sample.scores = {} if value is None else {"boxed": Score(value=value)}

    path = edited(edit)
    if total is None:
        with pytest.raises(InputError, match=r"2 samples ended in an error or have no score"):
            outcomes([path], tmp_path / "o.parquet", errors=policy)
        assert not (tmp_path / "o.parquet").exists()
        return
    report, table = outcomes([path], tmp_path / "o.parquet", errors=policy)
    assert (table["correct"].sum(), len(table)) == (right, total)
    assert report.counts.errors == 2
    told = {"wrong": "2 errors counted as wrong", "drop": "2 errors left out"}[policy]
    assert told in read_outcomes(tmp_path / "o.parquet").attrs["data_source"]


def scored(value):
    def edit(log: EvalLog):
        by_id = {sample.id: sample for sample in log.samples}
        by_id["eng-symbolic-0-0"].scores = {"boxed": Score(value=value)}

    return edit


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.5, "partial credit.*threshold=0.5"),
        ("P", "partial credit.*threshold=0.5"),
        ("INVALID", "'INVALID'; expected C, I"),
        ("c", "'c'; expected"),
        (2, "is 2; expected"),
        ({"a": 1}, r"several values: choose one with scorer=, of boxed\.a"),
    ],
)
def test_scores_that_are_none(edited, value, message):
    path = edited(scored(value))
    with pytest.raises(InputError, match=rf"edited\.eval, sample eng-symbolic-0-0.*{message}"):
        ingest([path])


@pytest.mark.parametrize(
    ("value", "correct"), [(0.5, True), ("P", True), (0.4, False), (1, True), (False, False)]
)
def test_partial_credit_with_a_threshold(edited, tmp_path, value, correct):
    request = Request(threshold=0.5)
    _, table = outcomes([edited(scored(value))], tmp_path / "o.parquet", request)
    assert table.set_index("sample")["correct"]["eng-symbolic-0-0"] == correct


def test_epochs_are_instances(logs, tmp_path):
    report, table = outcomes([logs / "epochs.eval"], tmp_path / "o.parquet")
    assert len(table) == 16
    assert report.counts.epochs == 8
    assert [(log.planned, log.read) for log in report.logs] == [(16, 16)]
    assert set(table["instance"]) == {"0", "1", "0/2", "1/2"}


def test_the_same_questions_in_two_runs(logs, tmp_path):
    paths = [logs / "one_mode.eval", logs / "long_metadata.eval"]
    with pytest.raises(InputError, match="8 samples are duplicates.*duplicates='first'"):
        ingest(paths)
    report, table = outcomes(paths, tmp_path / "o.parquet", duplicates="first")
    assert report.counts.duplicates == 8
    assert table["log"].str.endswith("one_mode.eval").all()


def test_a_copied_log(logs, tmp_path):
    copy = tmp_path / "copy.eval"
    copy.write_bytes((logs / "big_on.eval").read_bytes())
    with pytest.raises(InputError, match="is in more than one file"):
        ingest([logs / "big_on.eval", copy])
    report = ingest([logs / "big_on.eval", copy], policies=Policies(duplicates="first"))
    assert report.counts.copies == 8
    assert report.counts.outcomes == 8


def test_scorer_is_a_choice(logs, tmp_path):
    path = logs / "two_scorers.eval"
    with pytest.raises(InputError, match="scored by boxed, match: choose one, scorer='boxed'"):
        ingest([path])
    for scorer in ("boxed", "match"):
        assert ingest([path], request=Request(scorer=scorer)).counts.outcomes == 8
    with pytest.raises(InputError, match=r"no scorer 'boxes'.*Did you mean boxed"):
        ingest([path], request=Request(scorer="boxes"))


def test_scores_of_several_values(edited, tmp_path):
    def edit(log: EvalLog):
        for sample in log.samples:
            sample.scores = {"both": Score(value={"right": 1, "close": 0.5})}

    path = edited(edit)
    request = Request(scorer="both.right")
    assert outcomes([path], tmp_path / "o.parquet", request)[1]["correct"].all()
    with pytest.raises(InputError, match="partial credit"):
        ingest([path], request=Request(scorer="both.close"))
    with pytest.raises(InputError, match=r"of both\.close, both\.right"):
        ingest([path], request=Request(scorer="both.wrong"))


def test_a_log_without_a_language(logs, tmp_path):
    path = logs / "no_language.eval"
    with pytest.raises(InputError, match=r"has no language; looked in sample\.metadata\.language"):
        ingest([path])
    mapping = tmp_path / "m.yaml"
    mapping.write_text(
        "language: {from: sample.id, pattern: '^(\\w+?)-'}\n"
        "template: {from: sample.id, pattern: '-(\\d+)-\\d+$'}\n"
        "instance: {from: sample.id, pattern: '-(\\d+)$'}\n"
    )
    _, table = outcomes([path], tmp_path / "o.parquet", Request(mapping=mapping))
    assert set(table["language"]) == {"eng", "dan"}
    assert set(table["template"]) == {"0", "1"}


def test_what_a_format_fixes_is_not_mapped(logs, tmp_path):
    mapping = tmp_path / "m.yaml"
    mapping.write_text("score: sample.metadata.points")
    with pytest.raises(InputError, match="score of inspect logs is not mapped"):
        ingest([logs / "big_on.eval"], request=Request(mapping=mapping))


def test_a_field_that_the_summary_cut(logs, tmp_path):
    """The 1,500 characters are read from the full sample: their end is found."""
    mapping = tmp_path / "m.yaml"
    mapping.write_text("template: sample.metadata.note\ninstance: sample.id\n")
    request = Request(mapping=mapping)
    _, table = outcomes([logs / "long_metadata.eval"], tmp_path / "o.parquet", request)
    assert (table["template"].str.len() == 1499).all()  # stripped


def test_logs_that_broke_off(logs, tmp_path):
    report, table = outcomes([logs / "killed.eval"], tmp_path / "o.parquet")
    assert (len(table), report.logs[0].status) == (2, "started")
    assert any("6 of 8 samples were not run" in note for note in report.notes)
    report, table = outcomes([logs / "status_cancelled.eval"], tmp_path / "o.parquet")
    assert (len(table), report.counts.unfinished) == (2, 1)
    with pytest.raises(InputError, match="ConnectionError"):
        ingest([logs / "mock_model.eval"])
    whole = (logs / "big_on.eval").read_bytes()
    (tmp_path / "cut.eval").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.eval").write_text("hello")
    (tmp_path / "empty.eval").write_bytes(b"")
    for name in ("cut", "text", "empty"):
        with pytest.raises(InputError, match=rf"{name}\.eval is not a readable Inspect log"):
            ingest([tmp_path / f"{name}.eval"])


def test_nothing_to_read(tmp_path):
    with pytest.raises(InputError, match="holds no evaluation log"):
        ingest([tmp_path])
    with pytest.raises(InputError, match="no file or folder"):
        ingest([tmp_path / "none"])
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(InputError, match="no known format"):
        ingest([tmp_path / "x.txt"])


def test_providers_stay_apart_unless_mapped(logs, renamed, tmp_path):
    one = logs / "big_on.eval"
    ids = {"run": ("ea4HdWFDG9UcQN4WdDAnEJ", "other-run"), "task": ("C7bUARuLHgMixxq45ZQuYH", "t")}
    other = renamed("b.eval", "big_on.eval", model=("scripted/Qwen", "vllm/Qwen"), **ids)
    report, table = outcomes([one, other], tmp_path / "o.parquet")
    assert set(table["variant"]) == {
        "scripted/Qwen/Qwen3-8B (reasoning on)",
        "vllm/Qwen/Qwen3-8B (reasoning on)",
    }
    assert any("kept apart" in note for note in report.notes)
    mapping = tmp_path / "m.yaml"
    mapping.write_text(
        "models:\n  vllm/Qwen/Qwen3-8B: Qwen/Qwen3-8B\n  scripted/Qwen/Qwen3-8B: Qwen/Qwen3-8B\n"
    )
    with pytest.raises(InputError, match="duplicates"):  # one model now: asked the same twice
        ingest([one, other], request=Request(mapping=mapping))


def test_mode_that_no_log_states(edited):
    def edit(log: EvalLog):
        log.eval.metadata = {}
        log.eval.task_args = {}
        log.plan.config.extra_body = None
        log.eval.model_generate_config.extra_body = None
        for sample in log.samples:
            del sample.metadata["reasoning"]

    with pytest.raises(InputError, match="both modes and its log does not say which"):
        ingest([edited(edit, "big_on.eval")])


def test_samples_that_were_invalidated(edited, tmp_path):
    path = edited(lambda log: None)
    log = read_eval_log(str(path))
    log = invalidate_samples(log, [log.samples[0].uuid], ProvenanceData(author="test", reason="x"))
    write_eval_log(log, str(path))
    report, table = outcomes([path], tmp_path / "o.parquet")
    assert (report.counts.unfinished, len(table)) == (1, 7)


def test_tokens_are_those_of_the_model_and_not_of_one_that_grades_it(logs, tmp_path):
    stated = json.loads((logs / "plain_json.json").read_text(encoding="utf-8"))
    for sample in stated["samples"]:
        grader = {"input_tokens": 9999, "output_tokens": 9999, "total_tokens": 19998}
        sample["model_usage"] = {"a/grader": grader} | sample["model_usage"]
    path = tmp_path / "graded.json"
    path.write_text(json.dumps(stated), encoding="utf-8")
    plain, graded = (
        response_cells([file], Request(), Policies())[0]
        for file in (logs / "plain_json.json", path)
    )
    assert plain["output_tokens"].between(1, 9000).all()
    pd.testing.assert_frame_equal(graded, plain)
