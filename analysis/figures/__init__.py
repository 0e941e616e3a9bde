"""The study's figures (``figure_NN``, numbered as in the study) and ours (named).

``save`` makes PNG and PDF files of one.
"""

from capability_transfer.analysis.presentation.plots import save

__all__ = ["save"]
