"""The study's tables (``table_NN``, numbered as in the study) and ours (named).

``write`` makes CSV, Markdown and LaTeX files of one; ``Table`` is what every one is.
"""

from capability_transfer.analysis.presentation.tables import Table, write

__all__ = ["Table", "write"]
