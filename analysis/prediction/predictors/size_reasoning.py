"""A baseline that knows nothing of languages: size and reasoning, the same random terms."""

from capability_transfer.analysis import study
from capability_transfer.analysis.prediction.predictors.cells import CellModel

predictor = CellModel("size and reasoning", f"~ size + reasoning + {study.RANDOM_TERMS}")
