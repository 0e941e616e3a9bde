"""Sizes: from figures, and from names that state exactly one."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.features.size import build, parse_size


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("Qwen/Qwen3-8B", 8),
        ("Qwen2.5-0.5B-Instruct", 0.5),
        ("allenai/OLMo-2-0425-1B-Instruct", 1),
        ("google/gemma-3-270m", 0.27),
        ("google/gemma-2-2b-it", 2),
        ("allenai/Olmo-3.1-32B-Instruct", 32),
        ("meta-llama/Llama-3.1-8B-Instruct", 8),
        ("Qwen3-8B (reasoning on)", 8),
        ("qwen3:1.7b", 1.7),
        ("Qwen3-4B-Instruct-2507", 4),
        ("the-7b-club/Model-3B", 3),
    ],
)
def test_names_that_state_one_size(name, billions):
    assert parse_size(name) == billions


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("google/gemma-3n-E4B-it", "effective parameters"),
        ("Qwen/Qwen3-30B-A3B", "mixture"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "experts"),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "experts"),
        ("Qwen1.5-MoE-A2.7B", "mixture"),
        ("Qwen2.5-14B-Instruct-1M", "states 0.001, 14.0 billion"),
        ("Qwen2.5", "no size"),
        ("gpt-4o-mini", "no size"),
        ("phi-3-mini-4k-instruct", "no size"),
        ("model-0B", "not a positive size"),
    ],
)
def test_names_that_do_not_are_refused(name, message):
    with pytest.raises(InputError, match=message):
        parse_size(name)


def test_a_mixture_s_count_is_the_user_s_choice():
    assert parse_size("Qwen/Qwen3-30B-A3B", count="total") == 30
    assert parse_size("Qwen/Qwen3-30B-A3B", count="active") == 3
    with pytest.raises(InputError, match="no size"):
        parse_size("Qwen1.5-MoE-A2.7B", count="total")
    with pytest.raises(InputError, match="'total' or 'active'"):
        parse_size("Qwen3-8B", count="all")


def test_size_is_log2_of_billions():
    table = build(pd.DataFrame({"variant": ["a", "b", "c"], "params_b": [0.5, 1, 32]}))
    assert table["size"].tolist() == [-1, 0, 5]


@pytest.mark.parametrize("bad", [0, -1, np.nan, np.inf])
def test_sizes_that_are_none_are_named(bad):
    with pytest.raises(InputError, match="positive number for b"):
        build(pd.DataFrame({"variant": ["a", "b"], "params_b": [1, bad]}))


def test_sizes_are_in_billions():
    """Parameters where billions are meant would make a model that is right everywhere."""
    models = pd.DataFrame({"variant": ["a", "b"], "params_b": [1, 8e9]})
    said = r"params_b of b is billions of parameters, from 0.0001 to 100,000, not 8e\+09; .* 8 bil"
    with pytest.raises(InputError, match=said):
        build(models)
    edges = models.assign(params_b=[1e-4, 1e5])
    assert build(edges)["size"].tolist() == pytest.approx([-13.288, 16.610], abs=1e-3)
