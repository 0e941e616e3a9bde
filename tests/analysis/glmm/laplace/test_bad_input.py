"""What cannot be fitted is refused with its name."""

import numpy as np
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.laplace import Kernel, Model, Settings
from capability_transfer.common.errors import InputError

FORMULA = "~ resource + (1 | variant) + (1 | template)"


@pytest.fixture(scope="module")
def cells(design):
    return design("main")[1]


def refused(formula, data, match, **options):
    with pytest.raises(InputError, match=match):
        laplace.fit(formula, data, **options)


def test_columns_and_values(cells):
    refused("~ wealth + (1 | variant)", cells, "wealth")
    refused(FORMULA, cells.assign(resource=np.nan), "resource is missing or not finite")
    refused(FORMULA, cells.assign(resource=np.inf), "resource is missing or not finite")
    refused(FORMULA, cells.assign(n_correct=21), "failures of row 0")
    refused(FORMULA, cells.iloc[:0], "no rows")


def test_designs_without_an_answer(cells):
    doubled = cells.assign(double=2 * cells["resource"])
    refused("~ resource + double + (1 | variant)", doubled, "double")
    refused("~ resource + (1 | split)", cells, "at least two levels of split")
    refused(FORMULA, cells.assign(n_correct=0), "every outcome is wrong")
    refused(FORMULA, cells.assign(n_correct=20), "every outcome is right")
    constant = cells.assign(flat=1.0)
    refused("~ resource + (1 + flat | variant)", constant, "flat .* constant")
    refused("~ flat + (1 | variant)", constant, "flat")


def test_kernels(cells):
    languages = sorted(cells["language"].unique())

    def kernel(match, **changes):
        arguments = {"name": "near", "factor": "language", "levels": languages,
                     "matrix": np.eye(6)} | changes  # fmt: skip
        refused(FORMULA, cells, match, structured=[Kernel(**arguments)])

    kernel("6 levels", matrix=np.eye(5))
    kernel("no language l5", levels=[*languages[:5], "xx"])
    kernel("not distinct", levels=[*languages[:5], "l0"])
    kernel("not symmetric", matrix=np.triu(np.ones((6, 6))))
    kernel("not a covariance matrix", matrix=np.eye(6) - 0.5)
    kernel("not finite", matrix=np.full((6, 6), np.nan))
    kernel("tongue", factor="tongue")
    kernel("tongue", by="tongue")
    kernel("called variant", name="variant")


def test_refits_and_settings(cells):
    model = Model(FORMULA, cells)
    with pytest.raises(InputError, match="840 rows, not 3"):
        model.refit(np.zeros(3))
    with pytest.raises(InputError, match="between 0 and the trials"):
        model.refit(np.full(840, 21))
    with pytest.raises(InputError, match="exact"):
        Settings(hessian="none")


def test_a_kernel_has_a_covariance_matrix_up_to_rounding():
    for too_alike, refused in ((1.02, True), (1 + 1e-12, False), (0.9, False)):
        kernel = Kernel("near", "language", ["a", "b"], np.array([[1, too_alike], [too_alike, 1]]))
        if refused:
            with pytest.raises(InputError, match="kernel near: .* not a covariance matrix"):
                kernel.root()
        else:
            root = kernel.root()
            np.testing.assert_allclose(root @ root.T, kernel.matrix, atol=1e-9)


def test_an_offset_that_is_not_in_log_odds_is_named(cells):
    far = cells.assign(far=np.random.default_rng(0).normal(0, 300, len(cells)).round(1))
    largest = far["far"].abs().max()
    refused(f"{FORMULA} + offset(far)", far, f"up to {largest:,.0f} log-odds from 0")
