"""How far answers get: the study's model at every stage of a solution (section 4.4, Appendix I).

An outcome is counted in a cell: operands of the gold solution that the response names, its
intermediate values, the final answer; and, beside them, compliance with the answer format. The
model is Eq. 1 whole unless a formula says otherwise; the study's text describes Table 6 without the
reasoning terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis import determinants as d
from capability_transfer.analysis.inputs import load
from capability_transfer.analysis.outcomes.responses import stage_cells
from capability_transfer.common.files import write_table
from statsmodels.stats.proportion import proportion_confint


@dataclass(frozen=True)
class Settings:
    """Of every stage's fit, as for ``transfer glmm``."""

    formula: str | None
    engine: str
    models: Path | None
    languages: Path | None
    split: str | None = "symbolic"
    drop_missing: bool = False


@dataclass(frozen=True)
class Stages:
    """Effects and rates at each stage.

    Attributes:
        fixed: stage, term, estimate, std_error, statistic, p_value, conf_low, conf_high
            (log-odds per SD).
        random: stage, group, levels, sd (log-odds).
        rates: stage, language, rate (0–1), conf_low, conf_high (95% Wilson), n: pooled over
            variants and templates.
        source: in words, what the logs are.
    """

    fixed: pd.DataFrame
    random: pd.DataFrame
    rates: pd.DataFrame
    source: str


@cache
def published() -> pd.DataFrame:
    """Table 6 as printed: stage, kind (fixed, random), name, estimate; on the study's own logs."""
    with (
        resources.files("capability_transfer.analysis")
        .joinpath("data/study_stages.csv")
        .open() as file
    ):
        return pd.read_csv(file)


def stages(
    cells: pd.DataFrame,
    names: Sequence[str],
    settings: Settings,
    directory: Path,
    fitting: Callable[[str], AbstractContextManager[Callable]],
    tell: Callable[[str], None] | None = None,
) -> Stages:
    """Fit every stage in turn.

    Args:
        cells: of ``responses.cells``.
        names: stages.
        settings: of the fits.
        directory: where each stage's cells are written (``cache/stages/STAGE.parquet``: they are
            outcome files of their own) and finished fits are kept.
        fitting: makes a progress context from a label.
        tell: called with what the study's model is without, where these data cannot tell it.

    Raises InputError for what cannot be joined or fitted.
    """
    said: dict[str, None] = {}
    fixed, random, rates = [], [], []
    for name in names:
        counts = stage_cells(cells, name)
        path = write_table(counts, directory / "cache" / "stages" / f"{name}.parquet")
        inputs = load(path, settings.models, settings.languages, 0, settings.split)
        found = d.determinants(
            inputs,
            settings.formula,
            settings.engine,
            directory / "cache",
            fitting,
            settings.drop_missing,
        )
        fit = found.fit
        said |= dict.fromkeys(found.notes)
        fixed.append(fit.fixed_effects.assign(stage=name))
        random.append(fit.random_effects.assign(stage=name))
        rates.append(by_language(inputs.cells).assign(stage=name))
    for text in said:
        if tell is not None:
            tell(text)
    return Stages(*map(_stacked, (fixed, random, rates)), cells.attrs["data_source"])


def by_language(cells: pd.DataFrame) -> pd.DataFrame:
    """Pooled rates: language, rate (0–1), conf_low, conf_high (95% Wilson), n trials."""
    sums = cells.groupby("language", as_index=False)[["n_correct", "n_total"]].sum()
    low, high = proportion_confint(sums["n_correct"], sums["n_total"], method="wilson")
    return pd.DataFrame(
        {
            "language": sums["language"],
            "rate": sums["n_correct"] / sums["n_total"],
            "conf_low": np.asarray(low),
            "conf_high": np.asarray(high),
            "n": sums["n_total"],
        }
    )


def write(result: Stages, directory: Path, topic: str = "stages") -> list[Path]:
    """``fixed_effects.csv``, ``random_effects.csv`` and ``by_language.csv`` of a topic."""
    tables = {
        "fixed_effects": result.fixed,
        "random_effects": result.random,
        "by_language": result.rates,
    }
    return [
        write_table(table, Path(directory) / topic / f"{name}.csv")
        for name, table in tables.items()
    ]


def _stacked(tables: list[pd.DataFrame]) -> pd.DataFrame:
    table = pd.concat(tables, ignore_index=True)
    return table[["stage", *(name for name in table.columns if name != "stage")]]
