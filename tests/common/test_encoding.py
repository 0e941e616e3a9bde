"""Files in other encodings than UTF-8: every reader says which, where, and how to convert it."""

import json
import subprocess

import pytest
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.mapping import read_mapping
from capability_transfer.common.encoding import check_utf8, utf8
from capability_transfer.common.errors import InputError
from capability_transfer.common.tables import read_rows
from capability_transfer.evaluation.folders import Folder
from capability_transfer.evaluation.instances import read_instances

CELLS = "variant,language,template,n_correct,n_total\nQwen3-8B,isl,ævi,1,1\n"
ANSWERS = "variant,language,template,instance,correct\nQwen3-8B,isl,ævi,1,1\n"
CELL = {"variant": "Qwen3-8B", "language": "isl", "template": "ævi", "n_correct": 1, "n_total": 1}
LINE = {"doc_id": 0, "filter": "none", "metrics": ["acc"], "acc": 1, "doc": {"q": "ævi"}}


def line(values):
    return json.dumps(values, ensure_ascii=False) + "\n"


READERS = {  # name of the file, its text with an æ, what reads it
    "outcomes, CSV": ("a.csv", CELLS, read_outcomes),
    "outcomes, JSON Lines": ("a.jsonl", line(CELL), read_outcomes),
    "answers": ("b.csv", ANSWERS, lambda path: ingest([path])),
    "harness": ("samples_mgsm_de.jsonl", line(LINE), lambda path: ingest([path])),
    "a log of no known format": ("x.jsonl", line({"æ": 1}), lambda path: ingest([path])),
    "features": ("c.csv", CELLS, lambda path: read_rows(path, ["variant"])),
    "mapping": ("m.yaml", "variant: {value: æ}\n", lambda path: read_mapping("rows", path)),
    "instances": ("i.jsonl", line({"æ": 1}), read_instances),
    "replacements": ("replacements.json", line(["æ"]),
                     lambda path: Folder(path.parent).replacements),
    "instruction": ("instruction.toml", "instruction = 'æ'\n",
                    lambda path: Folder(path.parent).instruction),
}  # fmt: skip


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-16", "is in UTF-16, not in UTF-8: .*iconv -f UTF-16 -t UTF-8"),
        ("utf-16-le", "is in UTF-16LE, not in UTF-8: .*iconv -f UTF-16LE -t UTF-8"),
        ("utf-16-be", "is in UTF-16BE, not in UTF-8: .*iconv -f UTF-16BE -t UTF-8"),
        ("utf-32", "is in UTF-32, not in UTF-8: .*iconv -f UTF-32 -t UTF-8"),
        ("cp1252", r"line \d, is not in UTF-8 \(byte 0xe6; .*iconv -f CP1252 -t UTF-8"),
    ],
)
@pytest.mark.parametrize("kind", READERS)
def test_a_file_in_another_encoding_is_named_with_the_way_on(tmp_path, kind, encoding, told):
    name, text, read = READERS[kind]
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    with pytest.raises(InputError, match=told) as refused:
        read(path)
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_the_command_that_is_told_converts_the_file(tmp_path, encoding):
    path = tmp_path / "cells.csv"
    path.write_bytes(CELLS.encode(encoding))
    with pytest.raises(InputError) as refused:
        read_outcomes(path)
    command = str(refused.value).partition("`")[2].rstrip("`").split()
    converted = subprocess.run([*command, path], capture_output=True, check=True).stdout
    path.write_bytes(converted)
    assert read_outcomes(path)["template"].tolist() == ["ævi"]


def test_a_character_that_was_cut_off(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(CELLS.partition("vi,")[0].encode()[:-1])
    with pytest.raises(InputError, match=r"line 2, ends within a character; was the file cut off"):
        read_outcomes(path)


@pytest.mark.parametrize("text", ["", "a", "æ", "\ufeffvariant", "語語語語"])
def test_what_is_utf8_passes(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    check_utf8(path)


def test_what_else_goes_wrong_is_left_to_the_block(tmp_path):
    with pytest.raises(FileNotFoundError), utf8(tmp_path / "none"):
        (tmp_path / "none").open()
    with pytest.raises(ZeroDivisionError), utf8(tmp_path / "none"):
        1 / 0  # noqa: B018
