"""Crossed random-effects logistic GLMMs: one formula syntax, one result type, several engines."""
