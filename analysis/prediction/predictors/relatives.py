"""Slopes by family and base model, and languages that are alike where their grammars are."""

from capability_transfer.analysis.prediction.predictors.pairs import PairModel
from capability_transfer.analysis.prediction.predictors.slopes import predictor as slopes
from capability_transfer.analysis.prediction.structures import Relatives

RELATIVES = (Relatives("relatives:family", "family"), Relatives("relatives:base", "base_model"))

predictor = PairModel("with related languages alike", slopes.formula, RELATIVES)
