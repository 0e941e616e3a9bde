"""Table 3: fixed effects and random-effect SDs, ours beside the published ones."""

from __future__ import annotations

from functools import partial

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.tables import Table, number, p_value

COLUMNS = (
    "part",
    "name",
    "term",
    "levels",
    "estimate",
    "std_error",
    "std_error_rx",
    "statistic",
    "p_value",
    "conf_low",
    "conf_high",
    "published",
    "difference",
)
DISPLAYED = {
    "estimate": ("Estimate", partial(number, digits=3)),
    "std_error": ("SE", partial(number, digits=3)),
    "std_error_rx": ("SE (RX)", partial(number, digits=3)),
    "statistic": ("z", partial(number, digits=2)),
    "p_value": ("p", p_value),
    "published": ("Published", partial(number, digits=3)),
    "difference": ("Difference", partial(number, digits=3)),
}


def build(
    fixed_effects: pd.DataFrame,
    random_effects: pd.DataFrame,
    note: str,
    std_error_rx: pd.Series | None = None,
    correlations: pd.DataFrame | None = None,
    unit: str = "log-odds per SD",
) -> Table:
    """From ``fixed_effects.csv`` and ``random_effects.csv`` as ``make glmm`` writes them.

    ``std_error_rx`` are lme4's standard errors by term, which take the SDs as known; they stand
    beside the fit's own where they were computed. ``correlations`` are those of random slopes,
    ``unit`` that of the fixed effects. Columns of published figures are left
    out where there are none.
    """
    fixed = fixed_effects.rename(columns={"term": "name"}).assign(part="fixed")
    random = random_effects.rename(columns={"group": "name", "sd": "estimate"})
    parts = [fixed, random.assign(part="random")]
    if correlations is not None and not correlations.empty:
        term = correlations["term_1"] + " ~ " + correlations["term_2"]
        named = correlations.rename(columns={"group": "name", "correlation": "estimate"})
        parts.append(named.assign(part="correlation", term=term))
    data = pd.concat(parts, ignore_index=True)
    compared = data["published"].notna().any()
    if std_error_rx is not None:
        data["std_error_rx"] = data["name"].where(data["part"] == "fixed").map(std_error_rx)
    data = data.reindex(columns=[name for name in COLUMNS if name in data.columns])
    data = data.astype({"levels": "Int64"})
    display = pd.DataFrame({"": [_label(row) for row in data.to_dict("records")]})
    for column, (heading, write) in DISPLAYED.items():
        if column in data.columns and (compared or column not in ("published", "difference")):
            display[heading] = ["" if pd.isna(value) else write(value) for value in data[column]]
    caption = f"Fixed effects ({unit}) and random-effect SDs."
    caption = f"Table 3. {caption}" if compared else caption
    if std_error_rx is not None:
        note = f"{note} SE: from the exact Hessian; SE (RX): lme4's, which take the SDs as known."
    return Table("table_03", caption, note, data, display)


def _label(row: dict) -> str:
    if row["part"] == "fixed":
        return labels.term(row["name"])
    if row["part"] == "correlation":
        pair = " and ".join(labels.term(name) for name in row["term"].split(" ~ "))
        return f"Correlation {labels.group(row['name'])}, {pair}"
    slope = row.get("term", "(Intercept)")
    what = "" if slope == "(Intercept)" else f", {labels.term(slope)}"
    return f"SD {labels.group(row['name'])}{what} ({row['levels']} levels)"
