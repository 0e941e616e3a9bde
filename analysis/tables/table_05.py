"""Table 5: the error of prediction by the number of templates seen, ours beside the study's."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.tables import Table, number

LEVELS = {"pair": "Model in language", "language": "Language mean"}


def build(few: pd.DataFrame, published: pd.DataFrame, note: str) -> Table:
    """From ``few_templates.csv`` and the study's figures (none for a user's data).

    Rows: predictor, truth, k and number of draws; errors in accuracy points with bootstrap
    intervals over languages.
    """
    known = published.query("statistic == 'mae'")
    known = known.rename(columns={"value": "published", "conf_low": "published_low",
                                  "conf_high": "published_high"})  # fmt: skip
    keys = ["predictor", "truth", "k", "level"]
    data = few.merge(known[[*keys, "published", "published_low", "published_high"]], "left", keys)
    data["predictor"] = pd.Categorical(data["predictor"], list(dict.fromkeys(few["predictor"])))
    wide = data.pivot(index=["predictor", "truth", "draws", "k"], columns="level").sort_index()
    display = wide.index.to_frame(index=False).rename(columns=str.capitalize)
    for level, title in LEVELS.items():
        display[title] = _cells(wide, level, ("mae", "conf_low", "conf_high"))
        if wide["few_low", level].notna().any():
            display[f"{title}, three draws"] = [
                "" if pd.isna(low) else f"{number(low, 2)}–{number(high, 2)}"
                for low, high in zip(wide["few_low", level], wide["few_high", level], strict=True)
            ]
        if wide["published", level].notna().any():
            columns = ("published", "published_low", "published_high")
            display[f"{title}, published"] = _cells(wide, level, columns)
    caption = (
        "Table 5. Mean absolute error (accuracy points) of prediction for a held-out language "
        "after k of its templates were seen, with 95% bootstrap intervals over languages. Truth: "
        "accuracy over all templates (the study's) or over those not seen. Three draws: where 95% "
        "of the errors over three draws, as many as the study's, would lie."
    )
    return Table("table_05", caption, note, data, display.astype(str))


def _cells(wide: pd.DataFrame, level: str, columns: tuple[str, str, str]) -> list[str]:
    values = zip(*(wide[column, level] for column in columns), strict=True)
    return [
        "" if pd.isna(value) else f"{number(value, 2)} [{number(low, 2)}, {number(high, 2)}]"
        for value, low, high in values
    ]
