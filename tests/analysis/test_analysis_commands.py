"""The commands of the smaller analyses on a user's own files."""

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.study import study_cells

from tests.analysis import command_line

FORMULA = "~ (resource + distance) * size + (1 | variant) + (1 | template) + (1 | language)"


def transfer(*arguments, cwd):
    """Status and everything printed by one command, in single spaces."""
    ended = command_line.transfer(*arguments, cwd=cwd)
    return ended.returncode, " ".join(f"{ended.stdout} {ended.stderr}".split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ten runs, seven languages and ten templates of the embedded outcomes, both splits."""
    path = tmp_path_factory.mktemp("own")
    languages = ["eng", "deu", "dan", "isl", "mar", "hin", "jpn"]
    cells = study_cells(("symbolic", "original"), languages)
    runs = [f"Qwen3-{size}B (reasoning {mode})" for size in ("0.6", "1.7", "4", "8")
            for mode in ("on", "off")]  # fmt: skip
    kept = cells[
        cells["variant"].isin([*runs, "gemma-3-4b-it", "gemma-3-12b-it"])
        & cells["template"].isin(cells["template"].unique()[:10])
    ]
    kept.to_csv(path / "cells.csv", index=False)
    kept[kept["language"] != "eng"].to_csv(path / "without_english.csv", index=False)
    kept[kept["split"] == "symbolic"].to_csv(path / "symbolic.csv", index=False)
    return path


@pytest.mark.parametrize(
    ("command", "writes"),
    [
        pytest.param(
            ("ceiling", "--formula", FORMULA), ["ceiling/table.csv", "tables/table_07.tex"],
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            ("penalty",), ["penalty/test.csv", "figures/figure_11.png"], marks=pytest.mark.heavy
        ),
        (("sample-size",), ["sample_size/needed.csv", "figures/figure_09.pdf"]),
        (
            ("specifications", "--only", "script", "--formula", FORMULA),
            ["specifications/table.csv", "figures/figure_specifications.png"],
        ),
        (
            ("equivalence", "--first", "deu", "--second", "dan"),
            ["equivalence/table.csv", "figures/figure_equivalence.png"],
        ),
        pytest.param(
            ("power", "--n-languages", 5, "--n-variants", 6, "--n-templates", 4, "--n-instances",
             5, "--simulations", 2, "--workers", 1, "--formula", FORMULA),
            ["power/power.csv", "figures/figure_power.png"],
            marks=pytest.mark.heavy,
        ),
    ],
)  # fmt: skip
def test_a_command_on_own_outcomes(folder, command, writes):
    code, printed = transfer(*command, "--outcomes", "cells.csv", cwd=folder)
    assert code == 0, printed
    for name in writes:
        assert command_line.is_filled(folder / "transfer-results" / name), name
    table = folder / "transfer-results" / writes[0]
    columns = pd.read_csv(table)
    known = columns.filter(regex="^published(?!_rank)")
    assert known.isna().all(axis=None) or known.eq("").all(axis=None)
    assert "published" not in printed.replace("not published", "")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("ceiling", "--outcomes", "without_english.csv"), "has no English"),
        (("penalty", "--outcomes", "symbolic.csv"), "no original split"),
        (("equivalence", "--first", "isl", "--second", "isl_machine"), "give --outcomes"),
        (("specifications", "--only", "scripts"), "Did you mean script"),
        (("power", "--effect", "size"), "term=value"),
        (("all", "--only", "glm"), "no step 'glm'. Did you mean glmm"),
        (("sample-size", "--outcomes", "cells.csv", "--n-templates", 0), "than or equal to 1"),
    ],
)
def test_bad_input_ends_with_its_message_and_status_2(folder, command, message):
    before = sorted(folder.rglob("*"))
    code, printed = transfer(*command, cwd=folder)
    assert code == 2
    assert message in printed
    assert sorted(folder.rglob("*")) == before
