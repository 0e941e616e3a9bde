"""MGSM-Pro's published tables, as printed; ``analysis/data/mgsm_pro/README.md`` has the columns."""

from __future__ import annotations

from importlib import resources

import pandas as pd
from capability_transfer.analysis.robustness.scores import COLUMNS
from capability_transfer.common.errors import InputError

PERTURBATIONS = {
    "original": "D_O",
    "names": "SYM_N",
    "numbers": "SYM_#",
    "names_numbers": "SYM_N#",
    "context_names": "IC_N",
    "context_numbers": "IC_#",
    "context_names_numbers": "IC_N#",
}
"""The perturbations and how the paper writes them."""

INSTANCES = 5
"""Instances per question behind every accuracy of Tables 8–13 but the original's."""

HIGH_CLASSES, LOW_CLASSES = (5,), (1, 2)
"""Joshi classes of high- and low-resource languages (section 3)."""

MAIN_TABLES, APPENDIX_TABLES = (1, 2), (8, 9, 10, 11, 12, 13)
SOURCE = "MGSM-Pro, Tables 8–13 as published; five instances per question"

_FILES = (
    "accuracy",
    "averages",
    "drops",
    "languages",
    "model_names",
    "rankings",
    "reasoning_language",
)


def read(name: str) -> pd.DataFrame:
    """One of the packaged files by its name, figures in percent as printed."""
    if name not in _FILES:
        raise InputError(f"no file {name!r} of MGSM-Pro; there are {', '.join(_FILES)}")
    path = resources.files("capability_transfer.analysis").joinpath(f"data/mgsm_pro/{name}.csv")
    with path.open(encoding="utf-8") as stream:
        return pd.read_csv(stream)


def published_scores() -> pd.DataFrame:
    """Tables 8–13 as scores: variant, language, perturbation, accuracy (0 to 1, NaN if missing).

    18 models × 9 languages × 7 perturbations = 1,134 rows, 27 of them without a figure. As
    printed: GPT-5's context_names are, from Japanese on, those of Table 9, which repeat its column
    numbers and contradict Table 1 (see ``consistency``).
    """
    cells = read("accuracy")
    cells = cells[cells["table"].isin(APPENDIX_TABLES)].rename(columns={"model": "variant"})
    return cells.assign(accuracy=cells["accuracy"] / 100)[COLUMNS].reset_index(drop=True)


def resource_groups() -> pd.Series:
    """``high`` or ``low`` by language (Table 6; Joshi class 5 against 1 and 2)."""
    classes = read("languages").set_index("language")["joshi_class"]
    return classes.map(dict.fromkeys(HIGH_CLASSES, "high") | dict.fromkeys(LOW_CLASSES, "low"))
