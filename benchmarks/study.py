"""The processor time of the whole study, part by part: ``python -m benchmarks.study SEED``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import pandas as pd
from capability_transfer.analysis.data import Study, load
from capability_transfer.analysis.prediction.evaluate import Task, evaluate
from capability_transfer.analysis.prediction.few_templates import BUDGETS, FEW_DRAWS, few_templates
from capability_transfer.analysis.prediction.folds import leave_one_out
from capability_transfer.analysis.studies.main_model import fit
from capability_transfer.analysis.studies.specifications import specifications
from capability_transfer.analysis.study import SPECIFICATIONS
from capability_transfer.common import progress

from benchmarks.apart import table_apart

LIMIT = 3600.0  # seconds
COLUMNS = ["part", "fits", "cpu_seconds"]


def parts(study: Study) -> dict[str, tuple[int, Callable[[], object]]]:
    """The study's fits by part: how many there are, and what makes them. Nothing is kept."""
    joined, vectors = study.prepared(False)
    task = Task(joined, vectors, draws=0, seed=study.seed, workers=1)
    languages = joined["language"].unique()
    seen = [budget for budget in BUDGETS if budget]
    refits = len(languages) * FEW_DRAWS * len(seen)
    return {
        "main model and its baseline": (2, lambda: fit(study)),
        "languages held out, one fit to all": (
            len(languages) + 1,
            lambda: evaluate(task, ["study"], leave_one_out(languages), progress.counting),
        ),
        "refits with templates seen, one per language without": (
            refits + len(languages),
            lambda: few_templates(task, progress.counting, ["study"], BUDGETS, FEW_DRAWS),
        ),
        "specifications, each with its baseline": (
            2 * len(SPECIFICATIONS),
            lambda: specifications(study),
        ),
    }


def measure(seed: int) -> pd.DataFrame:
    """One row per part, ``COLUMNS``: processor seconds of one process."""
    rows = []
    for part, (fits, make) in parts(load(seed=seed)).items():
        began = time.process_time()
        make()
        rows.append((part, fits, time.process_time() - began))
    return pd.DataFrame(rows, columns=COLUMNS)


def measure_apart(seed: int) -> pd.DataFrame:
    """``measure`` in a separate process, one thread."""
    return table_apart("benchmarks.study", seed, LIMIT, COLUMNS, "the whole study")


if __name__ == "__main__":
    print(json.dumps({"rows": measure(int(sys.argv[1])).to_numpy().tolist()}))
