"""The explorer's predictions, computed ahead by the function behind ``transfer predict``.

For every language with features: every model by name, and every family of the data and a new one
in both modes and a grid of sizes. They are the digits that ``transfer predict --model NAME
--reasoning M --language L``, or ``--params S --family F``, prints, packed as integers. The page
only looks them up.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction import describe, new_language, new_model
from capability_transfer.analysis.prediction.scores import NOMINAL
from capability_transfer.analysis.prediction.store import Bundle
from capability_transfer.analysis.terciles import TERCILES, terciles
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import hash_settings
from capability_transfer.common.kept import Store
from capability_transfer.features import languages as language_registry
from capability_transfer.features import models as model_registry
from capability_transfer.features.languages import ENGLISH
from joblib import Parallel, delayed
from scipy.spatial.distance import cdist

SIZES = (0.5, 1, 2, 3, 4, 8, 12, 14, 24, 32, 70)
"""Billions of parameters that can be described: those of models that people have heard of."""

SCARCE = 5000
"""Common Crawl pages of a language below which hardly anything was there to learn from."""

MODES = ("off", "on")
LEVELS = tuple(round(100 * level) for level in NOMINAL)
ENDS = [f"{end}_{level}" for level in LEVELS for end in ("low", "high")]
NEAREST = 3


@dataclass(frozen=True, eq=False)
class Grid:
    """Predictions of every setting, as printed.

    A setting is a model: first those described, family × mode × size, then those with a name.

    Attributes:
        languages: rows of the bundle's languages.
        families: names; None is a new one.
        sizes: billions of parameters.
        models: variant, base_model, family, size (log2 billions), reasoning, evaluated.
        notes: of each setting, on its model.
        points: setting × language × (plug-in, integrated), tenths of a percent.
        ends: the same × (low, high of each of ``LEVELS``), percent.
        multiples: of parameters against English, in tenths; −1 for none.
        remarks: for each family, then each named model, and each language; in them mode and size
            make no difference.
        far: of each language, how far outside those learned from (``describe.how_far``).
        key: names data and settings.
    """

    languages: pd.DataFrame
    families: tuple[str | None, ...]
    sizes: tuple[float, ...]
    models: pd.DataFrame
    notes: list[tuple[str, ...]]
    points: np.ndarray
    ends: np.ndarray
    multiples: np.ndarray
    remarks: list[list[tuple[str, ...]]]
    far: list[tuple[int, tuple[str, ...]]]
    key: str


def grid(
    bundle: Bundle,
    key: tuple,
    items: int,
    seed: int,
    cache: Path | None,
    workers: int = 2,
    sizes: tuple[float, ...] = SIZES,
) -> Grid:
    """Every setting's prediction, kept in ``cache`` for the same data, settings and code.

    Args:
        bundle: what predictions are made from.
        key: names its data (``analysis.data.Study.key``).
        items: as in ``new_language.predict``.
        seed: as there.
        cache: a directory, or None.
        workers: processes.
        sizes: billions of parameters.

    Raises InputError for data without English, which multiples are against.
    """
    settings = (*key, items, seed, sizes)
    return Store(cache).get(
        "report",
        *settings,
        make=lambda: _compute(bundle, items, seed, workers, sizes, hash_settings(*settings)),
        plain=vars,
        of=lambda plain: Grid(**plain),
    )


def _compute(
    bundle: Bundle, items: int, seed: int, workers: int, sizes: tuple[float, ...], key: str
) -> Grid:
    languages = _languages(bundle)
    families = (*sorted(bundle.models["family"].unique(), key=str.casefold), None)
    by_name = named(bundle)
    described = [
        [new_model.find_model(bundle, None, size, family, mode) for mode in MODES for size in sizes]
        for family in families
    ]
    # a task has one tokenizer, whose tokens are counted once
    own = [[one for one in by_name if one.family == family] for family in families[:-1]]
    tasks = [*described, *filter(None, own)]
    models = [one for task in tasks[len(families) :] for one in task]
    jobs = [
        delayed(_task)(place, bundle, task, languages, items, seed)
        for place, task in enumerate(tasks)
    ]
    found: dict[int, list] = {}
    with progress.counting("predicting for the explorer", len(jobs)) as tell:
        for place, tables in Parallel(n_jobs=workers, return_as="generator_unordered")(jobs):
            found[place] = tables
            tell(1)
    tables = [table for place in range(len(tasks)) for table in found[place]]
    per_family = len(MODES) * len(sizes)
    first_of_each = [
        *tables[: per_family * len(families) : per_family],
        *tables[per_family * len(families) :],
    ]
    return Grid(
        languages,
        families,
        sizes,
        pd.DataFrame(
            {
                "variant": one.variant,
                "base_model": one.base_model.removesuffix(f" {new_model.NEW}"),
                "family": one.family,
                "size": one.size,
                "reasoning": one.reasoning,
                "evaluated": one.known == "variant",
            }
            for one in models
        ),
        [one.notes for task in tasks for one in task],
        np.stack([np.rint(1000 * one[["plug_in", "integrated"]]) for one in tables]).astype("u2"),
        np.stack([np.rint(100 * one[ENDS]) for one in tables]).astype("u1"),
        np.stack([np.rint(10 * one["size_multiple"].fillna(-0.1)) for one in tables]).astype("i4"),
        _remarks(first_of_each),
        describe.how_far(tables[0]),
        key,
    )


def _remarks(tables: list[pd.DataFrame]) -> list[list[tuple[str, ...]]]:
    """Remarks on every row of predictions; of a language they differ by what is known of it."""
    said: dict[tuple, tuple[str, ...]] = {}
    found = []
    for table in tables:
        keys = list(zip(table["language"], table["fertility_source"], table["seen"], strict=True))
        for i, key in enumerate(keys):
            if key not in said:
                said[key] = tuple(describe.remarks(table.iloc[[i]], marks=False))
        found.append([said[key] for key in keys])
    return found


def _languages(bundle: Bundle) -> pd.DataFrame:
    """Every language that has both features, by name."""
    known = bundle.languages[["resource", "distance"]].notna().all(axis=1)
    return bundle.languages[known].sort_values("name", ignore_index=True, kind="stable")


def named(bundle: Bundle) -> list[new_model.AskedModel]:
    """The models that can be chosen by name: those of the data, and of the registry those of the
    data's families and modes."""
    own, registered = bundle.models, model_registry.registry()
    pairs = [*zip(own["base_model"], own["reasoning"].map(dict(enumerate(MODES))), strict=True)]
    known = registered[registered["family"].isin(own["family"])]
    pairs += zip(known["base_model"], known["reasoning"], strict=True)
    modes = {MODES[mode] for mode in own["reasoning"]}
    found = [
        new_model.find_model(bundle, base, None, None, mode)
        for base, mode in dict.fromkeys(pairs)
        if mode in modes
    ]
    return sorted(found, key=lambda one: (one.family.casefold(), one.size, one.base_model))


def _task(
    place: int,
    bundle: Bundle,
    models: list[new_model.AskedModel],
    languages: pd.DataFrame,
    items: int,
    seed: int,
) -> tuple[int, list[pd.DataFrame]]:
    return place, new_language.predict_each(bundle, models, languages, items, seed)


def payload(bundle: Bundle, grid: Grid, items: int, seed: int) -> dict:
    """What the page's script reads, as plain values: arrays are base64, little-endian.

    Raises InputError if English is not among the languages.
    """
    codes = grid.languages["language"].tolist()
    if ENGLISH not in codes:
        raise InputError(f"the explorer compares with English ({ENGLISH}); the data have none")
    texts = sorted({said for group in grid.remarks for said in group})
    number = {said: i for i, said in enumerate(texts)}
    near = nearest(bundle, grid.languages)
    others: dict[str, list[str]] = {}
    for code, name in language_registry.other_names():
        others.setdefault(code, []).append(name)
    languages = [
        {
            "code": row.language,
            "name": row.name,
            "others": others.get(row.language, []),
            "pages": round(10**row.resource),
            "seen": bool(row.seen),
            "far": far,
            "reasons": list(reasons),
            **near[row.language],
        }
        for row, (far, reasons) in zip(grid.languages.itertuples(), grid.far, strict=True)
    ]
    return {
        "key": grid.key,
        "questions": items,
        "seed": seed,
        "reference": codes.index(ENGLISH),
        "levels": list(LEVELS),
        "sizes": list(grid.sizes),
        "limit": round(new_language.largest_size(bundle)),
        "scarce": SCARCE,
        "families": list(grid.families),
        "languages": languages,
        "models": _models(bundle, grid.models),
        "notes": [list(notes) for notes in grid.notes],
        "texts": [list(said) for said in texts],
        "remarks": _packed([[number[said] for said in group] for group in grid.remarks], "<u2"),
        "points": _packed(grid.points, "<u2"),
        "ends": _packed(grid.ends, "u1"),
        "multiples": _packed(grid.multiples, "<i4"),
    }


def _models(bundle: Bundle, models: pd.DataFrame) -> list[dict]:
    """The named models: their third by size among those evaluated, and what was observed of them
    (percent, by language)."""
    data = bundle.fitted.data
    percent = 100 * data["n_correct"] / data["n_total"]
    observed = percent.groupby([data["variant"], data["language"]]).sum()
    thirds = terciles(models["size"].where(models["evaluated"]))
    return [
        {
            "variant": row.variant,
            "base": row.base_model,
            "family": row.family,
            "size": round(float(2**row.size), 3),
            "mode": MODES[int(row.reasoning)],
            "third": TERCILES.index(third) if row.evaluated else None,
            "accuracy": {code: f"{v:.1f}" for code, v in observed[row.variant].items()}
            if row.evaluated
            else {},
        }
        for row, third in zip(models.itertuples(), thirds, strict=True)
    ]


def _packed(values: object, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def nearest(bundle: Bundle, languages: pd.DataFrame) -> dict[str, dict[str, list]]:
    """The evaluated languages nearest to each: ``by_vector`` and ``by_resource``.

    By URIEL vector nearness is the correlation that the predictor's related-languages term gives
    two languages (1: the same); by resource, the difference in log10 pages. Pairs of a code and
    the figure as text, the language itself left out.
    """
    evaluated = bundle.languages.loc[bundle.languages["seen"], "language"].tolist()
    vectors = bundle.vectors
    known = vectors.loc[evaluated].to_numpy()
    between = cdist(known, known, "sqeuclidean")
    scale = 2 * np.median(between[np.triu_indices(len(known), 1)])
    alike = np.exp(-cdist(vectors.loc[languages["language"]], known, "sqeuclidean") / scale)
    pages = bundle.languages.set_index("language")["resource"]
    found = {}
    for row, code in enumerate(languages["language"]):
        others = [i for i, name in enumerate(evaluated) if name != code]
        close = sorted(others, key=lambda i: -alike[row, i])[:NEAREST]
        apart = {i: pages[evaluated[i]] - pages[code] for i in others}
        even = sorted(others, key=lambda i: abs(apart[i]))[:NEAREST]
        found[code] = {
            "by_vector": [[evaluated[i], f"{alike[row, i]:.2f}"] for i in close],
            "by_resource": [[evaluated[i], f"{apart[i]:+.2f}".replace("-", "−")] for i in even],
        }
    return found
