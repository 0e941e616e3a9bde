"""Sample ids that repeat across languages, in formats that have no ids of their own for runs."""

import json

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.common.errors import InputError

ANSWERS = {"deu": ("right", "right", "right"), "swh": ("right", "wrong", "error")}


def lines(language):
    for number, what in enumerate(ANSWERS[language]):
        yield {
            "schema_version": "0.3.0",
            "evaluation_id": "mgsm/qwen/1",
            "model_id": "Qwen/Qwen2.5-1.5B-Instruct",
            "evaluation_name": "mgsm",
            "sample_id": str(number),
            "evaluation": {"score": float(what == "right"), "is_correct": what == "right"},
            "error": "timeout" if what == "error" else None,
            "metadata": {"language": language},
        }


def rows(language):
    score = {"right": "1", "wrong": "0", "error": ""}
    for number, what in enumerate(ANSWERS[language]):
        error = "timeout" if what == "error" else ""
        yield f"Qwen2.5-1.5B-Instruct,{language},{number},0,{score[what]},{error},run,{number}\n"


def write(folder, kind, languages):
    """A file of some languages; all of them are one run's."""
    name = "_".join(languages)
    if kind == "table":
        path = folder / f"{name}.csv"
        head = "variant,language,template,instance,correct,error,run,sample\n"
        path.write_text(head + "".join(row for one in languages for row in rows(one)))
        return path
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for one in languages for line in lines(one)))
    return path


@pytest.fixture(params=["Every Eval Ever", "table"])
def kind(request):
    return request.param


@pytest.fixture(params=[[["deu", "swh"]], [["deu"], ["swh"]]], ids=["one file", "a file each"])
def paths(tmp_path, kind, request):
    return [write(tmp_path, kind, languages) for languages in request.param]


def test_an_error_stays_one(paths):
    for order in (paths, paths[::-1]):
        with pytest.raises(InputError, match=r"1 samples ended in an error.*timeout"):
            ingest(order)


@pytest.mark.parametrize("duplicates", ["fail", "first"])
@pytest.mark.parametrize(("errors", "swahili"), [("wrong", [1, 3]), ("drop", [1, 2])])
def test_each_language_keeps_its_samples(paths, tmp_path, errors, swahili, duplicates):
    out = tmp_path / "out" / "o.parquet"
    report = ingest(paths, out, policies=Policies(errors, duplicates))
    assert report.counts.retried == report.counts.copies == report.counts.duplicates == 0
    assert report.counts.errors == 1
    right = pd.read_parquet(out).groupby("language")["correct"].agg(["sum", "count"])
    assert right.loc["deu"].tolist() == [3, 3]
    assert right.loc["swh"].tolist() == swahili


def test_a_copy_is_still_one(tmp_path, kind):
    both = write(tmp_path, kind, ["deu", "swh"])
    (tmp_path / "again").mkdir()
    again = write(tmp_path / "again", kind, ["swh"])
    with pytest.raises(InputError, match=r"3 samples are duplicates.*more than one file: .*swh"):
        ingest([both, again])
    counts = ingest([both, again], policies=Policies("wrong", "first")).counts
    assert (counts.copies, counts.errors, counts.outcomes) == (3, 1, 6)


def test_a_retry_is_still_one(tmp_path, kind):
    path = write(tmp_path, kind, ["deu", "swh"])
    *_, last = path.read_text().splitlines()
    mended = last.replace('"timeout"', "null").replace(",0,,timeout,", ",0,1,,")
    path.write_text(path.read_text() + mended + "\n")
    counts = ingest([path]).counts
    assert (counts.retried, counts.errors, counts.outcomes) == (1, 0, 6)
