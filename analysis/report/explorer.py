"""The explorer's predictions, computed ahead by the function behind ``transfer predict``.

For every language with features, every family of the data and a new one, both modes and a grid of
sizes: the digits that ``transfer predict --params S --family F --reasoning M --language L`` prints,
packed as integers. The page only looks them up.
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
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import hash_settings
from capability_transfer.common.kept import Store
from capability_transfer.features.languages import ENGLISH
from joblib import Parallel, delayed
from scipy.spatial.distance import cdist

SIZES = (0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8, 12, 14, 24, 32, 48, 72)
"""Billions of parameters: a stated grid over the sizes of the data, about two steps per
doubling."""

MODES = ("off", "on")
LEVELS = tuple(round(100 * level) for level in NOMINAL)
ENDS = [f"{end}_{level}" for level in LEVELS for end in ("low", "high")]
NEAREST = 3


@dataclass(frozen=True, eq=False)
class Grid:
    """Predictions of every setting, as printed.

    Attributes:
        languages: rows of the bundle's languages.
        families: names; None is a new one.
        sizes: billions of parameters.
        points: family × mode × size × language × (plug-in, integrated), tenths of a percent.
        ends: the same × (low, high of each of ``LEVELS``), percent.
        multiples: of parameters against English, in tenths; −1 for none.
        remarks: for each family and language, in which mode and size make no difference.
        key: names data and settings.
    """

    languages: pd.DataFrame
    families: tuple[str | None, ...]
    sizes: tuple[float, ...]
    points: np.ndarray
    ends: np.ndarray
    multiples: np.ndarray
    remarks: list[list[tuple[str, ...]]]
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
    # a task is a family: its tokens are counted once
    jobs = [delayed(_family)(bundle, family, languages, items, seed, sizes) for family in families]
    found: dict[str | None, tuple] = {}
    with progress.counting("predicting for the explorer", len(jobs)) as tell:
        for family, table in Parallel(n_jobs=workers, return_as="generator_unordered")(jobs):
            found[family] = table
            tell(1)
    points, ends, multiples, said = zip(*(found[family] for family in families), strict=True)
    stacked = (np.stack(part) for part in (points, ends, multiples))
    return Grid(languages, families, sizes, *stacked, list(said), key)


def _languages(bundle: Bundle) -> pd.DataFrame:
    """Every language that has both features, by name."""
    known = bundle.languages[["resource", "distance"]].notna().all(axis=1)
    return bundle.languages[known].sort_values("name", ignore_index=True, kind="stable")


def _family(
    bundle: Bundle,
    family: str | None,
    languages: pd.DataFrame,
    items: int,
    seed: int,
    sizes: tuple[float, ...],
) -> tuple[str | None, tuple]:
    points, ends, multiples = [], [], []
    for mode in MODES:
        for size in sizes:
            model = new_model.find_model(bundle, None, size, family, mode)
            table = new_language.predict(bundle, model, languages, items, seed)
            points.append(np.rint(1000 * table[["plug_in", "integrated"]]))
            multiples.append(np.rint(10 * table["size_multiple"].fillna(-0.1)))
            ends.append(np.rint(100 * table[ENDS]))
    said = [tuple(describe.remarks(table.iloc[[i]], marks=False)) for i in range(len(table))]
    shape = (len(MODES), len(sizes), len(languages))
    return family, (
        np.reshape(points, (*shape, 2)).astype(np.uint16),
        np.reshape(ends, (*shape, len(ENDS))).astype(np.uint8),
        np.reshape(multiples, shape).astype(np.int32),
        said,
    )


def payload(bundle: Bundle, grid: Grid, items: int, seed: int) -> dict:
    """What the page's script reads, as plain values: arrays are base64, little-endian.

    Raises InputError if English is not among the languages.
    """
    codes = grid.languages["language"].tolist()
    if ENGLISH not in codes:
        raise InputError(f"the explorer compares with English ({ENGLISH}); the data have none")
    texts = sorted({said for family in grid.remarks for said in family})
    number = {said: i for i, said in enumerate(texts)}
    near = nearest(bundle, grid.languages)
    languages = [
        {
            "code": row.language,
            "name": row.name,
            "seen": bool(row.seen),
            **near[row.language],
        }
        for row in grid.languages.itertuples()
    ]
    return {
        "key": grid.key,
        "questions": items,
        "seed": seed,
        "reference": codes.index(ENGLISH),
        "levels": list(LEVELS),
        "sizes": list(grid.sizes),
        "limit": round(new_language.largest_size(bundle)),
        "families": list(grid.families),
        "languages": languages,
        "observed": observed(bundle),
        "texts": [list(said) for said in texts],
        "remarks": _packed([[number[said] for said in family] for family in grid.remarks], "<u2"),
        "points": _packed(grid.points, "<u2"),
        "ends": _packed(grid.ends, "u1"),
        "multiples": _packed(grid.multiples, "<i4"),
    }


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


def observed(bundle: Bundle) -> list[dict]:
    """Every evaluated variant: family, size, mode, and its accuracy (percent) by language."""
    data = bundle.fitted.data
    percent = 100 * data["n_correct"] / data["n_total"]
    by_variant = percent.groupby([data["variant"], data["language"]]).sum()
    return [
        {
            "variant": row.variant,
            "family": row.family,
            "size": round(float(2**row.size), 3),
            "mode": MODES[int(row.reasoning)],
            "accuracy": {code: f"{v:.1f}" for code, v in by_variant[row.variant].items()},
        }
        for row in bundle.models.sort_values(["family", "size", "reasoning"]).itertuples()
    ]
