"""The bookkeeping of the screen's power, on counts made up for it."""

import pandas as pd
import pytest
from capability_transfer.analysis.items.simulation import World

from benchmarks.items import note, summarised


def runs(found, flagged, broken=100):
    row = {"broken": broken, "flagged": flagged, "found": found, "promised": 1.0}
    return pd.DataFrame([row] * 4)


def test_rates_are_over_all_worlds():
    row = summarised("models and answers", World(), runs(found=80, flagged=82))
    assert row["recall"] == pytest.approx(0.8)
    assert row["precision"] == pytest.approx(80 / 82)
    assert row["false_discovery_rate"] == pytest.approx(2 / 82)
    assert row["expected_by_the_screen"] == pytest.approx(1 / 82)
    assert row["held"]


def test_more_false_discoveries_than_chance_makes_of_the_promise_are_told():
    bad = summarised("models and answers", World(models=5), runs(found=80, flagged=100))
    assert not bad["held"]
    text = note(pd.DataFrame([bad]), 4, 1)
    assert "Designs in which it is not: models and answers (1)" in text
    assert "5 models" in text


def test_nothing_flagged_is_no_false_discovery():
    row = summarised("none broken", World(share=0.0), runs(found=0, flagged=0, broken=0))
    assert row["held"]
    assert pd.isna(row["recall"])
