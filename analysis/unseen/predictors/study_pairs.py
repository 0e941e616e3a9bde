"""The study's model on pair totals, where the template effect has nothing to say."""

from analysis import study
from analysis.unseen.predictors.pairs import PairModel

FORMULA = study.MAIN.replace(" + (1 | template)", "")

predictor = PairModel("the study's model on pair totals", FORMULA)
