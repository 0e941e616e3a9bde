"""SDs and angles in place of the engine's parameters: there and back, and how they move."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.inference.coordinates import Coordinates
from capability_transfer.analysis.glmm.laplace import Model


@pytest.fixture(scope="module")
def coordinates():
    """Of a term with three correlated effects on covariates of other scales, and an intercept."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"g": np.repeat(list("abcdef"), 20), "h": list("uvwx") * 30})
    data = data.assign(x=rng.normal(2, 3, 120), z=rng.normal(0, 0.1, 120), n_total=9)
    data["n_correct"] = rng.integers(0, 10, 120)
    return Coordinates(Model("~ x + (1 + x + z | g) + (1 | h)", data))


@pytest.fixture
def omega(coordinates):
    rng = np.random.default_rng(2)
    kinds = [label.kind for label in coordinates.labels]
    ranges = {"fixed": (-1, 1), "sd": (0.3, 2), "angle": (-1.2, 1.2)}
    return np.array([rng.uniform(*ranges[kind]) for kind in kinds])


def test_every_parameter_has_a_coordinate(coordinates):
    kinds = [(label.kind, label.group, label.term) for label in coordinates.labels]
    assert kinds == [
        ("fixed", "", "(Intercept)"), ("fixed", "", "x"),
        ("sd", "g", "(Intercept)"), ("sd", "g", "x"), ("angle", "g", "x"),
        ("sd", "g", "z"), ("angle", "g", "z"), ("angle", "g", "z"), ("sd", "h", "(Intercept)"),
    ]  # fmt: skip


def test_coordinates_lead_back_to_the_parameters(coordinates, omega):
    np.testing.assert_allclose(coordinates.of(coordinates.phi(omega)), omega, atol=1e-10)


def test_the_jacobian_is_that_of_differences(coordinates, omega):
    found, step = coordinates.jacobian(omega), 1e-6
    for j, one in enumerate(np.eye(len(omega)) * step):
        moved = coordinates.phi(omega + one) - coordinates.phi(omega - one)
        np.testing.assert_allclose(found[:, j], moved / (2 * step), rtol=1e-6, atol=1e-7)
