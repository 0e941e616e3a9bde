"""lm-evaluation-harness, Every Eval Ever, and tables with a column mapping."""

import json

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.common.errors import InputError

DATE = "2026-11-01T10-00-00.000001"


def write_lines(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def outcomes(paths, out, request=None, **policies):
    report = ingest(paths, out, request or Request(), Policies(**policies))
    return report, pd.read_parquet(out)


def harness(doc_id, score=1.0, filtering="strict-match", **more):
    return {
        "doc_id": doc_id,
        "doc": {"question": "?", "answer_number": 3},
        "target": "3",
        "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {}}},
        "resps": [["3"]],
        "filtered_resps": ["3"],
        "filter": filtering,
        "metrics": ["exact_match"],
        "exact_match": score,
    } | more


@pytest.fixture
def folder(tmp_path):
    """A folder as the harness leaves it: results, and unsorted samples of two languages."""
    place = tmp_path / "Qwen__Qwen2.5-1.5B-Instruct"
    for task, ids in (("mgsm_native_cot_de", (2, 0, 1)), ("mgsm_native_cot_sw", (1, 2, 0))):
        lines = [harness(doc_id, float(doc_id == 1)) for doc_id in ids]
        write_lines(place / f"samples_{task}_{DATE}.jsonl", lines)
    (place / f"results_{DATE}.json").write_text('{"model_name": "Qwen/Qwen2.5-1.5B-Instruct"}')
    return place


def test_harness_folder(folder, tmp_path):
    report, table = outcomes([folder], tmp_path / "o.parquet")
    assert set(table["language"]) == {"deu", "swh"}
    assert any("de as deu, sw as swh" in note for note in report.notes)
    assert set(table["variant"]) == {"Qwen2.5-1.5B-Instruct"}
    assert table[table["correct"]]["template"].tolist() == ["mgsm_native_cot/1"] * 2
    assert "split" not in table.columns
    assert report.templates == 3
    assert [path.name for path in report.others] == [f"results_{DATE}.json"]


def test_harness_model_of_the_folder(folder, tmp_path):
    (folder / f"results_{DATE}.json").unlink()
    _, table = outcomes([folder], tmp_path / "o.parquet")
    assert set(table["model"]) == {"Qwen/Qwen2.5-1.5B-Instruct"}


@pytest.mark.parametrize(
    "arguments", ["pretrained=x,enable_thinking=False", {"enable_thinking": 0}]
)
def test_harness_mode_of_the_arguments(folder, tmp_path, arguments):
    stated = {"model_name": "Qwen/Qwen3-8B", "config": {"model_args": arguments}}
    (folder / f"results_{DATE}.json").write_text(json.dumps(stated))
    _, table = outcomes([folder], tmp_path / "o.parquet")
    assert set(table["variant"]) == {"Qwen3-8B (reasoning off)"}


def test_harness_repeated_documents(tmp_path):
    path = write_lines(
        tmp_path / "m" / "samples_mgsm_de.jsonl", [harness(3), harness(1), harness(3)]
    )
    with pytest.raises(InputError, match=r"1 samples are duplicates.*template mgsm/3.*sample 3"):
        ingest([path])
    report, table = outcomes([path], tmp_path / "o.parquet", duplicates="first")
    assert report.counts.duplicates == 1
    assert table["sample"].tolist() == ["3", "1"]


def test_harness_filters_are_a_choice(tmp_path):
    lines = [harness(0, 0.0), harness(0, 1.0, "flexible-extract")]
    path = write_lines(tmp_path / "m" / "samples_mgsm_de.jsonl", lines)
    with pytest.raises(InputError, match="exact_match,strict-match.*choose one"):
        ingest([path])
    for scorer, right in (
        ("exact_match,strict-match", 0),
        ("flexible-extract", 1),
        ("exact_match,flexible-extract", 1),
    ):
        _, table = outcomes([path], tmp_path / "o.parquet", Request(scorer=scorer))
        assert table["correct"].sum() == right
    with pytest.raises(InputError, match="no score 'strictmatch'"):
        ingest([path], request=Request(scorer="strictmatch"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (harness(0, 0.5), "partial credit"),
        (harness(0, "C"), "'C'; expected 0 or 1"),
        (harness(0, None), "1 samples ended in an error or have no score"),
        ({"x": 1}, "line 1 is not an lm-evaluation-harness sample"),
    ],
)
def test_harness_bad_lines(tmp_path, line, message):
    path = write_lines(tmp_path / "m" / "samples_mgsm_de.jsonl", [line])
    with pytest.raises(InputError, match=message):
        ingest([path])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1 is not JSON"),
        ("[1]\n", "line 1 is not a JSON object"),
        ("", "holds no sample"),
        (b"\xff\xfe", "is in UTF-16, not in UTF-8"),
        (b'{"doc_id": "\xe6"}', r"line 1, is not in UTF-8 \(byte 0xe6"),
    ],
)
def test_harness_bad_files(tmp_path, text, message):
    path = tmp_path / "samples_mgsm_de.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message):
        ingest([path])


def every(sample_id, correct=True, **more):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "gsm/qwen/1",
        "model_id": "Qwen/Qwen3-8B",
        "evaluation_name": "mgsm_de",
        "sample_id": sample_id,
        "interaction_type": "single_turn",
        "input": {"raw": "?", "reference": ["3"]},
        "output": {"raw": ["3"]},
        "answer_attribution": [],
        "evaluation": {"score": float(correct), "is_correct": correct},
        "metadata": {"language": "deu", "template": "7", "instance": sample_id, "reasoning": "on"},
    } | more


def test_every_eval_ever(tmp_path):
    path = write_lines(tmp_path / "x_samples.jsonl", [every("a"), every("b", False)])
    _, table = outcomes([path], tmp_path / "o.parquet")
    assert table["correct"].tolist() == [True, False]
    assert set(table["variant"]) == {"Qwen3-8B (reasoning on)"}
    assert set(table["language"]) == {"deu"}
    with pytest.raises(InputError, match="1 samples ended in an error.*timeout"):
        ingest([write_lines(path, [every("a", error="timeout"), every("b")])])
    half = every("a", evaluation={"score": 0.5, "is_correct": True})
    with pytest.raises(InputError, match="partial credit"):
        ingest([write_lines(path, [half])])
    two = [every("a", evaluation_result_id="x"), every("a", evaluation_result_id="y")]
    with pytest.raises(InputError, match="choose one"):
        ingest([write_lines(path, two)])
    assert ingest([path], request=Request(scorer="x")).counts.outcomes == 1
    del half["model_id"]
    with pytest.raises(InputError, match="line 2 has no model_id"):
        ingest([write_lines(path, [every("a"), half])])


MAPPING = """
model: row.llm
language: {from: row.lang, values: {'no': nob}}
template: row.question
instance: {value: 0}
score: row.ok
reasoning: {value: 'off'}
"""


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_mapped_table(tmp_path, suffix):
    mapping = tmp_path / "m.yaml"
    mapping.write_text(MAPPING)
    table = pd.DataFrame(
        {"llm": "acme/New-4B", "lang": ["no", "no", "dan"], "question": [1, 2, 1], "ok": [1, 0, 1]}
    )
    path = tmp_path / f"t{suffix}"
    table.to_csv(path, index=False) if suffix == ".csv" else table.to_parquet(path, index=False)
    report, found = outcomes([path], tmp_path / "o.parquet", Request(mapping=mapping))
    assert set(found["language"]) == {"nob", "dan"}
    assert set(found["variant"]) == {"acme/New-4B (reasoning off)"}
    assert found["correct"].sum() == 2
    assert any("not in the model registry" in note for note in report.notes)


@pytest.mark.parametrize("score", ["0.5", "INVALID", "P", "C", "I", "2"])
def test_table_scores_are_zero_and_one(tmp_path, score):
    path = tmp_path / "t.csv"
    path.write_text(f"variant,language,template,instance,correct\na,dan,1,1,1\na,dan,1,2,{score}\n")
    with pytest.raises(InputError, match=rf"t\.csv, line 3: the score is '{score}'"):
        ingest([path])


def test_table_without_a_score(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("variant,language,template,instance,correct\na,dan,1,1,\na,dan,1,2,true\n")
    with pytest.raises(InputError, match="1 samples .* have no score"):
        ingest([path])
    path.write_text("variant,language,template,instance\na,dan,1,1\n")
    with pytest.raises(InputError, match="has no score: looked in"):
        ingest([path])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("langauge: row.x", "no column 'langauge'. Did you mean language"),
        ("- a", "must name columns"),
        ("a: [", "not YAML"),
        ("language: {value: no}", "truth value in YAML"),
        ("language: {path: x}", "not a path"),
        ("language: {pattern: x}", "needs either from"),
        ("language: {from: x, pattern: '('}", "not a pattern"),
        ("models: [1]", "must lead names"),
    ],
)
def test_bad_mappings(tmp_path, text, message):
    mapping, table = tmp_path / "m.yaml", tmp_path / "t.csv"
    mapping.write_text(text)
    table.write_text("variant,language,template,instance,correct\na,dan,1,1,1\n")
    with pytest.raises(InputError, match=message):
        ingest([table], request=Request(mapping=mapping))


def test_one_language_under_two_codes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("variant,language,template,instance,correct\na,de,1,1,1\na,deu,1,1,1\n")
    with pytest.raises(InputError, match="1 samples are duplicates"):
        ingest([path])
    path.write_text("variant,language,template,instance,correct\na,de,1,1,1\na,eng_metric,1,1,1\n")
    report, table = outcomes([path], tmp_path / "o.parquet")
    assert table["language"].tolist() == ["deu", "eng_metric"]
    assert any("no registered languages: eng_metric" in note for note in report.notes)


def test_splits_stated_for_some(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "variant,language,template,instance,correct,split\na,dan,1,1,1,\na,dan,1,2,1,symbolic\n"
    )
    with pytest.raises(InputError, match="1 outcomes state no split and 1 do"):
        ingest([path])


def test_unknown_policies():
    with pytest.raises(InputError, match="errors= is 'wrnog'.*Did you mean wrong"):
        Policies(errors="wrnog")


def test_a_model_that_no_log_names_is_null_in_the_report(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("variant,language,template,instance,correct\na,dan,1,1,1\na,dan,1,2,0\n")
    report = ingest([path])
    text = json.dumps(report.as_dict(), default=str, allow_nan=False)
    (row,) = json.loads(text)["variants"]
    assert (row["model"], row["variant"], row["outcomes"]) == (None, "a", 2)


def test_a_scorer_of_a_table_is_a_column(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "variant,language,template,instance,task,correct,strict\n"
        "a,dan,1,1,x,1,0\na,dan,2,1,y,1,0\na,dan,3,1,y,1,1\n"
    )
    for scorer, right in ((None, 3), ("strict", 1), (("y=strict",), 2), (("x=strict",), 2)):
        _, table = outcomes([path], tmp_path / "o.parquet", Request(scorer=scorer))
        assert table["correct"].sum() == right
    with pytest.raises(InputError, match=r"line 2 has no column 'strikt' .*Did you mean strict"):
        ingest([path], request=Request(scorer="strikt"))
    with pytest.raises(InputError, match="'z', which no log has; tasks are x, y"):
        ingest([path], request=Request(scorer="z=strict"))
