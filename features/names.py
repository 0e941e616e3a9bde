"""Names as people type them: the same in any case and with any separators, and nearly the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

NEAR = 0.82
"""Share of the letters that two names have in common from which one may be meant by the other."""

_PARTS = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)*")


def parts(name: object) -> tuple[str, ...]:
    """The words and numbers of a name without case, accents and what stands between them.

    ``Qwen3-8B``, ``qwen 3 8b`` and ``QWEN_3_8B`` are ``("qwen", "3", "8", "b")``.
    """
    plain = unicodedata.normalize("NFKD", str(name))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return tuple(_PARTS.findall(plain.casefold()))


def same(first: object, second: object) -> bool:
    """Whether two names differ in nothing but case, accents, spaces, hyphens and the like."""
    return "".join(parts(first)) == "".join(parts(second))


def matching(name: object, known: Iterable[str]) -> list[str]:
    """The known names that ``name`` is, written otherwise.

    Those with the same words and numbers; if there are none, those with the same letters and
    digits in a row (``qwen38b``).
    """
    known = list(dict.fromkeys(known))
    exact = [one for one in known if parts(one) == parts(name)]
    return exact or [one for one in known if same(one, name)]


def in_mode(name: str, mode: str) -> str:
    """The label of a model with reasoning ``on`` or ``off``: ``Qwen3-8B (reasoning on)``."""
    return f"{name} (reasoning {mode})"


def near(name: object, known: Iterable[str], count: int = 3) -> list[str]:
    """Up to ``count`` known names that may be meant by another one, the nearest first.

    Near are names that differ in a few letters, and those that ``name`` is the beginning of.
    """
    written, joined = parts(name), "".join(parts(name))
    scored = []
    for one in dict.fromkeys(known):
        own = parts(one)
        begun = bool(written) and own[: len(written)] == written
        likeness = SequenceMatcher(None, joined, "".join(own)).ratio()
        if begun or likeness >= NEAR:
            scored.append((not begun, -likeness, one))
    return [one for _, _, one in sorted(scored)[:count]]
