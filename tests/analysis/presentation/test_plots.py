"""How a figure becomes files."""

from __future__ import annotations

from pathlib import Path

import pytest
from capability_transfer.analysis.presentation import plots, widths


def drawn(value: float, label: str = "0.23"):
    figure = plots.new_figure(4, 2)
    axes = figure.add_subplot()
    axes.plot([0, 1, 2], [0, value, 1], "o-")
    axes.annotate(label, (1, value))
    axes.set_ylabel("log-odds")
    plots.add_note(figure, "Data: none.", "A line.")
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
    _, paths, (png, pdf, _) = saved
    assert [path.name for path in paths] == [
        "figure_01.png", "figure_01.pdf", "figure_01.caption.txt",
    ]  # fmt: skip
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
    changed = [path.read_bytes() != old for path, old in zip(paths, before, strict=True)]
    assert changed[:2] == [True, True]


def test_a_lost_or_broken_file_is_written_again(saved):
    base, (png, pdf, _), before = saved
    pdf.unlink()
    plots.save(drawn(0.5), base)
    png.write_bytes(b"broken")
    plots.save(drawn(0.5), base)
    assert [png.read_bytes(), pdf.read_bytes()] == before[:2]


def test_the_caption_says_what_is_drawn_and_what_stands_where(saved):
    *_, words = saved[1]
    assert words.read_text(encoding="utf-8") == (
        "A line. Data: none.\n\nAlternative text: A chart. Upwards: log-odds.\n"
    )


def test_alternative_text_names_panels_rows_and_marks():
    figure = plots.new_figure(4, 2)
    left, right = figure.subplots(1, 2)
    left.plot([1, 2], [0, 1], label="ours $5\\$")
    left.set(title="First", xlabel="points", yticks=[0, 1], yticklabels=["Danish", "Dutch"])
    right.plot([1, 2], [0, 1], label="_hidden")
    right.set_xlabel("points")
    assert plots.alternative_text(figure) == (
        "A chart of 2 panels. Panels: First. Across: points. Rows: Danish, Dutch. Marks: ours $5$."
    )


def test_fonts_are_those_that_publishers_take(saved):
    pdf = saved[2][1]
    assert b"/Type3" not in pdf
    assert b"/CIDFontType2" in pdf


@pytest.mark.parametrize(("width", "drawn_at", "inches"), [
    ("column", 5.0, 3.35), ("text", 5.0, 6.75), ("text", 9.0, 6.75), ("column", 9.0, 6.75),
])  # fmt: skip
def test_figures_are_as_wide_as_a_column_or_the_text(width, drawn_at, inches, tmp_path):
    figure = drawn(0.5)
    figure.set_size_inches(drawn_at, 3)
    figure.axes[0].set_xlabel("a long label that would not fit into a single column of a journal")
    size_before = figure.axes[0].yaxis.label.get_fontsize()
    with widths.as_wide_as(width):
        plots.save(figure, tmp_path / "figure_01")
    assert figure.get_size_inches()[0] == inches
    size = figure.axes[0].yaxis.label.get_fontsize()
    assert size == pytest.approx(size_before * max(2 / 3, min(1, inches / drawn_at)))


@pytest.mark.artefacts
def test_no_committed_figure_has_fonts_that_publishers_refuse():
    paths = sorted((Path(__file__).parents[3] / "results").rglob("*.pdf"))
    assert len(paths) > 30
    assert [path.name for path in paths if b"/Type3" in path.read_bytes()] == []
