"""Model names of logs as variants, and the models file that is left to complete."""

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.variants import resolve, several_providers, stub
from capability_transfer.common.errors import InputError

EIGHT = "Qwen/Qwen3-8B"


def _resolved(*seen, **renamed) -> list[tuple]:
    table = resolve(seen, {name.replace("__", "/"): to for name, to in renamed.items()})
    return list(
        table[["variant", "base_model", "mode", "known"]].itertuples(index=False, name=None)
    )


@pytest.mark.parametrize("model", [EIGHT, f"vllm/{EIGHT}"])
def test_a_registered_model_is_its_variant_with_or_without_a_provider(model):
    assert _resolved((model, None, "on"), (model, None, "off")) == [
        ("Qwen3-8B (reasoning on)", "Qwen3-8B", "on", True),
        ("Qwen3-8B (reasoning off)", "Qwen3-8B", "off", True),
    ]
    with pytest.raises(InputError, match=f"{model} has both modes and its log does not say which"):
        resolve([(model, None, None)], {})


def test_a_model_of_one_mode_needs_none_said_and_has_no_other():
    (known,) = _resolved(("google/gemma-3-4b-it", None, None))
    assert known == ("gemma-3-4b-it", "gemma-3-4b-it", "off", True)
    (other,) = _resolved(("google/gemma-3-4b-it", None, "on"))
    assert other == ("google/gemma-3-4b-it (reasoning on)", "google/gemma-3-4b-it", "on", False)


def test_a_model_that_nobody_registered_goes_by_its_own_name():
    assert _resolved(("me/Mine-3B", None, None), ("me/Other-3B", None, "on")) == [
        ("me/Mine-3B", "me/Mine-3B", "", False),
        ("me/Other-3B (reasoning on)", "me/Other-3B", "on", False),
    ]


def test_a_stated_variant_is_taken_as_it_is():
    assert _resolved(
        ("m", "Qwen3-8B (reasoning on)", "off"), ("m", "own", "on"), (None, "bare", None)
    ) == [
        ("Qwen3-8B (reasoning on)", "Qwen3-8B (reasoning on)", "on", True),
        ("own", "own", "on", False),
        ("bare", "bare", "", False),
    ]
    with pytest.raises(InputError, match="names no model"):
        resolve([(None, None, "on")], {})


def test_a_model_is_renamed_to_a_hub_id_a_variant_or_any_name():
    assert _resolved(("served", None, "on"), served=EIGHT)[0][0] == "Qwen3-8B (reasoning on)"
    assert _resolved(("served", None, None), served="Qwen3-8B (reasoning off)")[0] == (
        "Qwen3-8B (reasoning off)", "Qwen3-8B", "off", True,
    )  # fmt: skip
    assert _resolved(("served", None, None), served="mine")[0] == ("mine", "mine", "", False)


def test_two_providers_of_a_model_are_two_variants_unless_they_are_called_alike():
    seen = [(f"{provider}/{EIGHT}", None, "on") for provider in ("hf", "vllm")]
    assert _resolved(*seen) == [
        (f"{name} (reasoning on)", name, "on", False) for name in (f"hf/{EIGHT}", f"vllm/{EIGHT}")
    ]
    alike = resolve(seen, {model: EIGHT for model, *_ in seen})
    assert set(alike["variant"]) == {"Qwen3-8B (reasoning on)"}
    assert several_providers(resolve(seen, {})) == [
        f"hf/{EIGHT}, vllm/{EIGHT} are kept apart; map them to one name to merge them (models: in "
        "a mapping= file)"
    ]
    assert several_providers(alike) == []
    sizes = [(f"Ours-{size}B", None, "on") for size in (1, 3, 8)]
    assert several_providers(resolve(sizes, {})) == []
    one = [(f"hf/{EIGHT}", None, mode) for mode in ("on", "off")]
    assert several_providers(resolve(one, {})) == []


def test_what_the_registry_lacks_is_left_to_complete(tmp_path):
    seen = [(EIGHT, None, "on"), ("me/Mine-3B", None, None), ("me/Huge", None, "on")]
    again = [("hf/me/Mine-3B", None, None)]
    table = resolve([*seen, *again], {"hf/me/Mine-3B": "me/Mine-3B"})
    rows = pd.read_csv(stub(table, tmp_path / "models.csv"), keep_default_na=False)
    assert rows.to_dict("records") == [
        {"variant": "me/Mine-3B", "base_model": "me/Mine-3B", "family": "", "params_b": "3.0",
         "reasoning": ""},
        {"variant": "me/Huge (reasoning on)", "base_model": "me/Huge", "family": "",
         "params_b": "", "reasoning": "on"},
    ]  # fmt: skip
