"""The study's predictor: the main model (Eq. 1), Figures 5, 6 and 14."""

from capability_transfer.analysis import study
from capability_transfer.analysis.prediction.predictors.cells import CellModel

predictor = CellModel("the study's model", study.MAIN)
