"""What determines how a language model's capabilities transfer across languages.

``import capability_transfer as ct``, then ``ct.load()``, ``ct.fit()``, ``ct.predict(…)`` and what
else ``ENTRIES`` names; each is imported when it is first asked for.
"""

from importlib import import_module
from pathlib import Path

_CHECKOUT = Path(__file__).parents[1]
if (_CHECKOUT / "pyproject.toml").is_file():  # there the parts lie beside this folder
    __path__.append(str(_CHECKOUT))

ENTRIES = {
    "load": "analysis.data",
    "fit": "analysis.studies.main_model",
    "glmer": "analysis.studies.glmer",
    "Glmm": "analysis.studies.glmer",
    "predict": "analysis.studies.predictions",
    "hold_out": "analysis.studies.held_out",
    "few_templates": "analysis.studies.few_templates",
    "sample_size": "analysis.studies.sample_size",
    "power": "analysis.studies.power",
    "measures": "analysis.studies.transfer_metrics",
    "ingest": "analysis.studies.logs",
    "items": "analysis.studies.items",
    "sensitivity": "analysis.studies.sensitivity",
    "levers": "analysis.studies.levers",
    "penalty": "analysis.studies.penalty",
    "ceiling": "analysis.studies.ceiling",
    "specifications": "analysis.studies.specifications",
    "equivalence": "analysis.studies.equivalence",
    "compare": "analysis.studies.comparison",
    "overview": "analysis.studies.overview",
    "robustness": "analysis.studies.robustness",
    "hat_noise": "analysis.studies.hat_noise",
    "InputError": "common.errors",
}
"""What the package offers, and the module of each."""

MODULES = {"tables": "analysis.presentation.tables", "figures": "analysis.presentation.plots"}
"""How a table (``tables.write``) and a figure (``figures.save``) become files."""

__all__ = sorted([*ENTRIES, *MODULES])


def __getattr__(name: str) -> object:
    if name in ENTRIES:
        found = getattr(import_module(f"{__name__}.{ENTRIES[name]}"), name)
        globals()[name] = found
        return found
    if name in MODULES:
        return import_module(f"{__name__}.{MODULES[name]}")
    if name == "__version__":
        from importlib.metadata import version

        return version("capability-transfer")
    if name.startswith("__"):  # what the import system asks about
        raise AttributeError(name)
    from capability_transfer.common.errors import suggest

    raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{suggest(name, __all__)}")


def __dir__() -> list[str]:
    return __all__
