"""Which files of a folder are logs: through links, among pointers, tables in lines of JSON."""

import json

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.outcomes.formats import find
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.common.errors import InputError
from capability_transfer.features.models import read_models

from tests.analysis.outcomes.harness_logs import DATE, Task, lines, results, write

MODEL = "Qwen/Qwen2.5-1.5B-Instruct"
ONE = Task("mgsm_direct_sw", {("exact_match", "none"): [1.0, 0.0, 1.0]})
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "logs", MODEL, [ONE], "new")


def test_links_to_folders_are_entered_once(folder, tmp_path):
    outer = tmp_path / "outer"
    outer.mkdir()
    (outer / "a").symlink_to(folder.parent)
    (outer / "b").symlink_to(folder.parent)
    logs, others = find([outer])
    assert (len(logs), [one.name for one in others]) == (1, [f"results_{DATE}.json"])
    assert ingest([outer]).counts.outcomes == 3
    assert ingest([outer, folder]).counts.outcomes == 3


def test_a_link_to_a_folder_above_is_no_loop(folder):
    (folder / "up").symlink_to(folder.parent)
    logs, others = find([folder.parent])
    assert (len(logs), [one.name for one in others]) == (1, [f"results_{DATE}.json"])


def test_links_to_files_are_the_file(folder):
    samples = next(folder.glob("samples_*"))
    (folder / f"samples_latest_{DATE}.jsonl").symlink_to(samples)
    (folder / "broken.jsonl").symlink_to(folder / "nothing")
    assert ingest([folder]).counts.outcomes == 3
    assert ingest([samples, samples]).counts.outcomes == 3
    samples.rename(folder.parent.parent / "elsewhere")
    (folder / f"samples_latest_{DATE}.jsonl").unlink()
    for task in ("mgsm_direct_de", "mgsm_direct_sw"):
        link = folder / f"samples_{task}_{DATE}.jsonl"
        link.symlink_to(folder.parent.parent / "elsewhere")
    assert ingest([folder]).logs[0].tasks == ["mgsm_direct_de"]


@pytest.mark.parametrize("name", ["x.eval", "x.json", "x.jsonl", f"samples_gsm_{DATE}.jsonl"])
def test_a_pointer_among_logs_is_named(folder, name):
    (folder / name).write_text(POINTER)
    for paths in ([folder], [folder / name]):
        with pytest.raises(InputError, match=rf"{name} is a Git LFS pointer.*git lfs pull"):
            ingest(paths)
    report = ingest([folder], skip_damaged=True)
    assert report.counts.outcomes == 3
    assert any("1 of 2 files are damaged" in note and name in note for note in report.notes)


def test_a_pointer_in_place_of_the_results(folder):
    (folder / f"results_{DATE}.json").write_text(POINTER)
    with pytest.raises(InputError, match=rf"results_{DATE}\.json is a Git LFS pointer"):
        ingest([next(folder.glob("samples_*"))])


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.jsonl", "x.eval"])
def test_a_pointer_in_place_of_outcomes(tmp_path, name):
    path = tmp_path / name
    path.write_text(POINTER)
    for read in (read_outcomes, read_models, lambda one: ingest([one])):
        with pytest.raises(InputError, match=rf"{name} is a Git LFS pointer, .*git lfs pull"):
            read(path)


ROWS = [
    {"variant": "a", "language": "dan", "template": 1, "instance": 1, "correct": True},
    {"variant": "a", "language": "dan", "template": 1, "instance": 2, "correct": 0, "note": [1]},
    {"variant": "a", "language": "nan", "template": 2.0, "instance": "1", "correct": "1"},
]


def written(path, rows):
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    return path


def test_answers_in_lines_of_json(tmp_path):
    path = written(tmp_path / "t.jsonl", ROWS)
    out = tmp_path / "out" / "o.parquet"
    cells = read_outcomes(path)
    assert cells.values.tolist() == [["a", "dan", "1", 1, 2], ["a", "nan", "2", 1, 1]]
    assert cells.attrs["unused_columns"] == ["note"]
    for paths in ([tmp_path], [path]):
        report = ingest(paths, out)
        assert (report.counts.outcomes, report.templates) == (3, 2)
    assert pd.read_parquet(out)["correct"].tolist() == [True, False, True]
    mapping = tmp_path / "m.yaml"
    mapping.write_text("language: {value: dan}\ntemplate: row.note")
    with pytest.raises(InputError, match="line 1 has no template"):
        ingest([path], request=Request(mapping=mapping))


def test_cells_in_lines_of_json(tmp_path):
    cell = {"variant": "a", "language": "dan", "template": "t", "n_correct": 3, "n_total": 4}
    path = written(tmp_path / "t.jsonl", [cell])
    assert read_outcomes(path)["n_correct"].tolist() == [3]
    with pytest.raises(InputError, match="holds counts of cells"):
        ingest([path])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"correct": "C"}, "'correct' is neither 0/1 nor true/false.*line 2 .*'C'"),
        ({"correct": None}, "'correct' is neither.*line 2"),
        ({"language": None}, "'language' is empty.*line 2"),
        ({"template": {"a": 1}}, r"'template' must hold one value: line 2 .*\{'a': 1\}"),
        ({"instance": 1}, "more than once.*line 1 .*line 2"),
    ],
)
def test_wrong_lines_of_json(tmp_path, row, message):
    path = written(tmp_path / "t.jsonl", [ROWS[0], ROWS[1] | row])
    with pytest.raises(InputError, match=message):
        read_outcomes(path)


def test_lines_of_json_beside_logs_are_no_log(folder):
    written(folder / "notes.jsonl", ROWS)
    report = ingest([folder])
    assert report.counts.outcomes == 3
    assert "notes.jsonl" in [path.name for path in report.others]


def test_samples_of_the_harness_under_another_name(folder, tmp_path):
    path = next(folder.glob("samples_*")).rename(tmp_path / "mgsm_direct_sw.jsonl")
    report = ingest([path])
    assert report.logs[0].format == "lm-evaluation-harness"
    assert report.languages["language"].tolist() == ["swh"]
    assert read_outcomes(path)["n_correct"].sum() == 2


def test_samples_of_the_harness_that_are_called_json(folder):
    path = next(folder.glob("samples_*"))
    path.rename(path.with_suffix(".json"))
    (folder / "samples_of_paper.json").write_text('{"a": 1}')
    report = ingest([folder])
    assert report.counts.outcomes == 3
    assert report.variants["model"].tolist() == [MODEL]
    assert sorted(one.name for one in report.others) == [
        f"results_{DATE}.json",
        "samples_of_paper.json",
    ]


def test_samples_of_the_harness_before_0_4_3(tmp_path):
    """One array a task, named after the model's arguments, and results without a date."""
    two = Task("mgsm_direct_de", {("acc", "x"): [1.0, 0.0], ("acc", "y"): [0.0, 0.0]})
    for task in (ONE, two):
        path = tmp_path / f"pretrained__{MODEL.replace('/', '__')},dtype__auto_{task.name}.jsonl"
        path.write_text(json.dumps(list(lines(task, "old without hashes")), indent=2))
    (tmp_path / "results.json").write_text(json.dumps(results(MODEL, [ONE, two], "old"), indent=2))
    for scorer, right in (("x", 1), ("y", 0)):
        out = tmp_path / "out" / "o.parquet"
        report = ingest([tmp_path], out, Request(scorer=f"mgsm_direct_de={scorer}"))
        assert report.variants["model"].tolist() == [MODEL]
        table = pd.read_parquet(out).groupby("language")["correct"].agg(["sum", "count"])
        assert table.loc["swh"].tolist() == [2, 3]
        assert table.loc["deu"].tolist() == [right, 2]


def test_the_longest_task_that_a_file_s_name_ends_in(tmp_path):
    part = Task("sw", {("acc", "none"): [1.0]})
    path = tmp_path / "pretrained__x__Y-1B_mgsm_direct_sw.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines(ONE, "old")))
    (tmp_path / "results.json").write_text(json.dumps(results("x/Y-1B", [part, ONE], "old")))
    assert ingest([path]).logs[0].tasks == ["mgsm_direct_sw"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[\n]", "holds no sample"),
        ("[\n1\n]", "object 1 is not a JSON object"),
        ("[\n{}", "is not JSON .*cut off"),
        ('[\n], "x": 1', "is not JSON"),
    ],
)
def test_arrays_that_are_no_samples(tmp_path, text, message):
    path = tmp_path / "samples_mgsm_de.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        ingest([path])
