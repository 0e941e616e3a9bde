"""Tables in LaTeX: escaped, complete, within the width of the page, long ones over pages."""

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from capability_transfer.analysis.presentation.latex import LONG, latex
from capability_transfer.analysis.presentation.tables import Table, write

ROOT = Path(__file__).parents[3]

AWKWARD = "50% & χ² [−0.3] a_b #1 {x} ≤ ~ ^ \\ $ † τ – Bokmål"


def awkward(rows):
    return pd.DataFrame({"": ["[first"] + ["x"] * (rows - 1), "value [n]": [AWKWARD] * rows})


def wide(rows, columns, words):
    cells = {f"Column of the number {place}": [" ".join(["−0.25"] * words)] * rows
             for place in range(columns)}  # fmt: skip
    return pd.DataFrame({"Name": ["Owner/a-name-of-many-parts-70B (reasoning on)"] * rows} | cells)


@pytest.fixture(params=[3, LONG + 1])
def tex(request):
    return latex(awkward(request.param), f"Caption {AWKWARD}", "Note.", "awkward")


def test_nothing_is_left_that_latex_cannot_read(tex):
    assert all(ord(character) < 0x250 for character in tex)
    plain = re.sub(r"\\[a-zA-Z]+|\\[&%$_#{}\\]", "", tex.partition("\n")[2])
    assert not re.search(r"[#%^~_]", plain.replace("tabular", ""))
    assert len(re.findall(r"(?<!\\)\$", tex)) % 2 == 0


def test_braces_and_environments_are_balanced(tex):
    bare = re.sub(r"\\[\\{}]", "", tex)
    assert bare.count("{") == bare.count("}")
    begun = re.findall(r"\\begin\{(\w+)\}", tex)
    assert sorted(begun) == sorted(re.findall(r"\\end\{(\w+)\}", tex))


def test_long_ones_break_over_pages():
    short, long = (latex(awkward(rows), "", "", "a") for rows in (LONG, LONG + 1))
    found = [[name in tex for name in (r"\begin{table}", "longtable")] for tex in (short, long)]
    assert found == [[True, False], [False, True]]


def test_every_row_has_its_cells_and_none_begins_with_a_bracket(tex):
    rows = [line for line in tex.splitlines() if line.endswith(r"\\") and "caption" not in line]
    assert all(len(re.findall(r"(?<!\\)&", row)) == 1 for row in rows)
    assert not any(line.startswith("[") for line in tex.splitlines())


def test_plain_numbers_are_aligned_at_their_points():
    numbers = pd.DataFrame({"Name": ["a", "b", "c"], "Share": ["−12.5", "", "3.25"]})
    made = latex(numbers, "Caption.", "", "a")
    assert "S[table-format=-2.2]" in made
    assert [line for line in made.splitlines() if line[:2] in ("a ", "b ", "c ")] == [
        r"a & -12.5 \\", r"b &  \\", r"c & 3.25 \\",
    ]  # fmt: skip


def test_the_first_line_names_the_packages_and_no_caption_counts(tmp_path):
    display = pd.DataFrame({"Name": ["a"], "Share": ["1.5"]})
    write(Table("table_02", "Table 2. Shares.", "Note.", display, display), tmp_path)
    lines = (tmp_path / "table_02.tex").read_text(encoding="utf-8").splitlines()
    assert lines[0] == r"% needs: \usepackage{booktabs,array,siunitx}"
    assert r"\caption{Shares.}\label{tab:02}" in lines


def test_what_is_too_wide_is_set_smaller_then_wrapped_then_turned():
    def how(columns, words):
        made = latex(wide(3, columns, words), "", "", "a")
        return "sideways" in made, "pt}" in made.split(r"\toprule")[0].replace("tabcolsep", "")

    assert r"\small" not in latex(wide(3, 2, 1), "", "", "a").split(r"\caption")[0]
    assert how(3, 1) == (False, True)
    assert how(9, 2)[0]


def compiled(parts, folder):
    """The log of a document that holds the tables with the packages that they name."""
    needs = {name for tex in parts for name in re.match(r"% needs: .*\{(.*)\}", tex)[1].split(",")}
    document = "\n".join([
        r"\documentclass{article}",
        r"\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{lmodern}",
        rf"\usepackage{{{','.join(sorted(needs))}}}",
        r"\begin{document}", *(rf"{tex}\clearpage" for tex in parts), r"\end{document}",
    ])  # fmt: skip
    (folder / "all.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    for _ in range(2):  # longtable learns its widths in the first run
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout[-2000:]
    return ended.stdout


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")


@needs_latex
@pytest.mark.heavy
def test_it_compiles_within_the_width_of_the_page(tmp_path):
    tables = [awkward(3), awkward(LONG + 1), wide(3, 3, 1), wide(3, 5, 3), wide(60, 7, 3)]
    log = compiled([latex(table, AWKWARD, AWKWARD, "a") for table in tables], tmp_path)
    assert "Overfull" not in log


@needs_latex
@pytest.mark.artefacts
def test_all_committed_tables_compile_within_the_page(tmp_path):
    paths = sorted((ROOT / "results" / "tables").glob("*.tex"))
    assert len(paths) > 20
    log = compiled([path.read_text(encoding="utf-8") for path in paths], tmp_path)
    assert "Overfull" not in log
    assert "Float too large" not in log
