"""Ctrl-C, SIGTERM and a reader that leaves, on real processes."""

import os
import signal
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import pytest
from capability_transfer.analysis.commands import output
from joblib import Parallel, delayed

TRANSFER = Path(sys.executable).with_name("transfer")
FORMULA = "~ resource + size + (1 | variant) + (1 | language) + (1 | template)"
SECONDS = 120.0

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def folder(own_cells, tmp_path_factory):
    path = tmp_path_factory.mktemp("own")
    own_cells.to_csv(path / "cells.csv", index=False)
    return path


def power(simulations, out):
    """A command that runs for long, in two processes, and keeps every simulation."""
    return [
        TRANSFER, "power", "--outcomes", "cells.csv", "--formula", FORMULA, "--n-languages", "6",
        "--n-variants", "6", "--n-templates", "8", "--n-instances", "10", "--workers", "2",
        "--simulations", str(simulations), "--out", out,
    ]  # fmt: skip


def simulations(folder):
    """Simulations that are kept, with the times they were written at, none half-written."""
    found = folder.glob("cache/power/*/[!.]*.npz")  # `*` takes temporary files in, too
    return {path: path.stat().st_mtime_ns for path in found}


def at_least(number, folder):
    """Whether so many simulations are kept."""
    return len(simulations(folder)) >= number


def alive(group):
    """Processes of a group that still run (zombies nobody has waited for do not)."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(entry.name)
    return found


def heeding():
    """Lets Ctrl-C through, which a shell has whatever it puts into the background ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def stopped(command, cwd, begun, number, to_group):
    """Start a command, send a signal once it has ``begun``, and wait for the end."""
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, start_new_session=True, preexec_fn=heeding)  # fmt: skip
    try:
        limit = time.monotonic() + SECONDS
        while not begun() and process.poll() is None:
            assert time.monotonic() < limit
            time.sleep(0.05)
        (os.killpg if to_group else os.kill)(process.pid, number)
        said = process.communicate(timeout=SECONDS)[1]
        limit = time.monotonic() + 10
        while alive(process.pid) and time.monotonic() < limit:
            time.sleep(0.1)
        return process.returncode, said, alive(process.pid)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def test_ctrl_c_keeps_finished_simulations_and_the_same_command_goes_on(folder):
    out = folder / "interrupted"
    two = partial(at_least, 2, out)
    status, said, left = stopped(power(5000, out.name), folder, two, signal.SIGINT, True)
    assert status == 130
    assert said.count("\n") == 1
    assert "finished pieces of work are kept in interrupted/cache" in said
    assert said.endswith(f"--out {out.name}\n")
    assert left == []
    kept = simulations(out)
    assert len(kept) >= 2
    assert not list(out.rglob(".*"))  # temporary files
    assert not (out / "power").exists()
    wanted = max(int(path.stem) for path in kept) + 3
    again = subprocess.run(power(wanted, out.name), cwd=folder, capture_output=True, check=True,
                           text=True)  # fmt: skip
    assert again.stderr == ""
    after = simulations(out)
    assert len(after) == wanted
    assert {path: after[path] for path in kept} == kept
    assert (out / "power" / "power.csv").is_file()


def test_sigterm_ends_a_command_and_its_workers(folder):
    out = folder / "terminated"
    two = partial(at_least, 2, out)
    status, said, left = stopped(power(5000, out.name), folder, two, signal.SIGTERM, False)
    assert status == 143
    assert said.startswith("interrupted; ")
    assert said.count("\n") == 1
    assert left == []
    assert not list(out.rglob(".*"))


def test_that_work_is_left_when_stopped_is_not_said():
    jobs = (delayed(time.sleep)(0.05) for _ in range(50))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with output.stoppable():
            results = Parallel(n_jobs=2, return_as="generator_unordered")(jobs)
            next(results)
            del results  # as where the signal comes while a result is being kept
    assert [one for one in said if "tasks" in str(one.message)] == []


def test_a_reader_that_leaves_costs_no_result(folder):
    command = [TRANSFER, "glmm", "--outcomes", "cells.csv", "--formula", FORMULA, "--engine",
               "laplace", "--out", "piped"]  # fmt: skip
    for more in ([], ["--json"]):
        process = subprocess.Popen([*command, *more], cwd=folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)  # fmt: skip
        process.stdout.close()
        said = process.stderr.read()
        assert (process.wait(), said) == (0, b"")
        assert (folder / "piped" / "glmm" / "fixed_effects.csv").is_file()


def test_ctrl_c_ends_the_steps_of_all(tmp_path):
    command = [TRANSFER, "all", "--only", "hat-noise", "--only", "overview", "--workers", "1",
               "--out", "all"]  # fmt: skip
    begun = (tmp_path / "all" / "cache" / "logs" / "hat-noise.log").exists
    status, said, left = stopped(command, tmp_path, begun, signal.SIGINT, False)
    assert (status, left) == (130, [])
    assert said.endswith(" --workers 1 --out all\n")
    assert said.count("\n") == 1
    assert not list(tmp_path.glob("all/cache/logs/overview.log"))
