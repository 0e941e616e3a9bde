"""Prediction for untested languages: folds, predictors, intervals, template budgets."""
