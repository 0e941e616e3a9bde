"""Ours: the joint model of original and symbolic questions (Appendix D.1) as a table."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.penalty import PENALTY
from capability_transfer.analysis.presentation.tables import Table, number, p_value

TERMS = {
    "splitsymbolic": "Symbolic (δ)",
    "splitsymbolic:resource": "Symbolic × resource",
    "splitsymbolic:distance": "Symbolic × distance",
}


def build(fixed: pd.DataFrame, random: pd.DataFrame, test: pd.DataFrame, note: str) -> Table:
    """From ``penalty/{fixed_effects,random_effects,test}.csv``."""
    lines = [
        [
            TERMS.get(row.term, labels.term(row.term)),
            number(row.estimate, 3),
            number(row.std_error, 3),
            p_value(row.p_value),
            number(row.published, 3),
            _published_p(row),
        ]
        for row in fixed.itertuples()
    ]
    for row in random.itertuples():
        slope = row.term != "(Intercept)"
        name = f"SD {labels.group(row.group)}" + (" of the penalty (τ)" if slope else "")
        lines.append([name, number(row.sd, 3), "", "", number(row.published, 3), ""])
    found = test.iloc[0]
    lines.append(
        [
            f"χ² of τ = 0 (df {found['df']:.0f})",
            number(found["statistic"], 2),
            "",
            p_value(found["p_value"]),
            number(found["published"], 1),
            "",
        ]
    )
    mixture = p_value(found["p_value_mixture"])
    display = pd.DataFrame(lines, columns=["", "Estimate", "SE", "p", "Published", "Published p"])
    caption = "The symbolic penalty over both splits (log-odds; the original is the reference)."
    note = f"p of τ = 0 by the boundary-corrected mixture: {mixture}. {note}"
    data = pd.concat(
        [
            fixed.assign(part="fixed"),
            random.rename(columns={"sd": "estimate"}).assign(part="random"),
            test.rename(columns={"statistic": "estimate"}).assign(part="test"),
        ],
        ignore_index=True,
    )
    return Table("table_penalty", caption, note, data, display)


def _published_p(row: object) -> str:
    """The study prints that of δ as a bound."""
    if pd.isna(row.published_p_value):
        return ""
    return ("<" if row.term == PENALTY else "") + p_value(row.published_p_value)
