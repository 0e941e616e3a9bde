"""Run one step in a process of its own, with its options as JSON:
``python -m analysis.pipeline.one glmm results '[["engine", "laplace"]]'``.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from capability_transfer.analysis import cli as cli  # where commands register
from capability_transfer.analysis.commands import registry
from capability_transfer.analysis.commands.output import INTERRUPTED, stoppable
from capability_transfer.analysis.pipeline import stamps
from capability_transfer.analysis.pipeline.steps import Step
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import recording


def run(step: Step, directory: Path) -> None:
    """Run a step's command with its options and stamp what it wrote."""
    before = stamps.fingerprint(step, directory)
    with recording() as written:
        known = registry.COMMANDS.get(step.command)
        function = known.function if known else import_module(step.module).command
        function(out=directory, **dict(step.options))
    stamps.write(step, directory, before, written)


if __name__ == "__main__":
    from capability_transfer.analysis.pipeline.steps import choose

    try:
        with stoppable():
            name, directory, options = sys.argv[1:]
            given = tuple((key, value) for key, value in json.loads(options))
            run(replace(choose([name])[0], options=given), Path(directory))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except InputError as error:
        sys.exit(f"error: {error}")
