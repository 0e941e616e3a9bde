"""The reconstructed template layer: exact totals, chance from the seed alone, published spread."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.outcomes.calibration import calibration
from analysis.outcomes.reconstruction import draw_given_total, reconstruct
from analysis.outcomes.study import study_cells, study_counts, summary
from common.errors import InputError

EXPECTED = Path(__file__).parents[2] / "expected"
PAIR = ["variant", "language", "split"]


@pytest.fixture(scope="module")
def cells():
    return study_cells()


def test_every_pair_total_is_the_published_one(cells):
    totals = cells.groupby(PAIR)[["n_correct", "n_total"]].sum()
    counts = study_counts().set_index(PAIR)[["n_correct", "n_total"]]
    pd.testing.assert_frame_equal(totals, counts.sort_index())
    assert len(cells) == 690 * 100 * 2
    assert not cells.duplicated([*PAIR, "template"]).any()
    sizes = cells.groupby("split")["n_total"].agg(["min", "max"])
    assert sizes.loc["symbolic"].tolist() == [20, 20]
    assert sizes.loc["original"].tolist() == [1, 1]
    assert cells["n_correct"].between(0, cells["n_total"]).all()
    assert cells["template"].unique()[[0, 99]].tolist() == ["r001", "r100"]


def test_the_spread_over_templates_is_the_published_one(cells):
    table = calibration(cells).set_index("statistic")
    assert table.loc["template_sd", "value"] == pytest.approx(22.9, abs=0.5)
    assert table.loc["standard_error", "value"] == pytest.approx(2.29, abs=0.05)
    assert table.loc["precision_ratio", "value"] == pytest.approx(1.46, abs=0.05)
    assert table.loc["template_share", "value"] == pytest.approx(0.93, abs=0.01)


def test_the_default_draw_is_the_recorded_one(cells):
    """A new NumPy or another machine must not move the cells; values recorded from this code."""
    recorded = pd.read_csv(EXPECTED / "outcomes_reconstruction.csv", dtype={"template": str})
    found = recorded.drop(columns="n_correct").merge(cells, how="left")
    assert found["n_correct"].tolist() == recorded["n_correct"].tolist()


def test_a_pair_does_not_depend_on_the_others(cells):
    alone = study_cells(splits=["symbolic"], languages=["dan", "eng"])
    assert len(alone) == 46 * 2 * 100
    same = cells.merge(alone, on=[*PAIR, "template", "n_correct", "n_total"])
    assert len(same) == len(alone)


def test_another_seed_moves_templates_but_no_total(cells):
    other = study_cells(seed=1, splits=["symbolic"])
    symbolic = cells[cells["split"] == "symbolic"]
    assert (other["n_correct"].to_numpy() != symbolic["n_correct"].to_numpy()).mean() > 0.3
    assert other.attrs["seed"] == 1
    assert "seed 1)" in other.attrs["data_source"]


def test_splits_share_their_templates(cells):
    """Templates that are easy in one split are easy in the other."""
    easy = cells.groupby(["split", "template"])["n_correct"].sum().unstack("split")
    assert stats.spearmanr(easy["original"], easy["symbolic"]).statistic > 0.9


def test_counts_given_their_total_follow_the_exact_law():
    """Two binomials given their sum are Fisher's noncentral hypergeometric, whatever the level."""
    stream = np.random.Generator(np.random.PCG64(1))
    probability = np.array([0.2, 0.6])
    drawn = [draw_given_total(stream, probability, 20, 14)[0] for _ in range(2000)]
    odds = probability / (1 - probability)
    law = stats.nchypergeom_fisher(40, 20, 14, odds[0] / odds[1])
    support = np.arange(0, 9)
    seen = np.array([drawn.count(count) for count in support])
    expected = 2000 * law.pmf(support)
    assert expected.sum() > 1900
    assert stats.chisquare(seen, expected * seen.sum() / expected.sum()).pvalue > 0.001


def test_totals_at_the_ends_are_placed_too():
    counts = pd.DataFrame(
        {
            "variant": ["a", "b", "c"],
            "language": "dan",
            "split": "symbolic",
            "n_correct": [0, 200, 1],
            "n_total": 200,
        }
    )
    drawn = reconstruct(counts, templates=10)
    assert drawn.groupby("variant")["n_correct"].sum().tolist() == [0, 200, 1]


def test_bad_counts_are_refused():
    good = {"variant": "a", "language": "dan", "split": "symbolic", "n_correct": 5, "n_total": 200}
    with pytest.raises(InputError, match=r"multiple of 100.*a / dan / symbolic"):
        reconstruct(pd.DataFrame([good | {"n_total": 150}]))
    with pytest.raises(InputError, match="larger than n_total"):
        reconstruct(pd.DataFrame([good | {"n_correct": 201}]))
    with pytest.raises(InputError, match="more than once"):
        reconstruct(pd.DataFrame([good, good]))
    with pytest.raises(InputError, match="negative"):
        reconstruct(pd.DataFrame([good]), cell_sd=-1)
    with pytest.raises(InputError, match="seed"):
        reconstruct(pd.DataFrame([good]), seed=-1)
    with pytest.raises(InputError, match="three templates"):
        reconstruct(pd.DataFrame([good]), templates=2)


def test_summary_stands_beside_the_published_counts(cells):
    table = summary(cells)
    assert len(table) == 1380
    accuracy = table["k_published"] / table["n_published"] + table["shift"] / 100
    assert np.allclose(table["accuracy"], accuracy)
    assert set(table["counts_layer"]) == {"published"}
    assert set(table["template_layer"]) == {"reconstructed"}
