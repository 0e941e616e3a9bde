"""Prediction for languages nobody tested: folds, predictors, intervals, template budgets."""
