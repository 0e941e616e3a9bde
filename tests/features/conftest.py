"""Fixtures of the feature tests."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def expected() -> Path:
    """Where the published and independently computed values are."""
    return Path(__file__).parents[1] / "expected"
