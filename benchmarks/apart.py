"""Measuring in a separate process: one thread, a time limit, one line of JSON back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from capability_transfer.common.errors import InputError

ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def table_apart(
    module: str, seed: int, limit: float, columns: Sequence[str], what: str
) -> pd.DataFrame:
    """The ``rows`` that ``python -m module SEED`` prints, measured in a process of one thread.

    Raises InputError, naming ``what`` was measured, if it was stopped or failed.
    """
    found = run_apart(module, str(seed), limit=limit)
    if "rows" not in found:
        raise InputError(f"{what}: {found['status']}")
    return pd.DataFrame(found["rows"], columns=columns)


def run_apart(
    module: str, *arguments: str, limit: float, cpu: int | None = None, memory: float | None = None
) -> dict:
    """What ``python -m module`` prints, or only its ``status`` if it was stopped or failed.

    It is stopped after ``limit`` seconds, and after ``cpu`` seconds of processor time; it gets no
    more than ``memory`` GB of addresses.
    """
    command = [sys.executable, "-m", module, *arguments]
    if cpu is not None:
        command = ["prlimit", f"--cpu={cpu}", *command]
    if memory is not None:
        command = ["prlimit", f"--as={int(memory * 1e9)}", *command]
    where = {"env": os.environ | ONE_THREAD, "cwd": Path(__file__).parents[1]}
    try:
        done = subprocess.run(
            command, **where, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"status": f"stopped after {limit:g} s"}
    if cpu is not None and done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"status": f"stopped after {cpu:g} CPU s"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return {"status": f"failed: {last[:200]}"}
    return json.loads(done.stdout.strip().splitlines()[-1])
