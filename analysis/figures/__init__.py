"""The study's figures (``figure_NN``, numbered as in the study) and ours (named)."""
