"""The study's naive baseline: a run's mean accuracy over the training languages."""

from capability_transfer.analysis.prediction.predictors.means import Mean

predictor = Mean("model mean", by="variant")
