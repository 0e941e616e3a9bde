"""What commands print: for people on a terminal or in a pipe, and as JSON."""

import io
import json
import os
import pty
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from capability_transfer.analysis.commands import output
from capability_transfer.common.files import steady, write_text
from capability_transfer.common.progress import SWITCH
from rich.console import Console

from tests.analysis.command_line import transfer

TRANSFER = Path(sys.executable).with_name("transfer")
FORMULA = "~ resource + size + (1 | variant) + (1 | language) + (1 | template)"
GLMM = ("glmm", "--outcomes", "cells.csv", "--formula", FORMULA, "--engine", "laplace")


@pytest.fixture(scope="module")
def folder(own_cells, tmp_path_factory):
    """Outcomes of six variants, six languages and eight templates, with a column nobody reads."""
    path = tmp_path_factory.mktemp("own")
    own_cells.assign(mood="good").to_csv(path / "cells.csv", index=False)
    return path


@pytest.fixture(scope="module")
def document(folder):
    code, printed, said = transfer(*GLMM, "--json", cwd=folder)
    assert (code, said) == (0, "")
    assert printed.count("\n") == 1
    return json.loads(printed)


def test_json_is_one_document_with_everything(document, folder):
    assert list(document) == [
        "command", "version", "options", "seed", "data", "tables", "findings", "notes", "files",
    ]  # fmt: skip
    assert document["command"] == "glmm"
    assert document["options"]["formula"] == FORMULA
    assert "json" not in document["options"]
    assert document["data"] == ["cells of cells.csv"]
    assert any("not used: mood" in note for note in document["notes"])
    for name in document["files"]:
        assert (folder / name).is_file()
        assert "cache" not in name
    on_disk = {path for path in (folder / "transfer-results").rglob("*") if path.is_file()}
    on_disk = {str(path.relative_to(folder)) for path in on_disk if "cache" not in path.parts}
    assert set(document["files"]) == on_disk


def test_json_has_the_tidy_tables_at_full_precision(document, folder):
    results = folder / "transfer-results" / "glmm"
    for name in ("fixed_effects", "random_effects", "standardisation", "glance"):
        written = pd.read_csv(results / f"{name}.csv")
        told = pd.DataFrame(document["tables"][name])
        assert list(told.columns) == list(written.columns)
        numbers = written.select_dtypes("number").columns.drop("seconds", errors="ignore")
        told = told[numbers].astype(float)
        np.testing.assert_array_equal(steady(told), written[numbers].astype(float))
        for column in numbers:  # to the digits that are written
            digits = 5e-4 if column == "p_value" else 5e-6
            np.testing.assert_allclose(told[column], written[column], rtol=digits, atol=5e-7)
        assert name == "standardisation" or not told.equals(steady(told))  # in the document: whole
    assert document["tables"]["fixed_effects"][0]["published"] is None


def test_json_before_and_after_the_command_is_the_same(document, folder):
    code, printed, _ = transfer("--json", *GLMM, cwd=folder)
    assert code == 0
    again = json.loads(printed)
    times = document["tables"].pop("glance"), again["tables"].pop("glance")
    assert len(times[0]) == len(times[1])
    assert again == document


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("outcomes", "--outcomes", "absent.csv"), "there is no file absent.csv"),
        (("levers", "--sed", "1"), "Did you mean --seed?"),
        (("all", "--jobs", "1"), "Did you mean --workers?"),  # an option of another name elsewhere
        (("glm",), "Did you mean 'glmm'?"),
    ],
)
def test_json_errors_go_to_stderr_and_leave_stdout_empty(folder, arguments, says):
    code, printed, said = transfer("--json", *arguments, cwd=folder)
    assert (code, printed) == (2, "")
    assert says in json.loads(said)["error"]


def test_a_status_without_an_error_still_gives_the_document(capsys):
    def command():
        with output.speaking("templates", {}, machine=True) as say:
            say.line("one failed")
            raise typer.Exit(1)

    with pytest.raises(typer.Exit):
        command()
    assert json.loads(capsys.readouterr().out)["findings"] == ["one failed"]


def test_json_of_values_that_json_does_not_have(capsys, tmp_path):
    table = pd.DataFrame({
        "number": [1.5, np.nan, np.inf],
        "count": pd.array([1, None, 3], dtype="Int64"),
        "label": ["a", None, "ä"],
        "flag": [True, False, True],
        "path": [Path("x"), Path("y"), Path("z")],
    })  # fmt: skip
    with output.speaking("some", {"out": Path("r"), "seed": 3}, machine=True) as say:
        say.table("values", table, "Values")
        write_text("", tmp_path / "written.csv")
        write_text("", tmp_path / "cache" / "kept.csv")
    told = json.loads(capsys.readouterr().out)
    assert told["tables"]["values"] == [
        {"number": 1.5, "count": 1, "label": "a", "flag": True, "path": "x"},
        {"number": None, "count": None, "label": None, "flag": False, "path": "y"},
        {"number": None, "count": 3, "label": "ä", "flag": True, "path": "z"},
    ]
    assert told["seed"] == 3
    assert told["options"]["out"] == "r"
    assert told["files"] == [str(tmp_path / "written.csv")]


def test_a_pipe_gets_whole_lines_without_colour_or_boxes(capsys):
    table = pd.DataFrame({"name": ["x" * 120, "[red]y"], "value": ["1.0", "−22.5"]})
    with output.speaking("some") as say:
        say.table("t", table, "A title [that is kept]")
        say.note("n" * 200)
        say.line("[bold]plain")
    printed = capsys.readouterr().out
    lines = [line.rstrip() for line in printed.splitlines()]
    assert lines[0] == "A title [that is kept]"
    assert lines[2].split() == ["x" * 120, "1.0"]
    assert lines[3].split() == ["[red]y", "−22.5"]
    assert lines[4] == "! " + "n" * 200
    assert lines[5] == "[bold]plain"
    assert "\x1b" not in printed
    assert not set(printed) & set("─│╭╮╰╯━…")


def test_what_was_written_is_said_once(capsys, tmp_path):
    with output.speaking("some"):
        write_text("", tmp_path / "r" / "glmm" / "a.csv")
        write_text("", tmp_path / "r" / "glmm" / "b.csv")
        write_text("", tmp_path / "r" / "figures" / "c.png")
        write_text("", tmp_path / "r" / "cache" / "d.csv")
    assert capsys.readouterr().out == f"Wrote 3 files to {tmp_path}/r/ (glmm 2, figures 1)\n"
    with output.speaking("some"):
        write_text("", tmp_path / "one.csv")
    assert capsys.readouterr().out == f"Wrote {tmp_path}/one.csv\n"


def test_files_that_were_passing_are_not_said_and_relative_ones_may_stand_beside(capsys, tmp_path):
    with chdir(tmp_path), output.speaking("some"):
        write_text("", tmp_path / "passing" / "a.csv").unlink()
        write_text("", Path("b.csv"))
        write_text("", tmp_path / "c.csv")
    assert capsys.readouterr().out == f"Wrote b.csv, c.csv to {tmp_path}/\n"


def on_a_terminal(*arguments, cwd, **variables):
    """What a terminal of 80 columns shows of a command's stdout and stderr."""
    leader, follower = pty.openpty()
    unset = ("NO_COLOR", SWITCH)
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "80", **variables}
    process = subprocess.Popen([TRANSFER, *arguments], stdout=follower, stderr=follower, cwd=cwd,
                               env=environment)  # fmt: skip
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert process.wait() == 0
    return shown.decode()


@pytest.mark.heavy
def test_a_terminal_gets_colours_and_progress_unless_it_wants_none(folder):
    assert "\x1b[33m!" in (shown := on_a_terminal(*GLMM, cwd=folder))
    assert "main model (1 of 1" in shown
    shown = on_a_terminal(*GLMM, cwd=folder, NO_COLOR="1")
    assert "\x1b[33m" not in shown
    assert "! columns of the outcomes" in shown


@pytest.mark.heavy
def test_progress_leaves_nothing_in_a_pipe(folder):
    environment = {name: value for name, value in os.environ.items() if name != SWITCH}
    ended = subprocess.run([TRANSFER, *GLMM], cwd=folder, capture_output=True, check=True,
                           env=environment)  # fmt: skip
    assert ended.stderr == b""
    assert b"\x1b" not in ended.stdout
    assert b"main model (1 of 1" not in ended.stdout


def shown_at(width, display, terminal=True):
    """What people see of a table, line by line."""
    say, stream = output.People(), io.StringIO()
    say.console = Console(
        soft_wrap=True, highlight=False, width=width, file=stream, force_terminal=terminal,
        no_color=True,
    )  # fmt: skip
    say.view("", display)
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()


ESTIMATES = pd.DataFrame(
    {
        "": ["Resource level", "Relative fertility (within)"],
        "Estimate": ["0.773", "−0.041"],
        "95% interval": ["[0.63, 0.92]", "[−0.10, 0.02]"],
        "Published": ["0.773", "−0.041"],
    }
)


def test_a_narrow_terminal_wraps_words_and_breaks_no_number():
    lines = [line.rstrip().replace("\u00a0", " ") for line in shown_at(48, ESTIMATES)]
    assert all(len(line) <= 48 for line in lines)
    text = "\n".join(lines)
    cells = [*ESTIMATES["Estimate"], *ESTIMATES["95% interval"]]
    assert all(cell in text for cell in cells)
    assert "Relative" in text
    assert "fertility" in text


def test_columns_that_find_no_room_are_named():
    lines = [line.rstrip() for line in shown_at(30, ESTIMATES)]
    assert all(len(line) <= 30 for line in lines)
    assert "… no room for 95% interval," in lines
    assert not any("0.92" in line for line in lines)


def test_bounds_stand_to_the_right_as_numbers_do():
    lines = shown_at(48, pd.DataFrame({"": ["a", "b"], "× size": ["≤1", "12.5"]}))
    assert [line.rstrip() for line in lines[1:]] == ["a     ≤1", "b   12.5"]


def test_a_pipe_gets_every_column_with_plain_spaces():
    lines = shown_at(output.WIDE, ESTIMATES, terminal=False)
    assert "[−0.10, 0.02]" in "\n".join(lines)
    assert len(lines) == 3
