"""Outcomes as cells, and their totals by pair; the study's beside those of Table 12."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.data import Outcomes
from capability_transfer.analysis.outcomes.schema import pair_totals
from capability_transfer.analysis.outcomes.study import POOLED, study_cells, summary
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result
from capability_transfer.common.files import write_table


@dataclass(frozen=True, eq=False, repr=False)
class Totals(Result):
    """Cells and their totals.

    Attributes:
        cells: one row per variant, language and template.
        summary: one row per variant and language (and split).
        source: in words, which data these are.
    """

    cells: pd.DataFrame
    summary: pd.DataFrame
    source: str

    folder = "outcomes"
    title = "Outcomes"

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"summary": self.summary}

    def findings(self) -> list[str]:
        told = [f"{len(self.cells):,} cells"]
        if "difference" in self.summary.columns:
            ours = self.summary[self.summary["source"] == "cells"]
            worst = ours.loc[ours["difference"].abs().idxmax()]
            told.append(
                f"{len(ours):,} symbolic totals: Table 12 prints the same but where it pools "
                f"repeated runs ({', '.join(POOLED)}), by up to {abs(worst['difference']):.2f} "
                f"accuracy points ({worst['variant']}, {worst['language']})"
            )
        return told

    def write_cells(self, folder: Path) -> Path:
        """The cells as ``cells.parquet``."""
        return write_table(self.cells, Path(folder) / "cells.parquet")


def totals(data: Outcomes | None = None) -> Totals:
    """The totals of a user's cells; without them the study's, beside those of Table 12."""
    if data is not None:
        return Totals(data.cells, pair_totals(data.cells), data.source)
    cells = study_cells()
    return Totals(cells, summary(), cells.attrs["data_source"])
