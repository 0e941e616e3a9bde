"""Which model a name means, in a small table of models beside the registry."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction import model_names
from capability_transfer.common.errors import InputError


@pytest.fixture
def models():
    rows = [
        ("Own-3B", "Own-3B", "Own", 3.0, 0, "me/Own-3B", "one"),
        ("Own-7B (reasoning on)", "Own-7B", "Own", 7.0, 1, "me/Own-7B", "two"),
        ("Own-7B (reasoning off)", "Own-7B", "Own", 7.0, 0, "me/Own-7B", "two"),
        ("Own2-3B", "Own2-3B", "Own 2", 3.0, 0, "you/Own2-3B", "three"),
        ("Own2-9B", "Own2-9B", "Own 2", 9.0, 0, "", "three"),
        ("Lone-1B", "Lone-1B", "Lone", 1.0, 0, "", ""),
    ]
    columns = ["variant", "base_model", "family", "size", "reasoning", "hub_id", "tokenizer"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(size=np.log2(table["size"]))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (8, 8.2, True), (70, 72, True), (1000, 1200, True),
        (0.6, 0.8, False), (8, 10, False), (3, 2, False), (2, 2.4, True), (2.4, 2, True),
    ],
)  # fmt: skip
def test_sizes_are_alike_by_their_ratio(one, other, same):
    assert model_names.alike(one, other) is same


def test_a_family_has_a_tokenizer_where_its_models_have_one_only(models):
    found = [model_names.tokenizer_of(models, name) for name in ("Own", "Own 2", "Lone", None)]
    assert found == [None, "three", None, None]


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("me/Own-13B-chat", "Own"),
        ("Own2-13B", "Own 2"),
        ("own 2 13B", "Own 2"),
        ("Own3-13B", "Own"),
        ("Lone-0.5B", "Lone"),
        ("Lonely-1B", None),
        ("13B", None),
    ],
)
def test_a_family_is_the_longest_beginning_of_a_name(models, name, family):
    assert model_names.family_of(models, name) == family


def test_a_beginning_that_two_families_share_is_neithers(models):
    both = pd.concat([models, models.iloc[[5]].assign(family="Other")])
    assert model_names.family_of(both, "Lone-2B") is None
    assert model_names.family_of(both, "Other-2B") == "Other"


def test_a_family_is_known_in_any_spelling_and_a_near_one_refused(models):
    assert model_names.known_family(models, "own2") == "Own 2"
    assert model_names.known_family(models, "Apertus") is None
    with pytest.raises(InputError, match="no family 'Lon'.*Did you mean Lone"):
        model_names.known_family(models, "Lon")


def test_names_of_models_of_the_data(models):
    found = model_names.find(models, "me/own 7b (Reasoning: ON)", None)
    assert (found.base_model, found.mode, found.in_data) == ("Own-7B", "on", True)
    assert found.rows["variant"].tolist() == ["Own-7B (reasoning on)", "Own-7B (reasoning off)"]
    assert model_names.find(models, "Own-7B", None).mode is None
    for written in ("Own-3B", "you-3B", "new-3B"):
        exact = model_names.find(models, written, 3)
        assert (exact is None) == (written != "Own-3B")


def test_names_of_the_registry_come_after_those_of_the_data(models):
    found = model_names.find(models, "Qwen/Qwen3-8B", None)
    assert (found.base_model, found.in_data) == ("Qwen3-8B", False)
    assert found.rows["size"].tolist() == [3, 3]
    assert sorted(found.rows["reasoning"]) == [0, 1]
    own = models.assign(base_model=models["base_model"].replace("Lone-1B", "Qwen3-8B"))
    taken = model_names.find(own, "Qwen3-8B", None)
    assert taken.in_data
    assert taken.rows["variant"].tolist() == ["Lone-1B"]


def test_sizes_that_contradict_are_refused_and_near_names_offered(models):
    assert model_names.find(models, "Own-7B", 7.5).base_model == "Own-7B"
    with pytest.raises(InputError, match="Own-7B has 7 billion parameters, not 9"):
        model_names.find(models, "Own-7B", 9)
    with pytest.raises(InputError, match="Did you mean .*Own2-9B"):
        model_names.find(models, "Own2-9Bx", None)
    assert model_names.find(models, "Own2-9Bx", 9) is None
    assert model_names.find(models, "something else", None) is None


def test_a_name_states_a_size_or_none(models):
    assert model_names.stated("x-2.5B") == 2.5
    assert model_names.stated("x-8x7B") is None
    assert model_names.stated("x") is None
