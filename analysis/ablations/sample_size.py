"""How much data is needed: templates, instances, rankings (Appendix A.4, Table 2, Figure 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.files import write_table
from scipy.stats import rankdata

TEMPLATES = (1, 2, 5, 10, 20, 50, 75, 100)
INSTANCES = (1, 2, 5, 10, 20)
WANTED = (5.0, 3.0, 2.0, 1.0)
"""Standard errors (accuracy points) for which the templates needed are listed."""

DRAWS = 40
THINNINGS = 20
REFERENCES = ("own_split", "symbolic")
"""What a budget's ranking is compared with: the full ranking of its own split (Table 2), or that
of the symbolic split for both."""


@dataclass(frozen=True)
class SampleSize:
    """What ``sample_size`` finds; see ``templates``, ``instances``, ``needed`` and ``claims``."""

    templates: pd.DataFrame
    instances: pd.DataFrame
    needed: pd.DataFrame
    claims: pd.DataFrame


def sample_size(
    cells: pd.DataFrame,
    seed: int,
    budgets: Sequence[int] = TEMPLATES,
    instance_budgets: Sequence[int] = INSTANCES,
    wanted: Sequence[float] = WANTED,
    beside: bool = False,
) -> SampleSize:
    """Everything of Appendix A.4.

    Args:
        cells: variant, language, template, n_correct, n_total, and split where there are two
            (cells without a split count as symbolic). Every variant and language has every
            template of a split.
        seed: of the draws of templates and instances.
        budgets: numbers of templates; those beyond what there is have no ranking.
        instance_budgets: numbers of instances per template; larger ones than there are left out.
        wanted: standard errors in accuracy points.
        beside: put the published figures beside ours.

    Raises InputError for cells without a full grid, and for budgets below one.
    """
    if bad := [value for value in (*budgets, *instance_budgets) if value < 1]:
        raise InputError(f"a budget is at least 1, not {name_some(bad)}")
    if bad := [value for value in wanted if not value > 0]:
        raise InputError(f"a wanted standard error is positive, not {name_some(bad)}")
    cells = cells if "split" in cells.columns else cells.assign(split="symbolic")
    grids = {split: grid(rows, split) for split, rows in cells.groupby("split", sort=True)}
    rng = np.random.default_rng(seed)
    by_template = templates(grids, budgets, rng)
    by_instance = pd.concat(
        [
            instances(split, *counts, instance_budgets, rng)
            for split, counts in grids.items()
            if counts[1].min() > 1
        ]
        or [pd.DataFrame(columns=["split", "instances", "std_error", "template_share"])],
        ignore_index=True,
    )
    found = claims(grids, by_instance)
    if beside:
        for kind, column in (("std_error", "published"), ("rank_correlation", "published_rank")):
            keys = list(
                zip(by_template["split"], by_template["templates"].astype(str), strict=True)
            )
            by_template[column] = pd.Series(keys).map(published(kind)).astype(float)
        own = by_template["rank_reference"] == "own_split"
        by_template.loc[~own, "published_rank"] = np.nan
        known = published("claim").droplevel("split")
        found["published"] = found["statistic"].map(known)
    else:
        by_template[["published", "published_rank"]] = np.nan
        found["published"] = np.nan
    return SampleSize(by_template, by_instance, needed(grids, wanted), found)


def grid(cells: pd.DataFrame, split: str = "the outcomes") -> tuple[np.ndarray, np.ndarray]:
    """Correct and all answers, each variants × languages × templates.

    Raises InputError, naming variants and languages, if a pair lacks a template.
    """
    index = pd.MultiIndex.from_product(
        [cells["variant"].unique(), cells["language"].unique(), cells["template"].unique()],
        names=["variant", "language", "template"],
    )
    table = cells.set_index(["variant", "language", "template"])[["n_correct", "n_total"]]
    table = table.reindex(index)
    if (lacking := table["n_total"].isna()).any():
        pairs = name_some(" / ".join(pair) for pair in index[lacking].droplevel(2).unique())
        raise InputError(
            f"{split}: {pairs} lacks templates that others have; a sample-size analysis needs the "
            "same templates everywhere"
        )
    shape = tuple(len(level) for level in index.levels)
    correct, total = (table[name].to_numpy(dtype=np.int64).reshape(shape) for name in table.columns)
    return correct, total


def template_sd(correct: np.ndarray, total: np.ndarray) -> float:
    """SD over templates of a pair's accuracies (n − 1), averaged over pairs; accuracy points."""
    return float(100 * (correct / total).std(axis=-1, ddof=1).mean())


def templates(
    grids: dict[str, tuple[np.ndarray, np.ndarray]],
    budgets: Sequence[int],
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """Precision of a score and stability of the ranking by template budget (Table 2).

    The standard error is the template-to-template SD over √k, without a finite-population
    correction. The rank correlation is Spearman's between the runs' accuracies on k templates
    drawn without replacement and their ranking on all, by language, averaged over languages and
    draws.

    Returns split, templates, rank_reference, rank_correlation, rank_low, rank_high (the central
    95% of the draws), std_error (accuracy points), draws.
    """
    rows = []
    for split, (correct, total) in grids.items():
        sd = template_sd(correct, total)
        available = correct.shape[-1]
        accuracy = correct / total
        for budget in budgets:
            means = None
            if budget <= available:
                chosen = rng.random((draws, available)).argsort(axis=1, kind="stable")[:, :budget]
                means = [accuracy[..., chosen[draw]].mean(axis=-1) for draw in range(draws)]
            for reference in REFERENCES:
                against = grids.get(split if reference == "own_split" else "symbolic")
                if against is None or against[0].shape[:2] != correct.shape[:2]:
                    continue
                full = (against[0] / against[1]).mean(axis=-1)
                found = [] if means is None else [_spearman(mean, full) for mean in means]
                low, high = np.quantile(found, [0.025, 0.975]) if found else (np.nan, np.nan)
                rows.append(
                    {
                        "split": split,
                        "templates": budget,
                        "rank_reference": reference,
                        "rank_correlation": np.mean(found) if found else np.nan,
                        "rank_low": low,
                        "rank_high": high,
                        "std_error": sd / np.sqrt(budget),
                        "draws": draws if found else 0,
                    }
                )
    return pd.DataFrame(rows)


def _spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's correlation over rows, averaged over columns; ties take mean ranks.

    Accuracies are rounded first, lest the order of summation break ties. A column on which all
    rows tie has no correlation and is left out.
    """
    ranks = [rankdata(values.round(10), axis=0) for values in (first, second)]
    centred = [rank - rank.mean(axis=0) for rank in ranks]
    products = (centred[0] * centred[1]).sum(axis=0)
    scale = np.sqrt((centred[0] ** 2).sum(axis=0) * (centred[1] ** 2).sum(axis=0))
    return float(np.mean(products[scale > 0] / scale[scale > 0]))


def variance_parts(correct: np.ndarray, total: np.ndarray) -> tuple[float, float]:
    """The across-template variance of an accuracy as template part and one instance's part.

    Var(p̂) = σ²(template) + E[q(1 − q)]/n, averaged over pairs; p̂(1 − p̂)·n/(n − 1) estimates
    q(1 − q) without bias. Returns σ²(template) and E[q(1 − q)], in squared accuracies.
    """
    accuracy = correct / total
    single = accuracy * (1 - accuracy) * total / (total - 1)
    whole = accuracy.var(axis=-1, ddof=1).mean()
    return float(whole - (single / total).mean()), float(single.mean())


def instances(
    split: str,
    correct: np.ndarray,
    total: np.ndarray,
    budgets: Sequence[int],
    rng: np.random.Generator,
    thinnings: int = THINNINGS,
) -> pd.DataFrame:
    """Precision by instances per template, at all templates.

    A cell's instances are thinned to fewer by hypergeometric draws. The last row, infinitely many
    instances, is the floor: the standard error at the full number times the root of the template
    share there.

    Returns split, instances, std_error (accuracy points), template_share.
    """
    template, single = variance_parts(correct, total)
    number = correct.shape[-1]
    most = int(total.min())
    rows = []
    for budget in sorted({*(b for b in budgets if b < most), most}):
        if budget == most:
            errors = [template_sd(correct, total) / np.sqrt(number)]
        else:
            thinned = (
                rng.hypergeometric(correct, total - correct, budget) for _ in range(thinnings)
            )
            errors = [
                template_sd(k, np.full_like(total, budget)) / np.sqrt(number) for k in thinned
            ]
        share = template / (template + single / budget)
        rows.append((split, float(budget), float(np.mean(errors)), share))
    floor = rows[-1][2] * np.sqrt(rows[-1][3])
    rows.append((split, np.inf, floor, 1.0))
    return pd.DataFrame(rows, columns=["split", "instances", "std_error", "template_share"])


def needed(
    grids: dict[str, tuple[np.ndarray, np.ndarray]], wanted: Sequence[float]
) -> pd.DataFrame:
    """Templates for a wanted standard error: split, std_error (accuracy points), templates."""
    rows = [
        (split, error, ceil((template_sd(*counts) / error) ** 2))
        for split, counts in grids.items()
        for error in wanted
    ]
    return pd.DataFrame(rows, columns=["split", "std_error", "templates"])


def claims(
    grids: dict[str, tuple[np.ndarray, np.ndarray]], by_instance: pd.DataFrame
) -> pd.DataFrame:
    """The figures that Appendix A.4 states in words: statistic, value."""
    values = {}
    symbolic, original = grids.get("symbolic"), grids.get("original")
    if symbolic is not None and original is not None:
        ratio = template_sd(*original) / template_sd(*symbolic)
        values["precision_ratio"] = ratio
        number = symbolic[0].shape[-1]
        values["original_templates_for_symbolic_precision"] = ceil(number * ratio**2)
    if symbolic is not None:
        values["templates_for_half_the_error"] = 4 * symbolic[0].shape[-1]
    rows = by_instance[by_instance["split"] == "symbolic"].set_index("instances")
    if {5.0, 10.0, 20.0}.issubset(rows.index):
        error = rows["std_error"]
        values["template_share"] = rows.loc[20.0, "template_share"]
        values["removed_from_5_to_10_instances"] = 1 - error[10.0] / error[5.0]
        values["removed_from_10_to_20_instances"] = 1 - error[20.0] / error[10.0]
        values["removed_by_any_more_instances"] = 1 - error[np.inf] / error[20.0]
    return pd.DataFrame(list(values.items()), columns=["statistic", "value"])


def write(result: SampleSize, directory: Path) -> list[Path]:
    """Write ``sample_size/{templates,instances,needed,claims}.csv``."""
    folder = Path(directory) / "sample_size"
    return [
        write_table(getattr(result, name), folder / f"{name}.csv")
        for name in ("templates", "instances", "needed", "claims")
    ]


@cache
def _read() -> pd.DataFrame:
    with (
        resources.files("capability_transfer.analysis")
        .joinpath("data/study_sample_size.csv")
        .open() as file
    ):
        return pd.read_csv(file, dtype={"name": str})


def published(kind: str) -> pd.Series:
    """Published figures by (split, name): rank_correlation and std_error by budget, claim."""
    table = _read()
    return table[table["kind"] == kind].set_index(["split", "name"])["value"]
