"""Bias and coverage on simulated models with a known slope."""

import json

import pandas as pd
import pytest
from capability_transfer.analysis.studies.hat_noise import bias, coverage, hat_noise


def test_at_five_passes_the_plain_slope_is_too_small_and_the_corrected_one_is_not():
    means = bias((5,), repeats=1000).set_index("metric")["mean"]
    plain, corrected = means["hat"] - 0.8, means["hat_corrected"] - 0.8
    assert means["hat"] == pytest.approx(0.71, abs=0.01)
    assert abs(corrected) < abs(plain) / 5


def test_more_passes_bring_the_plain_slope_nearer():
    means = bias((2, 5, 20, 100), repeats=200).query("metric == 'hat'")["mean"]
    assert means.is_monotonic_increasing
    assert means.iloc[-1] == pytest.approx(0.8, abs=0.01)


def test_tau_needs_no_correction():
    # slope · E[s²]/E[s] = .8 · .3/.5 for s from a Beta(2, 2)
    means = bias((3, 30), repeats=1000).query("metric == 'transfer_score'")["mean"]
    assert means.tolist() == pytest.approx([0.48, 0.48], abs=0.005)


def test_intervals_of_the_corrected_slope_cover_it():
    covered = coverage((5,), repeats=400, draws=500).set_index("metric")["coverage"]
    assert 0.92 <= covered["hat_corrected"] <= 0.98
    assert covered["hat"] < 0.3


def test_its_files_stand_beside_those_of_the_measures(tmp_path):
    folder = tmp_path / "transfer_metrics"
    folder.mkdir()
    (folder / "README.md").write_text("of the measures")
    found = hat_noise(repeats=2, seed=3)
    found.write(tmp_path)
    assert (folder / "README.md").read_text() == "of the measures"
    assert json.loads((folder / "hat_noise.json").read_text())["seed"] == 3
    written = pd.read_csv(folder / "noise.csv")
    pd.testing.assert_frame_equal(written, found.noise.round(5))
    assert (tmp_path / "figures" / "figure_hat_noise.png").exists()


@pytest.mark.slow
@pytest.mark.parametrize("slope", [0.3, 0.8])
@pytest.mark.parametrize("hardness", [(2.0, 2.0), (1.0, 3.0), (4.0, 1.0)])
def test_intervals_cover_over_slopes_and_hardness(slope, hardness):
    covered = coverage((5,), slope, repeats=1500, hardness=hardness).set_index("metric")
    assert 0.92 <= covered.loc["hat_corrected", "coverage"] <= 0.98
