"""Table 6: fixed effects and variance components at each stage."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.tables import Table, number, p_value


def build(
    fixed: pd.DataFrame, random: pd.DataFrame, published: pd.DataFrame | None, note: str
) -> Table:
    """A row a term and a component, a column a stage.

    Args:
        fixed: of ``stages.Stages``.
        random: see ``fixed``.
        note: on the data.
        published: ``stages.published``, where the study's own model was fitted; else None.
    """
    effects = fixed.rename(columns={"term": "name"}).assign(kind="fixed")
    names = [_component(*pair) for pair in zip(random["group"], random["term"], strict=True)]
    spreads = random.rename(columns={"sd": "estimate"}).assign(name=names, kind="random")
    data = pd.concat([effects, spreads], ignore_index=True)
    names = ["stage", "kind", "name", "estimate", "std_error", "p_value", "conf_low", "conf_high"]
    data = data[names]
    if published is not None:
        known = published.rename(columns={"estimate": "published"}).drop(columns="source")
        data = data.merge(known, on=["stage", "kind", "name"], how="left")
    stages = list(dict.fromkeys(data["stage"]))
    rows = []
    for (kind, name), group in data.groupby(["kind", "name"], sort=False):
        label = labels.term(name) if kind == "fixed" else _label(name)
        each = group.set_index("stage")
        row = {"": label}
        for stage in stages:
            row[stage] = _cell(each.loc[stage]) if stage in each.index else ""
            if published is not None:
                value = each["published"].get(stage)
                row[f"{stage} (published)"] = "" if pd.isna(value) else number(value, 3)
        rows.append(row)
    caption = "Table 6. Fixed effects (log-odds per SD) and random-effect SDs at each stage."
    return Table("table_06", caption, note, data, pd.DataFrame(rows))


def _cell(row: pd.Series) -> str:
    text = number(row["estimate"], 3)
    return text if pd.isna(row["p_value"]) else f"{text} (p {p_value(row['p_value'])})"


def _component(group: str, term: str) -> str:
    return group if term == "(Intercept)" else f"{group}, {term}"


def _label(component: str) -> str:
    group, _, term = component.partition(", ")
    return f"SD {labels.group(group)}" + (f", {labels.term(term)}" if term else "")
