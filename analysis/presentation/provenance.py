"""What a result rests on: data, fit and seed, as a record beside the files and as a sentence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import write_text

LAPLACE = ("laplace", "lme4")
"""Engines that maximise Laplace's approximation of the likelihood."""

RECORD = "provenance.json"
"""The file of the record in a folder of results."""


@dataclass(frozen=True)
class Provenance:
    """The data, fit and seed that a result rests on.

    Attributes:
        data: which data, in words.
        engine: who fitted the model, empty where nothing was fitted.
        version: of the engine, where it is known.
        formula: the model in lme4's syntax, where one model stands for the result.
        seed: of its draws, None where nothing was drawn.
        remark: what else captions must say, a sentence.
    """

    data: str
    engine: str = ""
    version: str = ""
    formula: str = ""
    seed: int | None = None
    remark: str = ""

    @classmethod
    def of(
        cls, data: str, fit: Fit | None, seed: int | None = None, remark: str = ""
    ) -> Provenance:
        """That of what was read off one fit, or off the data alone."""
        if fit is None:
            return cls(data, seed=seed, remark=remark)
        version = fit.versions.get(fit.engine, "")
        return cls(data, fit.engine, version, str(fit.formula), seed, remark)

    @property
    def note(self) -> str:
        """For captions: the data, and the engine where a model was fitted."""
        text = f"Data: {self.data}."
        if self.engine:
            approximation = ", Laplace approximation" if self.engine in LAPLACE else ""
            text += f" Fit: {' '.join(filter(None, (self.engine, self.version)))}{approximation}."
        return f"{text} {self.remark}" if self.remark else text

    def write(self, path: Path, title: str) -> None:
        """The record as JSON, for programs; ``write_note`` says it to people."""
        known = {name: value for name, value in vars(self).items() if value not in ("", None)}
        record = json.dumps({"title": title} | known, indent=2, ensure_ascii=False)
        write_text(record + "\n", path)

    @classmethod
    def read(cls, path: Path) -> Provenance:
        """The record that ``write`` wrote; InputError for a file that is not one."""
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            if odd := [k for k, value in known.items() if k != "seed" and type(value) is not str]:
                raise TypeError(f"{', '.join(odd)}: not text")
            return cls(**{name: value for name, value in known.items() if name != "title"})
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise InputError(
                f"{path} does not say what the results beside it rest on ({error}): write them "
                "again with the command that made them"
            ) from error


def note(source: str, fit: Fit | None = None) -> str:
    """One sentence or two for captions: the data, and the engine of the fit if there is one."""
    return Provenance.of(source, fit).note


def write_note(directory: Path, title: str, text: str) -> Path:
    """A ``README.md`` in a results directory, since CSV files cannot say where they come from."""
    return write_text(f"# {title}\n\n{text}\n", Path(directory) / "README.md")
