"""The report's sections: which results each reads, and the numbers that its sentences state.

A section's words are in ``page/sections/<name>.html``; every number in them comes from here. A
further section is one line of ``SECTIONS``, one function and one file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from capability_transfer.analysis import labels, published
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.outcomes import benchmark_names
from capability_transfer.analysis.outcomes.study import CELLS
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.analysis.report.results import Results
from capability_transfer.analysis.report.svg import picture
from capability_transfer.analysis.studies import ceiling as ceiling_study
from capability_transfer.analysis.studies import (
    few_templates,
    held_out,
    main_model,
    sample_size,
    transfer_metrics,
)
from capability_transfer.analysis.studies import levers as levers_study
from capability_transfer.analysis.studies import penalty as penalty_study
from capability_transfer.analysis.studies.pooled import PREDICTORS
from capability_transfer.analysis.terciles import TERCILES, terciles
from capability_transfer.analysis.transfer_metrics.comparison import LABELS
from capability_transfer.features.languages import ENGLISH

OURS, STUDY = "smooth", "study"
PRIMARY = "english_below_90"
"""The study's primary restriction: models that leave room above them in every language."""


@dataclass(frozen=True)
class Section:
    """A section, or a part of the one before it (level 3).

    Attributes:
        name: of its template and its anchor.
        title: its heading.
        needs: the results it reads.
        rows: rows that they must have: file, column, values. Those of the study have them all.
        numbers: makes what the template states of them.
        level: of its heading.
        optional: whether it is left out, without a word, where its results are not there.
    """

    name: str
    title: str
    needs: tuple[str, ...] = ()
    numbers: Callable[[Results], dict] = lambda results: {}
    level: int = 2
    rows: tuple[tuple[str, str, tuple], ...] = ()
    optional: bool = False

    @property
    def folder(self) -> str:
        """Where its results are, beside the record of what they rest on."""
        return self.needs[0].split("/")[0] if self.needs else ""


def question(results: Results) -> dict:
    counts = results.table("outcomes/summary.csv")
    counts = counts[counts["split"] == "symbolic"]
    accuracy = (
        counts.groupby("language")["accuracy"].mean().sort_values(ascending=False, kind="stable")
    )
    features = results.table("features/languages.csv").set_index("language")
    languages = [
        {
            "code": code,
            "name": labels.language(code),
            "accuracy": 100 * value,
            "pages": features["pages"].get(code),
            "distance": features["distance"].get(code),
        }
        for code, value in accuracy.items()
    ]
    return {
        "variants": counts["variant"].nunique(),
        "answers": int(counts["n_total"].sum()),
        "languages": languages,
        "english": next(row for row in languages if row["code"] == ENGLISH),
        "hardest": languages[-1],
    }


THIRDS = "pooled/by_resource.csv"
FINDING = ("outcomes/summary.csv", "features/models.csv")


def finding(results: Results) -> dict | None:
    """The page's first sentence: what small and large models keep of their English accuracy.

    In the language with the lowest mean, by thirds of the models by size. None without the results
    that it needs, or where the models are of one size.
    """
    if results.missing(FINDING):
        return None
    counts = results.table(FINDING[0])
    counts = counts[counts["split"] == "symbolic"]
    accuracy = counts.pivot_table(index="variant", columns="language", values="accuracy")
    size = results.table(FINDING[1]).set_index("variant")["params_b"].reindex(accuracy.index)
    hardest = accuracy.mean().idxmin() if len(accuracy.columns) else ENGLISH
    kept = {}
    for third, rows in accuracy.groupby(terciles(size)):
        if ENGLISH in rows and rows[ENGLISH].mean() > 0:
            kept[third] = (size[rows.index], rows[hardest].mean() / rows[ENGLISH].mean())
    if not {TERCILES[0], TERCILES[-1]} <= set(kept) or hardest == ENGLISH:
        return None
    (small, few), (large, most) = kept[TERCILES[0]], kept[TERCILES[-1]]
    name = labels.language(hardest)
    sentence = (
        f"In {name}, language models of up to {small.max():g}B parameters keep {few:.0%} of their "
        f"English accuracy; those from {large.min():g}B keep {most:.0%}."
    )
    return {"sentence": sentence}


def data(results: Results) -> dict:
    glance = results.table("glmm/glance.csv").iloc[0]
    return {
        "cells": int(glance["nobs"]),
        "trials": int(glance["trials"]),
        "levels": {labels.group(name).lower(): n for name, n in _levels(results).items()},
        "study": glance["data_source"] == CELLS,
        "fit": glance.to_dict(),
    }


def _levels(results: Results) -> dict[str, int]:
    """How many levels each group has, however many slopes."""
    random = results.table("glmm/random_effects.csv")
    return {row.group: int(row.levels) for row in random.itertuples()}


def _group(row: dict) -> str:
    """A random effect in words: its group, and which slope it is."""
    term = row.get("term", INTERCEPT)
    slope = "" if term == INTERCEPT else f", {labels.term(term)}"
    return labels.group(row["group"]) + slope


def determinants(results: Results) -> dict:
    fixed = results.table("glmm/fixed_effects.csv")
    random = results.table("glmm/random_effects.csv")
    explained = _where_written(results, "glmm/variance_explained.csv", "group")
    scaled = _where_written(results, "glmm/standardisation.csv", "feature")
    rows = [row | {"label": labels.term(row["term"])} for row in _records(fixed)]
    text = (
        f"Fixed effects of {len(fixed) - 1} terms with 95% intervals; the same numbers are in the "
        "table beside."
    )
    return {
        "terms": {row["term"]: row for row in rows},
        "rows": rows,
        "groups": [row | {"label": _group(row)} for row in _records(random)],
        "explained": {k: row for k, row in explained.items() if not pd.isna(row["explained"])},
        "sd": {feature: row["sd"] for feature, row in scaled.items()},
        "published": bool(fixed["published"].notna().any()),
        "farthest": fixed["difference"].abs().max(),
        "figure": picture("forest", text, main_model.forest, fixed,
                          height=main_model.height(fixed), xlabel="log-odds per SD"),
    }  # fmt: skip


def levers(results: Results) -> dict:
    curves = results.table("levers/levers.csv")
    cost = results.table("levers/scale_cost.csv")
    rates = results.table("levers/exchange_rates.csv").set_index("quantity")["value"]
    features = results.table("features/languages.csv")
    own = features[features["language"].isin(cost["language"])]
    ends, figures = {}, []
    for lever, title in (("size", "Size, reasoning off"), ("reasoning", "Reasoning, at 8B")):
        rows = curves[(curves["lever"] == lever) & (curves["feature"] == "resource")]
        lowest = rows[rows["value"] == rows["value"].min()]
        ends[lever] = list(zip(lowest["setting"], lowest["odds_ratio"], strict=True))
        described = ", ".join(f"{setting}: {ratio:.1f} times" for setting, ratio in ends[lever])
        text = (
            "Odds of a correct answer in English over those in a language, by its Common Crawl "
            f"pages. In the language with least text, {described}."
        )
        drawn = picture(f"levers-{lever}", text, levers_study.curves, curves, own, "resource",
                        lever, ylim=levers_study.LIMITS, ylabel=levers_study.GAP)  # fmt: skip
        figures.append({"title": title, "svg": drawn})
    return {
        "rates": rates.to_dict(),
        "ends": ends,
        "cost": [row | {"name": labels.language(row["language"])} for row in _records(cost)],
        "dearest": labels.language(cost["language"].iloc[0]),
        "multiple": cost["multiple"].iloc[0],
        "implied": cost["implied_multiple"].iloc[0],
        "figures": figures,
    }


def _edges(results: Results) -> list[dict]:
    """Our predictor on every edge that was held out: edge, names, mae, coverage_80."""
    edges = results.table("loo/extrapolation.csv")
    own = (edges["predictor"] == OURS) & (edges["level"] == "pair") & edges["held_out"].notna()
    rows = []
    for row in _records(edges[own]):
        names = ", ".join(map(labels.language, row["held_out"].split()))
        told = labels.script(row["fold"]) if row["kind"] == "script" else row["fold"]
        rows.append(row | {"names": names, "edge": told})
    return rows


def unseen(results: Results) -> dict:
    ladder = results.table("loo/ladder.csv").set_index("predictor")
    summary = results.table("loo/summary.csv").set_index(["level", "predictor"])
    pairs = results.table("loo/pairs.csv")
    scatter = []
    for name, told in ((STUDY, "the study's model"), (OURS, "ours")):
        rows = pairs[pairs["predictor"] == name]
        text = (
            f"Predicted against observed accuracy of {len(rows)} pairs by {told}: mean error "
            f"{ladder.loc[name, 'mae']:.1f} points."
        )
        drawn = picture(f"held-out-{name}", text, held_out.scatter_pairs, rows,
                        held_out.COLOURS[name], height=4.1,
                        ylabel="predicted accuracy (%)")  # fmt: skip
        scatter.append({"title": predictor(name).label, "svg": drawn})
    calibration = results.table("loo/calibration.csv")
    text = (
        "Share of observations inside predictive intervals of each size. Of 80% intervals, "
        f"{ladder.loc[OURS, 'coverage_80']:.0%} hold the pair observed."
    )
    return {
        "ladder": _records(ladder.reset_index()),
        "ours": ladder.loc[OURS].to_dict(),
        "study": ladder.loc[STUDY].to_dict(),
        "mean": summary.loc[("pair", "model_mean"), "mae"],
        "pairs": int(summary.loc[("pair", OURS), "n"]),
        "languages": int(summary.loc[("language", OURS), "n"]),
        "edges": _edges(results),
        "scatter": scatter,
        "coverage": picture("coverage", text, held_out.draw_coverage,
                            calibration[calibration["predictor"] == OURS], "level", height=4.1,
                            ylabel=held_out.INSIDE),
    }  # fmt: skip


def budgets(results: Results) -> dict:
    claims = results.table("sample_size/claims.csv").set_index("statistic")["value"]
    templates = results.table("sample_size/templates.csv")
    own = templates[templates["rank_reference"] == "own_split"].set_index(["split", "templates"])
    error = own["std_error"]
    needed = results.table("sample_size/needed.csv").groupby("std_error", sort=False)
    seen = results.table("loo/few_templates.csv")
    few = seen[(seen["level"] == "pair") & (seen["truth"] == "all") & (seen["predictor"] == OURS)]
    few = few_templates.of_most_draws(few).set_index("k")["mae"].sort_index()
    precise = (
        "Standard error of a score by number of templates: with ten symbolic ones "
        f"{error['symbolic'][10]:.1f} points, with a hundred {error['symbolic'][100]:.1f}."
    )
    told = ", ".join(f"{value:.1f} points after {k}" for k, value in few.items())
    calibrated = (
        f"Mean error of predictions for a held-out language, by templates seen in it: {told}."
    )
    return {
        "claims": claims.to_dict(),
        "error": {split: error[split].to_dict() for split in ("symbolic", "original")},
        "rank": own["rank_correlation"]["symbolic"].to_dict(),
        "needed": [
            {"std_error": wanted, **rows.set_index("split")["templates"].to_dict()}
            for wanted, rows in needed
        ],
        "few": few.to_dict(),
        "figures": [
            picture("precision", precise, sample_size.draw_precision, templates),
            picture("few-templates", calibrated, few_templates.errors_by_budget, seen, "pair",
                    "all"),
        ],
    }  # fmt: skip


def ceiling(results: Results) -> dict:
    table = results.table("ceiling/table.csv")
    term = table[table["term"] == "resource:size"].set_index("restriction", drop=False)
    rows = _records(term)
    told = ", ".join(f"{row['label']} {row['estimate']:.2f}" for row in rows)
    text = f"The product of resource and size without saturated pairs: {told}."
    full, primary = rows[0], term.loc[PRIMARY]
    ends = primary[["conf_low", "conf_high"]]
    share_low, share, share_high = (
        1 - value / full["estimate"] for value in (ends.min(), primary["estimate"], ends.max())
    )
    return {
        "rows": rows,
        "all": full,
        "primary": primary.to_dict(),
        "share": share,
        "share_low": max(share_low, 0.0),
        "share_high": share_high,
        "published": bool(term["published"].notna().any()),
        "counts": _other_counts(rows),
        "figure": picture("ceiling", text, ceiling_study.draw_term, table, "resource:size",
                          height=0.36 * len(rows) + 1.5),
    }  # fmt: skip


def _other_counts(rows: list[dict]) -> list[dict]:
    """Restrictions whose number of saturated pairs is not the published one (``counted``)."""
    table = published.read("study_ceiling").query("name == 'saturated_cells'")
    printed = table.set_index("restriction")["estimate"].astype(float)
    known = [row | {"counted": printed.get(row["restriction"])} for row in rows]
    return [row for row in known if row["counted"] not in (None, row["saturated_cells"])]


def specifications(results: Results) -> dict:
    table = results.table("specifications/table.csv")
    shown, rows, changed = ["resource", "distance", "size"], [], 0
    for _, own in table.groupby("specification", sort=False):
        fixed = own[own["part"] == "fixed"].set_index("term")
        changed += int(fixed["significance_changed"].fillna(False).astype(bool).sum())
        rows.append(
            {
                "label": own["label"].iloc[0],
                "aic_change": own["aic_change"].iloc[0],
                "largest": fixed["change"].drop(INTERCEPT, errors="ignore").abs().max(),
                **fixed["estimate"].reindex(shown),
            }
        )
    effects = pd.DataFrame(rows)
    return {
        "rows": rows,
        "others": len(rows) - 1,
        "ranges": {name: (effects[name].min(), effects[name].max()) for name in shown},
        "changed": changed,
    }


def penalty(results: Results) -> dict:
    by_language = results.table("penalty/by_language.csv")
    effects = results.table("penalty/fixed_effects.csv").set_index("term")
    overall = results.table("penalty/overall.csv")
    names = by_language["language"].map(labels.language)
    ordered = _records(by_language.assign(name=names).sort_values("gap", kind="stable"))
    least, most = ordered[0], ordered[-1]
    text = (
        f"Points that symbolic questions cost, by language: from {least['gap']:.1f} in "
        f"{least['name']} to {most['gap']:.1f} in {most['name']}."
    )
    return {
        "overall": overall.iloc[0].to_dict(),
        "test": results.table("penalty/test.csv").iloc[0].to_dict(),
        "effect": effects.loc[penalty_study.PENALTY].to_dict(),
        "least": least,
        "most": most,
        "figure": picture("penalty", text, penalty_study.draw_gaps, by_language, overall,
                          height=0.24 * len(by_language) + 1.2,
                          xlabel="original − symbolic accuracy (points)"),
    }  # fmt: skip


def equivalence(results: Results) -> dict:
    return {"row": results.table("equivalence/table.csv").iloc[0].to_dict()}


def measures(results: Results) -> dict:
    comparison = results.table("transfer_metrics/comparison.csv")
    correlations = results.table("transfer_metrics/rank_correlations.csv")
    names = ["target_accuracy", "xlt_gap", "transfer_score", "hat", "glmm_level"]
    names = [name for name in names if name in set(correlations["first"]) | {"glmm_level"}]
    rho = correlations.set_index(["first", "second"])["spearman"].to_dict()
    rho |= {(second, first): value for (first, second), value in rho.items()}
    determinants = results.table("transfer_metrics/determinants.csv")
    by_size = determinants[determinants["determinant"] == "size"].set_index("metric")["value"]
    contrast = results.table("transfer_metrics/script_contrast.csv")
    contrast = contrast[contrast["metric"] == "hat"].set_index("side")
    text = (
        "Three measures of every model against its level in the GLMM; rank correlations are in the "
        "table beside."
    )
    return {
        "names": [LABELS[name] for name in names],
        "matrix": [
            {"label": LABELS[first], "values": [rho.get((first, second)) for second in names]}
            for first in names
        ],
        "models": int(correlations["models"].iloc[0]),
        "rho": {name: rho.get(("hat", name)) for name in names},
        "gap_size": by_size.get("xlt_gap"),
        "hat_size": by_size.get("hat"),
        "line": results.table("transfer_metrics/line.csv").iloc[0].to_dict(),
        "contrast": contrast.to_dict("index"),
        "figure": picture("metrics", text, transfer_metrics.against_level, comparison),
    }


def items(results: Results) -> dict:
    rows = results.table("items/languages.csv")
    named = rows.assign(name=rows["language"].map(labels.language))
    read = ("items/judgements.csv",)
    return {
        "rows": _records(named[named["flagged"] > 0]),
        "screened": int(rows["items"].sum()),
        "flagged": int(rows["flagged"].sum()),
        "most": named.loc[named["lost"].idxmax()].to_dict(),
        "read": [] if results.missing(read) else _records(results.table(*read)),
    }


def pooled(results: Results) -> dict:
    """Errors by what was held out, a column per predictor; and by how much text languages have."""
    errors = results.table("pooled/errors.csv")
    by_pair = errors.pivot_table(index=["held", "benchmark"], columns="predictor", values="mae",
                                 sort=False)  # fmt: skip
    shown = [name for name in PREDICTORS if name in by_pair]
    names = benchmark_names.registry()["name"]
    ours = errors[errors["predictor"] == "pooled"].set_index(["held", "benchmark"])
    rows = []
    for held, code in ours.index:
        errors_there = by_pair.loc[(held, code), shown]
        simpler = errors_there.drop(["pooled", "integrated"], errors="ignore").dropna()
        best = (
            None if simpler.empty or simpler.min() >= errors_there["pooled"] else simpler.idxmin()
        )
        rows.append(
            {
                "held": held,
                "name": names.get(code, code),
                "errors": errors_there.tolist(),
                "alone": errors_there.get("study_alone"),
                "simpler": PREDICTORS.get(best),
                "closer": errors_there.get(best),
                **ours.loc[(held, code)],
            }
        )
    thirds = []
    if not results.missing((THIRDS,)):
        table = results.table(THIRDS)
        thirds = _records(table[table["predictor"] == "pooled"])
    return {"rows": rows, "predictors": [PREDICTORS[name] for name in shown], "thirds": thirds}


def limits(results: Results) -> dict:
    simulated = None
    if not results.missing(("coverage/coverage.csv",)):
        coverage = results.table("coverage/coverage.csv")
        wald = coverage.query("method == 'wald' and kind == 'fixed' and term == 'resource'")
        simulated = wald["coverage"].iloc[0]
    edges = sorted(_edges(results), key=lambda row: row["coverage_80"])
    return {
        "languages": _levels(results)["language"],
        "narrowest": edges[0] if edges else None,
        "widest": edges[-1] if edges else None,
        "simulated": simulated,
        "edges": results.table("loo/ladder.csv").set_index("predictor").loc[OURS].to_dict(),
    }


def _where_written(results: Results, name: str, key: str) -> dict[str, dict]:
    """Rows of a table by key; none where a user's formula left nothing to write."""
    return {} if results.missing((name,)) else results.table(name).set_index(key).to_dict("index")


def _records(table: pd.DataFrame) -> list[dict]:
    return table.to_dict("records")


SECTIONS = (
    Section("explorer", "What would your model score in your language?"),
    Section("question", "The question",
            ("outcomes/summary.csv", "features/languages.csv"), question,
            rows=(("outcomes/summary.csv", "split", ("symbolic",)),
                  ("outcomes/summary.csv", "language", (ENGLISH,)))),
    Section("data", "Data",
            ("glmm/glance.csv", "glmm/random_effects.csv"), data),
    Section("determinants", "What determines transfer",
            ("glmm/fixed_effects.csv", "glmm/random_effects.csv"), determinants),
    Section("levers", "Levers: size and reasoning",
            ("levers/levers.csv", "levers/exchange_rates.csv", "levers/scale_cost.csv",
             "features/languages.csv"), levers),
    Section("unseen", "Languages that nobody tested",
            ("loo/ladder.csv", "loo/summary.csv", "loo/pairs.csv", "loo/calibration.csv",
             "loo/extrapolation.csv"), unseen,
            rows=(("loo/ladder.csv", "predictor", (STUDY, OURS)),
                  ("loo/summary.csv", "predictor", ("model_mean",)))),
    Section("budgets", "How many templates",
            ("sample_size/claims.csv", "sample_size/templates.csv", "sample_size/needed.csv",
             "loo/few_templates.csv"), budgets,
            rows=(("sample_size/templates.csv", "split", ("symbolic", "original")),
                  ("loo/few_templates.csv", "predictor", (OURS,)),
                  ("loo/few_templates.csv", "k", (0, 5, 20)))),
    Section("items", "Items that are odd in one language", ("items/languages.csv",), items,
            optional=True),
    Section("pooled", "On other benchmarks", ("pooled/errors.csv",), pooled, optional=True),
    Section("ablations", "Does it hold?"),
    Section("ceiling", "Without saturated cells", ("ceiling/table.csv",), ceiling, 3,
            rows=(("ceiling/table.csv", "term", ("resource:size",)),
                  ("ceiling/table.csv", "restriction", (PRIMARY,)))),
    Section("specifications", "Other specifications",
            ("specifications/table.csv",), specifications, 3),
    Section("penalty", "The symbolic penalty",
            ("penalty/by_language.csv", "penalty/overall.csv", "penalty/test.csv",
             "penalty/fixed_effects.csv"), penalty, 3),
    Section("equivalence", "Metric and imperial English",
            ("equivalence/table.csv",), equivalence, 3),
    Section("measures", "Three measures of transfer",
            ("transfer_metrics/comparison.csv", "transfer_metrics/rank_correlations.csv",
             "transfer_metrics/determinants.csv", "transfer_metrics/line.csv",
             "transfer_metrics/script_contrast.csv"), measures),
    Section("limits", "Limits", ("loo/ladder.csv", "glmm/random_effects.csv"), limits,
            rows=(("loo/ladder.csv", "predictor", (OURS,)),
                  ("glmm/random_effects.csv", "group", ("language",)))),
    Section("glossary", "Glossary"),
    Section("cite", "How to cite"),
    Section("versions", "Versions, seed and hashes"),
)  # fmt: skip
