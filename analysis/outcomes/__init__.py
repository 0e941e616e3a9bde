"""Evaluation outcomes: the published counts, their reconstruction, and readers of users' files."""
