"""Small designs of four kinds, simulated from frozen random streams, and parameter points."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.laplace import Model
from scipy.special import expit

EXPECTED = Path(__file__).parents[3] / "expected"
POINTS = 20
MAIN = (
    "~ (fertility + distance + resource) * size + (fertility + distance + resource + size) "
    "* reasoning + (1 | family) + (1 | base_model) + (1 | variant) + (1 | template) "
    "+ (1 | language) + (1 | variant:language)"
)
FORMULAS = {
    "main": MAIN,
    "template_language": MAIN + " + (1 | template:language)",
    "penalty": "~ split * (resource + distance) + (1 + split | language) + (1 | base_model) "
    "+ (1 | variant) + (1 | template) + (1 | variant:language)",
    "ragged": "correct ~ difficulty + (1 | subject) + (1 + difficulty | item)",
}


def _crossed(random, splits=("symbolic",), variants=14, bases=9, families=3, languages=6,
             templates=10):  # fmt: skip
    """Cells (variant, language, template, split) with effects of everything; counts of 20 or 1."""
    base = np.r_[np.arange(bases), np.arange(variants - bases)]
    grid = pd.MultiIndex.from_product(
        [range(variants), range(languages), range(templates), splits],
        names=["variant", "language", "template", "split"],
    ).to_frame(index=False)
    v, lang, t = (grid[name].to_numpy() for name in ("variant", "language", "template"))
    size, resource, distance = random.randn(bases), random.randn(languages), random.randn(languages)
    fertility = random.randn(variants, languages)
    thinking = np.arange(variants) >= bases
    symbolic = (grid["split"] == "symbolic").to_numpy()
    eta = (
        0.8 * resource[lang] + size[base[v]] - 0.3 * distance[lang] + 0.6 * thinking[v]
        - 0.2 * resource[lang] * size[base[v]] - 0.3 * symbolic
        + random.randn(families)[base[v] % families] + 0.7 * random.randn(bases)[base[v]]
        + 0.3 * random.randn(variants)[v] + (0.4 * random.randn(languages))[lang]
        + symbolic * (0.3 * random.randn(languages))[lang] + random.randn(templates)[t]
        + 0.6 * random.randn(variants, languages)[v, lang]
        + 0.5 * random.randn(templates, languages)[t, lang]
    )  # fmt: skip
    trials = np.where(symbolic, 20, 1)
    return pd.DataFrame(
        {
            "n_correct": random.binomial(trials, expit(eta)),
            "n_total": trials,
            "variant": [f"v{i:02d}" for i in v],
            "base_model": [f"b{i}" for i in base[v]],
            "family": [f"f{i}" for i in base[v] % families],
            "language": [f"l{i}" for i in lang],
            "template": [f"t{i}" for i in t],
            "split": grid["split"],
            "fertility": fertility[v, lang],
            "distance": distance[lang],
            "resource": resource[lang],
            "size": size[base[v]],
            "reasoning": np.where(thinking[v], "on", "off"),
        }
    )


def _ragged(random, subjects=40, items=12, share=0.7):
    """Bernoulli answers of subjects to some of the items, difficulty varying by row."""
    subject, item = (x.ravel() for x in np.indices((subjects, items)))
    kept = random.rand(subjects * items) < share
    subject, item = subject[kept], item[kept]
    difficulty = random.randn(len(item))
    eta = 0.4 - 0.7 * difficulty + random.randn(subjects)[subject] + random.randn(items)[item]
    eta += 0.5 * random.randn(items)[item] * difficulty
    return pd.DataFrame(
        {
            "correct": random.binomial(1, expit(eta)),
            "difficulty": difficulty,
            "subject": [f"s{i}" for i in subject],
            "item": [f"i{i}" for i in item],
        }
    )


def make(name: str) -> tuple[str, pd.DataFrame]:
    random = np.random.RandomState(20)  # its streams never change
    if name == "ragged":
        return FORMULAS[name], _ragged(random)
    if name == "penalty":
        return FORMULAS[name], _crossed(random, ("original", "symbolic"))
    return FORMULAS[name], _crossed(random)


def points_of(model: Model) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random (θ, β): SDs from .05 to 1.5, off-diagonal entries of either sign."""
    random = np.random.RandomState(21)
    off_diagonal = np.concatenate([np.not_equal(*term.triangle()) for term in model.design.terms])
    size = len(off_diagonal)
    points = []
    for _ in range(POINTS):
        sds, others = random.uniform(0.05, 1.5, size), 0.4 * random.randn(size)
        beta = 0.4 * random.randn(len(model.design.names))
        points.append((np.where(off_diagonal, others, sds), beta))
    return points


@pytest.fixture(scope="session", params=list(FORMULAS))
def case(request):
    """A design's name, its model, its data and its parameter points."""
    formula, data = make(request.param)
    model = Model(formula, data)
    return request.param, model, data, points_of(model)


@pytest.fixture(scope="session")
def design():
    """``design(name)``: a named design's formula and data."""
    return make


@pytest.fixture(scope="session")
def expected():
    """``expected(name)``: a table of expected values."""
    return lambda name: pd.read_csv(EXPECTED / f"{name}.csv", comment="#")
