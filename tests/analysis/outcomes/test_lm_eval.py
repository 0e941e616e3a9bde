"""lm-evaluation-harness logs of its old and new formats: the means are the harness's own."""

import json

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.common.errors import InputError

from tests.analysis.outcomes.harness_logs import DATE, FORMATS, Task, lines, write

MODELS = ("Qwen/Qwen2.5-1.5B-Instruct", "acme/New-4B")
FILTERS = ("strict-match", "flexible-extract", "remove_whitespace", "maj@8", "none")
METRICS = ("exact_match", "acc", "acc_norm")


def suite(rng):
    """47 tasks of one to three filters and metrics, some of several processes."""
    for number in range(47):
        filters = rng.permutation(FILTERS)[: rng.integers(1, 4)]
        metrics = rng.permutation(METRICS)[: rng.integers(1, 4)]
        documents = int(rng.integers(3, 12))
        scores = {
            (str(metric), str(name)): rng.integers(0, 2, documents).astype(float).tolist()
            for name in filters
            for metric in metrics
        }
        docs = [{"language": "eng", "template": f"{number}:{one}"} for one in range(documents)]
        yield Task(f"task_{number}", scores, docs, processes=int(rng.integers(1, 4)))


@pytest.mark.parametrize("version", FORMATS)
def test_the_means_of_94_logs_are_the_harness_s_own(tmp_path, version):
    rng = np.random.default_rng(7)
    runs = {model: list(suite(rng)) for model in MODELS}
    for model, tasks in runs.items():
        write(tmp_path, model, tasks, version)
    for first in (True, False):  # the first score of each task and model, then the last
        compared = 0
        for model, tasks in runs.items():
            keys = {task.name: list(task.means)[0 if first else -1] for task in tasks}
            chosen = tuple(f"{task}={key}" for task, key in keys.items())
            folder = tmp_path / model.replace("/", "__")
            out = tmp_path / "o.parquet"
            ingest([folder], out, Request(scorer=chosen))
            table = pd.read_parquet(out)
            assert set(table["model"]) == {model}
            stated = json.loads((folder / f"results_{DATE}.json").read_text())["results"]
            for log, rows in table.groupby("log"):
                task = log.rpartition("samples_")[2].removesuffix(f"_{DATE}.jsonl")
                assert rows["correct"].mean() == stated[task][keys[task]]
                assert len(rows) == len(next(one for one in tasks if one.name == task).docs)
                compared += 1
        assert compared == 94


TWO = Task(
    "mgsm_direct_sw",
    {("exact_match", "strict-match"): [0, 0, 1], ("exact_match", "flexible-extract"): [1, 0, 1]},
)
"""Two filters, three documents: 1 and 2 of them right."""


def right(paths, out, scorer=None):
    ingest(paths, out, Request(scorer=scorer))
    return pd.read_parquet(out).sort_values("sample")["correct"].astype(int).tolist()


@pytest.mark.parametrize("version", FORMATS)
def test_filters_of_each_format(tmp_path, version):
    folder, out = write(tmp_path, MODELS[0], [TWO], version), tmp_path / "o.parquet"
    strict, flexible = "exact_match,strict-match", "exact_match,flexible-extract"
    for scorer in (None, "exact_match"):
        with pytest.raises(InputError, match=f"scored by {flexible}, {strict}: choose one"):
            right([folder], out, scorer)
    for scorer in (strict, "strict-match", f"mgsm_*={strict}"):
        assert right([folder], out, scorer) == [0, 0, 1]
    for scorer in (flexible, "flexible-extract", ("mgsm_direct_sw=flexible-extract", strict)):
        assert right([folder], out, scorer) == [1, 0, 1]
    with pytest.raises(InputError, match=rf"no score 'strictmatch'; it has {flexible}, {strict}\."):
        right([folder], out, "strictmatch")


def test_a_file_of_another_name_is_of_the_longest_task_that_the_name_ends_in(tmp_path):
    others = [Task(name, {("acc", "none"): [1, 1, 1]}) for name in ("sw", "direct_sw")]
    folder = write(tmp_path, MODELS[0], [others[0], TWO, others[1]], "old")
    samples = folder / f"samples_{TWO.name}_{DATE}.jsonl"
    own = samples.rename(folder / f"published_{TWO.name}.jsonl")
    (folder / f"results_{DATE}.json").rename(folder / "results.json")
    assert right([own], tmp_path / "o.parquet", "strict-match") == [0, 0, 1]
    assert right([own], tmp_path / "o.parquet", f"{TWO.name}=flexible-extract") == [1, 0, 1]


@pytest.mark.parametrize("version", FORMATS)
def test_one_line_a_document_needs_no_results(tmp_path, version):
    one = Task("mgsm_direct_sw", {("exact_match", "none"): [1, 0, 1]})
    folder = write(tmp_path, MODELS[0], [one], version)
    (folder / f"results_{DATE}.json").unlink()
    for scorer in (None, "exact_match"):
        assert right([folder], tmp_path / "o.parquet", scorer) == [1, 0, 1]


def test_several_metrics_of_an_old_log(tmp_path):
    task = Task("mgsm_direct_sw", {("acc", "none"): [1, 0, 1], ("acc_norm", "none"): [1, 0, 0]})
    folder, out = write(tmp_path, MODELS[0], [task], "old"), tmp_path / "o.parquet"
    with pytest.raises(InputError, match="scored by acc,none, acc_norm,none: choose one"):
        right([folder], out)
    assert right([folder], out, "acc_norm") == [1, 0, 0]
    (folder / f"results_{DATE}.json").unlink()
    with pytest.raises(InputError, match="scored by acc, acc_norm: choose one, scorer='acc', or"):
        right([folder], out)
    assert right([folder], out, "acc") == [1, 0, 1]


def test_lines_whose_filter_cannot_be_known(tmp_path):
    folder = write(tmp_path, MODELS[0], [TWO], "old")
    results, samples = folder / f"results_{DATE}.json", next(folder.glob("samples_*"))
    kept = results.read_text()
    results.unlink()
    with pytest.raises(InputError, match="several lines of document 0 .* put the results file"):
        ingest([folder], request=Request(scorer="strict-match"))
    results.write_text(kept)
    whole = samples.read_text().splitlines(keepends=True)
    for some, number in ((whole[:5], 1), ([*whole, whole[2]], 3)):
        samples.write_text("".join(some))
        with pytest.raises(
            InputError, match=f"has {number} lines of document 2, .* name 2 filters"
        ):
            ingest([folder], request=Request(scorer="strict-match"))


def test_a_document_twice_under_the_only_filter(tmp_path):
    one = Task("mgsm_direct_sw", {("exact_match", "none"): [1, 0, 1]})
    folder = write(tmp_path, MODELS[0], [one], "old")
    samples = next(folder.glob("samples_*"))
    samples.write_text(samples.read_text() + json.dumps(next(lines(one, "old"))) + "\n")
    with pytest.raises(InputError, match="1 samples are duplicates"):
        ingest([folder])


@pytest.mark.parametrize(
    ("stated", "model"),
    [
        ({"model_name": "a/B-1B", "config": {"model_args": "pretrained=c/D-2B"}}, "a/B-1B"),
        ({"config": {"model_args": "dtype=x,pretrained=c/D-2B"}}, "c/D-2B"),
        ({"model_name": "", "config": {"model_args": {"model": "e/F-3B"}}}, "e/F-3B"),
        ({"config": {"model_args": "tokenizer_path=x,path=g/H-4B"}}, "g/H-4B"),
        ({"config": {"model_args": "pretrained=c/D-2B,peft=i/J-5B"}}, "i/J-5B"),
    ],
)
@pytest.mark.parametrize("name", [f"results_{DATE}.json", f"mine_{DATE}.json", "results.json"])
def test_a_model_is_named_by_its_results(tmp_path, stated, model, name):
    one = Task("mgsm_direct_sw", {("exact_match", "none"): [1, 0, 1]})
    written = write(tmp_path, "x/Y", [one], "old")
    folder = written.rename(tmp_path / "results")
    (folder / f"results_{DATE}.json").unlink()
    (folder / name).write_text(json.dumps(stated))
    out = tmp_path / "o.parquet"
    report = ingest([folder], out)
    assert set(pd.read_parquet(out)["model"]) == {model}
    assert not any("folder" in note for note in report.notes)


def test_a_model_that_only_its_folder_names(tmp_path):
    one = Task("mgsm_direct_sw", {("exact_match", "none"): [1, 0, 1]})
    folder = write(tmp_path, MODELS[0], [one], "new")
    (folder / f"results_{DATE}.json").unlink()
    report = ingest([folder])
    assert report.variants["model"].tolist() == [MODELS[0]]
    told = [note for note in report.notes if "named after the folder" in note]
    assert len(told) == 1
    assert "samples_mgsm_direct_sw" in told[0]


def test_documents_that_the_run_had_and_the_file_has_not(tmp_path):
    folder = write(tmp_path, MODELS[0], [TWO], "new")
    samples = next(folder.glob("samples_*"))
    whole = samples.read_text().splitlines(keepends=True)
    samples.write_text("".join(whole[:5]))
    report = ingest([folder], request=Request(scorer="flexible-extract"))
    told = "\n".join(report.notes)
    assert "1 of 3 samples of its run are not in it" in told
    assert "1 of 3 documents have no score 'flexible-extract'" in told


def test_a_cache_that_keeps_files_under_other_names(tmp_path):
    """Links to files called by their hashes: the folder of the link names the model."""
    one = Task("mgsm_direct_sw", {("exact_match", "none"): [1, 0, 1]})
    folder = write(tmp_path / "snapshot", MODELS[0], [one], "new")
    blobs = tmp_path / "blobs"
    blobs.mkdir()
    (folder / f"results_{DATE}.json").unlink()
    samples = next(folder.glob("samples_*"))
    samples.rename(blobs / "0123")
    samples.symlink_to(blobs / "0123")
    assert ingest([folder]).variants["model"].tolist() == [MODELS[0]]


@pytest.mark.parametrize("version", FORMATS[1:])
def test_what_is_no_metric_of_the_results_is_none_of_a_line(tmp_path, version):
    """Old lines do not say which of their fields are metrics; the results name them."""
    task = Task("mgsm_direct_sw", {("exact_match", "none"): [1, 0]})
    folder, out = write(tmp_path, MODELS[0], [task], version), tmp_path / "o.parquet"
    path = folder / f"samples_{task.name}_{DATE}.jsonl"
    told = [json.loads(one) | {"seconds": 0.5} for one in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(one) + "\n" for one in told))
    assert right([folder], out) == [1, 0]
    (folder / f"results_{DATE}.json").unlink()  # then it may be one
    with pytest.raises(InputError, match="scored by exact_match, seconds"):
        right([folder], out)
