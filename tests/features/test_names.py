"""Names are the same in any spelling, and near ones are offered."""

import pytest
from capability_transfer.features import names

KNOWN = ["Qwen3-8B", "Qwen3.5-9B", "gemma-3-4b-it", "Apertus-8B-Instruct-2509"]


@pytest.mark.parametrize("written", ["qwen3-8b", "QWEN3 8B", "Qwen_3_8b", "qwen38b", " Qwen3--8B "])
def test_case_and_separators_do_not_count(written):
    assert names.matching(written, KNOWN) == ["Qwen3-8B"]


def test_accents_do_not_count():
    assert names.same("Norwegian Bokmål", "norwegian bokmal")


def test_words_and_numbers_come_before_letters_in_a_row():
    assert names.matching("gemma-3-4b", ["gemma-34b", "gemma-3-4b"]) == ["gemma-3-4b"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Qwen3-9B", ["Qwen3.5-9B", "Qwen3-8B"]),
        ("gema-3-4b-it", ["gemma-3-4b-it"]),
        ("Apertus-8B", ["Apertus-8B-Instruct-2509"]),
        ("Llama-3.1-8B", []),
        ("", []),
    ],
)
def test_near_names_nearest_first(written, expected):
    assert names.near(written, KNOWN) == expected
