"""Instances: reproducible, matched, complete in their file, and missing ones named."""

import json

import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.evaluation.instances import (
    Instance,
    counted,
    final_answer,
    generate,
    read_instances,
    template_id,
    write_instances,
)

pytestmark = pytest.mark.needs("templates")


@pytest.fixture(scope="module")
def two_languages():
    return generate(
        "eng,dan", 2, splits=("symbolic", "original"), templates=["0", "0003"], workers=1
    )


def test_every_language_has_the_same_templates_and_indices(two_languages):
    instances, provenance = two_languages
    keys = {
        name: [(one.split, one.template, one.instance) for one in instances if one.language == name]
        for name in ("eng", "dan")
    }
    assert keys["eng"] == keys["dan"]
    assert keys["eng"] == [
        *(("symbolic", template, index) for template in ("473", "740") for index in "01"),
        *(("original", template, "0") for template in ("473", "740")),
    ]
    assert provenance.missing == []


def test_instances_are_counted_by_language_and_split(two_languages):
    found = counted(*two_languages)
    assert [tuple(row.values()) for row in found] == [
        ("eng", "symbolic", 2, 4),
        ("eng", "original", 2, 2),
        ("dan", "symbolic", 2, 4),
        ("dan", "original", 2, 2),
    ]
    none = counted([], two_languages[1])
    assert {row["instances"] for row in none} == {0}


def test_the_original_split_is_the_default_question(two_languages):
    original = next(one for one in two_languages[0] if one.id == "eng-original-473-0")
    assert "Benny saw a 10-foot shark" in original.prompt
    assert original.prompt.startswith("Solve the following math problem step by step.")
    assert original.target == "10"
    assert "<<6*2=12>>" in original.solution


def test_an_instance_depends_on_seed_template_and_index_alone(two_languages):
    more, _ = generate("dan", 3, templates=["3"], workers=2)
    assert [one for one in more if one.instance != "2"] == [
        one for one in two_languages[0] if one.id.startswith("dan-symbolic-740")
    ]
    other, _ = generate("dan", 2, seed=2, templates=["3"], workers=1)
    assert [one.prompt for one in other] != [one.prompt for one in more][:2]


def test_a_file_gives_back_what_was_written(two_languages, tmp_path):
    path = write_instances(*two_languages, tmp_path / "instances.jsonl")
    assert read_instances(path) == two_languages
    head = json.loads(path.read_text().splitlines()[0])
    assert (head["seed"], head["per_template"], head["languages"]) == (1, 2, ["eng", "dan"])


def test_templates_without_instances_are_named(make_folder):
    folder = make_folder("- a < b", "- a > 10")
    (folder / "symbolic" / "0002.toml").write_text("question = ")
    instances, provenance = generate(folder, 2, seconds=0.1, workers=1)
    assert {one.template for one in instances} == {"473"}
    assert {one.language for one in instances} == {"xyz"}
    reasons = {lost.template: lost.reason for lost in provenance.missing}
    assert "draws satisfied the conditions" in reasons["1"]
    assert "xyz/0002.toml cannot be used: TOMLDecodeError" in reasons["2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"languages": "dn"}, "no templates for 'dn'.*Did you mean dan"),
        ({"languages": "eng,eng"}, "given more than once: eng"),
        ({"languages": ""}, "no language is given"),
        ({"languages": False}, "YAML reads an unquoted no as false"),
        ({"languages": "fao"}, "fao has no prompt"),
        ({"languages": "eng", "splits": ["orignal"]}, "split orignal: give symbolic or original"),
        ({"languages": "eng", "per_template": 0}, "must be above zero"),
        ({"languages": "eng", "templates": ["0", "900"]}, "no language has the template 900"),
        ({"languages": "eng", "templates": 0}, "give a number above zero"),
    ],
)
def test_arguments_that_cannot_be_met(arguments, message):
    with pytest.raises(InputError, match=message):
        generate(**arguments, workers=1)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{}"], "line 1: not a capability-transfer/instances/1 file"),
        (["not json"], "line 1: not a capability-transfer/instances/1 file"),
        ([None, '{"language": "eng"}'], "line 2 is not an instance"),
        ([None, 1, 1], "has instances more than once: eng-symbolic-473-0"),
    ],
)
def test_files_that_are_none(lines, message, two_languages, tmp_path):
    path = write_instances(*two_languages, tmp_path / "whole.jsonl")
    whole = path.read_text().splitlines()
    broken = [whole[0] if line is None else whole[1] if line == 1 else line for line in lines]
    (tmp_path / "broken.jsonl").write_text("\n".join(broken))
    with pytest.raises(InputError, match=message):
        read_instances(tmp_path / "broken.jsonl")


def test_a_missing_file():
    with pytest.raises(InputError, match="cannot be read as an instance file"):
        read_instances("nowhere.jsonl")


def test_ids():
    assert template_id("0007") == template_id("7") == "7"
    one = Instance("eng", "eng_metric", "7", "symbolic", "0", "", "", "")
    assert one.id == "eng_metric-symbolic-7-0"


def test_the_final_answer_is_after_the_last_mark():
    assert final_answer("a\n#### 1\n#### १२ \n", "hin") == "१२"
