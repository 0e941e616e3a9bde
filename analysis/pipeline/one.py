"""Run one step in a process of its own: ``python -m analysis.pipeline.one sample-size results``."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from analysis.commands.output import INTERRUPTED, stoppable
from analysis.pipeline import stamps
from analysis.pipeline.steps import Step
from common.errors import InputError
from common.files import recording


def run(step: Step, directory: Path) -> None:
    """Run a step's command with its options and stamp what it wrote."""
    before = stamps.fingerprint(step, directory)
    with recording() as written:
        import_module(step.module).command(out=directory, **dict(step.options))
    stamps.write(step, directory, before, written)


if __name__ == "__main__":
    from analysis.pipeline.steps import choose

    try:
        with stoppable():
            run(choose([sys.argv[1]])[0], Path(sys.argv[2]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except InputError as error:
        sys.exit(f"error: {error}")
