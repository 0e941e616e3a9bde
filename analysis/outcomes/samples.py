"""What every reader of evaluation logs yields: one sample, as the log states it, and what to read.

A sample is not yet an outcome: several may be attempts at one question, some ended in an error.
``analysis.outcomes.policies`` decides; readers only read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from capability_transfer.analysis.outcomes import scores
from capability_transfer.analysis.outcomes.mapping import Mapping


@dataclass(frozen=True, slots=True)
class Response:
    """What a model answered: text (a reasoning trace kept apart is not in it), tokens, solution.

    ``solution`` is the gold solution with its ``<<lhs=rhs>>`` marks, where the log has it. Token
    counts are the provider's; ``output_tokens`` includes ``reasoning_tokens``.
    """

    text: str
    solution: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One attempt at one question.

    Attributes:
        log: the file.
        run: what one execution is called (Inspect's eval id, or the file).
        task: what a run and its retries share (Inspect's task id, or the run).
        sample: the question within the task.
        epoch: its repetition, from 1.
        uuid: the same where a retry carried a finished sample over; None where there is none.
        model: as the log names it, provider included.
        variant: a variant's label, if stated.
        reasoning: on, off, or None where nobody said.
        language: labels; ``split`` may be None.
        template: see ``language``.
        split: see ``language``.
        instance: see ``language``.
        correct: None if there is no score.
        error: its text, or None.
        unfinished: cancelled or invalidated before it could succeed or fail.
    """

    log: str
    run: str
    task: str
    sample: str
    epoch: int
    uuid: str | None
    model: str | None
    variant: str | None
    reasoning: str | None
    language: str
    template: str
    split: str | None
    instance: str
    correct: bool | None
    error: str | None
    unfinished: bool = False
    response: Response | None = None


@dataclass(frozen=True)
class Request:
    """The options with which logs are read.

    Attributes:
        mapping: the user's YAML file, or None for each format's default.
        scorer: the score to take where a log has several, of all tasks (``NAME``) or of some
            (``TASK=NAME``); see ``scores``.
        threshold: partial credit from here up is correct; without it partial credit is refused.
        responses: read what models answered as well (every sample in full: slower).
    """

    mapping: Path | None = None
    scorer: str | Sequence[str] | None = None
    threshold: float | None = None
    responses: bool = False

    def __post_init__(self) -> None:
        scores.choices(self.scorer)

    def scorer_of(self, *task: str) -> str | None:
        """The scorer chosen for a task, known by any of its names; None if none is."""
        return scores.choose(self.scorer, *task)


@dataclass
class Log:
    """What one file turned out to be, filled in while its samples are read.

    Attributes:
        status: success, error, cancelled, started (never ended) for Inspect; read for others.
        model: as the log names it.
        planned: samples it was to hold, None if it does not say.
        read: samples found.
        tasks: what is evaluated, as ``--scorer TASK=NAME`` may call it.
        notes: sentences on what to look at, without the file's name.
    """

    path: str
    format: str
    status: str = "read"
    model: str | None = None
    planned: int | None = None
    read: int = 0
    tasks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Format:
    """One kind of log.

    Attributes:
        name: for reports.
        files: how its files look, for messages.
        recognises: whether a file has this format, by its name and, if need be, its first line.
        read: samples of a file, one after another; fills in the ``Log`` on the way.
        default: the packaged mapping.
        again: how to evaluate again what ended in errors, where the program that wrote the logs
            has a command for it.
    """

    name: str
    files: str
    recognises: Callable[[Path], bool]
    read: Callable[[Path, Mapping, Request, Log], Iterator[Sample]]
    default: str = field(default="")
    again: str = field(default="")
