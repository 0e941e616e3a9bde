"""``ingest``: evaluation logs as outcomes, and what was understood of them."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.outcomes import variants
from capability_transfer.analysis.outcomes.formats import find
from capability_transfer.analysis.outcomes.ingest import Report
from capability_transfer.analysis.outcomes.ingest import ingest as read
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.analysis.outcomes.schema import KINDS
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, Sheet, View
from capability_transfer.common import progress
from capability_transfer.common.errors import name_some, option, spelled
from capability_transfer.common.files import write_text

DONE = {"wrong": "counted as wrong", "drop": "left out", "fail": "refused"}
"""What became of samples that ended in an error, by the policy."""


@dataclass(frozen=True, eq=False, repr=False)
class Understood(Result):
    """The result of ``ingest``: how logs were understood.

    Attributes:
        report: files, models, languages, counts and notes.
    """

    report: Report

    title = "Evaluation logs"

    @property
    def models(self) -> pd.DataFrame:
        """model, reasoning, variant, base_model, mode, known (to the registry), outcomes."""
        return self.report.variants.copy()

    @property
    def source(self) -> str:
        """In words, where the outcomes come from and what the policies did."""
        return self.report.source

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {
            "models": self.models,
            "languages": self.report.languages,
            "counts": pd.DataFrame([self.report.counts.as_dict()]),
        }

    def views(self) -> list[View]:
        models = self.report.variants
        display = pd.DataFrame(
            {
                "in the logs": models["model"].fillna(""),
                "reasoning": models["mode"].fillna(""),
                "variant": models["variant"],
                "registered": models["known"].map({True: "yes", False: "no"}),
                "outcomes": [f"{number:,}" for number in models["outcomes"]],
            }
        )
        return [View("Models", display)]

    def facts(self) -> dict[str, str]:
        """Files, samples, languages and templates, each in words."""
        report, counts = self.report, self.report.counts
        formats = Counter((log.format, log.status) for log in report.logs)
        told = ", ".join(
            f"{number} {name}" + ("" if status == "read" else f" ({status})")
            for (name, status), number in formats.items()
        )
        others = f"; not read: {name_some(report.others)}" if report.others else ""
        each = (f"{row.language} {row.outcomes:,}" for row in report.languages.itertuples())
        splits = ", ".join(f"{name} {number:,}" for name, number in report.splits.items())
        return {
            "files": f"{len(report.logs)}: {told}{others}",
            "samples": f"{counts.samples:,}; outcomes: {counts.outcomes:,}, {counts.epochs:,} of "
            f"them of second or later epochs; errors: {counts.errors:,} "
            f"({DONE[report.policies.errors]}); retried: {counts.retried:,}; duplicates: "
            f"{counts.duplicates + counts.copies:,} (the first counts); unfinished: "
            f"{counts.unfinished:,}",
            "languages": f"{len(report.languages)}: {name_some(each, 30)}",
            "templates": f"{report.templates}; cells: {report.cells:,}; splits: {splits or 'none'}",
        }

    def findings(self) -> list[str]:
        return [f"{name.capitalize()}: {told}" for name, told in self.facts().items()]

    def notes(self) -> list[str]:
        return self.report.notes

    def sheet(self) -> Sheet:
        (view,) = self.views()
        facts = {"outcomes": self.source} | self.facts()
        return Sheet(self.title, facts, view.display, tuple(self.notes()))


@dataclass(frozen=True, eq=False, repr=False)
class Logs(Understood):
    """Outcomes of logs.

    Attributes:
        rows: every outcome with where it comes from: variant, language, template, split (if
            stated), instance, correct, errored, model, log, run, sample, epoch.
    """

    rows: pd.DataFrame

    @property
    def outcomes(self) -> pd.DataFrame:
        """The columns that ``load(outcomes=…)`` takes."""
        names = [column.name for column in KINDS["instances"].columns]
        return self.rows[[name for name in names if name in self.rows.columns]].copy()


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
    return Logs(report, rows)


def ingest_to(
    out: Path | None,
    paths: Sequence[Path],
    request: Request,
    policies: Policies,
    skip_damaged: bool = False,
) -> Understood:
    """Write the outcomes of logs to a Parquet file, their rows never held in memory.

    Beside it goes the report as JSON. Without ``out`` nothing is written.
    """
    with progress.counting("logs", len(find(paths)[0])) as tell:
        report = read(paths, out, request, policies, progress=tell, skip_damaged=skip_damaged)
    if out is not None:
        told = json.dumps(report.as_dict(), indent=1, ensure_ascii=False, default=str)
        write_text(told, out.with_suffix(".report.json"))
    return Understood(report)


def models_to_complete(found: Understood, out: Path) -> str:
    """Write what is known of unregistered models beside ``out``, unless such a file is there.

    Returns what is left to do, in a sentence; nothing where the registry knows all models.
    """
    if found.models["known"].all():
        return ""
    path = out.with_suffix(".models.csv")
    if path.exists():
        return f"kept {path} as it is; it must describe the models named above"
    variants.stub(found.models, path)
    return spelled(f"complete {path}, then pass it on as {option('models')}")
