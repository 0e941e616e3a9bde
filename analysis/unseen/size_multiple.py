"""What a language costs in parameters, as predictions say it: the multiple of a model's size.

How many times larger must a model of the same family and mode be, to be predicted in a language
what the size asked about is predicted in English? As ``scale_cost``'s implied size, of the default
predictor: log-odds are linear in log2 size, so two sizes say all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.levers import REFERENCE
from analysis.unseen.anywhere import Bundle, Model, largest_size, size_lines
from common.errors import InputError


def size_multiples(
    bundle: Bundle, model: Model, languages: pd.DataFrame, sizes: Sequence[float] | None = None
) -> np.ndarray:
    """Multiples of a model's size at which languages are predicted what English is at that size.

    Plug-in predictions; a model of another size is another base model, whose own effect is taken
    as zero, at either size.

    Args:
        bundle: of ``anywhere.bundle``.
        model: of ``anywhere.find_model``.
        languages: of ``anywhere.find_languages``.
        sizes: log2 billions; the model's alone without.

    Returns languages × sizes; NaN where no size up to ``anywhere.largest_size`` reaches it. Raises
    InputError without English.
    """
    english = bundle.languages[bundle.languages["language"] == REFERENCE]
    if english.empty:
        raise InputError(f"multiples are against English ({REFERENCE}), which the data do not have")
    sizes = np.array([model.size] if sizes is None else sizes, dtype=float)
    at_zero, slope = size_lines(bundle, model, pd.concat([english, languages]))
    target = at_zero[0] + slope[0] * sizes
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = (target - at_zero[1:, None]) / slope[1:, None]
    reached = (slope[1:, None] > 0) & (needed <= np.log2(largest_size(bundle)))
    return np.where(reached, 2.0 ** (needed - sizes), np.nan)
