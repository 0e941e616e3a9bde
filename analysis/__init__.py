"""From outcomes and features to fits, predictions, tables and figures.

The front for notebooks and scripts: ``from analysis import load, fit, predict``. What it offers is
``ENTRIES`` and the packages of tables and figures; each is imported when it is first asked for.
"""

from importlib import import_module

ENTRIES = {
    "load": "analysis.front.study",
    "fit": "analysis.front.model",
    "predict": "analysis.front.predictions",
    "hold_out": "analysis.front.held_out",
    "few_templates": "analysis.front.few_templates",
    "sample_size": "analysis.front.sample_size",
    "power": "analysis.front.power",
    "measures": "analysis.front.measures",
    "ingest": "analysis.front.logs",
}
"""Functions of the front, and the module of each."""

PACKAGES = ("tables", "figures")

__all__ = ["few_templates", "figures", "fit", "hold_out", "ingest", "load", "measures",
           "power", "predict", "sample_size", "tables"]  # fmt: skip


def __getattr__(name: str) -> object:
    if name in ENTRIES:
        found = getattr(import_module(ENTRIES[name]), name)
        globals()[name] = found
        return found
    if name in PACKAGES:
        return import_module(f"analysis.{name}")
    from common.errors import suggest

    raise AttributeError(f"module 'analysis' has no attribute {name!r}.{suggest(name, __all__)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
