"""Outcomes and fits in the shapes that other tools read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
from capability_transfer.analysis.outcomes.policies import connect, quoted
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.files import read_table, replacing, write_table

ITEM = ("language", "split", "template", "instance")

TIDY = {
    "std_error": "std.error",
    "p_value": "p.value",
    "conf_low": "conf.low",
    "conf_high": "conf.high",
}
GLANCE = {"nobs": "nobs", "log_lik": "logLik", "aic": "AIC", "bic": "BIC", "deviance": "deviance"}


def response_matrix(outcomes: Path, target: Path) -> int:
    """Instances as py-irt reads them: one line per variant, ``subject_id`` and ``responses``.

    Items are named language:split:template:instance; an item that a variant was not asked is not
    in its line. Variants are written one at a time. Returns the number of lines.

    Raises InputError for a file that holds no instances.
    """
    columns = _columns(outcomes)
    needed = ("variant", "language", "template", "instance", "correct")
    if missing := [name for name in needed if name not in columns]:
        raise InputError(
            f"{outcomes} has no {name_some(missing)}: a response matrix is made of instances, as "
            "`transfer ingest` writes them"
        )
    item = " || ':' || ".join(f'"{name}"' for name in ITEM if name in columns)
    with (
        connect(outcomes.parent) as database,
        replacing(target) as temporary,
        temporary.open("w", encoding="utf-8") as stream,
    ):
        return sum(
            stream.write(json.dumps(line, ensure_ascii=False) + "\n") > 0
            for line in _lines(database, outcomes, item)
        )


def tidy(directory: Path) -> pd.DataFrame:
    """A fit's tables under broom.mixed's names.

    Args:
        directory: ``fixed_effects.csv`` and ``random_effects.csv``, as ``transfer glmm`` writes.

    Returns effect (fixed, ran_pars), group, term (``sd__(Intercept)`` for SDs), estimate,
    std.error, statistic, p.value, conf.low, conf.high.
    """
    fixed = _table(directory, "fixed_effects").rename(columns=TIDY)
    random = _table(directory, "random_effects")
    slopes = random["term"] if "term" in random else pd.Series("(Intercept)", random.index)
    spreads = pd.DataFrame(
        {
            "effect": "ran_pars",
            "group": random["group"],
            "term": "sd__" + slopes,
            "estimate": random["sd"],
        }
    )
    names = ["term", "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high"]
    effects = fixed[names].assign(effect="fixed", group=None)
    return pd.concat([effects, spreads], ignore_index=True)[["effect", "group", *names]]


def glance(directory: Path) -> pd.DataFrame:
    """A fit's one row under broom.mixed's names: nobs, logLik, AIC, BIC, deviance, df.residual."""
    table = _table(directory, "glance")
    row = table[list(GLANCE)].rename(columns=GLANCE)
    return row.assign(**{"df.residual": table["nobs"] - table["df"]})


def write_tidy(directory: Path, target: Path) -> list[Path]:
    """``tidy.csv`` and ``glance.csv`` of a fit's directory."""
    return [
        write_table(tidy(directory), target / "tidy.csv"),
        write_table(glance(directory), target / "glance.csv"),
    ]


def _columns(path: Path) -> list[str]:
    try:
        return pq.read_schema(path).names
    except Exception as error:  # Arrow's and the system's, of many kinds
        raise InputError(f"{path} is not a Parquet file of outcomes: {error}") from error


def _lines(database, outcomes: Path, item: str) -> Iterator[dict]:
    rows = f"FROM read_parquet({quoted(str(outcomes))})"
    variants = database.execute(f"SELECT DISTINCT variant {rows} ORDER BY 1").fetchall()
    for (variant,) in variants:
        found = database.execute(
            f"SELECT {item} AS item, correct::INTEGER {rows} WHERE variant = ? ORDER BY item",
            [variant],
        ).fetchall()
        yield {"subject_id": variant, "responses": dict(found)}


def _table(directory: Path, name: str) -> pd.DataFrame:
    path = Path(directory) / f"{name}.csv"
    if not path.is_file():
        raise InputError(f"there is no {path}; `transfer glmm` writes it")
    return read_table(path)
