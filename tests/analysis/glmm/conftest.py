"""A small crossed design with known truth, and lme4's fit of it, made once."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.r_session import session

from tests.simulation import answered, crossed, effects, named

FORMULA = (
    "~ resource * size + (1 | variant) + (1 | template) + (1 | language) + (1 | variant:language)"
)
TRUTH = {"(Intercept)": 0.3, "resource": 0.8, "size": 1.2, "resource:size": -0.3}
TRUE_SD = {"variant": 0.5, "language": 0.4, "template": 1.0, "variant:language": 0.5}


def simulate(
    seed: int, languages: int = 20, variants: int = 16, templates: int = 12
) -> pd.DataFrame:
    """Cells of 20 instances from ``FORMULA`` with ``TRUTH`` and ``TRUE_SD``."""
    rng = np.random.default_rng(seed)
    grid = crossed(variant=variants, language=languages, template=templates)
    resource = rng.permutation(np.linspace(-1.6, 1.6, languages))[grid["language"]]
    size = rng.permutation(np.linspace(-1.6, 1.6, variants))[grid["variant"]]
    eta = (
        TRUTH["(Intercept)"] + TRUTH["resource"] * resource + TRUTH["size"] * size
        + TRUTH["resource:size"] * resource * size
        + effects(rng, grid, TRUE_SD)
    )  # fmt: skip
    cells = named(grid, variant="v{:02d}", language="l{:02d}", template="t{:02d}")
    return answered(rng, cells.assign(resource=resource, size=size), eta)


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
