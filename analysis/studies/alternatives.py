"""What the analyses have in common that fit the main model in several versions."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Alternatives(Result):
    """Versions of the main model side by side.

    Attributes:
        table: one row per version and effect; a subclass says which columns.
        formula: the main model.
        without: what the study's model is without, since these data cannot tell it.
        source: in words, which data these are.
        seed: of what had to be drawn of them.
    """

    table: pd.DataFrame
    formula: str
    without: tuple[str, ...]
    source: str
    seed: int

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source, "laplace", formula=self.formula, seed=self.seed)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"table": self.table}

    def notes(self) -> list[str]:
        return list(self.without)
