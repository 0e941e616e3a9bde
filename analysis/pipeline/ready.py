"""A process that has imported what steps need and forks one for each: no step imports it again.

Off Linux every step is a fresh process: macOS's own libraries do not live through a fork.

It reads requests from standard input, a line of JSON each (arguments, out, log), and answers with
a line of exit status and seconds of processor time when the step has ended. SIGTERM goes to the
step that runs; a Ctrl-C, which the terminal sends to both, is the step's own affair.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys

USED = (
    "capability_transfer.analysis.cli",
    "capability_transfer.analysis.commands.reading",
    "capability_transfer.analysis.studies.specifications",
    "capability_transfer.analysis.studies.transfer_metrics",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.figure",
    "scipy.stats",
    "statsmodels.stats.proportion",
)
"""What most steps import."""

FORKED = sys.platform == "linux"
TERM = {signal.SIGTERM}


def fork_for_each() -> dict | None:
    """Serve requests until there are no more: None then, and in each fork its own request."""
    child = 0

    def pass_on(number: int, frame: object) -> None:
        if not child:
            sys.exit(128 + number)
        os.kill(child, number)

    signal.signal(signal.SIGTERM, pass_on)
    for line in sys.stdin:
        request = json.loads(line)
        # until both know which they are: a signal in between would reach neither
        signal.pthread_sigmask(signal.SIG_BLOCK, TERM)
        child = os.fork() if FORKED else fresh(request)
        if not child:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, TERM)
        if not child:
            return request
        _, status, usage = os.wait4(child, 0)
        child = 0
        told = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        print(json.dumps(told), flush=True)
    return None


def fresh(request: dict) -> int:
    """The number of a new process of a command."""
    line = [sys.executable, "-m", USED[0], *request["arguments"]]
    opened = [(os.POSIX_SPAWN_OPEN, *stream) for stream in streams(request)]
    return os.posix_spawn(
        line[0], line, os.environ, file_actions=opened, setsigmask=[],
        setsigdef=[signal.SIGINT, signal.SIGTERM],
    )  # fmt: skip


def streams(request: dict) -> list[tuple[int, str, int, int]]:
    """Where a command's input comes from and its output goes to."""
    written = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    paths = (os.devnull, os.O_RDONLY), (request["out"], written), (request["log"], written)
    return [(number, *path, 0o644) for number, path in enumerate(paths)]


def begin(request: dict) -> None:
    """Be the process of a command: its arguments, and its output to files."""
    for number, *path in streams(request):
        os.dup2(os.open(*path), number)
    sys.argv = ["transfer", *request["arguments"]]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from capability_transfer.common.files import hash_project

    hash_project()  # of the code that is imported now, whatever becomes of it
    for name in USED if FORKED else ():
        importlib.import_module(name)
    if request := fork_for_each():
        begin(request)
        importlib.import_module(USED[0]).main()
