"""What an artefact says of its data."""

from __future__ import annotations

from pathlib import Path

from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common.files import write_text

LAPLACE = ("laplace", "lme4")
"""Engines that maximise Laplace's approximation of the likelihood."""


def note(source: str, fit: Fit | None = None) -> str:
    """One sentence or two for captions: the data, and the engine of the fit if there is one."""
    text = f"Data: {source}."
    if fit is not None:
        approximation = ", Laplace approximation" if fit.engine in LAPLACE else ""
        text += f" Fit: {fit.engine} {fit.versions.get(fit.engine, '')}{approximation}."
    return text


def write_note(directory: Path, title: str, text: str) -> Path:
    """A ``README.md`` in a results directory, since CSV files cannot say where they come from."""
    return write_text(f"# {title}\n\n{text}\n", Path(directory) / "README.md")
