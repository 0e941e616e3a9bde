"""Whatever a file holds, a reader gives samples or an InputError, never another error."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from capability_transfer.analysis.outcomes import every_eval_ever, inspect_logs, lm_eval, rows
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.mapping import read_mapping
from capability_transfer.analysis.outcomes.samples import Log, Request
from capability_transfer.common.errors import InputError
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

LOGS = Path(__file__).parents[2] / "data" / "inspect"
pytestmark = pytest.mark.heavy
FEW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
KNOWN = st.sampled_from(
    [
        *("doc_id", "metrics", "filter", "exact_match", "doc", "resps", "error", "language"),
        *("schema_version", "evaluation_id", "model_id", "sample_id", "evaluation", "metadata"),
        *("is_correct", "score", "output", "token_usage", "template", "raw", "correct", "acc"),
        *("evaluation_name", "evaluation_result_id", "mgsm_de/strict-match", "x/y", "arguments"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | KNOWN,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KNOWN | st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)
LINES = st.dictionaries(KNOWN, VALUES, max_size=14)
RIGHT = st.fixed_dictionaries(
    {
        "doc_id": VALUES,
        "exact_match": st.sampled_from([0, 1.0]),
    }
    | {"filter": VALUES, "schema_version": VALUES, "evaluation_id": VALUES, "model_id": VALUES}
    | {"sample_id": VALUES, "resps": VALUES, "token_usage": VALUES, "output": VALUES},
    optional={"evaluation": st.just({"score": 1, "is_correct": True}), "error": VALUES}
    | {"metrics": st.just(["exact_match"]), "evaluation_name": VALUES}
    | {"evaluation_result_id": VALUES, "input": VALUES, "language": VALUES, "correct": VALUES}
    | {"metadata": VALUES, "doc": VALUES},
)
"""Lines that are nearly right, so that labels and tokens of any kind get through."""


def swallow(kind, path):
    request = Request(responses=True)
    with suppress(InputError):
        for sample in kind.read(path, read_mapping(kind.default), request, Log(str(path), "x")):
            assert sample.language
            assert sample.correct in (True, False, None)
    with suppress(InputError):
        assert ingest([path], request=request).counts.outcomes > 0


LINED = [lm_eval.FORMAT, every_eval_ever.FORMAT, rows.FORMAT]


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize("kind", LINED, ids=lambda kind: kind.name)
@FEW
@given(lines=st.lists(LINES | RIGHT, max_size=3))
@example(lines=[{"doc_id": 1, "metrics": []}])
@example(lines=[{"doc_id": 1, "exact_match": 10**400}])
def test_json_lines(tmp_path, kind, array, lines):
    path = tmp_path / "samples_mgsm_de.jsonl"
    path.write_text(json.dumps(lines, indent=1) if array else "\n".join(map(json.dumps, lines)))
    assert lm_eval.FORMAT.recognises(path)
    for one in LINED:
        one.recognises(path)
    swallow(kind, path)
    with suppress(InputError):
        read_outcomes(path.rename(tmp_path / "t.jsonl"))


KEYS = st.sampled_from(
    [
        *("results", "config", "configs", "n-samples", "n-shot", "model_name", "model_args"),
        *("mgsm_de", "exact_match,a", "exact_match,b", "acc,a", "alias", "effective", "pretrained"),
    ]
)
RESULTS = st.recursive(
    VALUES, lambda inner: st.dictionaries(KEYS, inner, max_size=6), max_leaves=10
) | st.fixed_dictionaries(
    {"results": st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=5), max_size=2)},
    optional={"config": VALUES, "configs": VALUES, "n-samples": VALUES, "n-shot": VALUES},
)


@FEW
@given(lines=st.lists(RIGHT, max_size=4), results=RESULTS)
def test_results_of_the_harness(tmp_path, lines, results):
    """Lines without filters, and results beside that may or may not say what they are."""
    date = "2026-11-01T10-00-00.000001"
    path = tmp_path / f"samples_mgsm_de_{date}.jsonl"
    named = (dict.fromkeys(["doc_id"], 1) | line for line in lines)
    old = ({key: value for key, value in line.items() if key != "filter"} for line in named)
    path.write_text("\n".join(map(json.dumps, old)))
    (tmp_path / f"results_{date}.json").write_text(json.dumps(results))
    swallow(lm_eval.FORMAT, path)


FORMATS = [lm_eval.FORMAT, every_eval_ever.FORMAT, rows.FORMAT, inspect_logs.FORMAT]


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
@FEW
@given(data=st.binary(max_size=200))
def test_any_bytes(tmp_path, kind, data):
    suffixes = {"table": (".csv", ".parquet", ".jsonl"), "Inspect AI": (".eval", ".json")}
    for suffix in suffixes.get(kind.name, (".jsonl",)):
        path = tmp_path / f"samples_x{suffix}"
        path.write_bytes(data)
        kind.recognises(path)
        swallow(kind, path)


@FEW
@given(table=st.lists(st.lists(st.text(max_size=5), min_size=5, max_size=5), max_size=4))
def test_csv_of_any_text(tmp_path, table):
    path = tmp_path / "t.csv"
    names = "model,language,template,instance,correct\n"
    lines = (",".join('"' + text.replace('"', '""') + '"' for text in row) for row in table)
    path.write_bytes((names + "\n".join(lines)).encode("utf-8", "surrogatepass"))
    swallow(rows.FORMAT, path)


@settings(FEW, max_examples=25)
@given(st.data())
def test_damaged_inspect_log(tmp_path, data):
    whole = bytearray((LOGS / "big_on.eval").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "x.eval"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    swallow(inspect_logs.FORMAT, path)
