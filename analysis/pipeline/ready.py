"""A process that has imported what steps need and forks one for each: no step imports it again.

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


def fork_for_each() -> dict | None:
    """Serve requests until there are no more: None then, and in each fork its own request."""
    child = 0

    def pass_on(number: int, frame: object) -> None:
        if not child:
            sys.exit(128 + number)
        os.kill(child, number)

    signal.signal(signal.SIGTERM, pass_on)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            return json.loads(line)
        _, status, usage = os.wait4(child, 0)
        child = 0
        told = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        print(json.dumps(told), flush=True)
    return None


def begin(request: dict) -> None:
    """Be the process of a command: its arguments, and its output to files."""
    for number, path in ((0, os.devnull), (1, request["out"]), (2, request["log"])):
        flags = os.O_RDONLY if not number else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(path, flags, 0o644), number)
    sys.argv = ["transfer", *request["arguments"]]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from capability_transfer.common.files import hash_project

    hash_project()  # of the code that is imported now, whatever becomes of it
    for name in USED:
        importlib.import_module(name)
    if request := fork_for_each():
        begin(request)
        importlib.import_module(USED[0]).main()
