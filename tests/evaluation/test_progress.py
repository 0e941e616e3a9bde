"""Progress of drawing instances, where there is no terminal."""

from __future__ import annotations

import pytest
from capability_transfer.evaluation import progress


@pytest.fixture
def seconds(monkeypatch):
    """A clock that is set by hand."""
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    return clock


@pytest.mark.parametrize(
    ("switch", "lines"), [(None, ["instances: 2 of 9", "instances: 4 of 9"]), ("off", [])]
)
def test_a_line_per_minute_unless_left_out(monkeypatch, capsys, seconds, switch, lines):
    monkeypatch.delenv("TRANSFER_PROGRESS", raising=False)
    if switch:
        monkeypatch.setenv("TRANSFER_PROGRESS", switch)
    with progress.counting("instances") as tell:
        for done, seconds[0] in enumerate((30.0, 60.0, 119.0, 120.0), start=1):
            tell(done, 9)
    assert capsys.readouterr().err.splitlines() == lines
