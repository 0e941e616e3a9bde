"""The study's predictor: the main model (Eq. 1), Figures 5, 6 and 14."""

from analysis import study
from analysis.unseen.predictors.cells import CellModel

predictor = CellModel("the study's model", study.MAIN)
