"""Tables 8 to 12 and what the study says of its outcomes in words, from its cells and totals."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.published import read_accuracy, read_overview
from capability_transfer.analysis.outcomes.study import POOLED, study_counts
from capability_transfer.analysis.studies import overview as o
from capability_transfer.common.errors import InputError
from capability_transfer.features import models
from capability_transfer.features.table import build_all

EXPECTED = Path(__file__).parents[2] / "expected" / "table_11.csv"


@pytest.fixture(scope="module")
def counts():
    return study_counts(include_excluded=True)


@pytest.fixture(scope="module")
def runs(counts):
    return o.beside_published(o.runs(counts))


def test_every_wilson_interval_prints_as_published():
    table = o.wilson()
    assert len(table) == 1536
    for ours, known in (
        ("accuracy", "published"),
        ("conf_low", "published_low"),
        ("conf_high", "published_high"),
    ):
        wrong = table[table[ours] != table[known]]
        assert wrong.empty, wrong


def test_a_changed_published_figure_is_noticed(monkeypatch):
    table = read_accuracy()
    table.loc[700, "conf_high"] += 0.1
    monkeypatch.setattr(o, "read_accuracy", lambda: table)
    found = o.wilson()
    assert (found["conf_high"] != found["published_high"]).sum() == 1


def test_the_published_figures_are_those_of_table_11():
    printed = pd.read_csv(EXPECTED, comment="#")
    known = read_overview()
    names = known["variant"].str.replace(r" \(reasoning (on|off)\)", "", regex=True)
    assert names.tolist() == printed["model"].tolist()
    columns = list(printed.columns[1:])
    pd.testing.assert_frame_equal(known[columns], printed[columns])


def test_english_agrees_with_table_11_within_rounding(runs):
    assert len(runs) == 48
    assert (runs["difference_english"].abs() <= o.PRINTED).all()


def test_every_symbolic_figure_is_table_11s_and_originals_differ_where_runs_are_pooled(runs):
    found = o.disagreements(runs)
    assert set(found["figure"]) == {"original"}
    assert found["difference"].abs().max() == pytest.approx(1.2, abs=0.01)
    moved = runs[runs["worst_language"] != runs["published_worst_language"]]
    tied = (moved["worst_accuracy"] - moved["published_worst_accuracy"]).abs() <= o.PRINTED
    assert tied.all()


def test_a_moved_cell_is_noticed(counts):
    changed = counts.copy()
    row = changed.query("variant == 'gemma-3-4b-it' and language == 'eng' and split == 'symbolic'")
    changed.loc[row.index, "k_published"] -= 5
    table = o.beside_published(o.runs(changed))
    assert (table["difference_english"].abs() > o.PRINTED).sum() == 1


def test_only_the_pooled_languages_have_several_runs(counts):
    largest = counts[counts["n_published"] > counts["n_total"]]
    assert set(largest["language"]) == set(POOLED)
    symbolic = largest[largest["split"] == "symbolic"]
    assert set(symbolic["source"]) <= {"table_12"}


def test_averages_and_gaps_by_hand():
    symbolic = [("eng", 90), ("mar", 30), ("dan", 60)]
    original = [("eng", 95), ("mar", 35), ("dan", 50)]
    rows = [("a", code, "symbolic", k) for code, k in symbolic]
    rows += [("a", code, "original", k) for code, k in original]
    table = pd.DataFrame(rows, columns=["variant", "language", "split", "n_correct"])
    row = o.runs(table.assign(n_total=100)).iloc[0]
    assert (row["original"], row["symbolic"], row["english"]) == (60, 60, 90)
    assert (row["non_english"], row["gap"]) == (45, 45)
    assert (row["worst_accuracy"], row["worst_language"]) == (30, "mar")


def test_a_gap_needs_english(counts):
    with pytest.raises(InputError, match="no English"):
        o.runs(counts[counts["language"] != "eng"])


def test_family_gaps_of_the_limitations(counts):
    table = o.family_gaps(o.runs(counts), models.registry())
    known = table[table["published"].notna()]
    assert known["family"].tolist() == ["Apertus", "EuroLLM", "OLMo 3", "OLMo 2"]
    assert known["difference"].abs().max() < 0.05
    assert table["runs"].sum() == 48


def test_reasoning_narrows_the_gap_of_every_base_model(counts):
    registry = models.registry()
    modelled = registry[registry["in_study"]]
    table = o.reasoning_gaps(counts[counts["variant"].isin(modelled["variant"])], modelled)
    wide = table.pivot(index="base_model", columns="reasoning", values="gap")
    assert len(wide) == 11
    assert (wide["on"] < wide["off"]).all()
    assert (table["languages"] == 14).all()
    half = (table["conf_high"] - table["conf_low"]) / 2
    assert (half > 0).all()


def test_distance_goes_with_fertility_but_not_with_the_relative_one():
    registry = models.registry()
    plain, relative = o.correlations(build_all(registry[registry["in_study"]]))["correlation"]
    assert plain == pytest.approx(0.8, abs=0.02)
    assert relative == pytest.approx(0, abs=1e-6)


def test_the_design_space_spans_both_axes():
    table = o.design_space()
    study = table[table["in_study"]]
    assert len(study) == 15
    assert study["distance"].min() == 0
    assert np.ptp(study["resource"]) > 3
    assert len(table) > 60


def test_the_tables(runs):
    registry = models.registry()
    assert len(o.model_table(registry, "").data) == 36
    nine = o.language_table(o.languages(), "")
    assert "102, of which 15 verified and 4 in progress" in nine.caption
    assert len(o.annotation_table(o.annotation(), "").display) == 15
    eleven = o.run_table(runs, "").display
    assert eleven["Model"].str.endswith("*").sum() == 2
    assert len(o.pair_table(o.wilson(), "").display) == 48 * 16
