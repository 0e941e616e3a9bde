"""What mkdocs does besides: pages made of other files of the repository, and of the command line.

A page links to a file outside ``docs/`` by its path (``../results/figures/figure_02.png``), so that
the link works in the repository as well. In the site such a link leads to the page made of that
file (``PAGES``) or to a copy of the figure; a link to anything else outside fails the build.
"""

from __future__ import annotations

import atexit
import base64
import json
import posixpath
import re
import shutil
import tempfile
from pathlib import Path

import typer
from capability_transfer.analysis.cli import build
from capability_transfer.analysis.commands import registry
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.cli import get_docs_for_click

ROOT = Path(__file__).parents[1]
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "analysis/outcomes/README.md": "logs.md",
    "analysis/outcomes/data/README.md": "study-data.md",
    "evaluation/README.md": "evaluating.md",
}
"""Files of the repository that are pages of the site."""

PARTS = ("analysis", "common", "evaluation", "features")
NOTEBOOKS = "notebooks"
FIGURES = ("results/figures", "results/bench")
COMMAND_LINE = "reference/command-line.md"
COMMANDS = re.compile(r"\*\*Commands\*\*:\n\n(\* .*\n)+\n")
STYLE = re.compile(r"<style.*?</style>", re.S)
LANGUAGE = re.compile(r"%%(\w+)\n")
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")


@event_priority(100)  # before mkdocstrings reads its settings
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Show mkdocstrings the package in one folder, as it is installed.

    It reads sources without importing them, and so does not know that the package's parts lie
    beside its folder in a checkout.
    """
    package = Path(tempfile.mkdtemp(prefix="docs-")) / "capability_transfer"
    atexit.register(shutil.rmtree, package.parent, ignore_errors=True)
    package.mkdir()
    for part in (ROOT / "capability_transfer/__init__.py", *(ROOT / name for name in PARTS)):
        (package / part.name).symlink_to(part)
    handlers = config.plugins["mkdocstrings"].config.handlers
    handlers["python"]["paths"] = [str(package.parent)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages made of other files, the command line's, the notebooks, and the figures."""
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, COMMAND_LINE, content=command_line()))
    for notebook in sorted((ROOT / NOTEBOOKS).glob("*.ipynb")):
        text, pictures = notebook_page(notebook)
        files.append(File.generated(config, f"{NOTEBOOKS}/{notebook.stem}.md", content=text))
        for name, picture in pictures.items():
            files.append(File.generated(config, f"{NOTEBOOKS}/{name}", content=picture))
    for figure in sorted(path for folder in FIGURES for path in (ROOT / folder).glob("*.png")):
        name = f"figures/{figure.name}"
        files.append(File.generated(config, name, abs_src_path=str(figure)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links out of ``docs/`` to pages of the site."""
    uri = page.file.src_uri
    sources = {made: source for source, made in PAGES.items()}
    home = posixpath.dirname(sources.get(uri, f"docs/{uri}"))

    def lead(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(home, match[1]))
        if target.startswith("docs/"):
            there = target.removeprefix("docs/")
        elif target in PAGES:
            there = PAGES[target]
        elif posixpath.dirname(target) == NOTEBOOKS and target.endswith(".md"):
            there = target
        elif posixpath.dirname(target) in FIGURES:
            there = f"figures/{posixpath.basename(target)}"
        else:
            raise PluginError(
                f"{uri} links to {match[1]}, which is not a page: name the path instead"
            )
        return posixpath.relpath(there, posixpath.dirname(uri) or ".")

    return LINK.sub(lead, markdown)


def notebook_page(notebook: Path) -> tuple[str, dict[str, bytes]]:
    """The Markdown of an executed notebook, and the pictures it shows by file name."""
    parts, pictures = [], {}
    heading = notebook.stem
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            headings = re.findall(r"^#+ (.*)$", source, re.M)
            heading = headings[-1] if headings else heading
            parts.append(source)
            continue
        magic = LANGUAGE.match(source)
        parts.append(_fenced(LANGUAGE.sub("", source, count=1), magic[1] if magic else "python"))
        for output in cell["outputs"]:
            kinds = output.get("data", {})
            if "image/png" in kinds:
                name = f"{notebook.stem}_{len(pictures) + 1}.png"
                pictures[name] = base64.b64decode(kinds["image/png"])
                parts.append(f"![{heading}]({name})")
            elif "text/html" in kinds:
                table = STYLE.sub("", "".join(kinds["text/html"]))
                table = table.replace('<table border="1" class="dataframe">', "<table>")
                lines = (line.strip() for line in table.splitlines())
                parts.append("\n".join(filter(None, lines)))  # a blank line would end the HTML
            else:
                parts.append(_fenced("".join(output.get("text") or kinds["text/plain"]), "text"))
    download = f"*The notebook itself: `notebooks/{notebook.name}`.*"
    return "\n\n".join([*parts, download, ""]), pictures


def _fenced(text: str, language: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def command_line() -> str:
    """Every command with its options, as Typer describes them."""
    command = typer.main.get_command(build())
    for name, one in command.commands.items():
        examples = registry.COMMANDS[name].examples
        one.epilog = "\n".join(
            f"*{what}*\n\n```sh\n{lines}\n```\n" for what, lines in examples.items()
        )
    context = typer.Context(command, info_name="transfer")
    text = get_docs_for_click(obj=command, ctx=context, name="transfer", title="Command line")
    text = COMMANDS.sub("", text)  # cut short by Typer; the page's contents name them all
    return text.replace("[OPTIONS]", "[options]")
