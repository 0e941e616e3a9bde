"""Evaluation outcomes: the study's, and readers of users' files."""
