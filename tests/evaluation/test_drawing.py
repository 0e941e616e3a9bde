"""Draws satisfy the conditions, are uniform over what they allow, and come from the generator."""

import time
from collections import Counter
from random import Random

import pytest
from capability_transfer.evaluation.drawing import Drawer, NoInstance, clock
from capability_transfer.evaluation.folders import Folder, find_folder, load_template
from scipy.stats import chisquare

pytestmark = pytest.mark.needs("templates")


def drawer(path, name=0):
    folder = Folder(path)
    return Drawer(load_template(folder.files[name]), folder.replacements)


def far():
    return clock() + 30


def test_draws_are_uniform_over_the_combinations_that_the_package_lists(make_folder):
    path = make_folder("- a < b")
    template = load_template(Folder(path).files[0])
    allowed = {
        f"{one['a']} + {one['b']}" for one in template.get_combinations(Folder(path).replacements)
    }
    one, rng = drawer(path), Random(1)
    counts = Counter(one.draw(rng, far()).answer.split(" = ")[0] for _ in range(300))
    assert set(counts) == allowed
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_words_drawn_from_a_list_are_as_likely_as_in_the_package(make_folder):
    one, rng = drawer(make_folder("- a < b")), Random(2)
    words = Counter(one.draw(rng, far()).question.split(", ")[1].split()[0] for _ in range(300))
    # two of three in the list's order: the first is "ripe" in two of the three choices
    assert set(words) == {"ripe", "red"}
    assert chisquare([words["ripe"], words["red"]], [200, 100]).pvalue > 0.001


def test_later_conditions_are_looked_at_only_if_those_before_hold(make_folder):
    one = drawer(make_folder("- divides(b, a)\n- ensure_int(b / a) > 1"))
    assert " = " in one.draw(Random(3), far()).answer


def test_conditions_that_nothing_meets_end_at_the_deadline(make_folder):
    with pytest.raises(NoInstance, match="draws satisfied the conditions in the time given"):
        drawer(make_folder("- a > 10")).draw(Random(1), clock() + 0.05)


def test_only_processor_time_counts(make_folder):
    class Waiting(Random):
        """A generator on a busy machine: before every batch others come first."""

        batches = 0

        def getstate(self):
            self.batches += 1
            time.sleep(0.4)
            return super().getstate()

    rng = Waiting(2)
    drawer(make_folder("- a < b")).draw(rng, clock() + 0.3)
    assert rng.batches > 1


def test_an_expression_that_cannot_be_evaluated_is_said(make_folder):
    with pytest.raises(NoInstance, match="NameError: name 'c' is not defined"):
        drawer(make_folder("- c > 10")).draw(Random(1), far())


@pytest.mark.parametrize("name", [7, 17, 47])
def test_templates_that_take_minutes_to_enumerate_take_moments(name):
    folder = find_folder("eng")
    one = Drawer(load_template(folder.files[name]), folder.replacements)
    assert one.draw(Random(1), far()).answer == one.draw(Random(1), far()).answer
