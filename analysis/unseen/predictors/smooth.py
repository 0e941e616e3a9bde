"""Our predictor: resource as a smooth, overall and by family and base model, and relatives."""

from analysis.unseen.predictors.pairs import PairModel
from analysis.unseen.predictors.relatives import RELATIVES
from analysis.unseen.predictors.study_pairs import FORMULA
from analysis.unseen.structures import Smooth

SMOOTHS = (
    Smooth("smooth", "resource"),
    Smooth("smooth:family", "resource", "family"),
    Smooth("smooth:base", "resource", "base_model"),
)

predictor = PairModel("resource as a smooth, related languages alike", FORMULA, SMOOTHS + RELATIVES)
