"""What the study's findings rest on: ceilings, sample sizes, specifications, power."""
