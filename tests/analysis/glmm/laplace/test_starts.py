"""Several starts: where they are, when they are taken by themselves, and what they find."""

import numpy as np
import pytest
from capability_transfer.analysis.glmm import laplace, lme4
from capability_transfer.analysis.glmm.judge import judge
from capability_transfer.analysis.glmm.laplace.starts import AUTOMATIC, is_clear, spread
from capability_transfer.common.errors import InputError


def test_a_clear_peak_takes_one_start(design):
    model = laplace.Model(*design("ragged"))
    optimum = model.optimise()
    assert is_clear(model.design, optimum)
    assert optimum.reached == (optimum.point.value,)


def test_more_starts_end_at_the_same_peak(design):
    model = laplace.Model(*design("ragged"))
    first, best = model.optimise(starts=1), model.optimise(starts=4)
    assert len(best.reached) == 4
    np.testing.assert_allclose(best.reached, first.point.value, atol=1e-4)
    assert laplace.report(model, best).warnings() == laplace.report(model, first).warnings()


def test_starts_are_the_same_whenever_they_are_asked_for_and_reach_far(design):
    model = laplace.Model(*design("ragged"))
    starts = np.array(spread(model.design, 6))
    np.testing.assert_array_equal(starts, spread(model.design, 6))
    assert starts.shape == (6, model.design.parameters)
    assert np.abs(starts).max() > 5
    assert np.ptp(starts, axis=0).min() > 0


def test_fits_can_be_starts(design):
    formula, data = design("ragged")
    other = laplace.fit(formula, data.iloc[::2])
    fit = laplace.fit(formula, data, starts=[other])
    np.testing.assert_allclose(fit.diagnostics["starts"], [fit.log_lik] * 2, atol=1e-4)


def test_no_start_is_none(design):
    with pytest.raises(InputError, match="one start or more, not 0"):
        laplace.fit(*design("ragged"), starts=0)


def test_a_higher_maximum_is_found_where_the_first_is_flat(r, expected):
    text = "y ~ x * z + (x || g) + (1 | g:h)"
    data = expected("glmm_two_maxima").astype({"g": str, "h": str})
    lone = laplace.fit(text, data, starts=1)
    assert lone.diagnostics["starts"] == [lone.log_lik]
    found = laplace.fit(text, data)
    assert len(found.diagnostics["starts"]) == AUTOMATIC
    assert found.log_lik == pytest.approx(max(found.diagnostics["starts"]))
    assert found.log_lik - lone.log_lik == pytest.approx(2.43, abs=0.02)
    assert any("more than one maximum: of 8 starts" in note for note in found.warnings())
    # lme4 begins at the lower one too, and has our likelihood at the higher
    assert lme4.fit(text, data).log_lik == pytest.approx(lone.log_lik, abs=1e-2)
    assert abs(judge(found, data, None).log_lik_difference) < 1e-6
