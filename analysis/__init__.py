"""From outcomes and features to fits, predictions, tables and figures.

The front for notebooks and scripts: ``from analysis import load, fit, predict``. What it offers is
``ENTRIES`` and the packages of tables and figures; each is imported when it is first asked for.
"""

from importlib import import_module

ENTRIES = {
    "load": "front.study",
    "fit": "front.model",
    "predict": "front.predictions",
    "hold_out": "front.held_out",
    "few_templates": "front.few_templates",
    "sample_size": "front.sample_size",
    "power": "front.power",
    "measures": "front.measures",
    "ingest": "front.logs",
}
"""Functions of the front, and the module of each.

Named within the package: a full name would make every step of ``make all`` depend on all of them.
"""

PACKAGES = ("tables", "figures")

__all__ = ["few_templates", "figures", "fit", "hold_out", "ingest", "load", "measures",
           "power", "predict", "sample_size", "tables"]  # fmt: skip


def __getattr__(name: str) -> object:
    if name in ENTRIES:
        found = getattr(import_module(f"analysis.{ENTRIES[name]}"), name)
        globals()[name] = found
        return found
    if name in PACKAGES:
        return import_module(f"analysis.{name}")
    from common.errors import suggest

    raise AttributeError(f"module 'analysis' has no attribute {name!r}.{suggest(name, __all__)}")


def __dir__() -> list[str]:
    return __all__
