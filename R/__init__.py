"""R sources, one file a task, loaded by `analysis.glmm.r_session`."""
