"""A small crossed design with known truth, and lme4's fit of it, made once."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.r_session import session
from scipy.special import expit

FORMULA = (
    "~ resource * size + (1 | variant) + (1 | template) + (1 | language) + (1 | variant:language)"
)
TRUTH = {"(Intercept)": 0.3, "resource": 0.8, "size": 1.2, "resource:size": -0.3}
TRUE_SD = {"variant": 0.5, "template": 1.0, "language": 0.4, "variant:language": 0.5}


def simulate(
    seed: int, languages: int = 20, variants: int = 16, templates: int = 12
) -> pd.DataFrame:
    """Cells of 20 instances from ``FORMULA`` with ``TRUTH`` and ``TRUE_SD``."""
    rng = np.random.default_rng(seed)
    grid = pd.MultiIndex.from_product(
        [range(variants), range(languages), range(templates)],
        names=["variant", "language", "template"],
    ).to_frame(index=False)
    v, lang, t = (grid[name].to_numpy() for name in grid.columns)
    resource = rng.permutation(np.linspace(-1.6, 1.6, languages))[lang]
    size = rng.permutation(np.linspace(-1.6, 1.6, variants))[v]
    eta = (
        TRUTH["(Intercept)"] + TRUTH["resource"] * resource + TRUTH["size"] * size
        + TRUTH["resource:size"] * resource * size
        + rng.normal(0, TRUE_SD["variant"], variants)[v]
        + rng.normal(0, TRUE_SD["language"], languages)[lang]
        + rng.normal(0, TRUE_SD["template"], templates)[t]
        + rng.normal(0, TRUE_SD["variant:language"], variants * languages)[v * languages + lang]
    )  # fmt: skip
    return pd.DataFrame(
        {
            "variant": [f"v{i:02d}" for i in v],
            "language": [f"l{i:02d}" for i in lang],
            "template": [f"t{i:02d}" for i in t],
            "resource": resource,
            "size": size,
            "n_correct": rng.binomial(20, expit(eta)),
            "n_total": 20,
        }
    )


@pytest.fixture(scope="session")
def r(with_r):
    """R with lme4 attached, as ``rpy2.robjects.r``; tests that judge by it are skipped without."""
    return session().robjects.r


@pytest.fixture(scope="session")
def simulate_cells():
    """``simulate``, for tests that need a design of another size."""
    return simulate


@pytest.fixture(scope="session")
def cells():
    return simulate(seed=11)


@pytest.fixture(scope="session")
def lme4_fit(cells, with_r):
    from capability_transfer.analysis.glmm import lme4

    stages = []
    fit = lme4.fit(FORMULA, cells, progress=lambda *report: stages.append(report))
    fit.diagnostics["stages"] = stages
    return fit
