"""What is kept of a response: format, solution steps reached, tokens. The text itself is not."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import pyarrow as pa
from capability_transfer.analysis.outcomes.samples import Sample
from capability_transfer.analysis.responses.boxed import last_box
from capability_transfer.analysis.responses.numbers import decimal_sign, numbers
from capability_transfer.analysis.responses.stages import coverage, intermediates, operands
from capability_transfer.common.errors import InputError
from capability_transfer.features.languages import resolve

COUNT = pa.int64()
MEASURES = (
    ("compliant", pa.bool_()),
    ("operands_retrieved", COUNT),
    ("operands", COUNT),
    ("intermediates_retrieved", COUNT),
    ("intermediates", COUNT),
    ("input_tokens", COUNT),
    ("output_tokens", COUNT),
    ("reasoning_tokens", COUNT),
)
"""Columns beside an outcome. ``compliant``: the response has a complete ``\\boxed{}``;
``operands`` and ``intermediates``: gold values of the solution, and how many of them occur in the
response (missing where the log has no solution); tokens as the provider counts them. All are
missing where an error left no response."""


def measure(sample: Sample) -> dict[str, Any]:
    """The measures of a sample whose response was read."""
    response = sample.response
    if response is None or sample.error is not None:
        return dict.fromkeys((name for name, _ in MEASURES), None)
    decimal = _decimal(sample.language)
    found: dict[str, Any] = {
        "compliant": last_box(response.text) is not None,
        "input_tokens": response.input_tokens,
        "output_tokens": response.output_tokens,
        "reasoning_tokens": response.reasoning_tokens,
    }
    if response.solution is None:
        return found
    there = frozenset(numbers(response.text, decimal))
    golds = _gold(response.solution, decimal)
    for name, gold in zip(("operands", "intermediates"), golds, strict=True):
        reached = coverage(gold, there)
        found |= {f"{name}_retrieved": reached.retrieved, name: reached.count}
    return found


@lru_cache(maxsize=4096)
def _gold(solution: str, decimal: str) -> tuple[frozenset[Fraction], frozenset[Fraction]]:
    """Operands and intermediates; every model is asked the same questions."""
    return operands(solution, decimal), intermediates(solution, decimal)


@lru_cache(maxsize=1024)
def _decimal(language: str) -> str:
    try:
        return decimal_sign(resolve(language))
    except InputError:
        return decimal_sign(language)
