"""Accuracy on original and perturbed questions: drops, resource groups and ranks by model."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.tables import Table, number


def build(
    name: str, label: str, ranks: pd.DataFrame, groups: pd.DataFrame, caption: str, note: str
) -> Table:
    """One row per model, in the order of the original ranking.

    Args:
        name: of the table's files.
        label: of the perturbation, for people.
        ranks: from ``rankings.rank_changes``.
        groups: rows of ``drops.by_group`` on the same perturbation (groups ``high`` and ``low``),
            or an empty table.
    """
    data = ranks.copy()
    data["drop"] = 100 * (data["accuracy"] - data["original"])
    data["relative_drop"] = 100 * (data["accuracy"] / data["original"] - 1)
    shown = {
        "Model": data["variant"],
        "Original": [number(100 * value, 1) for value in data["original"]],
        label: [number(100 * value, 1) for value in data["accuracy"]],
        "Drop (points)": [number(value, 1) for value in data["drop"]],
        "Relative (%)": [number(value, 1) for value in data["relative_drop"]],
    }
    for group, title in (("high", "High-resource (%)"), ("low", "Low-resource (%)")):
        rows = groups[groups["group"] == group] if "group" in groups else groups
        if len(rows):
            data[f"relative_drop_{group}"] = data["variant"].map(
                rows.set_index("variant")["relative_drop"]
            )
            shown[title] = [number(value, 1) for value in data[f"relative_drop_{group}"]]
    shown["Rank"] = [
        f"{first} → {second}{'=' if tied else ''}"
        for first, second, tied in zip(
            data["rank_original"], data["rank"], data["tied"], strict=True
        )
    ]
    return Table(name, caption, note, data, pd.DataFrame(shown))
