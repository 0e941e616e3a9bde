"""HAT, gap and τ beside the GLMM's account of the same models."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd
from capability_transfer.analysis import study
from capability_transfer.analysis.glmm.predict import linear_predictor
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common.errors import InputError, name_some
from scipy import stats

FEW = 8
"""Up to so many pairs the p-value of ρ is exact; its approximation is 0 for any in one order."""

SLOPES = f"{study.MAIN} + (0 + resource | variant) + (0 + distance | variant)"
"""The GLMM of the comparison: the study's, with slopes that vary over variants. Without them the
slopes of two models of one size and reasoning mode are the same by construction."""

LANGUAGE_FEATURES = ("resource", "distance", "fertility")
MODEL_GROUPS = ("family", "base_model", "variant")

TRANSFER = ("target_accuracy", "xlt_gap", "transfer_score", "hat", "hat_corrected")
GLMM = ("glmm_level", "glmm_effect", "glmm_resource_slope", "glmm_distance_slope")
LABELS = {
    "source_accuracy": "Source accuracy",
    "target_accuracy": "Target accuracy",
    "xlt_gap": "XLT gap",
    "transfer_score": "Transfer score τ",
    "hat": "HAT",
    "hat_corrected": "HAT, noise-corrected",
    "hat_area": "HAT, area",
    "r_squared": "R²",
    "glmm_level": "GLMM level",
    "glmm_effect": "GLMM model effect",
    "glmm_resource_slope": "GLMM resource slope",
    "glmm_distance_slope": "GLMM distance slope",
}


def glmm_effects(fit: Fit, data: pd.DataFrame) -> pd.DataFrame:
    """Level, effect and slopes of every variant by a GLMM, in log-odds.

    Args:
        fit: any fit with a ``variant`` random effect; language features are z-scores.
        data: the design that was fitted (``analysis.design.Design.data``).

    Returns variant and
        glmm_level: the linear predictor at a language of average features (all at 0), with the
            modes of family, base model and variant;
        glmm_effect: the modes alone, what size and reasoning do not explain;
        glmm_resource_slope, glmm_distance_slope: change of the linear predictor per SD of the
            feature at this variant's size and reasoning, with random slopes of the model groups
            where the fit has them; left out where the fit lacks the feature.

    Raises InputError for a fit without a variant effect.
    """
    groups = [name for name in MODEL_GROUPS if name in {term.group for term in fit.formula.random}]
    if "variant" not in groups:
        raise InputError(
            "the comparison needs a GLMM with a random effect of variant, e.g. (1 | variant); "
            f"this one is {fit.formula}"
        )
    used = [name for name in LANGUAGE_FEATURES if name in fit.formula.variables()]
    rows = data.drop_duplicates("variant").reset_index(drop=True).assign(**dict.fromkeys(used, 0.0))
    level = linear_predictor(fit, rows, groups)
    table = pd.DataFrame(
        {
            "variant": rows["variant"],
            "glmm_level": level,
            "glmm_effect": (level - linear_predictor(fit, rows, [])).round(10),
        }
    )
    for feature in ("resource", "distance"):
        if feature in used:
            raised = linear_predictor(fit, rows.assign(**{feature: 1.0}), groups)
            # equal slopes must stay equal, or rounding would rank them
            table[f"glmm_{feature}_slope"] = (raised - level).round(10)
    return table


def compare(
    metrics: pd.DataFrame, models: pd.DataFrame, effects: pd.DataFrame | None = None
) -> pd.DataFrame:
    """One row per model: its features, the transfer metrics and, where given, the GLMM's effects.

    Args:
        metrics: rows of ``metrics.metrics``; those of the grouping ``all`` are taken.
        models: variant, base_model, family, size (log2 billions), reasoning (0 or 1).
        effects: from ``glmm_effects``.

    Raises InputError for models that a table lacks.
    """
    chosen = metrics[metrics["grouping"] == "all"]
    columns = ["variant", "source_accuracy", *TRANSFER]
    table = chosen[columns].merge(
        models[["variant", "base_model", "family", "size", "reasoning"]], on="variant", how="left"
    )
    others = {"models": models} | ({} if effects is None else {"GLMM effects": effects})
    for label, other in others.items():
        if absent := sorted(set(table["variant"]) - set(other["variant"])):
            raise InputError(f"the {label} lack {name_some(absent)}")
    if effects is not None:
        table = table.merge(effects, on="variant", how="left")
    first = ["variant", "base_model", "family", "size", "reasoning"]
    return table[[*first, *(name for name in table.columns if name not in first)]]


def compared(table: pd.DataFrame) -> list[str]:
    """The metrics that a comparison table holds, in order."""
    return [name for name in (*TRANSFER, *GLMM) if name in table.columns]


def rank_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Spearman's ρ between every two metrics over models: first, second, spearman, models.

    Models where either is undefined are left out of that pair and not counted in ``models``.
    """
    rows = []
    for first, second in combinations(compared(table), 2):
        pair = table[[first, second]].dropna()
        enough = len(pair) > 2 and pair.nunique().min() > 1
        rho = stats.spearmanr(pair[first], pair[second]).statistic if enough else np.nan
        rows.append({"first": first, "second": second, "spearman": rho, "models": len(pair)})
    return pd.DataFrame(rows)


def determinants(
    table: pd.DataFrame, by_language: pd.DataFrame, languages: pd.DataFrame
) -> pd.DataFrame:
    """What every metric says about size, reasoning and resource.

    size: Spearman's ρ with log2 parameters over the models without reasoning. reasoning: the mean
    difference, on minus off, over base models that have both, with Wilcoxon's signed-rank test.
    resource: Spearman's ρ of a target language's mean over models with its log10 pages; for the
    GLMM, the mean resource slope and Wilcoxon's test over models. Nothing is adjusted for anything
    else, and neither models nor languages are independent draws: p-values describe, no more.

    Args:
        table: from ``compare``.
        by_language: ``metrics.metrics`` rows of the grouping ``language``.
        languages: language, resource.

    Returns metric, determinant, statistic (what it is), value, p_value, n; rows that the data
    cannot give (no pair of reasoning modes, say) are not there.
    """
    rows = []
    off = table[table["reasoning"] == 0]
    pages = languages.set_index("language")["resource"]
    for metric in compared(table):
        rows.append(_spearman(metric, "size", off["size"], off[metric]))
        modes = table.pivot_table(index="base_model", columns="reasoning", values=metric)
        if {0, 1} <= set(modes.columns):
            rows.append(_wilcoxon(metric, "reasoning", (modes[1] - modes[0]).dropna()))
        if metric in by_language.columns:
            means = by_language.groupby("target_set")[metric].mean()
            rows.append(_spearman(metric, "resource", means.index.map(pages), means))
        elif metric == "glmm_resource_slope":
            rows.append(_wilcoxon(metric, "resource", table[metric].dropna()))
    return pd.DataFrame([row for row in rows if row is not None])


def _spearman(metric: str, determinant: str, by: pd.Series, values: pd.Series) -> dict | None:
    pair = pd.DataFrame({"by": np.asarray(by, float), "value": np.asarray(values, float)}).dropna()
    if len(pair) < 4 or pair.nunique().min() < 2:
        return None
    result = stats.spearmanr(pair["by"], pair["value"])
    p_value = _exact_p(pair) if len(pair) <= FEW else result.pvalue
    return {"metric": metric, "determinant": determinant, "statistic": "spearman",
            "value": result.statistic, "p_value": p_value, "n": len(pair)}  # fmt: skip


def _exact_p(pair: pd.DataFrame) -> float:
    """The share of all orders whose Spearman's ρ is as far from zero as this one's."""
    by, value = (stats.rankdata(pair[column]) for column in ("by", "value"))
    by = by - by.mean()
    orders = np.array(list(permutations(value)))
    return float((np.abs(orders @ by) >= abs(value @ by) - 1e-9).mean())


def _wilcoxon(metric: str, determinant: str, differences: pd.Series) -> dict | None:
    if len(differences) < 2 or not differences.any():
        return None
    p_value = stats.wilcoxon(differences).pvalue
    return {"metric": metric, "determinant": determinant, "statistic": "mean",
            "value": differences.mean(), "p_value": p_value, "n": len(differences)}  # fmt: skip
