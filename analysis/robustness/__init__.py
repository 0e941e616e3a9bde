"""Robustness of accuracies to symbolic variation of the same questions.

After "MGSM-Pro" (Xu, Uemura et al.), whose published tables are packaged (``published``) and
checked against each other (``consistency``). Everything else takes *scores*: one row per model,
language and perturbation with an accuracy from 0 to 1 (``scores``), whether published, the study's
two splits, or a user's. ``drops`` measures, ``rankings`` orders, ``stability`` asks how many
instances an order needs, ``model`` fits the drop as a GLMM.
"""
