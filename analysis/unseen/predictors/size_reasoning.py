"""A baseline that knows nothing of languages: size and reasoning, the same random terms."""

from analysis import study
from analysis.unseen.predictors.cells import CellModel

predictor = CellModel("size and reasoning", f"~ size + reasoning + {study.RANDOM_TERMS}")
