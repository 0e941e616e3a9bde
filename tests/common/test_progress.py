"""What long work says of itself where there is no terminal."""

from __future__ import annotations

import io
import re
import time

import pytest
from capability_transfer.common import progress
from rich.console import Console
from rich.progress import Task, TaskID


@pytest.fixture(autouse=True)
def switched_on(monkeypatch):
    monkeypatch.delenv(progress.SWITCH)


@pytest.fixture
def console(monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.02)
    console = Console(file=io.StringIO(), force_terminal=False, width=10_000)
    with progress.shown_on(console):
        yield console


def lines(console: Console) -> list[str]:
    return console.file.getvalue().splitlines()


def wait_for(console: Console, pattern: str) -> None:
    until = time.monotonic() + 10
    while not any(re.fullmatch(pattern, line) for line in lines(console)):
        assert time.monotonic() < until, lines(console)
        time.sleep(0.01)


def test_pieces_done_of_all_and_the_time_left(console):
    with progress.counting("folds", 8) as done:
        wait_for(console, r"folds: 0 of 8 done after 0:\d\d")
        done(2)
        wait_for(console, r"folds: 2 of 8 done after 0:\d\d, about \d:\d\d left")


def test_the_innermost_work_is_told_and_its_fits_counted(console):
    with progress.working("glmm"):
        wait_for(console, r"glmm: 0:\d\d so far")
        fits = progress.fits(2)
        with fits("main model") as tell:
            tell("Newton", 12, 345.6789)
            wait_for(
                console, r"main model \(1 of 2\): Newton, 12 evaluations, deviance 345.679: .*"
            )
        with fits("baseline"):
            wait_for(console, r"baseline \(2 of 2, about 0:\d\d left\): 0:\d\d so far")
    told = len(lines(console))
    time.sleep(0.1)
    assert len(lines(console)) == told  # nothing is told of work that is done


def test_it_can_be_switched_off(console, monkeypatch):
    monkeypatch.setenv("TRANSFER_PROGRESS", "off")
    with progress.counting("folds", 8) as done:
        done(2)
        time.sleep(0.1)
    assert lines(console) == []
    terminal = Console(file=io.StringIO(), force_terminal=True)
    with progress.shown_on(terminal), progress.working("glmm"):
        pass
    assert terminal.file.getvalue() == ""


def test_in_python_it_goes_to_stderr_and_leaves_stdout_to_the_results(monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0.02)
    until, told = time.monotonic() + 10, ""
    with progress.working("glmm"):
        while "so far" not in told and time.monotonic() < until:
            time.sleep(0.02)
            out, err = capsys.readouterr()
            told += err
            assert out == ""
    assert "glmm: 0:00 so far" in told


def test_work_of_less_than_a_minute_says_nothing():
    quiet = Console(file=io.StringIO(), force_terminal=False)
    with (
        progress.shown_on(quiet),
        progress.working("glmm"),
        progress.counting("folds", 2) as done,
    ):
        done(2)
    assert quiet.file.getvalue() == ""


def test_the_time_left_is_what_the_rest_takes_at_the_pace_so_far():
    task = Task(TaskID(0), "folds", 160, 12, _get_time=lambda: 180.0)
    task.start_time = 0.0
    assert progress._sentence(task) == "folds: 12 of 160 done after 3:00, about 37:00 left"
