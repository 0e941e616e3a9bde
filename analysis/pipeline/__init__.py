"""The whole study as steps: what each needs, whether it is up to date, and what came out."""
