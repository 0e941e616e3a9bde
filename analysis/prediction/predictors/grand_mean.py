"""One number for every pair: the mean accuracy over the training rows."""

from capability_transfer.analysis.prediction.predictors.means import Mean

predictor = Mean("grand mean")
