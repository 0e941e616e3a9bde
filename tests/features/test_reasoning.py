"""Reasoning modes, however a reader has left them."""

import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.features.reasoning import build, mode


def test_modes_booleans_and_their_text_are_understood():
    models = pd.DataFrame(
        {"variant": list("abcdef"), "reasoning": ["on", "off", True, False, "True", 0]}
    )
    assert build(models)["reasoning"].tolist() == [1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("value", ["", "high", 2, None, float("nan"), 0.5])
def test_anything_else_is_refused(value):
    with pytest.raises(InputError, match="write on or off"):
        mode(value)


def test_the_error_names_the_variant():
    with pytest.raises(InputError, match="reasoning of my model"):
        build(pd.DataFrame({"variant": ["my model"], "reasoning": ["high"]}))
