"""From samples to outcomes: which of several attempts counts, and what an error is worth.

In this order, each counted:

1. *unfinished* samples (cancelled, invalidated) are not outcomes;
2. *copies*, one run's sample in two files: an error, or the first file's counts;
3. *retries*, one task's sample tried again: a successful attempt counts, errors before or after
   it do not, and a sample that a retry carried over counts once;
4. *duplicates*, the same variant, language, template, split and instance more than once after
   that: an error, or the first one with a score counts;
5. *errors*, samples that end without a score: an error, wrong answers, or left out.

A sample is known by its task or run, its id, and by what it is a sample of (variant, language,
template, split, instance and epoch): ids are given anew in every language of a benchmark, so an id
alone names nothing.

Epochs are instances: epoch 2 of instance ``7`` is instance ``7/2``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from capability_transfer.analysis.outcomes.staging import SCHEMA
from capability_transfer.common.errors import InputError, name_some, option, suggest

if TYPE_CHECKING:
    import duckdb

ERRORS = ("fail", "wrong", "drop")
DUPLICATES = ("fail", "first")
SHOWN = 5
MEMORY = "600MB"
"""DuckDB's; a process that settles ten million samples takes 0.85 GB with Python's libraries."""

KEY = "variant, language, template, split, instance"
"""What names an outcome; ``instance`` holds the epoch."""


@dataclass(frozen=True)
class Policies:
    """What to do with errored samples (fail, wrong, drop) and with duplicates (fail, first).

    Raises InputError for any other word.
    """

    errors: str = "fail"
    duplicates: str = "fail"

    def __post_init__(self) -> None:
        for name, known in (("errors", ERRORS), ("duplicates", DUPLICATES)):
            if (value := getattr(self, name)) not in known:
                raise InputError(
                    f"{option(name)} is {value!r}; choose {name_some(known)}."
                    f"{suggest(value, known)}",
                    parameter=name,
                )


@dataclass(frozen=True)
class Counts:
    """Samples, and what became of them: ``samples`` is the sum of all but ``epochs``.

    ``errors`` are samples without a score that no retry replaced; under the policy ``wrong`` they
    are among the ``outcomes``, else not. ``epochs`` are outcomes of a second or later epoch.
    """

    samples: int
    unfinished: int
    copies: int
    retried: int
    duplicates: int
    errors: int
    outcomes: int
    epochs: int

    def as_dict(self) -> dict[str, int]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def connect(temporary: Path) -> duckdb.DuckDBPyConnection:
    """DuckDB within ``MEMORY``, spilling into a folder."""
    import duckdb

    database = duckdb.connect()
    database.execute(f"SET memory_limit = '{MEMORY}'")
    # The bar would write into our output. Where it is off it stays alone: in a notebook without
    # ipywidgets DuckDB refuses any change of it.
    if database.execute("SELECT current_setting('enable_progress_bar')").fetchone()[0]:
        database.execute("SET enable_progress_bar = false")
    database.execute("SET temp_directory = ?", [str(temporary)])
    return database


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def settle(
    database: duckdb.DuckDBPyConnection,
    staged: Path,
    variants: pd.DataFrame,
    languages: dict[str, str],
    policies: Policies,
    again: str = "",
) -> Counts:
    """Create the table ``outcomes`` from staged samples and count what was left out.

    Args:
        database: an open connection.
        staged: a file of ``staging``.
        variants: model, stated, reasoning, variant, as ``variants.resolve`` gives them.
        languages: codes of the samples and what they are called in the outcomes.
        policies: what to do.
        again: for messages, the command that evaluates errored samples again.

    Raises InputError for errors and duplicates under the policy ``fail``.
    """
    names = variants[["model", "stated", "reasoning", "variant"]].astype("string")
    database.register("names", names.astype(object).where(names.notna(), None))
    database.register("codes", pd.DataFrame(languages.items(), columns=["code", "language"]))
    database.execute(
        """
        CREATE TEMP TABLE samples AS
        SELECT s.* EXCLUDE (variant, language, instance, file_row_number), n.variant, c.language,
            CASE WHEN s.epoch > 1 THEN s.instance || '/' || s.epoch ELSE s.instance END AS instance
        FROM (SELECT *, file_row_number AS position
              FROM read_parquet(?, file_row_number = true)) AS s
        JOIN names AS n
          ON n.model IS NOT DISTINCT FROM s.model AND n.stated IS NOT DISTINCT FROM s.variant
         AND n.reasoning IS NOT DISTINCT FROM s.reasoning
        JOIN codes AS c ON c.code = s.language
        """,
        [str(staged)],
    )
    total = _count(database, "samples")
    unfinished = _delete(database, "SELECT position FROM samples WHERE unfinished")
    copied = f"""
        SELECT position FROM samples
        QUALIFY log <> first_value(log) OVER (
            PARTITION BY run, sample, {KEY} ORDER BY position)
    """
    _refuse(database, copied, policies, "is in more than one file")
    copies = _delete(database, copied)
    retried = _delete(
        database,
        f"""
        SELECT position FROM samples
        QUALIFY row_number() OVER (
                PARTITION BY task, sample, {KEY}, coalesce(uuid, position::VARCHAR)
                ORDER BY position) > 1
            OR (correct IS NULL AND row_number() OVER (
                PARTITION BY task, sample, {KEY} ORDER BY correct IS NULL, position) > 1)
        """,
    )
    repeated = f"""
        SELECT position FROM samples
        QUALIFY row_number() OVER (PARTITION BY {KEY} ORDER BY correct IS NULL, position) > 1
    """
    _refuse(database, repeated, policies, "is there more than once")
    duplicates = _delete(database, repeated)
    errors = _count(database, "samples WHERE correct IS NULL")
    if errors and policies.errors == "fail":
        raise InputError(_errors(database, errors, again))
    if policies.errors == "drop":
        _delete(database, "SELECT position FROM samples WHERE correct IS NULL")
    measures = _measures(database)
    database.execute(
        f"""
        CREATE TEMP TABLE outcomes AS
        SELECT {KEY}, coalesce(correct, false) AS correct, correct IS NULL AS errored, model, log,
            run, sample, epoch, {"".join(f'"{name}", ' for name in measures)}
        FROM samples ORDER BY position
        """
    )
    left = _count(database, "outcomes")
    epochs = _count(database, "outcomes WHERE epoch > 1")
    return Counts(total, unfinished, copies, retried, duplicates, errors, left, epochs)


def _count(database: Any, table: str) -> int:
    return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def _delete(database: Any, positions: str) -> int:
    before = _count(database, "samples")
    database.execute(f"DELETE FROM samples WHERE position IN ({positions})")
    return before - _count(database, "samples")


def _measures(database: Any) -> list[str]:
    """Columns of responses, if any were kept."""
    names = [row[0] for row in database.execute("DESCRIBE samples").fetchall()]
    return [name for name in names if name not in (*SCHEMA.names, "position")]


def _refuse(database: Any, positions: str, policies: Policies, what: str) -> None:
    """Raise InputError if any sample is a duplicate and duplicates are not allowed."""
    if policies.duplicates != "fail":
        return
    number = _count(database, f"({positions})")
    if not number:
        return
    rows = database.execute(
        f"""
        SELECT b.variant, b.language, b.template, b.instance, b.log, b.sample, a.log, a.sample
        FROM samples AS b JOIN samples AS a
          ON a.variant = b.variant AND a.language = b.language AND a.template = b.template
         AND a.split IS NOT DISTINCT FROM b.split AND a.instance = b.instance
         AND a.position < b.position
        WHERE b.position IN ({positions}) ORDER BY b.position LIMIT {SHOWN}
        """
    ).fetchall()
    told = "; ".join(
        f"{variant}, {language}, template {template}, instance {instance} (sample {sample} of "
        f"{log}, and sample {first} of {other})"
        for variant, language, template, instance, log, sample, other, first in rows
    )
    within = all(log == other for *_, log, _, other, _ in rows)
    leave = "Remove the repeated ones" if within else "Leave one of the files out"
    raise InputError(
        f"{number} samples are duplicates: the same question {what}: {told}. {leave}, map what "
        f"tells them apart ({option('mapping')}), or take the first "
        f"({option('duplicates', 'first')})"
    )


def _errors(database: Any, number: int, again: str) -> str:
    rows = database.execute(
        f"""
        SELECT log, count(*), any_value(sample), any_value(coalesce(error, 'no score'))
        FROM samples WHERE correct IS NULL GROUP BY log ORDER BY min(position) LIMIT {SHOWN}
        """
    ).fetchall()
    told = "; ".join(
        f"{log}: {count} (such as {sample}: {error:.100})" for log, count, sample, error in rows
    )
    how = f" ({again})" if again else ""
    return (
        f"{number} samples ended in an error or have no score: {told}. Evaluate them again{how}, "
        f"count them as wrong ({option('errors', 'wrong')}), or leave them out "
        f"({option('errors', 'drop')})"
    )
