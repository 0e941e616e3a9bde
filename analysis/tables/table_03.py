"""Table 3: fixed effects and random-effect SDs, ours beside the published ones."""

from __future__ import annotations

import pandas as pd

from analysis import labels
from analysis.tables.render import Table, number, p_value


def build(fixed_effects: pd.DataFrame, random_effects: pd.DataFrame, note: str) -> Table:
    """From ``fixed_effects.csv`` and ``random_effects.csv`` as ``make glmm`` writes them."""
    fixed = fixed_effects.rename(columns={"term": "name"}).assign(part="fixed")
    random = random_effects.rename(columns={"group": "name", "sd": "estimate"}).assign(
        part="random"
    )
    data = pd.concat([fixed, random.sort_values("estimate", ascending=False)], ignore_index=True)
    columns = [
        "part",
        "name",
        "levels",
        "estimate",
        "std_error",
        "statistic",
        "p_value",
        "conf_low",
        "conf_high",
        "published",
        "difference",
    ]
    data = data[columns].astype({"levels": "Int64"})
    display = pd.DataFrame(
        {
            "": [
                labels.term(row.name_)
                if row.part == "fixed"
                else f"SD {labels.group(row.name_)} ({row.levels} levels)"
                for row in data.rename(columns={"name": "name_"}).itertuples()
            ],
            "Estimate": [number(value, 3) for value in data["estimate"]],
            "SE": [number(value, 3) for value in data["std_error"]],
            "z": [number(value, 2) for value in data["statistic"]],
            "p": ["" if pd.isna(value) else p_value(value) for value in data["p_value"]],
            "Published": [number(value, 3) for value in data["published"]],
            "Difference": [number(value, 3) for value in data["difference"]],
        }
    )
    caption = "Table 3. Fixed effects (log-odds per SD of the predictor) and random-effect SDs."
    return Table("table_03", caption, note, data, display)
