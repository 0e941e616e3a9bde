"""Levers on the gap to English: what size and reasoning do, across languages (Figure 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.design import Design, standardise
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common.errors import InputError
from scipy import stats

REFERENCE = "eng"
LEVEL = 0.95
POINTS = 60


@dataclass(frozen=True)
class Setting:
    """One position of a lever: billions of parameters, and reasoning on (1) or off (0)."""

    lever: str
    label: str
    params_b: float
    reasoning: int


SETTINGS = (
    Setting("size", "4B", 4.0, 0),
    Setting("size", "32B", 32.0, 0),
    Setting("reasoning", "off (8B)", 8.0, 0),
    Setting("reasoning", "on (8B)", 8.0, 1),
)
FEATURES = ("resource", "distance")


def check_modes(models: pd.DataFrame, cells: pd.DataFrame) -> None:
    """Raise InputError for cells of models that all have reasoning on, or off."""
    modes = models["reasoning"][models["variant"].isin(cells["variant"])].unique()
    if len(modes) < 2:
        raise InputError(
            f"levers compare reasoning on and off; all these outcomes have it "
            f"{'on' if modes[0] else 'off'}"
        )


def levers(fit: Fit, design: Design, languages: pd.DataFrame) -> pd.DataFrame:
    """Odds of a correct answer in English over those in another language, exp(η_eng − η).

    Fixed effects only. One feature runs over the observed languages' range, the other and relative
    fertility stay at their means, on both sides.

    Args:
        fit: with the main model's fixed effects, fertility's aside.
        design: its constants.
        languages: language, resource, distance (raw units), English among them.

    Returns feature, value (raw), lever, setting, odds_ratio, conf_low, conf_high (Wald, 95%).
    Raises InputError without English.
    """
    languages = languages.set_index("language")
    if REFERENCE not in languages.index:
        raise InputError(f"the gap is one to English ({REFERENCE}), which the data do not have")
    centre = design.constants.set_index("feature")["mean"]
    tables = []
    for feature in FEATURES:
        values = np.linspace(languages[feature].min(), languages[feature].max(), POINTS)
        for setting in SETTINGS:
            rows = pd.DataFrame(
                {name: centre[name] for name in centre.index if name != "size"},
                index=range(POINTS + 1),
            )
            rows[feature] = [*values, languages.loc[REFERENCE, feature]]
            rows["size"] = np.log2(setting.params_b)
            rows["reasoning"] = setting.reasoning
            scaled, _ = standardise(rows, list(centre.index), design.constants)
            matrix = fit.fixed_matrix(scaled)
            contrast = matrix[-1] - matrix[:-1]
            gap = contrast @ fit.coefficients.to_numpy()
            error = np.sqrt(np.einsum("ij,jk,ik->i", contrast, fit.covariance, contrast))
            half = stats.norm.ppf(0.5 + LEVEL / 2) * error
            tables.append(
                pd.DataFrame(
                    {
                        "feature": feature,
                        "value": values,
                        "lever": setting.lever,
                        "setting": setting.label,
                        "odds_ratio": np.exp(gap),
                        "conf_low": np.exp(gap - half),
                        "conf_high": np.exp(gap + half),
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)
