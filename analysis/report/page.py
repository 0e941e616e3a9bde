"""The page: sections filled in, and everything that it needs inside it."""

from __future__ import annotations

import json
from importlib.metadata import metadata, version
from pathlib import Path

import jinja2
import pandas as pd
from capability_transfer.analysis.presentation.tables import number, p_value
from capability_transfer.analysis.report.results import Results, target
from capability_transfer.analysis.report.sections import SECTIONS, finding
from capability_transfer.common.errors import InputError, name_some, option
from capability_transfer.common.files import write_text
from markupsafe import Markup

PAGE = Path(__file__).parent / "page"
PACKAGES = ("capability-transfer", "numpy", "scipy", "pandas", "matplotlib")
UNREADABLE = (LookupError, NotImplementedError, TypeError, ValueError)
"""What tables that were cut, or written by something else, end in."""

TITLE = "What determines capability transfer across languages?"
PAPER = "https://arxiv.org/abs/2610.03367"


def missing(results: Results) -> list[str]:
    """The Make targets that a complete report still needs, in order."""
    needed = (
        name
        for section in SECTIONS
        if not section.optional
        for name in results.missing(section.needs)
    )
    return list(dict.fromkeys(target(name) for name in needed))


def check(results: Results) -> None:
    """Raises InputError if the folder has the results of no section, or tables of another kind."""
    if not any(section.needs and not results.missing(section.needs) for section in SECTIONS):
        raise InputError(
            f"{results.directory} has no results that a report could show: run `make all`, or "
            "`transfer glmm --outcomes FILE` for your own, or name their folder with "
            f"{option('out')}"
        )
    _filled(results)


def write(results: Results, explorer: dict, source: str, path: Path) -> Path:
    """Write the page of a results folder.

    Args:
        results: the folder; sections without their results say what makes them.
        explorer: ``explorer.payload``.
        source: what the explorer learned from.
        path: of the page.
    """
    return write_text(render(results, explorer, source), path)


def render(results: Results, explorer: dict, source: str) -> str:
    """The page as text; see ``write``."""
    sections = _filled(results)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "percent": lambda value, digits=0: number(100 * value, digits),
        "signed": lambda value, digits: ("+" if value > 0 else "") + number(value, digits),
        "p_value": p_value,
        "grouped": lambda value: f"{value:,}",
        "known": pd.notna,
        "svg": Markup,
    }
    page = environment.get_template("page.html")
    values = {
        "title": TITLE,
        "finding": finding(results),
        "paper": PAPER,
        "code": address(),
        "sections": sections,
        "by_name": {section["name"]: section for section in sections},
        "explorer": Markup(_json(explorer)),
        "facts": explorer,
        "source": source,
        "digests": results.digests(),
        "versions": {name: version(name) for name in PACKAGES},
        "style": Markup((PAGE / "style.css").read_text(encoding="utf-8")),
        "script": Markup((PAGE / "explorer.js").read_text(encoding="utf-8")),
    }
    try:
        return page.render(values)
    except jinja2.UndefinedError as error:
        raise InputError(
            f"a table in {results.directory} lacks what the page shows ({error}). Write its "
            "results again with the commands that made them"
        ) from error


def _filled(results: Results) -> list[dict]:
    """The sections as the page's template takes them; InputError for tables of another kind."""
    sections = []
    for section in SECTIONS:
        absent = results.missing(section.needs)
        if absent and section.optional:
            continue
        try:
            lacking = [] if absent else results.lacking(section.rows)
            shown = not absent and not lacking
            numbers = section.numbers(results) if shown else {}
        except InputError:  # which says more
            raise
        except UNREADABLE as error:
            files = name_some([str(results.directory / name) for name in section.needs], 8)
            makers = list(dict.fromkeys(target(name) for name in section.needs))
            raise InputError(
                f"the section '{section.title}' cannot be made: a column, a row or a number is "
                f"missing in {files} ({type(error).__name__}: {error}). Write them again: "
                f"{', '.join(f'`transfer {name}`' for name in makers)} with "
                f"{option('out', results.directory)}"
            ) from error
        sections.append(
            {
                "name": section.name,
                "title": section.title,
                "level": section.level,
                "missing": list(dict.fromkeys(target(name) for name in absent)),
                "lacking": lacking,
                "numbers": numbers,
                "note": results.note(section.folder) if shown else "",
            }
        )
    return sections


def address() -> str | None:
    """Where the code is, as ``pyproject.toml`` says; None for an installation that does not."""
    urls = metadata(PACKAGES[0]).get_all("Project-URL") or []
    return dict(line.split(", ", 1) for line in urls).get("Source")


def _json(values: dict) -> str:
    """JSON that can stand in a script element."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
