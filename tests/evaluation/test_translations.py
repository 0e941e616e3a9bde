"""What is seen of a translated template beside the English one, on texts made for it."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from capability_transfer.evaluation.translations import Text, beside, problems

ENGLISH = Text(
    "{name,John} has {n,3} {unit,ounce}s of {drink,milk} and {m,20} {unit,ounce}s of tea.",
    ("name = sample(names)", "$n = range(2, 9)", "$m = range(2, 9)",
     'unit = sample(["ounce", "mL"])', 'drink = sample(["juice", "soda"])'),
    ("n < m",),
    "int(n+m)",
    "John has 3 ounces of milk and 20 ounces of tea.",
    Path("0001.toml"),
)  # fmt: skip
DUTCH = replace(
    ENGLISH,
    question="{name,David} heeft {n,3} {unit,liter} {drink,melk} en {m,20} {unit,liter} thee.",
    plain="David heeft 3 liter melk en 20 liter thee.",
)


def test_a_faithful_translation_has_nothing_odd():
    assert problems(DUTCH, ENGLISH) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"question": "{name,David} heeft {n,3} {unit,liter} {drink,melk} en {m,20} liter "
                         "thee."},
            ["“liter” stands in the text, and “liter” is one of the values that unit can take: "
             "whatever is drawn, the text keeps it",
             "{unit} is 1 times in the text, 2 times in English"],
        ),
        (
            {"question": DUTCH.question.replace(" thee", " thee per ounce")},
            ["“ounce” is an English unit"],
        ),
        (
            {"question": DUTCH.question.replace(" thee", " thee in {d,4} dagen")},
            ["{d} is in the text and is never drawn"],
        ),
        (
            {"question": DUTCH.question.replace("thee", "thee van 500 gram")},
            ["500 stands in the text here and not in English"],
        ),
        ({"answer": "n*m"}, ["the answer is n*m, in English int(n+m)"]),
        ({"answer": "n + m"}, []),
        ({"conditions": ()}, ["English also requires n < m"]),
        ({"conditions": ("n < m", "m > 4")}, ["only here it is required that m > 4"]),
        (
            {"question": DUTCH.question.replace("heeft", "heeeт")},
            ["“heeeт” mixes Cyrillic and Latin letters"],
        ),
        (
            {"plain": DUTCH.plain * 3},
            ["the text is 2.7 times longer than usual beside English"],
        ),
        (
            {"lines": ENGLISH.lines[:-1],
             "question": "{name,David} heeft {n,3} {unit,liter} melk en {m,20} {unit,liter} thee."},
            ["drink, which English draws, is not drawn here"],
        ),
    ],
)  # fmt: skip
def test_each_kind_of_slip_is_told(change, told):
    assert problems(replace(DUTCH, **change), ENGLISH) == told


def test_forms_of_a_word_count_for_it():
    inflected = replace(
        DUTCH,
        question="{name,David} heeft {n,3} {unit_one,liter} {drink,melk} en {m,20} "
        "{unit_many,liters} thee.",
        lines=(*ENGLISH.lines, "unit_one, unit_many = sample(units)"),
    )
    assert problems(inflected, ENGLISH) == []


def test_known_slips_of_the_package_are_seen():
    pytest.importorskip("multilingual_gsm_symbolic")
    items = pd.DataFrame(
        {"language": ["nld", "nld", "xxx"], "template": ["400", "740", "400"], "other": "deu"}
    )
    found = beside(items).set_index("template")
    assert len(found) == 2  # of xxx there are no templates
    assert "“ounce” is an English unit" in found.loc["400", "problems"].split("\n")
    assert "“voetbal” stands in the text" in found.loc["740", "problems"]
    assert found.loc["400", "source_text"].startswith("A {container,glass}")
    assert found.loc["400", "other_text"].startswith("Ein")
