"""The study's tables (``table_NN``, numbered as in the study) and ours (named)."""
