"""Ours: alternative specifications side by side (Appendix A.1 as a table)."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.tables import Table, number, stars

LABELS = {"non_latin": "Script other than Latin", "resource:distance": "Resource × distance"}
GROUPS = {"template:language": "Template × language", "cell": "Observation"}


def build(table: pd.DataFrame, note: str) -> Table:
    """From ``specifications/table.csv``: a column a specification, a row an effect."""
    wide = dict(iter(table.groupby("specification", sort=False)))
    lines = []
    for part, term in table[["part", "term"]].drop_duplicates().itertuples(index=False, name=None):
        line = [_label(part, term)]
        for rows in wide.values():
            found = rows[(rows["part"] == part) & (rows["term"] == term)]
            if found.empty:
                line.append("")
                continue
            row = found.iloc[0]
            text = number(row["estimate"], 3)
            if part == "fixed":
                text += f"{stars(row['p_value'])} ({number(row['std_error'], 3)})"
            if pd.notna(row["published"]):
                text += f" [{number(row['published'], 2)}]"
            line.append(text)
        lines.append(line)
    lines.sort(key=lambda line: line[0].startswith("SD"))
    for label, column, write in (
        ("AIC − main model's", "aic_change", lambda value: number(value, 1)),
        ("Explained, language", "explained_language", _percent),
        ("Explained, variant × language", "explained_variant_language", _percent),
    ):
        lines.append([label, *(write(rows[column].iloc[0]) for rows in wide.values())])
    headings = ["", *(rows["label"].iloc[0] for rows in wide.values())]
    display = pd.DataFrame(lines, columns=headings)
    caption = "Alternative specifications (log-odds per SD); published figures in brackets."
    explanation = (
        "* p < .05, ** p < .01, *** p < .001; standard errors in parentheses. Explained: against "
        "size alone with the same random terms. The study states its alternatives in words only "
        "and on an earlier state of its data."
    )
    return Table("table_specifications", caption, f"{explanation} {note}", table, display)


def _label(part: str, term: str) -> str:
    if part == "fixed":
        return LABELS.get(term, labels.term(term))
    group, _, covariate = term.partition(" [")
    name = GROUPS.get(group, labels.group(group))
    return f"SD {name}" + (f", {labels.term(covariate[:-1])}" if covariate else "")


def _percent(share: float) -> str:
    return "" if pd.isna(share) else f"{number(100 * share, 1)}%"
