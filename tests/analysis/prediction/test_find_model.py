"""The model that is meant, among a few of the data."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction.new_model import find_model
from capability_transfer.analysis.prediction.store import Catalogue
from capability_transfer.common.errors import InputError


def _known(*modes: int) -> Catalogue:
    """Models of 3B, one for each mode, and one of 7B in the first mode."""
    words = {0: "off", 1: "on"}
    rows = [(f"Own-3B (reasoning {words[mode]})", "Own-3B", np.log2(3), mode) for mode in modes]
    rows.append(("Own-7B", "Own-7B", np.log2(7), modes[0]))
    table = pd.DataFrame(rows, columns=["variant", "base_model", "size", "reasoning"])
    table = table.assign(family="Own", hub_id="", tokenizer="one")
    return Catalogue(table, pd.DataFrame())


def test_a_variant_of_the_data_is_known_whole():
    model = find_model(_known(0, 1), "own-3b", None, None, "on")
    assert (model.variant, model.base_model, model.family) == (
        "Own-3B (reasoning on)", "Own-3B", "Own",
    )  # fmt: skip
    assert (model.known, model.reasoning, model.tokenizer) == ("variant", 1, "one")
    assert model.size == pytest.approx(np.log2(3))
    assert model.notes == ()


def test_a_mode_that_a_model_was_not_run_in_is_its_base_models():
    model = find_model(_known(0, 1), "Own-7B", None, None, "on")
    assert (model.variant, model.base_model) == ("Own-7B (reasoning on)", "Own-7B")
    assert (model.known, model.reasoning) == ("base_model", 1)
    off = find_model(_known(0, 1), "Own-7B", None, None, None)
    assert (off.variant, off.known, off.reasoning) == ("Own-7B", "variant", 0)


@pytest.mark.parametrize(("modes", "on"), [((0, 1), 0), ((1, 0), 0), ((0,), 0), ((1,), 1)])
def test_without_a_mode_a_new_model_does_not_reason_unless_all_do(modes, on):
    model = find_model(_known(*modes), None, 5, "own", None)
    assert model.reasoning == on
    told = [note for note in model.notes if "reasoning is taken to be off" in note]
    assert len(told) == (len(set(modes)) > 1)


@pytest.mark.parametrize(("mode", "asked"), [(0, "on"), (1, "off")])
def test_a_mode_that_no_outcome_is_of_cannot_be_predicted(mode, asked):
    there = "off" if asked == "on" else "on"
    with pytest.raises(InputError, match=f"are with reasoning {there}: .* reasoning {asked}"):
        find_model(_known(mode), None, 5, "Own", asked)


def test_a_described_model_is_new_and_its_family_may_be():
    model = find_model(_known(0, 1), None, 5, "own", "on")
    assert (model.variant, model.base_model, model.family) == ("5B Own", "5B Own (new)", "Own")
    assert (model.known, model.size, model.tokenizer) == ("family", np.log2(5), "one")
    other = find_model(_known(0, 1), None, 5, "Strange", "on")
    assert (other.variant, other.family) == ("5B Strange", "Strange (new)")
    assert (other.known, other.tokenizer) == ("nothing", None)
    bare = find_model(_known(0, 1), None, 5, None, "on")
    assert (bare.variant, bare.family) == ("5B", "5B (new)")


def test_a_registered_model_is_new_to_these_data():
    model = find_model(_known(0, 1), "google/gemma-3-4b-it", None, None, None)
    assert (model.base_model, model.family, model.known) == (
        "gemma-3-4b-it (new)", "Gemma 3 (new)", "nothing",
    )  # fmt: skip
    assert model.size == 2
    kin = _known(0, 1)
    kin = Catalogue(kin.models.assign(family="Gemma 3"), kin.languages)
    model = find_model(kin, "google/gemma-3-4b-it", None, None, None)
    assert (model.family, model.known) == ("Gemma 3", "family")


def test_truth_values_are_modes():
    for asked, on in ((True, 1), (np.True_, 1), (False, 0), (" ON ", 1)):
        assert find_model(_known(0, 1), None, 5, "Own", asked).reasoning == on


def test_sizes_at_the_edges_of_the_data_are_inside_them():
    for params, said in ((3, None), (7, None), (2.9, "smaller"), (7.1, "larger")):
        notes = find_model(_known(0, 1), None, params, "Own", "on").notes
        assert [said in note for note in notes] == ([True] if said else [])
