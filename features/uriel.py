"""URIEL's feature vectors, read from the files that the package lang2vec carries.

The package's own code is not run: it imports ``pkg_resources``, which setuptools no longer has.
Completion reads the names of the sets, so nothing heavy is imported before vectors are asked for.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING

from capability_transfer.common.errors import InputError, name_some

if TYPE_CHECKING:
    import numpy as np

FEATURE_SETS = {
    "syntax_wals": ("features.npz", "WALS", "S_"),
    "phonology_wals": ("features.npz", "WALS", "P_"),
    "syntax_sswl": ("features.npz", "SSWL", "S_"),
    "syntax_ethnologue": ("features.npz", "ETHNO", "S_"),
    "phonology_ethnologue": ("features.npz", "ETHNO", "P_"),
    "inventory_ethnologue": ("features.npz", "ETHNO", "INV_"),
    "inventory_phoible_aa": ("features.npz", "PHOIBLE_AA", "INV_"),
    "inventory_phoible_gm": ("features.npz", "PHOIBLE_GM", "INV_"),
    "inventory_phoible_saphon": ("features.npz", "PHOIBLE_SAPHON", "INV_"),
    "inventory_phoible_spa": ("features.npz", "PHOIBLE_SPA", "INV_"),
    "inventory_phoible_ph": ("features.npz", "PHOIBLE_PH", "INV_"),
    "inventory_phoible_ra": ("features.npz", "PHOIBLE_RA", "INV_"),
    "inventory_phoible_upsid": ("features.npz", "PHOIBLE_UPSID", "INV_"),
    "syntax_knn": ("feature_predictions.npz", "predicted", "S_"),
    "phonology_knn": ("feature_predictions.npz", "predicted", "P_"),
    "inventory_knn": ("feature_predictions.npz", "predicted", "INV_"),
    "syntax_average": ("feature_averages.npz", "avg", "S_"),
    "phonology_average": ("feature_averages.npz", "avg", "P_"),
    "inventory_average": ("feature_averages.npz", "avg", "INV_"),
    "fam": ("family_features.npz", "FAM", ""),
    "geo": ("geocoord_features.npz", "GEOCOORDS", ""),
}
"""lang2vec's sets: the file, the source in it, and how the names of the set's features begin.

Without two of lang2vec's sets that give no distance: ``id``, one-hot identities, and ``learned``,
vectors that NumPy does not load without running code.
"""


@cache
def vectors(codes: tuple[str, ...], feature_set: str) -> dict[str, np.ndarray]:
    """One vector a code over the features of one of ``FEATURE_SETS``, gaps as NaN.

    Raises InputError for a code without a vector, and one that lang2vec takes for another.
    """
    import numpy as np

    file, source, prefix = FEATURE_SETS[feature_set]
    taken = json.loads((_data() / "letter_codes.json").read_bytes())
    for code in codes:
        if (other := taken.get(code, code)) != code:
            raise InputError(f"lang2vec takes the uriel code {code!r} for {other}: write that")
    with np.load(_data() / file) as archive:
        places = {str(code): place for place, code in enumerate(archive["langs"])}
        if unknown := [code for code in codes if code not in places]:
            raise InputError(
                f"URIEL has no vector for {name_some(unknown)}: correct its uriel code"
            )
        features = np.char.startswith(archive["feats"], prefix)
        source_at = archive["sources"].tolist().index(source)
        rows = archive["data"][[places[code] for code in codes], :, source_at][:, features]
    values = np.where(rows == -1, np.nan, rows.astype(float))
    return dict(zip(codes, values, strict=True))


def _data() -> Path:
    return Path(distribution("lang2vec").locate_file("lang2vec/data"))
