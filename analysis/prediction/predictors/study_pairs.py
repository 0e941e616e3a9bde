"""The study's model on pair totals, where the template effect has nothing to say."""

from capability_transfer.analysis import study
from capability_transfer.analysis.prediction.predictors.pairs import PairModel

FORMULA = study.MAIN.replace(" + (1 | template)", "")

predictor = PairModel("the study's model on pair totals", FORMULA)
