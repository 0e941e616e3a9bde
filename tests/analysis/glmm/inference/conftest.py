"""A design of 384 rows that refits in milliseconds, with and without a random slope."""

import pytest
from capability_transfer.analysis.glmm.laplace import Model

FORMULA = "~ resource + size + (1 | language) + (1 | variant)"
SLOPES = "~ resource + size + (1 + resource | variant) + (1 | language)"


@pytest.fixture(scope="session")
def few_cells(simulate_cells):
    return simulate_cells(3, languages=12, variants=8, templates=4)


@pytest.fixture(scope="session")
def fitted(few_cells):
    model = Model(FORMULA, few_cells)
    return model, model.optimise()


@pytest.fixture(scope="session")
def fitted_slopes(few_cells):
    model = Model(SLOPES, few_cells)
    return model, model.optimise()
