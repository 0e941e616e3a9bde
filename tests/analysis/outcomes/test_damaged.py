"""Damaged files among logs: refused, or left out whole and named."""

import json
from pathlib import Path

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.common.errors import InputError

import capability_transfer as ct
from tests.analysis.command_line import transfer
from tests.analysis.outcomes.harness_logs import Task, write

INSPECT = Path(__file__).parents[2] / "data" / "inspect"
ONE = Task("mgsm_direct_sw", {("exact_match", "none"): [1.0, 0.0, 1.0]})
TWO = Task("mgsm_direct_de", {("exact_match", "none"): [1.0, 1.0]})


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "logs", "Qwen/Qwen2.5-1.5B-Instruct", [ONE, TWO], "new")


def cut(folder, task):
    path = next(folder.glob(f"samples_{task}_*"))
    path.write_bytes(path.read_bytes()[:-20])
    return path


def test_a_file_that_was_cut_off_is_left_out_whole(folder, tmp_path):
    path = cut(folder, "mgsm_direct_sw")
    with pytest.raises(InputError, match=r"line 3 is not JSON.*\(skip_damaged=True leaves such"):
        ingest([folder])
    with pytest.raises(InputError, match=r"line 3 is not JSON.*cut off\?$"):
        ingest([path])
    out = tmp_path / "o.parquet"
    report = ingest([folder], out, skip_damaged=True)
    assert set(pd.read_parquet(out)["language"]) == {"deu"}
    assert [log.status for log in report.logs if log.path == str(path)] == ["damaged"]
    (note,) = (note for note in report.notes if "damaged" in note)
    assert note.startswith(f"1 of 2 files are damaged and left out: {path}, line 3 is not JSON")
    assert report.source.startswith("2 outcomes of logs (1 lm-evaluation-harness; 1 damaged file")
    assert "damaged" in read_outcomes(out).attrs["data_source"]


def test_nothing_is_left_of_damaged_files_only(folder):
    for task in ("mgsm_direct_sw", "mgsm_direct_de"):
        cut(folder, task)
    with pytest.raises(InputError, match="every file is damaged: .*_de_.*line 2.*_sw_.*line 3"):
        ingest([folder], skip_damaged=True)


def test_what_needs_a_choice_is_not_damaged(folder):
    """A file that is whole is never left out for what can be said about it."""
    three = {("a", "none"): [1.0], ("b", "none"): [0.0]}
    write(folder.parent, "Qwen/Qwen2.5-1.5B-Instruct", [Task("gsm8k", three)], "new")
    with pytest.raises(InputError, match="choose one, scorer='a,none'"):
        ingest([folder], skip_damaged=True)
    with pytest.raises(InputError, match="gsm8k.*has no language"):
        ingest([folder], request=Request(scorer="gsm8k=a"), skip_damaged=True)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("x.eval", b"PK\x03\x04 cut"),
        ("x.eval", b""),
        ("x.json", b'{"version": 2, "status": "success", "eval": {'),
    ],
)
def test_inspect_logs(tmp_path, name, damage):
    (tmp_path / "good.eval").write_bytes((INSPECT / "big_on.eval").read_bytes())
    (tmp_path / name).write_bytes(damage)
    with pytest.raises(
        InputError, match=rf"{name} is not a readable Inspect log.*skip_damaged=True"
    ):
        ingest([tmp_path])
    report = ingest([tmp_path], skip_damaged=True)
    assert report.counts.outcomes == 8


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("x.csv", "variant,language,template,instance,correct\na,dan,1,1\n"),
        ("x.csv", ""),
        ("x.parquet", "PAR1 cut"),
        ("x.jsonl", '{"variant": "a", "language": "dan"\n'),
    ],
)
def test_tables(tmp_path, name, damage):
    good = tmp_path / "good.csv"
    good.write_text("variant,language,template,instance,correct\na,dan,1,1,1\n")
    (tmp_path / name).write_text(damage)
    if name == "x.jsonl":  # nobody can tell what it was
        assert [one.name for one in ingest([tmp_path]).others] == [name]
        return
    with pytest.raises(InputError, match=rf"{name}.*skip_damaged=True"):
        ingest([tmp_path])
    assert ingest([tmp_path], skip_damaged=True).counts.outcomes == 1


def test_every_eval_ever(tmp_path):
    line = {
        "schema_version": "0.3.0",
        "evaluation_id": "x",
        "model_id": "m",
        "evaluation_name": "mgsm_de",
        "sample_id": "1",
        "evaluation": {"score": 1.0, "is_correct": True},
    }
    for name, second in (("a", {}), ("b", {"evaluation": None})):
        lines = [line, line | {"sample_id": "2"} | second]
        text = "\n".join(json.dumps(one | {"evaluation_id": name}) for one in lines)
        (tmp_path / f"{name}.jsonl").write_text(text.replace('"m"', f'"acme/{name}-1B"'))
    with pytest.raises(
        InputError, match=r"b\.jsonl, line 2 has no evaluation.is_correct.*skip_dam"
    ):
        ingest([tmp_path])
    report = ingest([tmp_path], skip_damaged=True)
    assert report.variants["model"].tolist() == ["acme/a-1B"]


def test_from_the_command_line_and_in_python(folder, tmp_path):
    cut(folder, "mgsm_direct_sw")
    out = tmp_path / "o.parquet"
    code, _, said = transfer("ingest", folder, "--out", out, cwd=tmp_path)
    assert code == 2
    assert "--skip-damaged" in said
    assert not out.exists()
    code, told, _ = transfer("ingest", folder, "--out", out, "--skip-damaged", cwd=tmp_path)
    assert code == 0
    assert "1 lm-evaluation-harness (damaged)" in told
    assert "1 of 2 files are damaged" in told
    assert len(pd.read_parquet(out)) == 2
    with pytest.raises(InputError, match="skip_damaged=True leaves such files out"):
        ct.ingest(folder)
    assert len(ct.ingest(folder, skip_damaged=True).rows) == 2


@pytest.mark.parametrize("name", ["samples_mgsm_de.jsonl", "x.csv", "x.json", "x.txt"])
def test_files_that_may_not_be_read(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.write_text("x")
    whatever = Path.open

    def forbidden(self, *args, **kwargs):
        if self == path:
            raise PermissionError(13, "Permission denied", str(self))
        return whatever(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", forbidden)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(InputError, match=rf"{name} (cannot|may not) be read"):
        ingest([path])


def test_analyses_say_whose_options_are_meant(folder):
    cut(folder, "mgsm_direct_sw")
    with pytest.raises(InputError, match=r"skip_damaged=True.*options are `transfer ingest`'s"):
        read_outcomes(folder)


def test_advice_fits_the_format(folder, tmp_path):
    with pytest.raises(InputError, match=r"again \(`inspect eval-retry`\), count"):
        ingest([INSPECT / "status_error.eval"])
    table = tmp_path / "t.csv"
    table.write_text("variant,language,template,instance,correct\na,dan,1,1,\n")
    with pytest.raises(InputError, match="Evaluate them again, count"):
        ingest([table])
    table.write_text("variant,template,instance,correct\na,1,1,1\n")
    with pytest.raises(InputError, match=r"such as `language: row\.lang`"):
        ingest([table])
    table.write_text("variant,language,template,instance,correct\na,dan,1,1,1\na,dan,1,1,1\n")
    with pytest.raises(InputError, match="Remove the repeated ones, map"):
        ingest([table])
    write(tmp_path / "more", "x/Y", [Task("gsm8k", {("acc", "none"): [1.0]})], "old")
    with pytest.raises(InputError, match=r"such as `language: sample\.doc\.lang`"):
        ingest([tmp_path / "more"])
