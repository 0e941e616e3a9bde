r"""A provider with scripted answers, for tests and for trying an analysis before paying for one.

``inspect eval evaluation/task.py -T file=I.jsonl --model scripted/Qwen/Qwen3-8B -M file=I.jsonl``

It looks a prompt up in the instance file and answers right with a probability whose logit is linear
in the model's size, its reasoning and the language's resource, with a shift per template. Draws are
hashes of model, mode and instance, so equal runs give equal logs in any order, and nothing is
downloaded. A right answer shows the gold solution; a wrong one stops on the way there, or leaves
out the box.
"""

from __future__ import annotations

import asyncio
import math
import re
from functools import cache
from hashlib import sha256
from statistics import NormalDist

from capability_transfer.common.errors import InputError
from capability_transfer.evaluation.answers.boxed import box_number
from capability_transfer.evaluation.answers.numbers import decimal_sign
from capability_transfer.evaluation.instances import Instance, read_instances
from capability_transfer.features import models, resource
from capability_transfer.features.reasoning import mode
from capability_transfer.features.size import parse_size
from inspect_ai.model import ChatCompletionChoice as Choice
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

CHARACTERS_PER_TOKEN = 4
MEAN_RESOURCE = 7.0
"""log10 pages at which the resource effect is zero, and the resource of uncounted languages."""


class ScriptedAnswers(ModelAPI):
    """Answers a script's way: see the module's docstring.

    Model arguments (``-M name=value``), in log-odds where they are effects:
        file: the instance file that prompts are looked up in (required).
        reasoning: on or off, where neither the task's switch nor the model registry says.
        params_b: billions of parameters; by default what the model's name states.
        intercept, size_effect (per doubling), reasoning_effect, resource_effect (per factor ten of
        pages), template_sd: the linear predictor.
        unboxed: share of wrong answers without a box.
        fail: share of requests that raise an error; ``delay``: seconds before each answer.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 (Inspect's signature)
        file: str | None = None,
        reasoning: str | bool | None = None,
        params_b: float | None = None,
        intercept: float = -0.5,
        size_effect: float = 0.6,
        reasoning_effect: float = 0.8,
        resource_effect: float = 0.8,
        template_sd: float = 1.0,
        unboxed: float = 0.2,
        fail: float = 0.0,
        delay: float = 0.0,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if not file:
            raise InputError(
                f"scripted/{model_name} needs its script: give -M file=INSTANCES.jsonl"
            )
        self._script = {one.prompt: one for one in read_instances(file)[0]}
        self._reasoning = None if reasoning is None else mode(reasoning)
        self._size = math.log2(parse_size(model_name) if params_b is None else params_b)
        self._effects = (intercept, size_effect, reasoning_effect, resource_effect, template_sd)
        self._unboxed, self._fail, self._delay = unboxed, fail, delay

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        if self._delay:
            await asyncio.sleep(self._delay)
        prompt = input[-1].text
        if prompt not in self._script:
            raise InputError(f"scripted/{self.model_name}: this prompt is not in its file")
        one = self._script[prompt]
        reasoning = self._mode(config)
        key = f"{self.model_name}/{reasoning}/{one.id}"
        if uniform(key, "fail") < self._fail:
            raise RuntimeError("scripted failure")
        right = uniform(key, "right") < self.probability(one, reasoning)
        text = right_response(one) if right else wrong_response(one, key, self._unboxed)
        thoughts = one.solution if reasoning == "on" else ""
        content = [ContentReasoning(reasoning=thoughts)] if thoughts else []
        message = ChatMessageAssistant(
            content=[*content, ContentText(text=text)], source="generate"
        )
        return ModelOutput(
            model=self.model_name,
            choices=[Choice(message=message, stop_reason="stop")],
            usage=usage(sum(tokens(said.text) for said in input), tokens(text), tokens(thoughts)),
        )

    def probability(self, one: Instance, reasoning: str) -> float:
        """The probability of a right answer, before the hash decides."""
        intercept, size, on, pages, template = self._effects
        logit = (
            intercept
            + size * self._size
            + on * (reasoning == "on")
            + pages * (language_resource(one.language) - MEAN_RESOURCE)
            + template * NormalDist().inv_cdf(uniform(one.template, "template"))
        )
        return 1 / (1 + math.exp(-logit))

    async def count_text_tokens(self, text: str) -> int:
        return tokens(text)

    async def count_tokens(
        self, input: str | list[ChatMessage], config: GenerateConfig | None = None
    ) -> int:
        texts = [input] if isinstance(input, str) else [said.text for said in input]
        return sum(map(tokens, texts))

    def _mode(self, config: GenerateConfig) -> str:
        """The reasoning mode: from the request as real providers get it, else from who knows it."""
        template = (config.extra_body or {}).get("chat_template_kwargs", {})
        if "enable_thinking" in template:
            return mode(template["enable_thinking"])
        if config.reasoning_effort:
            return "off" if config.reasoning_effort == "none" else "on"
        if self._reasoning:
            return self._reasoning
        registry = models.registry()
        known = registry.loc[registry["hub_id"] == self.model_name, "reasoning"].unique()
        if len(known) != 1:
            known_as = "both modes" if len(known) else "no known mode"
            raise InputError(
                f"scripted/{self.model_name} has {known_as}: give -T reasoning=on or off with "
                "-T switch=chat_template, or -M reasoning=on or off"
            )
        return str(known[0])


@modelapi(name="scripted")
def scripted() -> type[ModelAPI]:
    """``scripted/<model>``: see ``ScriptedAnswers``."""
    return ScriptedAnswers


def uniform(*parts: str) -> float:
    """A number in (0, 1) that depends on the parts alone."""
    digest = sha256("\x1f".join(parts).encode()).digest()
    return (int.from_bytes(digest[:6], "big") + 0.5) / 2**48


def tokens(text: str) -> int:
    """A count of tokens that needs no encoding: characters over four, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def usage(prompt: int, answer: int, thoughts: int) -> ModelUsage:
    """Token counts; reasoning tokens are part of the output's, as providers report them."""
    return ModelUsage(
        input_tokens=prompt,
        output_tokens=answer + thoughts,
        total_tokens=prompt + answer + thoughts,
        reasoning_tokens=thoughts or None,
    )


def right_response(one: Instance) -> str:
    """The gold solution without its marks, and its answer in a box."""
    return "\n".join([*_steps(one), rf"\boxed{{{one.target}}}"])


def wrong_response(one: Instance, key: str, unboxed: float) -> str:
    """Some of the gold solution's steps, and a wrong number, in a box or not."""
    steps = _steps(one)
    kept = steps[: int(uniform(key, "steps") * len(steps))]
    gold = box_number(one.target, decimal_sign(one.language)) or 0
    number = str(int(gold) + 1 + int(9 * uniform(key, "number")))
    box = number if uniform(key, "unboxed") < unboxed else rf"\boxed{{{number}}}"
    return "\n".join([*kept, box])


def _steps(one: Instance) -> list[str]:
    plain = re.sub(r"<<[^<>]*>>", "", one.solution).split("####")[0]
    return [line for line in plain.splitlines() if line.strip()]


@cache
def language_resource(language: str) -> float:
    """log10 of the language's Common Crawl pages; ``MEAN_RESOURCE`` where it is not counted."""
    try:
        value = float(resource.build([language])["resource"].iloc[0])
    except InputError:  # your own folder
        return MEAN_RESOURCE
    return value if math.isfinite(value) else MEAN_RESOURCE
