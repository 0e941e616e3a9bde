"""Identities of the metrics (HAT paper, section 4) and independent computations of them."""

import numpy as np
import pytest
from capability_transfer.analysis.transfer_metrics.items import ItemRates
from capability_transfer.analysis.transfer_metrics.metrics import METRICS, Sample, estimate, profile
from capability_transfer.common.errors import InputError

UNIFORM = (np.arange(1000) + 0.5) / 1000
MANY = 10**9
"""So many passes that their noise vanishes."""


def rates(s, t, passes=MANY):
    s = np.asarray(s, dtype=float)
    t = np.asarray(t, dtype=float).reshape(len(s), -1)
    return ItemRates(
        "m",
        "eng",
        tuple(f"l{i}" for i in range(t.shape[1])),
        tuple(map(str, range(len(s)))),
        s,
        np.full(len(s), passes),
        t,
    )


@pytest.mark.parametrize("s", [UNIFORM, UNIFORM**3, np.array([0.0, 1, 1, 0, 1]), [0.2, 0.9, 1]])
def test_perfect_transfer_gives_hat_one_and_tau_by_the_moments(s):
    s = np.asarray(s)
    model = rates(s, s)
    assert estimate(model, "hat") == pytest.approx(1)
    assert estimate(model, "hat_corrected") == pytest.approx(1, abs=1e-6)
    assert estimate(model, "hat_area") == pytest.approx(1)
    assert estimate(model, "r_squared") == pytest.approx(1)
    assert estimate(model, "xlt_gap") == pytest.approx(0)
    assert estimate(model, "transfer_score") == pytest.approx((s**2).mean() / s.mean())


def test_tau_of_perfect_transfer_is_two_thirds_for_uniform_and_one_for_all_or_nothing():
    assert estimate(rates(UNIFORM, UNIFORM), "transfer_score") == pytest.approx(2 / 3, abs=1e-6)
    sure = np.array([0.0, 0, 1, 1, 1])
    assert estimate(rates(sure, sure), "transfer_score") == pytest.approx(1)


def test_moving_s_along_a_line_leaves_hat_and_moves_everything_else():
    easy, hard = np.sqrt(UNIFORM), UNIFORM**2
    first, second = rates(easy, 0.8 * easy), rates(hard, 0.8 * hard)
    for metric in ("hat", "hat_corrected", "hat_area"):
        assert estimate(first, metric) == pytest.approx(0.8, abs=1e-6)
        assert estimate(second, metric) == pytest.approx(0.8, abs=1e-6)
    for metric in ("target_accuracy", "xlt_gap", "transfer_score"):
        assert estimate(first, metric) > estimate(second, metric) + 0.05


def test_moving_s_along_a_curve_moves_hat():
    easy, hard = np.sqrt(UNIFORM), UNIFORM**2
    curved = [estimate(rates(s, s**2), "hat") for s in (easy, hard)]
    # E[s³]/E[s²] of the two distributions: 4/5 and 5/7
    assert curved == pytest.approx([4 / 5, 5 / 7], abs=1e-3)
    # the area is that under s², 2/3, as far as bins resolve the curve
    assert estimate(rates(UNIFORM, UNIFORM**2), "hat_area") == pytest.approx(2 / 3, abs=0.01)


def test_scaling_the_target_scales_hat():
    rng = np.random.default_rng(5)
    s, t = rng.random(60), rng.random((60, 3))
    whole, half = rates(s, t, 20), rates(s, t / 2, 20)
    for metric in ("hat", "hat_corrected", "hat_area", "transfer_score", "target_accuracy"):
        assert estimate(half, metric) == pytest.approx(estimate(whole, metric) / 2)


def test_against_independent_computations():
    rng = np.random.default_rng(6)
    passes = 8
    k = rng.integers(0, passes + 1, 80)
    s, t = k / passes, rng.random((80, 4))
    mean = t.mean(axis=1)
    (slope,), (residual,), *_ = np.linalg.lstsq(s[:, None], mean, rcond=None)
    model = rates(s, t, passes)
    assert estimate(model, "hat") == pytest.approx(slope)
    total = ((mean - mean.mean()) ** 2).sum()
    assert estimate(model, "r_squared") == pytest.approx(1 - residual / total)
    unbiased = k * (k - 1) / (passes * (passes - 1))
    assert estimate(model, "hat_corrected") == pytest.approx((s * mean).sum() / unbiased.sum())
    tau = [(s * t[:, i]).sum() / s.sum() for i in range(4)]
    assert estimate(model, "transfer_score") == pytest.approx(np.mean(tau))
    single = [estimate(model.restrict([name]), "transfer_score") for name in model.languages]
    assert single == pytest.approx(tau)


def test_weights_are_repeated_items():
    rng = np.random.default_rng(7)
    s, t = rng.integers(0, 6, 12) / 5, rng.random((12, 2))
    times = rng.integers(0, 4, 12)
    weighted = Sample(rates(s, t, 5), times[None].astype(float))
    repeated = rates(np.repeat(s, times), np.repeat(t, times, axis=0), 5)
    for name, metric in METRICS.items():
        assert metric(weighted)[0] == pytest.approx(estimate(repeated, name)), name


def test_the_area_is_the_trapezoid_through_the_bins():
    # bins at .05 (mean t .5) and .85 (mean t .4): triangle, trapezoid, and the last ray's strip
    model = rates([0.05, 0.85, 0.85], [0.5, 0.3, 0.5])
    expected = 2 * (0.05 * 0.5 / 2 + 0.8 * (0.5 + 0.4) / 2 + 0.4 / 0.85 * (1 - 0.85**2) / 2)
    assert estimate(model, "hat_area") == pytest.approx(expected)
    table = profile(model)
    assert table["items"].tolist() == [1, 2]
    assert table["target_rate"].tolist() == pytest.approx([0.5, 0.4])
    assert table["low"].tolist() == pytest.approx([0, 0.8])


def test_bins_take_rates_on_their_edges_upwards():
    table = profile(rates(np.arange(11) / 10, np.arange(11) / 10))
    assert table["items"].tolist() == [1] * 9 + [2]
    assert table["low"].tolist() == pytest.approx(np.arange(10) / 10)


def test_an_unknown_metric_is_refused():
    with pytest.raises(InputError, match="no metric 'hats'"):
        estimate(rates([0.1, 0.2], [0.1, 0.2]), "hats")
