"""The embedded outcomes, drawn once for every test of the ablations."""

from contextlib import nullcontext

import pytest
from capability_transfer.analysis.inputs import load
from capability_transfer.common.seeds import DEFAULT_SEED


@pytest.fixture(scope="package")
def inputs():
    """Cells of both splits with their features."""
    return load(None, None, None, DEFAULT_SEED, split=None)


@pytest.fixture(scope="package")
def silent():
    """A progress context that shows nothing."""
    return lambda label: nullcontext(None)
