"""Transfer from a source language by item pass rates: gap, transfer score, HAT and their kin.

The definitions are those of "Are Multilingual Models Actually Improving? Isolating True
Cross-Lingual Transfer" (Bajpai et al., 2026), called "the HAT paper" here. Transfer score τ goes
back to Goldman et al. (2025).

Accuracies, gaps and scores are proportions (0 to 1), never percent. ``items`` makes pass rates of
cells and sets of targets, ``metrics`` defines the metrics and their intervals, ``lines`` looks
across models, ``comparison`` sets the GLMM beside them. The analysis is
``studies.transfer_metrics``; ``studies.hat_noise`` shows what sampling noise does.
"""
