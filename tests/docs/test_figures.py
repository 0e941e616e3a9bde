"""Figures that the README and the documentation state are those of the committed results."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.artefacts


def results(name: str, where: str = "") -> pd.DataFrame:
    """A results file, or the rows of it that a query keeps."""
    table = pd.read_csv(ROOT / "results" / f"{name}.csv")
    return table.query(where) if where else table


def value(name: str, column: str, where: str) -> float:
    """The one figure of a results file that is meant."""
    (found,) = results(name, where)[column]
    return float(found)


def estimate(term: str, column: str = "estimate") -> float:
    return value("glmm/fixed_effects", column, f"term == '{term}'")


def sd(feature: str) -> float:
    return value("glmm/standardisation", "sd", f"feature == '{feature}'")


def explained(group: str) -> float:
    return 100 * value("glmm/variance_explained", "explained", f"group == '{group}'")


def mae(predictor: str) -> float:
    return value("loo/ladder", "mae", f"predictor == '{predictor}'")


def few(k: int) -> float:
    where = "predictor == 'smooth' and truth == 'all' and draws == 20 and level == 'pair'"
    return value("loo/few_templates", "mae", f"{where} and k == {k}")


def covers(name: str, nominal: float) -> float:
    where = f"predictor == 'smooth' and level == 'pair' and nominal == {nominal}"
    return 100 * value(f"loo/{name}", "coverage", where)


def edge(fold: str) -> float:
    where = f"predictor == 'smooth' and level == 'pair' and fold == '{fold}'"
    return 100 * value("loo/extrapolation", "coverage_80", where)


def few_covers(k: int) -> float:
    where = f"predictor == 'smooth' and k == {k}"
    return 100 * value("loo/few_templates_coverage", "coverage_80", where)


def standard_error(templates: int) -> float:
    where = f"split == 'symbolic' and rank_reference == 'own_split' and templates == {templates}"
    return value("sample_size/templates", "std_error", where)


def wald(method: str) -> float:
    where = f"method == '{method}' and term == 'resource'"
    return 100 * value("coverage/coverage", "coverage", where)


def pooled(column: str, where: str, predictor: str = "pooled", table: str = "errors") -> float:
    return value(f"pooled/{table}", column, f"predictor == '{predictor}' and {where}")


def below(column: str, models: str, predictor: str = "pooled") -> float:
    return pooled(column, f"models == '{models}'", predictor, "below_the_edge")


def third(column: str, name: str) -> float:
    return pooled(column, f"third == '{name}'", table="by_resource")


def held(column: str, what: str, benchmark: str = "mgsm_symbolic") -> float:
    return pooled(column, f"held == '{what}' and benchmark == '{benchmark}'")


def largest_difference() -> float:
    return results("glmm/fixed_effects")["difference"].abs().max()


README, LIMITS, QUESTIONS = "README.md", "docs/limitations.md", "docs/questions.md"
STATED = [
    (README, "({:.1f} times the parameters) is worth", lambda: 2 ** sd("size")),
    (README, "is worth {:.2f}, one SD", lambda: estimate("size")),
    (README, "({:.1f} times the pages)", lambda: 10 ** sd("resource")),
    (README, "the pages) {:.2f}, and", lambda: estimate("resource")),
    (README, "explain {:.0f}% of the variance between languages", lambda: explained("language")),
    (README, "only {:.0f}% of that between models", lambda: explained("variant:language")),
    (README, "published one by more than {:.3f}", largest_difference),
    (README, "within {:.1f} points on average by the study's", lambda: mae("study")),
    (README, "and within {:.1f} by ours", lambda: mae("smooth")),
    (README, "a standard error of {:.1f} points", lambda: standard_error(100)),
    (README, "one on 10 templates of {:.1f}", lambda: standard_error(10)),
    (README, "from {:.1f} points to", lambda: few(0)),
    (README, "points to {:.1f}.", lambda: few(10)),
    (QUESTIONS, "from {:.1f} to", lambda: few(0)),
    (QUESTIONS, "to {:.1f} accuracy points", lambda: few(10)),
    (LIMITS, "cover it in {:.0f}% of 1,000 data sets", lambda: wald("wald")),
    (LIMITS, "and {:.0f}% if Student's t", lambda: wald("wald, t")),
    (LIMITS, "80% intervals cover {:.0f}% of", lambda: covers("intervals", 0.8)),
    (LIMITS, "95% ones {:.0f}%", lambda: covers("intervals", 0.95)),
    (LIMITS, "cover {:.0f}% of the pairs in the three languages", lambda: edge("least text")),
    (LIMITS, "with least text, {:.0f}% in", lambda: edge("most distant")),
    (LIMITS, "between {:.0f}% (Devanagari)", lambda: edge("Deva")),
    (LIMITS, "and {:.0f}% (Arabic)", lambda: edge("Arab")),
    (LIMITS, "cover {:.0f}% of the pairs after one", lambda: few_covers(1)),
    (LIMITS, "{:.0f}% after five", lambda: few_covers(5)),
    (LIMITS, "and {:.0f}% after twenty", lambda: few_covers(20)),
    (LIMITS, "are {:.1f} points off for models that the study has",
        lambda: below("mae", "in the study")),
    (LIMITS, "and {:.1f} for others", lambda: below("mae", "others")),
    (LIMITS, "by pages, {:.1f} and", lambda: below("mae", "in the study", "nearest_language")),
    (LIMITS, "and {:.1f}. Their 80%", lambda: below("mae", "others", "nearest_language")),
    (LIMITS, "intervals cover {:.0f}% and", lambda: 100 * below("coverage_80", "in the study")),
    (LIMITS, "and {:.0f}% of the pairs. The", lambda: 100 * below("coverage_80", "others")),
    (LIMITS, "predictions are {:.1f}, ", lambda: third("mae", "least text")),
    (LIMITS, ", {:.1f} and", lambda: third("mae", "middle third")),
    (LIMITS, "and {:.1f} points off, and", lambda: third("mae", "most text")),
    (LIMITS, "intervals cover {:.0f}%, ", lambda: 100 * third("coverage_80", "least text")),
    (LIMITS, "%, {:.0f}% and", lambda: 100 * third("coverage_80", "middle third")),
    (LIMITS, "pooled predictor ({:.1f} points)", lambda: held("mae", "language")),
    (LIMITS, "is predicted {:.0f} points off", lambda: held("mae", "family")),
    (LIMITS, "never seen {:.0f} (the study's", lambda: held("mae", "benchmark")),
    (LIMITS, "to {:.0f} (MGSM-Pro", lambda: held("mae", "benchmark", "mgsm_pro")),
    (LIMITS, "the 80% ones cover {:.0f}% only", lambda: 100 * held("coverage_80", "benchmark")),
    (LIMITS, "differ much (SD {:.1f} log-odds)", lambda: value(
        "glmm/random_effects", "sd", "group == 'family'")),
]  # fmt: skip


@pytest.mark.parametrize(("page", "text", "figure"), STATED, ids=[text for _, text, _ in STATED])
def test_figure(page, text, figure):
    said = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert text.format(figure()) in said
