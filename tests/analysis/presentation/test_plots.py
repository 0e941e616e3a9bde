"""How a figure becomes files."""

from __future__ import annotations

import pytest
from capability_transfer.analysis.presentation import plots


def drawn(value: float, label: str = "0.23"):
    figure = plots.new_figure(4, 2)
    axes = figure.add_subplot()
    axes.plot([0, 1, 2], [0, value, 1], "o-")
    axes.annotate(label, (1, value))
    axes.set_ylabel("log-odds")
    plots.add_note(figure, "Data: none.")
    return figure


@pytest.fixture
def saved(tmp_path):
    base = tmp_path / "figure_01"
    return (
        base,
        plots.save(drawn(0.5), base),
        [p.read_bytes() for p in plots.save(drawn(0.5), base)],
    )


def test_files_name_no_version_and_no_date(saved):
    _, paths, (png, pdf) = saved
    assert [path.suffix for path in paths] == [".png", ".pdf"]
    for word in (b"Matplotlib v", b"CreationDate", b"Producer", b"Creator"):
        assert word not in pdf
    assert b"Software" not in png


@pytest.mark.parametrize("value", [0.5, 0.5 * (1 + 1e-12)])
def test_the_same_picture_leaves_the_files_as_they_are(saved, value):
    base, paths, before = saved
    assert plots.save(drawn(value), base) == paths
    assert [path.read_bytes() for path in paths] == before


@pytest.mark.parametrize(("value", "label"), [(0.51, "0.23"), (0.5, "0.24")])
def test_another_picture_replaces_both(saved, value, label):
    base, paths, before = saved
    plots.save(drawn(value, label), base)
    assert all(path.read_bytes() != old for path, old in zip(paths, before, strict=True))


def test_a_lost_or_broken_file_is_written_again(saved):
    base, (png, pdf), before = saved
    pdf.unlink()
    plots.save(drawn(0.5), base)
    png.write_bytes(b"broken")
    plots.save(drawn(0.5), base)
    assert [png.read_bytes(), pdf.read_bytes()] == before
