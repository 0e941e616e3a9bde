"""Distance: how far a language's grammar is from English, by URIEL's typological features.

The cosine distance between two languages' vectors in lang2vec (Littell et al., 2017); the study
takes ``syntax_knn``, 103 features of which those that no source observes are imputed from near
relatives and neighbours. How much of a vector is imputed stands beside the distance.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.features import languages as registry
from capability_transfer.features import uriel as database


def build(
    languages: pd.DataFrame | Iterable[str] | None = None,
    source: str = "eng",
    feature_set: str = "syntax_knn",
) -> pd.DataFrame:
    """Cosine distance of every language from ``source`` (0: the same vector; up to 1 for 0/1).

    Args:
        languages: codes or rows of the language registry; the study's 15 by default.
        source: the language to measure from.
        feature_set: one of ``feature_sets()``.

    Columns: language, uriel (the code asked), distance, n_observed, n_features, imputed_share,
    feature_set, source_language. For a ``_knn`` set ``n_observed`` counts the features that the
    matching ``_average`` set observes and ``imputed_share`` is the rest's share. Other sets have
    gaps in place of imputed values: ``n_observed`` counts what is there, the share is 0, and the
    distance is taken over the features that both languages have (NaN if there are none). A
    language without a vector has distance NaN and no observed features.

    Raises InputError for an unknown feature set or language, or a ``source`` without a vector.
    """
    if feature_set not in feature_sets():
        raise InputError(
            f"unknown feature set {feature_set!r}.{suggest(feature_set, feature_sets())} "
            f"There are {name_some(feature_sets(), 30)}"
        )
    rows = registry.table(languages)
    origin = registry.table([source]).iloc[0]
    if not origin["uriel"]:
        raise InputError(f"URIEL has no vector for {source}: distances from it are unknown")
    asked = tuple(dict.fromkeys([origin["uriel"], *rows["uriel"][rows["uriel"] != ""]]))
    vectors = database.vectors(asked, feature_set)
    imputing = feature_set.endswith("_knn")
    observed = (
        database.vectors(asked, feature_set.replace("_knn", "_average")) if imputing else vectors
    )
    start = vectors[origin["uriel"]]
    result = []
    for language, uriel in zip(rows["language"], rows["uriel"], strict=True):
        count = int(np.isfinite(observed[uriel]).sum()) if uriel else 0
        share = 1 - count / len(start) if imputing else 0.0
        result.append(
            {
                "language": language,
                "uriel": uriel,
                "distance": cosine_distance(vectors[uriel], start) if uriel else np.nan,
                "n_observed": count,
                "n_features": len(start),
                "imputed_share": share if uriel else np.nan,
                "feature_set": feature_set,
                "source_language": origin["language"],
            }
        )
    return pd.DataFrame(result)


def vectors(uriel: pd.Series, feature_set: str = "syntax_knn") -> pd.DataFrame:
    """URIEL feature vectors: one row per language, NaN where a set has gaps.

    ``uriel`` has every language's URIEL code by its own (as the tables of ``build`` do); languages
    with an empty one are left out. Raises InputError for unknown codes and sets.
    """
    if feature_set not in feature_sets():
        raise InputError(
            f"unknown feature set {feature_set!r}.{suggest(feature_set, feature_sets())}"
        )
    known = uriel[uriel.notna() & (uriel != "")]
    found = database.vectors(tuple(dict.fromkeys(known)), feature_set)
    index = pd.Index(known.index, name="language")
    return pd.DataFrame([found[code] for code in known], index=index)


def feature_sets() -> list[str]:
    """The URIEL feature sets that a distance can be taken over."""
    return list(database.FEATURE_SETS)


def cosine_distance(first: np.ndarray, second: np.ndarray) -> float:
    """1 − the cosine of two vectors over the features that both have.

    NaN if they share no feature, or one is zero on all shared ones: it has no direction.
    """
    shared = np.isfinite(first) & np.isfinite(second)
    first, second = first[shared], second[shared]
    lengths = np.linalg.norm(first) * np.linalg.norm(second)
    if lengths == 0:
        return float("nan")
    return float(max(0.0, 1 - first @ second / lengths))
