"""The front for notebooks and scripts: what ``from analysis import …`` gives, one idea a file.

Nothing is computed here. Every function composes modules that the command line uses too, and its
result shows its data, its tables and its figure.
"""
