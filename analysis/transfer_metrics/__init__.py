"""Transfer from a source language by item pass rates: gap, transfer score, HAT and their kin.

The definitions are those of "Are Multilingual Models Actually Improving? Isolating True
Cross-Lingual Transfer" (Bajpai et al., 2026), called "the HAT paper" here. Transfer score τ goes
back to Goldman et al. (2025).

Accuracies, gaps and scores are proportions (0 to 1), never percent. ``items`` makes pass rates of
cells, ``estimators`` defines the metrics, ``bootstrap`` resamples items, ``metrics`` puts both into
tables for any set of target languages (``subsets``), ``line`` and ``cohorts`` look across models,
``comparison`` sets the GLMM beside them, ``simulation`` shows what sampling noise does.
"""
