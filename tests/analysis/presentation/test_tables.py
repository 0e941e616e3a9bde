"""Tables in LaTeX: escaped, complete, and long ones over pages."""

import re
import shutil
import subprocess

import pandas as pd
import pytest
from capability_transfer.analysis.presentation.tables import LONG, Table, write

AWKWARD = "50% & χ² [−0.3] a_b #1 {x} ≤ ~ ^ \\ $ † τ – Bokmål"


def table(rows):
    display = pd.DataFrame({"": ["[first"] + ["x"] * (rows - 1), "value [n]": [AWKWARD] * rows})
    return Table("table_99", f"Caption {AWKWARD}", "Note.", display, display)


@pytest.fixture(params=[3, LONG + 1])
def tex(request, tmp_path):
    write(table(request.param), tmp_path)
    return (tmp_path / "table_99.tex").read_text(encoding="utf-8")


def test_nothing_is_left_that_latex_cannot_read(tex):
    assert all(ord(character) < 0x250 for character in tex)
    plain = re.sub(r"\\[a-zA-Z]+|\\[&%$_#{}\\]", "", tex)
    assert not re.search(r"[#%^~_]", plain.replace("tabular", ""))
    assert len(re.findall(r"(?<!\\)\$", tex)) % 2 == 0


def test_braces_and_environments_are_balanced(tex):
    bare = re.sub(r"\\[\\{}]", "", tex)
    assert bare.count("{") == bare.count("}")
    begun = re.findall(r"\\begin\{(\w+)\}", tex)
    ended = re.findall(r"\\end\{(\w+)\}", tex)
    assert sorted(begun) == sorted(ended)
    assert ("longtable" in begun) == (tex.count("[first") == 0 and "longtable" in tex)


def test_every_row_has_its_cells_and_none_begins_with_a_bracket(tex):
    rows = [line for line in tex.splitlines() if line.endswith(r"\\") and "caption" not in line]
    assert all(len(re.findall(r"(?<!\\)&", row)) == 1 for row in rows)
    assert not any(line.startswith("[") for line in tex.splitlines())


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


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_it_compiles(tex, tmp_path):
    document = (
        r"\documentclass{article}\usepackage{booktabs,longtable}\begin{document}"
        f"{tex}" + r"\end{document}"
    )
    (tmp_path / "all.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:]
