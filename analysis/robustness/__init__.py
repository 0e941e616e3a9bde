"""Robustness of accuracies to symbolic variation of the same questions.

After "MGSM-Pro" (Xu, Uemura et al.), whose published tables are packaged and checked against each
other (``mgsm_pro``). Everything else takes *scores*: one row per model, language and perturbation
with an accuracy from 0 to 1, whether published, the study's two splits, or a user's. ``scores``
measures drops and models them, ``rankings`` orders models and asks how many instances an order
needs. The analysis is ``studies.robustness``.
"""
