"""Engines side by side, and how often intervals cover the truth. Not part of the toolkit."""
