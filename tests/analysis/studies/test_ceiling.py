"""Table 7: who is left under each restriction, and that the size effect survives."""

from pathlib import Path

import pandas as pd
import pytest
from capability_transfer.analysis.presentation.tables import stars
from capability_transfer.analysis.published import read
from capability_transfer.analysis.studies import ceiling as c
from capability_transfer.common.errors import InputError

EXPECTED = Path(__file__).parents[2] / "expected" / "table_07.csv"
ROWS = {
    "variants": "Models",
    "saturated_cells": "Cells above ninety",
    "resource:size": "Resource x size",
    "distance:size": "Distance x size",
    "resource": "Resource level",
    "distance": "Typological distance",
    "size": "Model size",
}
PAIRS = pd.DataFrame(
    {
        "variant": ["a", "a", "b", "b", "c", "c"],
        "language": ["eng", "mar"] * 3,
        "accuracy": [0.96, 0.90, 0.95, 0.91, 0.50, 0.20],
    }
)


def kept(restriction):
    return PAIRS.loc[restriction.kept, ["variant", "language"]].agg("-".join, axis=1).tolist()


def test_runs_below_a_threshold_stay_and_those_at_it_go():
    everything, english, cells = c.restrictions(PAIRS, english=[0.95], cells=[0.90])
    assert kept(everything) == ["a-eng", "a-mar", "b-eng", "b-mar", "c-eng", "c-mar"]
    assert kept(english) == ["c-eng", "c-mar"]
    assert kept(cells) == ["a-mar", "c-eng", "c-mar"]
    assert english.name == "english_below_95"
    assert cells.name == "cells_at_most_90"


def test_a_threshold_in_percent_is_refused():
    with pytest.raises(InputError, match="share between 0 and 1, not 95"):
        c.restrictions(PAIRS, english=[95])


def test_runs_without_english_are_named():
    with pytest.raises(InputError, match="b has no English"):
        c.restrictions(PAIRS.drop(index=2), english=[0.9])


@pytest.mark.parametrize(
    ("p_value", "text"), [(0.0009, "***"), (0.001, "**"), (0.049, "*"), (0.05, "")]
)
def test_stars(p_value, text):
    assert stars(p_value) == text


def test_the_published_figures_are_those_of_table_7():
    printed = pd.read_csv(EXPECTED, comment="#", dtype=str).set_index("row")
    printed = printed.rename(columns={"full": "all"})
    table = read("study_ceiling").fillna({"stars": ""})
    for row in table.itertuples():
        text = printed.loc[ROWS[row.name], row.restriction]
        assert row.estimate == float(text.rstrip("*")), (row.restriction, row.name)
        assert row.stars == text.lstrip("-.0123456789")
    assert len(table) == printed.size


@pytest.fixture(scope="module")
def result():
    return c.ceiling()


@pytest.fixture(scope="module")
def table(result):
    return result.table


def test_the_size_effect_is_not_a_ceiling_artefact(table):
    resource = table[table["term"] == "resource:size"].set_index("restriction")
    assert (resource["difference"].abs() < 0.001).all()
    assert (resource["p_value"] < 1e-3).all()
    assert resource["estimate"].idxmin() == "all"
    distance = table[table["term"] == "distance:size"]
    assert (distance["p_value"] > 0.05).all()
    main = table[table["published"].notna()]
    assert (main["difference"].abs() < 0.001).all()
    assert len(main) == 20


def test_who_is_left(table):
    counts = table.groupby("restriction", sort=False)[
        ["variants", "saturated_cells", "paired_bases"]
    ].first()
    assert counts["variants"].tolist() == [46, 29, 20, 45]
    assert counts["saturated_cells"].tolist() == [171, 17, 0, 0]
    assert counts["paired_bases"].tolist() == [11, 5, 3, 10]


def test_interactions_with_reasoning_are_flagged_where_few_bases_run_both_ways(table):
    flagged = table[~table["interpretable"]]
    assert set(flagged["restriction"]) == {"english_below_90"}
    assert set(flagged["term"]) == set(c.CROSSED)


def test_the_table_says_what_is_published_and_what_is_biased(result):
    built = result.tables()["table_07"]
    shown = built.display.set_index("")
    assert shown.loc["Variants"].tolist() == ["46 [46]", "29 [29]", "20 [20]", "45 [45]"]
    assert shown.loc["Resource × size", "English <90%"].endswith("[−0.188***]")
    assert "†" in shown.loc["Size × reasoning", "English <90%"]
    assert "biases" in built.note
