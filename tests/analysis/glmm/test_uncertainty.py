"""Standard errors of rows' log-odds, whichever rows are asked about together."""

import numpy as np
import pytest
from capability_transfer.analysis.glmm.laplace import Model, report
from capability_transfer.analysis.glmm.uncertainty import standard_errors


@pytest.fixture(scope="module")
def fitted(cells):
    model = Model("~ resource + (1 | variant) + (1 | language)", cells)
    optimum = model.optimise()
    return report(model, optimum), model, optimum


@pytest.mark.parametrize("groups", [None, ("language",), ()])
def test_a_row_has_its_error_alone_as_among_others(fitted, cells, groups):
    rows = cells.iloc[[0, 500, 1000]]
    among = standard_errors(*fitted, rows, groups)
    alone = [standard_errors(*fitted, rows.iloc[[at]], groups)[0] for at in range(3)]
    np.testing.assert_allclose(alone, among, rtol=1e-10)


def test_without_groups_the_error_is_that_of_the_fixed_effects(fitted, cells):
    fit = fitted[0]
    rows = cells.iloc[[0, 500]]
    x = np.column_stack([np.ones(2), rows["resource"]])
    expected = np.sqrt(np.diag(x @ fit.covariance @ x.T))
    np.testing.assert_allclose(standard_errors(*fitted, rows, ()), expected, rtol=1e-10)
    new = rows.assign(language="new", variant="new")
    np.testing.assert_allclose(standard_errors(*fitted, new), expected, rtol=1e-10)
    assert (standard_errors(*fitted, rows) < expected).all()  # what was seen is known better
