"""The index of tables and figures, and the registry behind it."""

import pandas as pd
from capability_transfer.analysis.cli import COMMANDS
from capability_transfer.analysis.pipeline import index
from capability_transfer.analysis.pipeline.index import ITEMS, LOGS, NONE, Against, Item, steps_of
from capability_transfer.analysis.pipeline.steps import STEPS


def test_every_table_and_figure_of_the_study_is_there_once():
    numbers = {
        kind: [int(item.label) for item in ITEMS if item.kind == kind and not item.ours]
        for kind in ("table", "figure")
    }
    assert numbers == {"table": list(range(1, 13)), "figure": list(range(1, 20))}
    assert len({item.name for item in ITEMS}) == len(ITEMS)


def test_what_the_embedded_data_make_is_made_by_a_step():
    known = {step.command for step in STEPS}
    apart = {item.step for item in ITEMS if "not part of `make all`" in item.remark}
    assert apart == {"pooled-check", "power", "sensitivity"}
    for item in ITEMS:
        if item.data not in (LOGS, NONE) and item.step not in apart:
            assert item.step in known, item.name
    assert set(steps_of("table")) | set(steps_of("figure")) <= known
    assert known | {item.step for item in ITEMS if item.step} <= set(COMMANDS)


def test_the_largest_difference_keeps_its_sign(tmp_path):
    table = pd.DataFrame(
        {"x": [1.0, 2.0, 9.0], "published": [1.1, 2.5, None], "use": ["yes", "yes", "no"]}
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    against = Against("t.csv", "x", "published", "points")
    assert index.difference(against, tmp_path) == "−0.5 points, n = 2"
    assert index.difference(Against("t.csv", "x", "published", "u", "use == 'no'"), tmp_path) == ""
    assert index.difference(Against("none.csv", "x", "published", "u"), tmp_path) == ""


def test_the_index_links_what_is_there_and_says_what_needs_logs(tmp_path):
    (tmp_path / "tables").mkdir()
    for name in ("table_02.md", "table_02.csv", "table_extra.md", ".table_x-1.md"):
        (tmp_path / "tables" / name).write_text("x")
    text = index.write(tmp_path).read_text()
    assert "[table_02.md](tables/table_02.md)" in text
    assert "table_02.tex" not in text
    assert "table_x" not in text
    assert "[table_extra.md](tables/table_extra.md)" in text
    row = next(line for line in text.splitlines() if line.startswith("| Figure 18 "))
    assert "needs your logs" in row


def test_an_item_knows_its_file():
    item = Item("figure", "04", "", "levers", "")
    assert (item.name, item.ours) == ("figure_04", False)
    assert Item("table", "penalty", "", "penalty", "").ours
