"""Scores as logs write them, as correct or wrong; nothing is turned into either by guess."""

from __future__ import annotations

from numbers import Real

from capability_transfer.common.errors import InputError

LETTERS = {"C": 1.0, "I": 0.0, "N": 0.0, "P": 0.5}
"""Inspect's own: correct, incorrect, no answer, partial credit."""


def read_score(
    value: object, where: str, threshold: float | None = None, letters: bool = False
) -> bool | None:
    """A score as correct (True), wrong (False), or None where there is none (None, NaN).

    Args:
        value: a number in 0–1, a truth value, or with ``letters`` one of Inspect's letters.
        where: for messages.
        threshold: partial credit from here up is correct.

    Raises InputError for partial credit without a threshold, numbers outside 0–1, unknown text.
    """
    if isinstance(value, bool):
        return value
    if letters and isinstance(value, str) and value in LETTERS:
        value = LETTERS[value]
    if value is None or (isinstance(value, Real) and value != value):
        return None
    if not isinstance(value, Real) or not 0 <= value <= 1:
        expected = "C, I, N, P, a truth value or a number in 0–1" if letters else "0 or 1"
        raise InputError(f"{where}: the score is {value!r:.80}; expected {expected}")
    if value in (0, 1):
        return bool(value)
    if threshold is None:
        raise InputError(
            f"{where}: the score is {value}, partial credit: say from where it counts as correct "
            "(--threshold 0.5), or choose another scorer (--scorer)"
        )
    return bool(value >= threshold)


def read_binary(value: object, where: str) -> bool | None:
    """A score of a table: 0, 1, true or false in any case, as number, bool or text; None if empty.

    Raises InputError for anything else.
    """
    if value is None or value == "" or value != value:
        return None
    text = str(value).strip().casefold()
    if text in ("1", "1.0", "true"):
        return True
    if text in ("0", "0.0", "false"):
        return False
    raise InputError(
        f"{where}: the score is {value!r:.80}; a table's scores are 0 and 1 or true and false"
    )
