"""Table 2: what a template budget does to the ranking of models and to a single score."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.tables import Table, number

SHOWN = (10, 20, 50, 75, 100)
SPLITS = ("original", "symbolic")


def build(templates: pd.DataFrame, note: str) -> Table:
    """From ``sample_size/templates.csv``; published figures stand in brackets."""
    own = templates[templates["rank_reference"] == "own_split"]
    budgets = [k for k in SHOWN if k in set(own["templates"])] or sorted(own["templates"].unique())
    lines = []
    for budget in budgets:
        rows = own[own["templates"] == budget].set_index("split")
        line = [str(budget)]
        for value, known, digits in (
            ("rank_correlation", "published_rank", 3),
            ("std_error", "published", 2),
        ):
            for split in SPLITS:
                if split not in rows.index:
                    line.append("")
                    continue
                text = number(rows.loc[split, value], digits)
                if pd.notna(rows.loc[split, known]):
                    text += f" [{number(rows.loc[split, known], digits)}]"
                line.append(text)
        lines.append(line)
    headings = ["Templates", *(f"Rank correlation, {split}" for split in SPLITS)]
    headings += [f"SE, {split}" for split in SPLITS]
    beside = own["published"].notna().any()
    caption = "Table 2. Template budget, ranking of models and precision of a score"
    caption += "; published figures in brackets." if beside else "."
    explanation = (
        "Spearman correlation with the ranking on all templates of the same split, mean over "
        "languages and 40 draws; SE in accuracy points."
    )
    if beside:
        explanation += (
            " The published figures count a 47th run that answers next to nothing, which the "
            "study's model leaves out: with it these cells give the same. Standard errors of the "
            "original split follow from its totals, since a template has one original question; "
            "which were answered, and so the ranking on few of them, is drawn."
        )
    display = pd.DataFrame(lines, columns=headings)
    return Table("table_02", caption, f"{explanation} {note}", templates, display)
