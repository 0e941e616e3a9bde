"""R sources, one file per task, loaded by `analysis.glmm.r_session`."""
