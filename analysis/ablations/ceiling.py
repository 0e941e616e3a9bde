"""Is the size effect a ceiling artefact? Eq. 1 on subsets without saturation (Appendix I.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import pandas as pd
from capability_transfer.analysis import design, study
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.outcomes.cells import pair_totals
from capability_transfer.common.errors import InputError
from capability_transfer.features.table import FEATURES

REFERENCE = "eng"
SATURATED = 0.90
"""A (variant, language) pair above this accuracy counts as saturated."""

ENGLISH = (0.95, 0.90)
CELLS = (0.90,)
"""Table 7's thresholds: on a run's English accuracy, and on a pair's own."""

FEWEST_PAIRED = 5
"""With fewer base models run both ways, interactions with reasoning are not to be interpreted."""


@dataclass(frozen=True)
class Restriction:
    """A subset of the cells: what it is called, for files and for people, and what it keeps."""

    name: str
    label: str
    kept: pd.Series
    """One bool per row of the pairs."""


def restrictions(
    pairs: pd.DataFrame, english: Sequence[float] = ENGLISH, cells: Sequence[float] = CELLS
) -> list[Restriction]:
    """Table 7's columns: everything, weak runs only, unsaturated pairs only.

    Args:
        pairs: variant, language, accuracy (0 to 1) of the symbolic split.
        english: keep runs whose English accuracy is below each of these (0 to 1).
        cells: keep pairs whose own accuracy is at most each of these. That filters on the outcome
            and biases what is estimated; it is there for completeness.

    Raises InputError for a threshold outside 0 to 1 and for runs without an English accuracy.
    """
    for threshold in (*english, *cells):
        if not 0 < threshold < 1:
            raise InputError(f"a threshold is a share between 0 and 1, not {threshold:g}")
    found = [Restriction("all", "Full", pd.Series(True, index=pairs.index))]
    if english:
        rows = pairs[pairs["language"] == REFERENCE]
        own = pairs["variant"].map(rows.set_index("variant")["accuracy"])
        if own.isna().any():
            raise InputError(
                f"{pairs['variant'][own.isna()].iloc[0]} has no English ({REFERENCE}) outcomes, "
                "so runs cannot be restricted by their English accuracy: give no --english"
            )
        for threshold in english:
            percent = f"{100 * threshold:g}"
            found.append(
                Restriction(f"english_below_{percent}", f"English <{percent}%", own < threshold)
            )
    for threshold in cells:
        percent = f"{100 * threshold:g}"
        kept = pairs["accuracy"] <= threshold
        found.append(Restriction(f"cells_at_most_{percent}", f"Cells ≤{percent}%", kept))
    return found


def ceiling(
    inputs: Inputs,
    fitting: Callable[[str], AbstractContextManager[Callable]],
    cache_dir: Path | None = None,
    english: Sequence[float] = ENGLISH,
    cells: Sequence[float] = CELLS,
    formula: str | None = None,
    engine: str = "laplace",
) -> pd.DataFrame:
    """Table 7: the main model refitted under every restriction.

    z-scores are recomputed on each subset, so a coefficient is per SD of that subset.

    Args:
        inputs: outcomes and features.
        fitting: makes a progress context from a label.
        cache_dir: where finished fits are kept.
        english: see ``restrictions``.
        cells: see ``english``.
        formula: in place of the study's main model.
        engine: of the fits.

    Returns one row per restriction and fixed effect: restriction, label, term, estimate,
    std_error, statistic, p_value, conf_low, conf_high (log-odds per SD), variants, pairs,
    paired_bases (base models run with reasoning on and off), saturated_cells (pairs above 90%),
    interpretable (False for interactions with reasoning where few base models run both ways),
    published, difference (NaN where nothing is published).

    Raises InputError for thresholds or data that leave nothing to fit.
    """
    model, _ = design.chosen(formula, study.MAIN, inputs.cells, inputs.features)
    names = [feature.name for feature in FEATURES if feature.name in model.variables()]
    joined, _ = design.join(inputs.cells, inputs.features, names)
    pairs = pair_totals(joined)
    is_main = inputs.is_study and model == parse(study.MAIN)
    beside = published() if is_main else pd.Series(dtype=float)
    tables = []
    for restriction in restrictions(pairs, english, cells):
        kept = pairs[restriction.kept]
        if kept.empty:
            raise InputError(f"no cell is left under {restriction.label}: change the threshold")
        rows = joined.merge(kept[["variant", "language"]], on=["variant", "language"])
        try:
            fit = _fit(rows, model, names, restriction, inputs, fitting, cache_dir, engine)
        except InputError as error:
            raise InputError(f"restricted to {restriction.label}: {error}") from error
        paired = _paired(kept["variant"], inputs)
        table = fit.fixed_effects.assign(
            restriction=restriction.name,
            label=restriction.label,
            variants=kept["variant"].nunique(),
            pairs=len(kept),
            paired_bases=paired,
            saturated_cells=int((kept["accuracy"] > SATURATED).sum()),
        )
        crossed = table["term"].str.contains("reasoning") & table["term"].str.contains(":")
        table["interpretable"] = ~crossed | (paired >= FEWEST_PAIRED)
        known = pd.Series([(restriction.name, term) for term in table["term"]]).map(beside)
        tables.append(table.assign(published=known.astype(float)))
    result = pd.concat(tables, ignore_index=True)
    result["difference"] = result["estimate"] - result["published"]
    first = ["restriction", "label"]
    return result[[*first, *(name for name in result.columns if name not in first)]]


def _fit(
    rows: pd.DataFrame,
    model: Formula,
    names: Sequence[str],
    restriction: Restriction,
    inputs: Inputs,
    fitting: Callable[[str], AbstractContextManager[Callable]],
    cache_dir: Path | None,
    engine: str,
) -> Fit:
    """The model on the rows of one restriction, z-scores recomputed on them."""
    scaled, _ = design.standardise(rows, [name for name in names if name not in design.INDICATORS])
    with fitting(f"ceiling, {restriction.label}") as progress:
        return cached_fit(
            engine, model, scaled, cache_dir, provenance=inputs.provenance, progress=progress
        )


def _paired(variants: pd.Series, inputs: Inputs) -> int:
    """How many base models are there with reasoning on and off."""
    models = inputs.features.models
    modes = models[models["variant"].isin(variants)].groupby("base_model")["reasoning"].nunique()
    return int((modes == 2).sum())


@cache
def _read() -> pd.DataFrame:
    with (
        resources.files("capability_transfer.analysis")
        .joinpath("data/study_ceiling.csv")
        .open() as file
    ):
        return pd.read_csv(file, keep_default_na=False)


def published() -> pd.Series:
    """Table 7's figures by (restriction, name); names are terms, variants, saturated_cells."""
    return _read().set_index(["restriction", "name"])["estimate"].astype(float)


def published_stars() -> pd.Series:
    """Table 7's stars by (restriction, term)."""
    table = _read()
    table = table[~table["name"].isin(["variants", "saturated_cells"])]
    return table.set_index(["restriction", "name"])["stars"]


def stars(p_value: float) -> str:
    """``*`` below .05, ``**`` below .01, ``***`` below .001 (Tables 6 and 7)."""
    return "*" * sum(p_value < bound for bound in (0.05, 0.01, 0.001))
