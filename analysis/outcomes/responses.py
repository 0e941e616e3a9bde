"""What responses hold, from logs: format, solution steps reached, tokens. The text is not kept.

``measure`` reads one response, ``response_cells`` sums logs up by variant, language, template and
split.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from capability_transfer.analysis.outcomes.ingest import Progress, Report, ingest
from capability_transfer.analysis.outcomes.policies import Policies, connect
from capability_transfer.analysis.outcomes.samples import Request, Sample
from capability_transfer.common.errors import InputError, option
from capability_transfer.evaluation.answers.boxed import last_box
from capability_transfer.evaluation.answers.numbers import decimal_sign, numbers
from capability_transfer.evaluation.answers.stages import coverage, intermediates, operands
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

STAGES = {
    "operands": ("operands_retrieved", "operands"),
    "intermediates": ("intermediates_retrieved", "intermediates"),
    "final": ("n_correct", "n_total"),
    "compliance": ("n_compliant", "n_responses"),
}
"""Outcome → the columns of successes and of trials. The first three are the study's stages."""


def response_cells(
    paths: Iterable[Path],
    request: Request,
    policies: Policies,
    progress: Progress | None = None,
    skip_damaged: bool = False,
) -> tuple[pd.DataFrame, Report]:
    """The cells, and what was understood of the logs.

    Columns: variant, language, template, split (if stated); n_correct of n_total outcomes;
    n_compliant of n_responses that are there; operands_retrieved of operands and
    intermediates_retrieved of intermediates, over the responses whose gold solution is known;
    input_tokens, output_tokens, reasoning_tokens (means over responses, missing where not
    counted). Raises InputError as ``ingest`` does.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outcomes.parquet"
        request = replace(request, responses=True)
        report = ingest(paths, file, request, policies, measure, MEASURES, progress, skip_damaged)
        key = "variant, language, template" + (", split" if report.splits else "")
        sums = ", ".join(
            f"coalesce(sum({name}), 0)::BIGINT AS {name}"
            for stage in ("operands", "intermediates")
            for name in STAGES[stage]
        )
        means = ", ".join(f"avg({name}) AS {name}" for name, _ in MEASURES if "tokens" in name)
        with connect(Path(folder)) as database:
            cells = database.execute(
                f"""
                SELECT {key}, count(*) FILTER (correct) AS n_correct, count(*) AS n_total,
                    count(*) FILTER (compliant) AS n_compliant, count(compliant) AS n_responses,
                    {sums}, {means}
                FROM read_parquet(?) GROUP BY {key} ORDER BY {key}
                """,
                [str(file)],
            ).df()
    cells.attrs = {"data_source": report.source}
    return cells, report


def stage_cells(cells: pd.DataFrame, stage: str) -> pd.DataFrame:
    """The cells of one outcome as counts: n_correct of n_total, cells without any trial left out.

    Raises InputError if no cell has one: the logs have no marked solutions, or no responses.
    """
    success, trials = STAGES[stage]
    key = [name for name in ("variant", "language", "template", "split") if name in cells.columns]
    counts = cells[key].assign(n_correct=cells[success], n_total=cells[trials])
    kept = counts[counts["n_total"] > 0].reset_index(drop=True)
    if kept.empty:
        raise InputError(
            f"the logs hold nothing to count for {stage}: solutions with <<lhs=rhs>> marks are "
            f"needed (map solution in a {option('mapping')} file), and responses"
        )
    kept.attrs = {"data_source": f"{stage} in {cells.attrs['data_source']}"}
    return kept


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
