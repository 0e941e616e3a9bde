"""``ingest``: evaluation logs as outcomes, and what was understood of them."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.front.errors import speaking_python
from capability_transfer.analysis.outcomes.ingest import Report
from capability_transfer.analysis.outcomes.ingest import ingest as read
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.analysis.outcomes.schema import KINDS
from capability_transfer.analysis.presentation.result import Sheet, Shown

COUNTED = ("errors", "retried", "duplicates", "copies", "unfinished")


@dataclass(frozen=True, eq=False, repr=False)
class Logs(Shown):
    """Outcomes of logs.

    Attributes:
        rows: every outcome with where it comes from: variant, language, template, split (if
            stated), instance, correct, errored, model, log, run, sample, epoch.
        report: files, models, languages, counts and notes.
    """

    rows: pd.DataFrame
    report: Report

    @property
    def outcomes(self) -> pd.DataFrame:
        """The columns that ``load(outcomes=…)`` takes."""
        names = [column.name for column in KINDS["instances"].columns]
        return self.rows[[name for name in names if name in self.rows.columns]].copy()

    @property
    def models(self) -> pd.DataFrame:
        """model, reasoning, variant, base_model, mode, known (to the registry), outcomes."""
        return self.report.variants.copy()

    @property
    def source(self) -> str:
        """In words, where the outcomes come from and what the policies did."""
        return self.report.source

    def sheet(self) -> Sheet:
        report, counts = self.report, self.report.counts.as_dict()
        formats = Counter((log.format, log.status) for log in report.logs)
        each = (f"{row.language} {row.outcomes:,}" for row in report.languages.itertuples())
        facts = {
            "files": ", ".join(
                f"{number} {name} ({status})" for (name, status), number in formats.items()
            ),
            "outcomes": self.source,
            "set aside": ", ".join(f"{name} {counts[name]:,}" for name in COUNTED),
            "languages": ", ".join(each),
            "templates": f"{report.templates}, in {report.cells:,} cells",
        }
        models = report.variants
        display = pd.DataFrame(
            {
                "in the logs": models["model"].fillna(""),
                "reasoning": models["mode"].fillna(""),
                "variant": models["variant"],
                "registered": models["known"].map({True: "yes", False: "no"}),
                "outcomes": [f"{number:,}" for number in models["outcomes"]],
            }
        )
        return Sheet("Evaluation logs", facts, display, tuple(report.notes))


@speaking_python
def ingest(
    logs: str | Path | Sequence[str | Path],
    *,
    mapping: str | Path | None = None,
    scorer: str | Sequence[str] | None = None,
    threshold: float | None = None,
    errors: str = "fail",
    duplicates: str = "fail",
    skip_damaged: bool = False,
) -> Logs:
    """Read logs of Inspect AI, lm-evaluation-harness, Every Eval Ever, or tables.

    Args:
        logs: files and folders.
        mapping: YAML: where in the logs language, template and so on are found.
        scorer: which score, where logs have several; or for each task one, ``TASK=NAME``.
        threshold: partial credit from here up is correct; without it, it is refused.
        errors: samples without a score: fail, wrong or drop.
        duplicates: the same question twice: fail or first.
        skip_damaged: leave out files that cannot be read to their end, and say so in the report.

    Raises InputError, naming file and sample, for what cannot be read or placed.
    """
    paths = [logs] if isinstance(logs, (str, Path)) else list(logs)
    request = Request(None if mapping is None else Path(mapping), scorer, threshold)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "outcomes.parquet"
        report = read(paths, out, request, Policies(errors, duplicates), skip_damaged=skip_damaged)
        rows = pd.read_parquet(out)
    rows.attrs["data_source"] = report.source
    return Logs(rows, report)
