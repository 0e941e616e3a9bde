"""The front for notebooks and scripts: what
``from capability_transfer import …`` gives, one idea per file.

Nothing is computed here. Every function composes modules that the command line uses too, and its
result shows its data, its tables and its figure.
"""
