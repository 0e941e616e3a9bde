"""Tables 11 and 12 as data, and the counts behind them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.published import (
    DENOMINATORS,
    STUDY_LANGUAGES,
    invert_interval,
    published_counts,
    read_accuracy,
    read_candidates,
    read_overview,
)
from capability_transfer.common.errors import InputError
from capability_transfer.features.models import registry

EXPECTED = Path(__file__).parents[2] / "expected"


def test_every_printed_row_inverts_to_the_packaged_candidates():
    derived = [
        (row.variant, row.language, row.split, n, k)
        for row in read_accuracy().itertuples()
        for n, k in invert_interval(
            row.accuracy, row.conf_low, row.conf_high, DENOMINATORS[row.split]
        )
    ]
    packaged = read_candidates()
    assert derived == list(packaged.itertuples(index=False, name=None))
    rows = packaged.drop_duplicates(["variant", "language", "split"])
    assert rows["split"].value_counts().to_dict() == {"symbolic": 768, "original": 768}


def test_accuracy_table_is_complete():
    accuracy = read_accuracy()
    assert accuracy["variant"].nunique() == 48
    assert set(accuracy["language"]) == {*STUDY_LANGUAGES, "eng_metric"}
    assert not accuracy.duplicated(["variant", "language", "split"]).any()
    assert len(accuracy) == 48 * 16 * 2
    assert (accuracy["conf_low"] <= accuracy["accuracy"]).all()
    assert (accuracy["accuracy"] <= accuracy["conf_high"]).all()


def test_intervals_are_those_of_r():
    """R's prop.test(k, n, correct = FALSE), a second implementation of the Wilson interval."""
    for row in pd.read_csv(EXPECTED / "outcomes_wilson.csv").itertuples():
        printed = [round(100 * value, 1) for value in (row.conf_low, row.conf_high)]
        percent = float(f"{row.k / row.n:.1%}"[:-1])
        assert (row.n, row.k) in invert_interval(percent, *printed, [row.n])


def test_ties_are_rounded_as_the_study_rounded_them():
    # 103/2000 is 5.15% and 29/2000 is 1.45%: printed as 5.1 and 1.5, by the binary values.
    assert (2000, 103) in invert_interval(5.1, 4.3, 6.2, [2000])
    assert (2000, 29) in invert_interval(1.5, 1.0, 2.1, [2000])
    assert invert_interval(5.2, 4.3, 6.1, [2000]) == []


def test_figures_that_no_count_prints_have_no_candidate():
    assert invert_interval(50.0, 10.0, 90.0, [2000, 4000, 6000]) == []


def test_the_overview_agrees_with_the_table_by_language():
    """Table 11's English column and Table 12's English rows are the same printed figures."""
    overview = read_overview().set_index("variant")
    accuracy = read_accuracy()
    symbolic = accuracy[accuracy["split"] == "symbolic"]
    english = symbolic[symbolic["language"] == "eng"].set_index("variant")["accuracy"]
    assert english.sort_index().equals(overview["english"].sort_index().rename("accuracy"))
    cells = symbolic.set_index(["variant", "language"])["accuracy"]
    worst = [cells[variant, row.worst_language] for variant, row in overview.iterrows()]
    off = np.abs(worst - overview["worst_accuracy"])
    # Table 11 takes one run, Table 12 pools several in these languages.
    pooled = overview["worst_language"].isin(["dan", "deu", "est", "jpn"])
    assert off[~pooled].max() == 0
    assert off[pooled].max() < 0.21
    assert np.abs(overview["english"] - overview["non_english"] - overview["gap"]).max() < 0.11
    excluded = overview.index[~overview["in_study"]]
    assert set(excluded) == {"EuroLLM-1.7B-Instruct", "Qwen3.5-0.8B (reasoning on)"}


def test_variants_are_those_of_the_model_registry():
    columns = ["variant", "reasoning", "params_b", "in_study"]
    overview = read_overview()[columns].sort_values("variant", ignore_index=True)
    models = registry()[columns].sort_values("variant", ignore_index=True)
    pd.testing.assert_frame_equal(overview, models, check_dtype=False)
    assert set(read_accuracy()["variant"]) == set(models["variant"])


@pytest.mark.parametrize(
    ("split", "total", "largest"), [("symbolic", 2000, 0.025), ("original", 100, 0.5)]
)
def test_published_counts(split, total, largest):
    counts = published_counts(split)
    assert len(counts) == 46 * 15
    assert (counts["n_total"] == total).all()
    assert counts["n_correct"].between(0, total).all()
    accuracy = 100 * counts["k_published"] / counts["n_published"]
    assert np.allclose(100 * counts["n_correct"] / total - accuracy, counts["shift"])
    assert counts["shift"].abs().max() == pytest.approx(largest)
    printed = read_accuracy()
    both = counts.merge(printed, on=["variant", "language", "split"])
    assert len(both) == len(counts)
    assert (100 * both["k_published"] / both["n_published"] - both["accuracy"]).abs().max() < 0.0501


def test_published_counts_by_hand():
    counts = published_counts("symbolic").set_index(["variant", "language"])
    # 38.6% [36.5–40.8]: 772 and 773 of 2,000 both fit, their median is halfway.
    english = counts.loc[("Qwen2.5-0.5B-Instruct", "eng")]
    assert (english["n_published"], english["k_published"]) == (2000, 772.5)
    assert english["n_correct"] == 772
    # Of two runs (7, 8 or 9 of 4,000) or three (13 or 14 of 6,000) the fewer are taken.
    every = published_counts("symbolic", include_excluded=True).set_index(["variant", "language"])
    least = every.loc[("EuroLLM-1.7B-Instruct", "deu")]
    assert (least["n_published"], least["k_published"]) == (4000, 8)
    # 6.5% [5.9–7.1]: German pools three runs.
    assert counts.loc[("Qwen2.5-0.5B-Instruct", "deu"), "n_published"] == 6000


def test_what_table_12_does_not_have_is_refused():
    with pytest.raises(InputError, match="symbolic"):
        published_counts("symbolc")
    with pytest.raises(InputError, match="'swe'"):
        published_counts(languages=["dan", "swe"])
    everything = published_counts(languages=[*STUDY_LANGUAGES, "eng_metric"], include_excluded=True)
    assert len(everything) == 48 * 16
