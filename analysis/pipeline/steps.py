"""The steps of ``make all``, longest first. A new step is one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from capability_transfer.common.errors import InputError, name_some, suggest


@dataclass(frozen=True)
class Step:
    """One command of the command line with its default options, run on the embedded data.

    Attributes:
        command: its name, ``sample-size``.
        options: as they stand on its command line.
        reads_results: whether it reads what the other steps write, so that it runs after them.
    """

    command: str
    options: tuple[str, ...] = ()
    reads_results: bool = False


STEPS = (
    Step("loo-predict", ("--workers", "1")),
    Step("few-templates", ("--workers", "1")),
    Step("specifications"),
    Step("hat-noise"),
    Step("glmm"),
    Step("transfer-metrics"),
    Step("robustness"),
    Step("levers"),
    Step("penalty"),
    Step("ceiling"),
    Step("sample-size"),
    Step("items"),
    Step("overview"),
    Step("equivalence"),
    Step("features"),
    Step("outcomes"),
    Step("report", reads_results=True),
)
"""Steps run side by side, so each keeps to one worker. Power simulations, benchmarks and cold lme4
fits are separate targets."""


def with_engine(steps: Sequence[Step], engine: str | None) -> list[Step]:
    """The steps, the study's model fitted by ``engine`` in place of the command's default."""
    own = ("--engine", engine) if engine else ()
    return [replace(step, options=step.options + own * (step.command == "glmm")) for step in steps]


def choose(names: Sequence[str]) -> list[Step]:
    """The steps of these names, in the order of ``STEPS``; InputError for one there is not."""
    known = {step.command: step for step in STEPS}
    for name in names:
        if name not in known:
            raise InputError(
                f"no step {name!r}.{suggest(name, known)} There are {name_some(known, 30)}"
            )
    return [step for step in STEPS if step.command in set(names)]
