"""Mappings: what stands in a log as the columns of an outcome."""

import json

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.mapping import Mapping, Source
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.common.errors import InputError

DATE = "2026-11-01T10-00-00.000001"


def harness_file(folder, task, scores, **doc):
    """Samples of a task as the harness writes them: document i has the i-th score."""
    lines = [
        {"doc_id": i, "doc": doc, "filter": "none", "metrics": ["acc"], "acc": score}
        for i, score in enumerate(scores)
    ]
    folder.mkdir(exist_ok=True)
    path = folder / f"samples_{task}_{DATE}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def table_of(paths, tmp_path, mapping=None):
    request = Request()
    if mapping is not None:
        (tmp_path / "m.yaml").write_text(mapping)
        request = Request(mapping=tmp_path / "m.yaml")
    report = ingest(paths, tmp_path / "o.parquet", request)
    return report, pd.read_parquet(tmp_path / "o.parquet")


def test_benchmarks_are_not_crossed_and_languages_are(tmp_path):
    folder = tmp_path / "acme__New-4B"
    for task, scores in {
        "mgsm_direct_de": (1, 0),
        "mgsm_direct_sw": (0, 0),
        "xcopa_it": (1, 1, 1),
        "xcopa_sw": (0, 1, 1),
    }.items():
        harness_file(folder, task, scores)
    report, table = table_of([folder], tmp_path)
    assert report.templates == 5
    by_template = table.groupby("template")["language"].agg(lambda codes: sorted(set(codes)))
    assert by_template.to_dict() == {
        "mgsm_direct/0": ["deu", "swh"],
        "mgsm_direct/1": ["deu", "swh"],
        "xcopa/0": ["ita", "swh"],
        "xcopa/1": ["ita", "swh"],
        "xcopa/2": ["ita", "swh"],
    }
    assert table.groupby("language")["correct"].sum().to_dict() == {"deu": 1, "ita": 3, "swh": 2}


def test_ids_that_several_benchmarks_share_are_said(tmp_path):
    folder = tmp_path / "m"
    for task in ("exam_de", "exam_sw", "quiz_de"):
        harness_file(folder, task, (1,), template="7")
    report, table = table_of([folder], tmp_path, "instance: {from: file.task, pattern: '^[a-z]+'}")
    assert set(table["template"]) == {"7"}
    said = [note for note in report.notes if "same ids" in note]
    assert len(said) == 1
    assert said[0].startswith("1 templates of exam, quiz have the same ids")
    joined = "template: {join: [{from: file.task, read: benchmark}, sample.doc.template]}"
    report, table = table_of([folder], tmp_path, joined)
    assert set(table["template"]) == {"exam/7", "quiz/7"}
    assert not any("same ids" in note for note in report.notes)


def test_one_benchmark_in_two_splits_shares_its_templates_without_a_word(tmp_path):
    folder = tmp_path / "m"
    harness_file(folder, "symbolic_de", (1,), template="7", split="symbolic")
    harness_file(folder, "original_de", (1,), template="7", split="original")
    report, _ = table_of([folder], tmp_path)
    assert not any("same ids" in note for note in report.notes)


def test_templates_that_no_two_languages_share_are_said(tmp_path):
    folder = tmp_path / "m"
    harness_file(folder, "quizDE", (1,), language="deu")
    harness_file(folder, "quizSW", (1,), language="swh")
    report, _ = table_of([folder], tmp_path)
    assert any("no template is in more than one of the 2 languages" in n for n in report.notes)
    report, _ = table_of([folder], tmp_path, "template: sample.doc_id")
    assert not any("no template is in more" in note for note in report.notes)


def test_a_language_of_the_documents_is_left_out_of_the_template(tmp_path):
    folder = tmp_path / "m"
    harness_file(folder, "exam_it", (1,), language="ita")
    harness_file(folder, "exam_is", (1,), language="isl")
    _, table = table_of([folder], tmp_path)
    assert set(zip(table["language"], table["template"], strict=True)) == {
        ("ita", "exam/0"),
        ("isl", "exam/0"),
    }


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("gsm8k_cot", "The task's name, gsm8k_cot, names no language"),
        ("agieval_lsat_ar", "The task's name, agieval_lsat_ar, names no language"),
        ("matreshka_yes_no", "The task's name, matreshka_yes_no, names no language"),
        ("flores_fr-eu", "The task flores_fr-eu is between two languages"),
    ],
)
def test_a_task_without_a_language_is_refused_with_the_way_to_give_one(tmp_path, task, told):
    path = harness_file(tmp_path / "m", task, (1,))
    with pytest.raises(InputError, match=rf"has no language; looked in .*{told}.*\{{value: eng\}}"):
        ingest([path])
    _, table = table_of([path], tmp_path, "language: {value: eng}")
    assert table["language"].tolist() == ["eng"]


def test_default_stands_for_the_packaged_sources(tmp_path):
    folder = tmp_path / "m"
    harness_file(folder, "gsm8k_cot", (1,))
    harness_file(folder, "mgsm_direct_sw", (0,))
    mapping = "language: [{from: file.task, pattern: '^gsm8k', values: {gsm8k: eng}}, default]"
    _, table = table_of([folder], tmp_path, mapping)
    assert dict(zip(table["template"], table["language"], strict=True)) == {
        "gsm8k_cot/0": "eng",
        "mgsm_direct/0": "swh",
    }


def test_joins_and_settings_of_the_results(tmp_path):
    folder = tmp_path / "acme__New-4B"
    harness_file(folder, "mgsm_direct_sw", (1, 0))
    results = {
        "model_name": "acme/New-4B",
        "config": {"gen_kwargs": {"temperature": 0.6, "top_p": 0.95}},
        "configs": {"mgsm_direct_sw": {"num_fewshot": 8, "metadata": {"version": 3.0}}},
        "n-shot": {"mgsm_direct_sw": 8},
    }
    (folder / f"results_{DATE}.json").write_text(json.dumps(results))
    mapping = """
variant: {join: [file.model, {value: shots}, file.num_fewshot, file.gen_kwargs], with: ' '}
template: {join: [file.task_config.metadata.version, sample.doc_id], with: ':'}
split: {from: file.date, pattern: '^(\\d{4}-\\d\\d)'}
instance: {from: file.path, pattern: '([^/]+)/samples_'}
"""
    _, table = table_of([folder], tmp_path, mapping)
    assert set(table["variant"]) == {"acme/New-4B shots 8 temperature=0.6,top_p=0.95"}
    assert table["template"].tolist() == ["3:0", "3:1"]
    assert set(table["split"]) == {"2026-11"}
    assert set(table["instance"]) == {"acme__New-4B"}


def test_settings_of_older_results_are_found(tmp_path):
    folder = tmp_path / "m"
    harness_file(folder, "mgsm_direct_sw", (1,))
    results = {"configs": {"mgsm_direct_sw": {"num_fewshot": 5}}, "config": {"gen_kwargs": "do=1"}}
    (folder / f"results_{DATE}.json").write_text(json.dumps(results))
    mapping = "variant: {join: [file.num_fewshot, file.gen_kwargs]}"
    _, table = table_of([folder], tmp_path, mapping)
    assert table["variant"].tolist() == ["5/do=1"]


def test_a_join_without_one_of_its_parts_has_no_value(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("variant,language,part,question,instance,correct\na,dan,,1,1,1\n")
    mapping = "template: [{join: [row.part, row.question]}, row.question]"
    _, found = table_of([table], tmp_path, mapping)
    assert found["template"].tolist() == ["1"]
    with pytest.raises(InputError, match=r"no template; looked in row.part with row.question"):
        table_of([table], tmp_path, "template: {join: [row.part, row.question]}")


def test_the_file_is_a_source_in_every_format(tmp_path, logs):
    table = tmp_path / "swh-exam.csv"
    table.write_text("variant,template,instance,correct\na,1,1,1\n")
    _, found = table_of([table], tmp_path, "language: {from: file.name, pattern: '^[a-z]+'}")
    assert found["language"].tolist() == ["swh"]
    line = {
        "schema_version": "0.3.0",
        "evaluation_id": "e",
        "model_id": "m",
        "sample_id": "1",
        "evaluation": {"score": 1.0, "is_correct": True},
    }
    (tmp_path / "ita").mkdir()
    path = tmp_path / "ita" / "x.jsonl"
    path.write_text(json.dumps(line) + "\n")
    _, found = table_of([path], tmp_path, "language: file.folder")
    assert found["language"].tolist() == ["ita"]
    _, found = table_of([logs / "one_mode.eval"], tmp_path, "split: file.name")
    assert set(found["split"]) == {"one_mode.eval"}


def test_every_eval_ever_names_its_benchmark(tmp_path):
    lines = [
        {
            "schema_version": "0.3.0",
            "evaluation_id": f"e{number}",
            "evaluation_name": name,
            "model_id": "m",
            "sample_id": "0",
            "evaluation": {"score": 1.0, "is_correct": True},
        }
        for number, name in enumerate(
            ["mgsm_direct_sw/flexible-extract", "mgsm_direct_de/flexible-extract", "xcopa_sw"]
        )
    ]
    paths = []
    for number, line in enumerate(lines):
        paths.append(tmp_path / f"{number}.jsonl")
        paths[-1].write_text(json.dumps(line) + "\n")
    _, table = table_of(paths, tmp_path)
    assert set(zip(table["language"], table["template"], strict=True)) == {
        ("swh", "mgsm_direct/0"),
        ("deu", "mgsm_direct/0"),
        ("swh", "xcopa/0"),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("template: {join: row.x}", "join needs a list of two sources"),
        ("template: {join: [row.x]}", "join needs a list of two sources"),
        ("template: {join: [row.x, row.y], with: 1}", "join .sources. and with"),
        ("template: {join: [row.x, {join: [row.y, row.z]}]}", "cannot hold another join"),
        ("language: {from: row.task, read: sufix}", "read is 'sufix'; choose .*Did you mean"),
    ],
)
def test_bad_joins_and_readings(tmp_path, text, message):
    table = tmp_path / "t.csv"
    table.write_text("variant,language,template,instance,correct\na,dan,1,1,1\n")
    with pytest.raises(InputError, match=message):
        table_of([table], tmp_path, text)


@pytest.mark.parametrize("nothing", [None, "", float("nan")])
def test_an_empty_place_gives_way_to_the_next_one(nothing):
    first, second = Source(("a",)), Source(("b", "c"))
    record = {"a": nothing, "b": {"c": 0}}
    assert first.pick(record) is None
    assert second.pick(record) == 0  # which is a value
    mapping = Mapping({"epoch": (first, second)}, {})
    assert mapping.pick("epoch", record) == 0
    assert mapping.pick("run", record) is None
