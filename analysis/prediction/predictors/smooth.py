"""Our predictor: resource as a smooth, overall and by family and base model, and relatives."""

from capability_transfer.analysis.prediction.predictors.pairs import PairModel
from capability_transfer.analysis.prediction.predictors.relatives import RELATIVES
from capability_transfer.analysis.prediction.predictors.study_pairs import FORMULA
from capability_transfer.analysis.prediction.structures import Smooth

SMOOTHS = (
    Smooth("smooth", "resource"),
    Smooth("smooth:family", "resource", "family"),
    Smooth("smooth:base", "resource", "base_model"),
)

predictor = PairModel("resource as a smooth, related languages alike", FORMULA, SMOOTHS + RELATIVES)
