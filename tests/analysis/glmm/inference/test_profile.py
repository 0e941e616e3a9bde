"""Profile intervals against lme4's, and at boundaries."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.inference import profile_intervals, simulate
from capability_transfer.analysis.glmm.inference.coordinates import Coordinates
from capability_transfer.analysis.glmm.inference.profile import profile_count
from capability_transfer.analysis.glmm.laplace import Model, fit
from capability_transfer.analysis.glmm.laplace.optimise import Objective
from capability_transfer.common.errors import InputError
from scipy import stats

EXPECTED = pd.read_csv(
    Path(__file__).parents[3] / "expected" / "glmm_profile.csv", keep_default_na=False
)


@pytest.mark.parametrize("name", ["intercepts", "slopes"])
def test_equals_lme4s_profile(name, fitted, fitted_slopes):
    model, optimum = fitted if name == "intercepts" else fitted_slopes
    kinds = ("fixed", "sd") if name == "intercepts" else ("sd",)
    done = []
    ours = profile_intervals(model, optimum, kinds=kinds, progress=done.append)
    both = EXPECTED[EXPECTED["model"] == name].merge(ours, on=["kind", "group", "term"])
    assert len(both) == len(ours) == profile_count(model, kinds) == sum(done)
    for end in ("conf_low", "conf_high"):  # lme4 interpolates its profile by splines
        assert both[f"{end}_y"].to_numpy() == pytest.approx(both[f"{end}_x"].to_numpy(), rel=3e-4)


@pytest.mark.parametrize(("seed", "singular"), [(0, False), (3, True)])
def test_an_sd_not_distinct_from_zero_reaches_zero(seed, singular, few_cells, fitted):
    rng = np.random.default_rng(seed)
    nothing = [f"n{i}" for i in rng.integers(0, 15, len(few_cells))]
    data = few_cells.assign(nothing=nothing, n_correct=simulate(*fitted, rng))
    model = Model("~ resource + size + (1 | language) + (1 | variant) + (1 | nothing)", data)
    optimum = model.optimise()
    assert optimum.free.all() != singular
    table = profile_intervals(model, optimum, kinds=("sd",)).set_index("group")
    assert table.loc["nothing", "conf_low"] == 0
    assert table.loc["language", "conf_low"] > 0.05
    beta, others = np.split((model.to_natural() @ optimum.point.phi)[:5], [3])
    top = model.log_likelihood([*others, optimum.point.phi[5]], beta)
    end = model.log_likelihood([*others, table.loc["nothing", "conf_high"]], beta)
    assert top - end == pytest.approx(1.92, abs=0.5)  # half the quantile, the others held


def test_a_lower_level_gives_a_narrower_interval(fitted):
    wide, narrow = (profile_intervals(*fitted, level=level, kinds=("sd",)) for level in (0.95, 0.5))
    assert (narrow["conf_low"] > wide["conf_low"]).all()
    assert (narrow["conf_high"] < wide["conf_high"]).all()


def test_a_value_that_cannot_be_evaluated_at_once_is_come_to_by_nearer_ones(fitted, monkeypatch):
    wanted = profile_intervals(*fitted, kinds=("sd",))
    evaluate, values = Objective.at, []

    def at(self, phi, modes=None):
        if modes is fitted[1].point.modes and np.abs(phi - fitted[1].point.phi).max() > 0.1:
            values.append(phi)
            raise FloatingPointError  # too far from the fit's own modes
        return evaluate(self, phi, modes)

    monkeypatch.setattr(Objective, "at", at)
    found = profile_intervals(*fitted, kinds=("sd",))
    assert values
    for end in ("conf_low", "conf_high"):
        assert found[end].to_numpy() == pytest.approx(wanted[end].to_numpy(), rel=1e-3)


def test_refuses_a_fit_without_an_exact_hessian(fitted):
    model, optimum = fitted
    with pytest.raises(InputError, match="exact Hessian"):
        profile_intervals(model, replace(optimum, exact=False))


def test_refuses_a_point_that_is_not_the_maximum(fitted):
    model, optimum = fitted
    low = replace(optimum.point, phi=optimum.point.phi - 0.3, value=optimum.point.value - 5)
    with pytest.raises(InputError, match="not at the maximum"):
        profile_intervals(model, replace(optimum, point=low), kinds=("fixed",))


def test_coordinates_go_there_and_back(fitted_slopes):
    model, optimum = fitted_slopes
    coordinates = Coordinates(model)
    omega = coordinates.of(optimum.point.phi)
    assert coordinates.phi(omega) == pytest.approx(optimum.point.phi, abs=1e-12)
    jacobian = coordinates.jacobian(omega)
    for j, step in enumerate(np.eye(len(omega)) * 1e-6):
        slope = (coordinates.phi(omega + step) - coordinates.phi(omega - step)) / 2e-6
        assert jacobian[:, j] == pytest.approx(slope, abs=1e-8)


def test_an_sd_is_estimated_where_any_entry_of_its_row_is(fitted_slopes):
    model, optimum = fitted_slopes
    coordinates = Coordinates(model)
    (place, here) = next(row for row in coordinates.rows if len(row[0]) == 2)
    free = np.ones(len(optimum.point.phi), dtype=bool)
    free[place[1]] = False  # a correlation of 1: the effect varies, and its angle is given
    found = coordinates.free(free)
    assert found[here].tolist() == [True, False]
    assert found.sum() == len(found) - 1
    free[place] = False
    assert coordinates.free(free)[here].tolist() == [False, False]


@pytest.mark.parametrize("seed", [1, 5])
def test_bounds_beside_an_sd_of_zero_let_it_rise(seed):
    """A bound is where a fit with the coefficient held there (as an offset) says it is."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(6), 10)
    x = rng.normal(size=6)[group]
    eta = 0.3 * x + 0.5 * rng.normal(size=6)[group]
    data = pd.DataFrame(
        {
            "g": [f"g{i}" for i in group],
            "h": [f"h{i % 5}" for i in range(60)],
            "x": x,
            "y": rng.binomial(1, 1 / (1 + np.exp(-eta))),
        }
    )
    model = Model("y ~ x + (1 | g) + (1 | h)", data)
    optimum = model.optimise()
    assert not optimum.free.all()
    bounds = profile_intervals(model, optimum, kinds=("fixed",)).set_index("term")
    for bound in bounds.loc["x", ["conf_low", "conf_high"]]:
        held = fit("y ~ 1 + offset(o) + (1 | g) + (1 | h)", data.assign(o=bound * data["x"]))
        fall = 2 * (optimum.point.value + model.constant - held.log_lik)
        assert held.random_effects["sd"].max() > 0.3
        assert fall == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-4)
