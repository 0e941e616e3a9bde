r"""The Inspect AI task: ``inspect eval evaluation/task.py --model PROVIDER/MODEL -T ...``.

One log holds one model in one reasoning mode, all languages and one or both splits. What an
analysis needs is in it twice, for the whole log and for each sample:

- ``eval.metadata``: ``conventions`` (the name of this layout), ``reasoning`` (on, off, or absent
  where nobody said), ``instances`` (how they were made; templates that gave none);
- each sample's ``id``: folder-split-template-instance; ``target``: the gold number as the solution
  writes it; ``metadata``: ``language``, ``templates`` (folder), ``template``, ``split``,
  ``instance``, ``reasoning``, ``solution`` (with its ``<<lhs=rhs>>`` marks);
- each sample's score ``boxed``: ``C`` or ``I``; ``answer``: what stands in the box; ``metadata``:
  ``compliant`` (a box is there) and ``number`` (the number read, as an exact fraction, or null).

The study's own conventions: a prompt in the language without examples (Section 3.5), 100 templates
of 20 symbolic instances and one original, English and 14 other languages; a response whose box
holds no number is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType

from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.progress import fraction
from capability_transfer.evaluation import instances as making
from capability_transfer.evaluation.answers.boxed import box_number, read_answer
from capability_transfer.evaluation.answers.numbers import decimal_sign
from capability_transfer.features.reasoning import mode
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState, generate
from rich.console import Console

CONVENTIONS = "capability-transfer/1"

SWITCHES: Mapping[str, Mapping[str, GenerateConfig]] = MappingProxyType(
    {
        "none": {"on": GenerateConfig(), "off": GenerateConfig()},
        "chat_template": {
            name: GenerateConfig(
                extra_body={
                    "chat_template_kwargs": {"enable_thinking": value, "thinking": value},
                }
            )
            for name, value in (("on", True), ("off", False))
        },
        "effort": {
            "on": GenerateConfig(reasoning_effort="medium"),
            "off": GenerateConfig(reasoning_effort="none"),
        },
    }
)
"""Ways to tell a model its reasoning mode. ``none``: it has one mode only, or is served in it;
``chat_template``: arguments of the chat template, as Qwen3, Qwen3.5 and Granite 3.2 take them from
vLLM and SGLang; ``effort``: Inspect's reasoning effort, for providers that know it."""


@task
def multilingual_gsm(
    languages: str | list[str] | None = None,
    instances: int = 20,
    seed: int = 1,
    split: str | list[str] = "symbolic",
    templates: int | list[str] | None = None,
    reasoning: str | bool | None = None,
    switch: str = "none",
    file: str | None = None,
    seconds: float = making.SECONDS,
) -> Task:
    r"""Grade-school problems in many languages; the answer in ``\boxed{}``, exact on the number.

    Args:
        languages: template folders of multilingual-gsm-symbolic (``eng,dan``), or paths; needed
            unless ``file`` is given.
        instances: symbolic instances of a template.
        seed: of the instances.
        split: symbolic, original, or ``symbolic,original``.
        templates: only the first so many, or these ids.
        reasoning: on or off; recorded, and passed to the model by ``switch``.
        switch: none, chat_template or effort.
        file: an instance file (``transfer instances``) in place of new instances; of the other
            arguments ``languages``, ``split``, ``templates`` and ``instances`` are then not used.
        seconds: time limit of one template's instances, of processor time.

    Raises InputError for arguments that cannot be met.
    """
    stated = None if reasoning is None else mode(reasoning)
    config = GenerateConfig() if stated is None else _switch(switch)[stated]
    found, provenance = (
        making.read_instances(file)
        if file
        else _generated(languages or [], instances, seed, split, templates, seconds)
    )
    return Task(
        dataset=MemoryDataset([_sample(one, stated) for one in found], name="multilingual-gsm"),
        solver=generate(),
        scorer=boxed(),
        config=config,
        metadata={
            "conventions": CONVENTIONS,
            "instances": asdict(provenance),
            **({"reasoning": stated} if stated else {}),
        },
    )


@metric
def compliance() -> Metric:
    r"""The share of responses with a ``\boxed{}``, whatever is in it."""

    def share(scores: list[SampleScore]) -> float:
        flags = [bool((one.score.metadata or {}).get("compliant")) for one in scores]
        return sum(flags) / len(flags) if flags else float("nan")

    return share


@scorer(
    metrics=[
        accuracy(),
        stderr(cluster="template"),
        compliance(),
        grouped(accuracy(), "templates", all=False),
    ]
)
def boxed() -> Scorer:
    r"""Right if the last ``\boxed{}`` holds exactly the target's number.

    Numbers are read by the decimal convention of the sample's ``language``, in any script.
    Raises InputError for a target that is not a number.
    """

    async def score(state: TaskState, target: Target) -> Score:
        decimal = decimal_sign(str(state.metadata.get("language", "")))
        gold = box_number(target.text, decimal)
        if gold is None:
            raise InputError(
                f"sample {state.sample_id}: the target {target.text!r} is not a number"
            )
        answer = read_answer(state.output.completion, decimal)
        return Score(
            value=CORRECT if answer.number == gold else INCORRECT,
            answer=answer.text,
            metadata={
                "compliant": answer.compliant,
                "number": None if answer.number is None else str(answer.number),
            },
        )

    return score


def _sample(one: making.Instance, reasoning: str | None) -> Sample:
    about = asdict(one)
    del about["prompt"], about["target"]
    if reasoning:
        about["reasoning"] = reasoning
    return Sample(id=one.id, input=one.prompt, target=one.target, metadata=about)


def _switch(name: str) -> Mapping[str, GenerateConfig]:
    if name not in SWITCHES:
        raise InputError(
            f"switch {name!r} is not one of {name_some(SWITCHES)}.{suggest(name, SWITCHES)}"
        )
    return SWITCHES[name]


def _generated(
    languages: str | list[str],
    instances: int,
    seed: int,
    split: str | list[str],
    templates: int | list[str] | None,
    seconds: float,
) -> tuple[list[making.Instance], making.Provenance]:
    splits = split.split(",") if isinstance(split, str) else split
    chosen = [templates] if isinstance(templates, str) else templates
    with fraction("instances") as progress:
        found, provenance = making.generate(
            languages, instances, seed, splits, chosen, seconds, progress=progress
        )
    for lost in provenance.missing:
        Console(stderr=True, soft_wrap=True).print(f"no instance: {lost}", markup=False)
    return found, provenance
