"""``results/README.md``: every table and figure, what makes it, and how far ours is from it."""

from __future__ import annotations

from pathlib import Path

from capability_transfer.analysis.outcomes.study import data_source
from capability_transfer.analysis.pipeline.items import ITEMS, Against, Item
from capability_transfer.common.files import read_table, write_text

SUFFIXES = {"table": (".md", ".csv", ".tex"), "figure": (".png", ".pdf")}
HEADINGS = ("Item", "Shows", "Target", "Data", "Largest difference from the published", "Files")


def write(directory: Path) -> Path:
    """Write the index of what is in the results directory."""
    parts = [
        "# Results\n\n"
        f"On the study's embedded data: {data_source()}. Made by `make all`; one item by its "
        "target. Every folder has a README that says the same of its files. Published values are "
        "those of arXiv 2610.03367v2; differences are ours minus the published value, the largest "
        "in size of n that are published.\n"
    ]
    if (directory / "report" / "index.html").is_file():
        parts.append("[The report](report/index.html) shows them on one page, with predictions to "
                     "explore (`make report`).\n")  # fmt: skip
    for title, ours in (("The study's tables and figures", False), ("Ours", True)):
        rows = [line(item, directory) for item in ITEMS if item.ours == ours]
        table = [HEADINGS, ["---"] * len(HEADINGS), *rows]
        written = "\n".join(f"| {' | '.join(row)} |" for row in table)
        parts.append(f"## {title}\n\n{written}\n")
    others = unlisted(directory)
    if others:
        named = "\n".join(f"- {' · '.join(_links(name, directory))}" for name in others)
        parts.append(f"## Of neighbouring methods\n\n{named}\n")
    return write_text("\n".join(parts), directory / "README.md")


def line(item: Item, directory: Path) -> list[str]:
    """One item's row of the index."""
    label = f"{item.kind.title()} {int(item.label)}" if not item.ours else item.name
    found = "; ".join(filter(None, (difference(each, directory) for each in item.against)))
    if item.remark:
        found = f"{found} ({item.remark})" if found else item.remark
    target = f"`make {item.step}`" if item.step else ""
    return [label, item.title, target, item.data, found, " · ".join(_links(item.name, directory))]


def difference(against: Against, directory: Path) -> str:
    """The largest difference from the published values, with its sign, unit and their number."""
    path = directory / against.file
    if not path.is_file():
        return ""
    table = read_table(path)
    if not {against.ours, against.published}.issubset(table.columns):
        return ""
    if against.where:
        table = table.query(against.where)
    gaps = (against.scale * (table[against.ours] - table[against.published])).dropna()
    if gaps.empty:
        return ""
    largest = gaps.loc[gaps.abs().idxmax()]
    text = f"{largest:+.3g}".replace("-", "−") if abs(largest) > 1e-9 else "0"
    return f"{text} {against.unit}, n = {len(gaps)}"


def unlisted(directory: Path) -> list[str]:
    """Tables and figures in the results that the registry does not name."""
    known = {item.name for item in ITEMS}
    found = [*directory.glob("tables/*.md"), *directory.glob("figures/*.png")]
    # a name with a dot is a file that another process is just writing
    return sorted({path.stem for path in found if not path.name.startswith(".")} - known)


def _links(name: str, directory: Path) -> list[str]:
    """Links to the files of an item that are there."""
    kind = name.split("_")[0]
    paths = [f"{kind}s/{name}{suffix}" for suffix in SUFFIXES[kind]]
    here = [path for path in paths if (directory / path).is_file()]
    return [f"[{path.removeprefix(f'{kind}s/')}]({path})" for path in here]
