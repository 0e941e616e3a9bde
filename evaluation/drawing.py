"""Draw instances of a template by rejection: draw all variables freely, keep what the conditions
allow.

The package lists every combination of the constrained variables, and every choice of k names, and
then picks one; that takes minutes for some templates, and more than ten million combinations are
refused. A free draw that satisfies the conditions has the same distribution (uniform over the
allowed combinations), and so have k names drawn at once; both cost next to nothing.

Time limits are in processor seconds (``clock``), so that no instance is missing because a machine
was busy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from time import thread_time as clock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multilingual_gsm_symbolic import AnnotatedQuestion, Question

HOLDS, FAILS = "H", "F"
LARGEST_BATCH = 1024

_SEVERAL_OF_A_LIST = re.compile(r"sample\(\s*(\w+)\s*,\s*(\d+)\s*\)")


class NoInstance(Exception):
    """A template gave no instance; the message says why."""


class Drawer:
    """Draws instances of one template, given the named lists of values of its language."""

    def __init__(self, template: AnnotatedQuestion, replacements: Mapping) -> None:
        self._replacements = dict(replacements)
        shortened, self._lists = _with_lists_of_their_own(template, replacements)
        self._free = without_conditions(shortened)
        self._probe = (
            condition_probe(shortened, template.conditions) if template.conditions else None
        )

    def draw(self, rng: Random, deadline: float) -> Question:
        """One instance whose conditions hold: the next one for the state of ``rng``.

        Tries until ``clock()`` passes ``deadline``. Raises NoInstance after that, and if
        the template cannot be evaluated.
        """
        values = self._replacements | {
            alias: _some_of(self._replacements[name], size, rng)
            for alias, (name, size) in self._lists.items()
        }
        if self._probe:
            _skip_to_allowed(self._probe, values, rng, deadline)
        try:
            return self._free.generate_questions(1, values, rng=rng, verbose=False)[0]
        except Exception as error:  # template expressions can raise anything
            raise NoInstance(f"{type(error).__name__}: {error}") from error


def without_conditions(template: AnnotatedQuestion) -> AnnotatedQuestion:
    """The template with its conditions taken out; it draws every variable freely."""
    if "#conditions:" not in template.question_annotated:
        return template
    before, after = template.question_annotated.split("#conditions:", 1)
    _, answer, rest = after.partition("#answer:")
    return replace(template, question_annotated=before + answer + rest)


def condition_probe(template: AnnotatedQuestion, conditions: Sequence[str]) -> AnnotatedQuestion:
    """A template of the drawn variables only, whose answer says if all the conditions hold.

    Rendering an answer is the package's public way to evaluate expressions; like the package, it
    looks at a condition only if those before it hold. Derived variables are left out: conditions
    cannot name them, and they may be undefined where conditions fail. They are drawn last, so the
    same state of a generator draws the same values in both templates.
    """
    derived = set(template.derived_lines)
    drawn = "\n".join(f"- {line}" for line in template.init if line not in derived)
    together = " and ".join(f"({condition})" for condition in conditions)
    return replace(
        template,
        question_annotated=f"-\n#init:\n{drawn}\n",
        answer_annotated=f"{{'{HOLDS}' if {together} else '{FAILS}'}}",
    )


def _holding(
    probe: AnnotatedQuestion,
    replacements: Mapping,
    rng: Random,
    draws: int,
) -> list[bool]:
    """Whether the conditions hold in each of the next draws of a ``condition_probe``."""
    try:
        drawn = probe.generate_questions(draws, dict(replacements), rng=rng, verbose=False)
    except Exception as error:
        raise NoInstance(f"{type(error).__name__}: {error}") from error
    return [one.answer == HOLDS for one in drawn]


def _skip_to_allowed(
    probe: AnnotatedQuestion, replacements: Mapping, rng: Random, deadline: float
) -> None:
    """Advance ``rng`` to just before the next draw whose conditions hold.

    Draws come in batches, since the package lists each variable's values anew in every call.
    """
    tries, batch = 0, 1
    while True:
        before = rng.getstate()
        held = _holding(probe, replacements, rng, batch)
        if True in held:
            rng.setstate(before)
            _holding(probe, replacements, rng, held.index(True))
            return
        tries += batch
        batch = min(2 * batch, LARGEST_BATCH)
        if clock() > deadline:
            raise NoInstance(f"none of {tries:,} draws satisfied the conditions in the time given")


def _with_lists_of_their_own(
    template: AnnotatedQuestion, replacements: Mapping
) -> tuple[AnnotatedQuestion, dict[str, tuple[str, int]]]:
    """The template with an own list in each unconstrained line that draws several from a list.

    Returns it with the name of each new list, the list that it is drawn from, and its size; a new
    list holds as many values as the line draws, so there is one choice instead of millions.
    """
    text, lists = template.question_annotated, {}
    for line in template.unconstrained_lines:
        left, _, right = line.partition("=")
        several = _SEVERAL_OF_A_LIST.fullmatch(right.strip())
        if several and isinstance(replacements.get(several[1]), list):
            name, size, alias = several[1], int(several[2]), f"list_{len(lists)}_of_{several[1]}"
            if 1 < size <= len(replacements[name]):
                lists[alias] = (name, size)
                text = text.replace(line, f"{left}= sample({alias}, {size})", 1)
    return replace(template, question_annotated=text), lists


def _some_of(values: list, size: int, rng: Random) -> list:
    """``size`` of the values, any with the same chance, in the order of the list."""
    return [values[place] for place in sorted(rng.sample(range(len(values)), size))]
