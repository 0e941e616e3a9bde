"""The seed of every draw that nobody gave a seed for."""

DEFAULT_SEED = 20261006
"""The day the study appeared (2026-10-06); chosen before any draw was looked at."""
