"""A page of odd items for translators: one table, and a section per language with the texts.

It needs no network and no other file, prints a language per sheet, and shows any script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2
import pandas as pd
from capability_transfer.analysis.presentation.tables import number
from capability_transfer.common.files import write_text
from capability_transfer.common.tables import records
from markupsafe import Markup, escape

TEMPLATE = Path(__file__).with_name("item_page.html")
SLOT = re.compile(r"\{\s*(\w+)\s*,\s*([^{}]*)\}")


@dataclass(frozen=True)
class Text:
    """A question in some language, its slots marked: ``{unit,litres}``."""

    language: str
    text: str


@dataclass(frozen=True)
class Names:
    """How a language is named, and its tag in HTML."""

    name: str
    tag: str


def write(
    path: Path,
    flagged: pd.DataFrame,
    texts: Mapping[tuple[str, str], list[Text]],
    names: Mapping[str, Names],
    facts: Mapping[str, str],
) -> Path:
    """Write the page.

    Args:
        path: of the page.
        flagged: the items, as ``transfer items`` gives them, with ``problems`` (sentences, one per
            line), ``judgement`` and ``reason`` where they are known.
        texts: of an item, by language and template: its own first, then others.
        names: of languages, by code.
        facts: lines of name and value, shown above the table.
    """
    rows = [_item(row, texts, names) for row in records(flagged)]
    order = dict.fromkeys(row["language"] for row in rows)
    sections = [
        {"code": code, "name": names[code].name, "items": [r for r in rows if r["code"] == code]}
        for code in dict.fromkeys(row["code"] for row in rows)
    ]
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    page = template.render(
        rows=rows, sections=sorted(sections, key=lambda one: one["name"]), facts=facts,
        languages=sorted(order), judged=any(row["judgement"] for row in rows),
        texts=bool(texts),
    )  # fmt: skip
    return write_text(page, path)


def _item(
    row: dict, texts: Mapping[tuple[str, str], list[Text]], names: Mapping[str, Names]
) -> dict:
    """An item as the page shows it: strings, and numbers to sort by."""
    key = row["language"], row["template"]
    measured = {
        "effect": (row["effect"], number(row["effect"], 2)),
        "accuracy": (row["observed"], number(100 * row["observed"], 0)),
        "expected": (row["expected"], number(100 * row["expected"], 0)),
        "failing": (row["strong_failing"], number(100 * row["strong_failing"], 0)),
        "slope": (row["slope"], number(row["slope"], 2)),
        "broken": (row["broken"], number(row["broken"], 3)),
    }
    return {
        "code": row["language"],
        "language": names[row["language"]].name,
        "template": row["template"],
        "anchor": re.sub(r"[^\w-]", "_", f"{row['language']}-{row['template']}"),
        "harder": row["effect"] < 0,
        "interval": f"{number(row['conf_low'], 2)} to {number(row['conf_high'], 2)}",
        "measured": {name: {"value": v, "shown": s} for name, (v, s) in measured.items()},
        "problems": [one for one in (row.get("problems") or "").split("\n") if one],
        "judgement": row.get("judgement") or "",
        "reason": row.get("reason") or "",
        "texts": [
            {
                "name": names[one.language].name if one.language in names else one.language,
                "tag": names[one.language].tag if one.language in names else "und",
                "html": marked(one.text),
            }
            for one in texts.get(key, [])
        ],
    }


def marked(text: str) -> Markup:
    """A question as HTML, each drawn value marked with the name of its slot."""
    parts, end = [], 0
    for slot in SLOT.finditer(text):
        parts.append(escape(text[end : slot.start()]))
        parts.append(Markup('<mark title="{}">{}</mark>').format(slot[1], slot[2].strip()))
        end = slot.end()
    parts.append(escape(text[end:]))
    return Markup("").join(parts)
