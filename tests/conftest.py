"""What holds for every test."""

from hypothesis import settings

settings.register_profile("same everywhere", derandomize=True)
settings.load_profile("same everywhere")
