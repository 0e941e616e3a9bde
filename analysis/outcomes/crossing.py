"""Whether templates are crossed with languages and kept apart by benchmark, as the model takes it.

Logs that state their templates themselves may number each benchmark's from 0, and mappings may make
ids that differ from language to language; neither can be told from a single file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd
from capability_transfer.analysis.outcomes.samples import Log
from capability_transfer.analysis.outcomes.task_names import benchmark
from capability_transfer.common.errors import name_some, option, spelled

if TYPE_CHECKING:
    import duckdb


def notes(database: duckdb.DuckDBPyConnection, logs: Iterable[Log]) -> list[str]:
    """Sentences on templates that several benchmarks share, and that no two languages do.

    Args:
        database: with the table ``outcomes``.
        logs: those read; one that names several tasks does not tell its samples' benchmarks.
    """
    return [*_shared(database, logs), *_apart(database)]


def _shared(database: duckdb.DuckDBPyConnection, logs: Iterable[Log]) -> list[str]:
    """On ids that are in several benchmarks of one split."""
    spoken = dict(
        database.execute("SELECT log, any_value(language) FROM outcomes GROUP BY log").fetchall()
    )
    known = {
        log.path: benchmark(log.tasks[0], spoken[log.path])
        for log in logs
        if len(log.tasks) == 1 and log.path in spoken
    }
    if len(set(known.values())) < 2:
        return []
    database.register("known", pd.DataFrame(known.items(), columns=["log", "benchmark"]))
    found = database.execute(
        """
        SELECT names, count(*) FROM (
            SELECT list(DISTINCT benchmark ORDER BY benchmark) AS names
            FROM outcomes JOIN known USING (log) GROUP BY template, split
        ) WHERE len(names) > 1 GROUP BY names ORDER BY names
        """
    ).fetchall()
    database.unregister("known")
    return [
        spelled(
            f"{number} templates of {name_some(names)} have the same ids and are taken for the "
            f"same questions; if they are not, join both in a {option('mapping')} file: "
            "`template: {join: [place of the task, place of the template]}`"
        )
        for names, number in found
    ]


def _apart(database: duckdb.DuckDBPyConnection) -> list[str]:
    """On templates of several languages of which no two have one in common."""
    languages, most = database.execute(
        """
        SELECT count(DISTINCT language), (
            SELECT max(n) FROM (
                SELECT count(DISTINCT language) AS n FROM outcomes GROUP BY template
            )
        ) FROM outcomes
        """
    ).fetchone()
    if languages < 2 or most > 1:
        return []
    return [
        spelled(
            f"no template is in more than one of the {languages} languages; if the questions are "
            "translations of each other, map an id that is the same in all of them (template: in "
            f"a {option('mapping')} file)"
        )
    ]
