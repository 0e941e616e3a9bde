"""Ours: power of planned studies as a table."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.tables import Table, number

PLAN = ["languages", "variants", "templates", "instances"]


def build(power: pd.DataFrame, note: str) -> Table:
    """From ``power/power.csv``: a row an effect, a column a plan, power in percent."""
    effects = power.drop_duplicates("term").set_index("term")["effect"]
    display = pd.DataFrame(
        {
            "": [labels.term(term) for term in effects.index],
            "Effect": [number(value, 3) for value in effects],
        }
    )
    for plan, rows in power.groupby(PLAN, sort=False):
        found = rows.set_index("term").loc[effects.index]
        display[" × ".join(str(value) for value in plan)] = [
            f"{100 * row.power:.0f} [{100 * row.conf_low:.0f}, {100 * row.conf_high:.0f}]"
            for row in found.itertuples()
        ]
    caption = (
        "Power of planned studies in percent; columns: languages × runs × templates × instances."
    )
    explanation = (
        f"Two-sided Wald test at level {power['level'].iloc[0]:g}, "
        f"{power['simulations'].iloc[0]} simulations a plan, 95% Wilson intervals; effects in "
        "log-odds per SD. Languages, runs and all random effects are drawn anew each time. For a "
        "planned effect of zero this is the false-positive rate."
    )
    return Table("table_power", caption, f"{explanation} {note}", power, display)
