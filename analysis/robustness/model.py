"""The drop as a GLMM: perturbation × resource in log-odds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from capability_transfer.analysis.robustness.scores import BASELINE, KEY, check_scores
from capability_transfer.common.errors import InputError, name_some


def formula(perturbations: Sequence[str]) -> str:
    """The model's formula: an effect of every perturbation, and how resource changes it.

    How much a model or a language loses varies (``perturbed`` is 1 on every perturbation), and with
    several perturbations every row varies beyond its answers, so that the interactions are judged
    against the differences between languages and rows, not between answers. A single perturbation
    leaves no rows to tell that from variant:language.

    Effects are log-odds. A drop of the same log-odds costs most points in the middle of the scale
    and, relative to the original, most where accuracy is low: an interaction can point the other
    way than drops in points or percent.
    """
    rows = " + (1 | variant:language:perturbation)" if len(perturbations) > 1 else ""
    return (
        f"~ ({' + '.join(perturbations)}) * resource"
        " + (1 + perturbed || language) + (1 + perturbed || variant) + (1 | variant:language)"
        + rows
    )


def drop_data(
    scores: pd.DataFrame, resource: pd.Series, baseline: str = BASELINE
) -> tuple[pd.DataFrame, list[str]]:
    """Counts and covariates of the drop model, and the perturbations in it.

    Args:
        scores: with n_correct and n_total (``implied_counts`` makes them of percentages).
        resource: a number by language, e.g. standardised log10 pages, or 1 for high and 0 for low.
        baseline: the perturbation that the others are compared with.

    Returns rows with variant, language, perturbation, n_correct, n_total, resource, perturbed (0/1)
    and a 0/1 column for every perturbation; rows without an accuracy are left out.

    Raises InputError for scores without counts, languages without resource and labels that a
    formula cannot hold.
    """
    check_scores(scores, baseline)
    if absent := [name for name in ("n_correct", "n_total") if name not in scores.columns]:
        raise InputError(f"the drop model needs counts; the scores lack {name_some(absent)}")
    names = [name for name in scores["perturbation"].unique() if name != baseline]
    taken = {*KEY, "resource", "perturbed", "n_correct", "n_total"}
    if odd := [name for name in names if not name.isidentifier() or name in taken]:
        raise InputError(
            f"perturbation {name_some(odd)} cannot be a term: use letters, digits and underscores"
        )
    if lost := sorted(set(scores["language"]) - set(resource.dropna().index)):
        raise InputError(f"no resource is known for language {name_some(lost)}")
    rows = scores.dropna(subset=["accuracy"]).reset_index(drop=True)
    data = rows[["variant", "language", "perturbation", "n_correct", "n_total"]].astype(
        {"n_correct": "int64", "n_total": "int64"}
    )
    data["resource"] = data["language"].map(resource).astype(float)
    data["perturbed"] = (rows["perturbation"] != baseline).astype(float)
    for name in names:
        data[name] = (rows["perturbation"] == name).astype(float)
    return data, names


def implied_counts(scores: pd.DataFrame, questions: int, instances: int) -> pd.DataFrame:
    """Scores with the counts that their accuracies imply, to the nearest answer.

    The baseline has ``questions`` answers a language, a perturbation ``questions × instances``.
    """
    total = np.where(scores["perturbation"] == BASELINE, questions, questions * instances)
    return scores.assign(n_correct=np.rint(scores["accuracy"] * total), n_total=total)
