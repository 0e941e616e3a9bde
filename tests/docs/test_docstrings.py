"""What docstrings say of parameters is what the reference shows: all of it is read."""

from __future__ import annotations

import logging
import re

import griffe
import pytest

from tests.docs.pages import ROOT

PACKAGES = ("analysis", "benchmarks", "common", "evaluation", "features", "tools")


@pytest.fixture(scope="module")
def documented():
    """Every object of the packages that has a docstring."""

    def walk(one):
        if one.docstring:
            yield one
        for member in one.members.values():
            if not member.is_alias:
                yield from walk(member)

    loaded = [
        griffe.load(name, search_paths=[ROOT], docstring_parser="google") for name in PACKAGES
    ]
    return [one for package in loaded for one in walk(package)]


def test_every_section_is_read_without_a_complaint(documented, caplog):
    assert len(documented) > 1500
    with caplog.at_level(logging.WARNING, logger="griffe"):
        for one in documented:
            one.docstring.parse("google")
    assert [record.getMessage() for record in caplog.records] == []


def test_no_parameter_hides_in_the_description_of_another(documented):
    hidden = []
    for one in documented:
        if not one.is_function:
            continue
        names = "|".join(re.escape(parameter.name) for parameter in one.parameters)
        for section in one.docstring.parse("google"):
            if section.kind is not griffe.DocstringSectionKind.parameters:
                continue
            for item in section.value:
                if found := re.search(rf"[.;] ({names})(, \w+)*: ", item.description):
                    hidden.append(f"{one.path}: {found[1]}")
    assert hidden == []
