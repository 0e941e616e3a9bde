"""Tables as files: escaped in Markdown, LaTeX, HTML and for spreadsheets."""

import re

import pandas as pd
import pytest
from capability_transfer.analysis.presentation.tables import Table, write

HOSTILE = ["=cmd|' /C calc'!A0", "<script>alert(1)</script>", "a$b_c^{", "two\nlines", "-\\&%#~"]


@pytest.fixture
def hostile(tmp_path):
    display = pd.DataFrame({"name": HOSTILE, "<b>|=n": ["1"] * len(HOSTILE)})
    made = Table("table_98", "Caption <i>", "Data: a$b_c^{|.csv.", display, display)
    write(made, tmp_path)
    return made


def test_names_cannot_leave_their_cells_in_markdown(hostile, tmp_path):
    lines = (tmp_path / "table_98.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + len(HOSTILE)
    cells = [re.split(r"(?<!\\)\|", row)[1].strip() for row in rows[2:]]
    assert cells[:2] == [r"=cmd\|' /C calc'!A0", "&lt;script>alert(1)&lt;/script>"]
    assert cells[2:] == ["a$b_c^{", "two lines", "-\\&%#~"]
    assert r"&lt;b>\|=n" in rows[0]


def test_names_cannot_leave_their_cells_in_latex(hostile, tmp_path):
    lines = (tmp_path / "table_98.tex").read_text(encoding="utf-8").splitlines()
    rows = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert rows == [
        r"=cmd$|$' /C calc'!A0 & 1 \\",
        r"$<$script$>$alert(1)$<$/script$>$ & 1 \\",
        r"a\$b\_c\textasciicircum{}\{ & 1 \\",
        r"two lines & 1 \\",
        r"-\textbackslash{}\&\%\#\textasciitilde{} & 1 \\",
    ]


def test_names_are_text_in_html_and_in_spreadsheets(hostile, tmp_path):
    text = hostile._repr_html_()
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "Caption &lt;i&gt;" in text
    written = (tmp_path / "table_98.csv").read_text(encoding="utf-8")
    assert written.splitlines()[1] == "'=cmd|' /C calc'!A0,1"
