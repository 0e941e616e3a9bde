"""The command line on real files: what it writes, and what it says of bad input."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.study import study_cells
from capability_transfer.features.fertility import read_counts

from tests.analysis.command_line import is_filled, transfer

RESULTS = Path(__file__).parents[2] / "results"
FORMULA = "~ resource + size + (1 | variant) + (1 | language) + (1 | template)"


@pytest.fixture(scope="module")
def cells(own_cells):
    return own_cells


@pytest.fixture(scope="module")
def run(cells, tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    cells.to_csv(folder / "cells.csv", index=False)
    result = transfer("glmm", "--outcomes", "cells.csv", "--formula", FORMULA,
                      "--engine", "lme4", cwd=folder)  # fmt: skip
    return folder, result


@pytest.mark.needs("R")
def test_a_users_outcomes_become_a_fit_in_one_command(run):
    folder, result = run
    assert result.returncode == 0, result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["cells.csv", "transfer-results"]
    out = folder / "transfer-results"
    fixed = pd.read_csv(out / "glmm" / "fixed_effects.csv")
    assert list(fixed.columns) == [
        "term", "estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high",
        "published", "difference",
    ]  # fmt: skip
    assert fixed["term"].tolist() == ["(Intercept)", "resource", "size"]
    assert (fixed["estimate"].iloc[1:] > 0).all()
    assert fixed["published"].isna().all()
    random = pd.read_csv(out / "glmm" / "random_effects.csv")
    assert list(random.columns) == ["group", "levels", "sd", "published", "difference"]
    assert dict(zip(random["group"], random["levels"], strict=True)) == {
        "template": 8, "variant": 6, "language": 6,
    }  # fmt: skip
    glance = pd.read_csv(out / "glmm" / "glance.csv").iloc[0]
    assert glance["nobs"] == 6 * 6 * 8
    assert glance["data_source"] == "cells of cells.csv"
    assert np.isnan(glance["seconds"])  # told, not written: it differs from run to run
    assert re.search(r"evaluations, \d+\.\d s, ", result.stdout)
    written = ["tables/table_03.csv", "tables/table_03.md", "tables/table_03.tex"]
    written += ["tables/table_04.csv", "figures/figure_02.png", "figures/figure_02.pdf"]
    for name in written:
        assert is_filled(out / name), name
    assert "cells of cells.csv" in (out / "glmm" / "README.md").read_text()
    assert "published" not in result.stdout


@pytest.mark.needs("R")
def test_a_finished_fit_is_read_from_the_cache(run):
    folder, first = run
    fits = list((folder / "transfer-results" / "cache" / "fits").iterdir())
    before = {path: path.stat().st_mtime_ns for path in fits}
    again = transfer("glmm", "--outcomes", "cells.csv", "--formula", FORMULA,
                     "--engine", "lme4", cwd=folder)  # fmt: skip
    assert again.stdout == first.stdout
    assert {path: path.stat().st_mtime_ns for path in fits} == before


def _spoil(cells: pd.DataFrame, **changes: object) -> pd.DataFrame:
    """The cells with the first row's values changed."""
    spoilt = cells.astype(dict.fromkeys(changes, object))
    for name, value in changes.items():
        spoilt.loc[0, name] = value
    return spoilt


def _instances(score: object) -> pd.DataFrame:
    rows = [("a", "eng", "t1", 1, 1), ("a", "deu", "t1", 1, 0), ("b", "eng", "t2", 1, score)]
    return pd.DataFrame(rows, columns=["variant", "language", "template", "instance", "correct"])


BAD_CELLS = {
    "misspelt column": (lambda c: c.rename(columns={"n_correct": "n_corect"}), ["n_correct"]),
    "missing column": (lambda c: c.drop(columns="template"), ["template"]),
    "more right than asked": (lambda c: _spoil(c, n_correct=21), ["n_correct", "line 2"]),
    "negative": (lambda c: _spoil(c, n_correct=-1), ["n_correct", "line 2"]),
    "missing value": (lambda c: _spoil(c, n_correct=None), ["n_correct", "line 2"]),
    "not a count": (lambda c: _spoil(c, n_correct=3.5), ["n_correct", "line 2"]),
    "repeated row": (lambda c: pd.concat([c, c.iloc[:1]]), ["more than once"]),
    "unknown language": (lambda c: c.replace({"language": {"isl": "icl"}}), ["icl", "Did you"]),
    "language as boolean": (lambda c: c.replace({"language": {"isl": "False"}}), ["False"]),
    "one language": (lambda c: c[c["language"] == "eng"], ["one language"]),
    "one model": (lambda c: c[c["variant"] == c["variant"].iloc[0]], ["one variant"]),
    "unknown model": (
        lambda c: c.replace({"variant": {"Qwen2.5-7B-Instruct": "my-model"}}),
        ["my-model", "--models"],
    ),
    "a count beyond counting": (lambda c: _spoil(c, n_total=10**23), ["n_total", "line 2"]),
    "no rows": (lambda c: c.iloc[:0], ["cells.csv"]),
    "language without pages": (
        lambda c: c.replace({"language": {"isl": "bar"}}),
        ["bar", "resource", "--drop-missing"],
    ),
    "score 0.5": (lambda c: _instances(0.5), ["0.5", "line 4"]),
    "score INVALID": (lambda c: _instances("INVALID"), ["INVALID", "line 4"]),
    "score C": (lambda c: _instances("C"), ["C", "line 4"]),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_CELLS)
def test_bad_outcomes_are_refused_by_name_and_nothing_is_written(cells, tmp_path, name):
    change, says = BAD_CELLS[name]
    change(cells).to_csv(tmp_path / "cells.csv", index=False)
    result = transfer("glmm", "--outcomes", "cells.csv", "--formula", FORMULA, cwd=tmp_path)
    assert result.returncode == 2, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    for words in says:
        assert words in result.stderr, result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["cells.csv"]


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "cells.csv").write_text("")
    result = transfer("glmm", "--outcomes", "cells.csv", cwd=tmp_path)
    assert result.returncode == 2
    assert "cells.csv" in result.stderr
    assert "empty" in result.stderr


@pytest.mark.needs("R")
def test_rows_without_a_feature_are_dropped_on_request_and_reported(cells, tmp_path):
    changed = cells.replace({"language": {"isl": "bar"}})
    changed.to_csv(tmp_path / "cells.csv", index=False)
    result = transfer("glmm", "--outcomes", "cells.csv", "--formula", FORMULA,
                      "--engine", "lme4", "--drop-missing", cwd=tmp_path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "dropped 48 rows: language bar has no resource" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--engine", "stan"], "no engine 'stan'"),
        (["--formula", "resource"], "needs a '~'"),
        (["--formula", "~ resorce + (1 | language)"], "Did you mean resource"),
        (["--models", "absent.csv"], "absent.csv"),
    ],
)
def test_bad_options_are_refused_with_the_reason(cells, tmp_path, arguments, says):
    cells.to_csv(tmp_path / "cells.csv", index=False)
    result = transfer("glmm", "--outcomes", "cells.csv", *arguments, cwd=tmp_path)
    assert result.returncode == 2, result.stdout + result.stderr
    assert says in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["cells.csv"]


@pytest.mark.needs("R")
def test_models_and_languages_of_ones_own_join_in(cells, tmp_path):
    own = cells.replace(
        {"variant": {"Qwen2.5-7B-Instruct": "my-model"}, "language": {"isl": "bar"}}
    )
    own.to_csv(tmp_path / "cells.csv", index=False)
    (tmp_path / "models.csv").write_text(
        "variant,base_model,family,params_b,reasoning\nmy-model,my-model,Mine,7,off\n"
    )
    (tmp_path / "languages.csv").write_text("language,resource\nbar,4.2\n")
    result = transfer("glmm", "--outcomes", "cells.csv", "--formula", FORMULA, "--engine", "lme4",
                      "--models", "models.csv", "--languages", "languages.csv",
                      "--out", "here", cwd=tmp_path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "here" / "glmm" / "glance.csv").exists()


def test_features_and_outcomes_write_their_files(tmp_path):
    assert transfer("features", "--out", "r", cwd=tmp_path).returncode == 0
    assert transfer("outcomes", "--out", "r", cwd=tmp_path).returncode == 0
    assert len(pd.read_csv(tmp_path / "r" / "features" / "pairs.csv")) == 48 * 15
    assert len(pd.read_csv(tmp_path / "r" / "outcomes" / "summary.csv")) == 46 * 15 * 2
    assert len(pd.read_parquet(tmp_path / "r" / "cache" / "cells.parquet")) == 69_000


@pytest.mark.needs("templates")
def test_a_tokenizer_of_ones_own_is_counted_and_enters_the_fit(cells, tmp_path):
    own = cells.replace({"variant": {"Qwen2.5-7B-Instruct": "my-model"}})
    own.to_csv(tmp_path / "cells.csv", index=False)
    (tmp_path / "models.csv").write_text(
        "variant,base_model,family,params_b,reasoning,tokenizer\nmy-model,my-model,Mine,7,off,mine\n"
    )
    arguments = ["--models", "models.csv", "--out", "r"]
    counting = transfer("features", "--tokenizer", "mine=tekken:240718", *arguments, cwd=tmp_path)
    assert counting.returncode == 0, counting.stderr
    counts = pd.read_csv(tmp_path / "r" / "features" / "tokenizer_counts.csv")
    assert counts.loc[counts["language"] == "fra", "token_count"].item() == 7377
    formula = FORMULA.replace("size", "size + fertility")
    fit = ["glmm", "--outcomes", "cells.csv", "--formula", formula, "--engine", "laplace"]
    without = transfer(*fit, *arguments, cwd=tmp_path)
    assert "my-model × " in without.stderr
    assert "no fertility" in without.stderr
    path = "r/features/tokenizer_counts.csv"
    with_counts = transfer(*fit, *arguments, "--tokenizer-counts", path, cwd=tmp_path)
    assert with_counts.returncode == 0, with_counts.stderr
    bad = transfer("features", "--tokenizer", "tekken:240718", cwd=tmp_path)
    assert "NAME=SPEC" in bad.stderr


@pytest.fixture
def mine(tmp_path):
    """Outcomes of two families in both modes; the tokenizer of one model is not registered."""
    table = study_cells().drop(columns="split")
    kept = (
        table["variant"].str.startswith(("Qwen3-", "gemma-3"))
        & table["language"].isin(["eng", "deu", "dan", "isl", "mar", "hin"])
        & (table["template"] <= "r006")
    )
    table[kept].replace({"variant": {"gemma-3-4b-it": "mine"}}).to_csv(
        tmp_path / "cells.csv", index=False
    )
    (tmp_path / "models.csv").write_text(
        "variant,base_model,family,params_b,reasoning,tokenizer\nmine,mine-4B,Mine,4,off,mine\n"
    )
    counts = read_counts().query("tokenizer == 'gemma-3'").assign(tokenizer="mine")
    counts.to_csv(tmp_path / "counts.csv", index=False)
    return tmp_path


OF_MINE = ["--models", "models.csv", "--out", "r"]


@pytest.mark.heavy
def test_languages_are_held_out_of_the_rows_that_have_every_feature(mine):
    hold = ["loo-predict", "--outcomes", "cells.csv", *OF_MINE, "--no-edges",
            "--predictor", "smooth", "--draws", 20, "--workers", 1]  # fmt: skip
    without = transfer(*hold, cwd=mine)
    assert without.returncode == 0, without.stderr
    assert "the model is without relative fertility" in without.stdout
    assert "mine" in set(pd.read_csv(mine / "r" / "loo" / "pairs.csv")["variant"])
    result = transfer(*hold, "--drop-missing", cwd=mine)
    assert result.returncode == 0, result.stderr
    assert "without relative fertility" not in result.stdout
    assert "mine" not in set(pd.read_csv(mine / "r" / "loo" / "pairs.csv")["variant"])
    assert (mine / "r" / "figures" / "figure_resource_shape.png").exists()
    asked = ["--language", "swh", "--params", 7, "--reasoning", "off"]
    after = transfer("predict", "--train", "cells.csv", *OF_MINE, *asked, cwd=mine)
    # it must not find the fit to fewer rows
    assert "relative fertility is not in the model" in after.stdout


@pytest.mark.heavy
def test_predictions_and_their_page_take_token_counts_of_ones_own(mine):
    ask = ["predict", "--train", "cells.csv", *OF_MINE, "--model", "mine", "--language", "swh"]
    alone = transfer(*ask, cwd=mine)
    assert "the model is without relative fertility" in alone.stdout, alone.stderr
    counted = transfer(*ask, "--tokenizer-counts", "counts.csv", cwd=mine)
    assert "Swahili" in counted.stdout, counted.stderr
    assert "without relative fertility" not in counted.stdout
    shutil.copytree(RESULTS / "glmm", mine / "r" / "glmm")
    page = transfer("report", "--outcomes", "cells.csv", *OF_MINE, cwd=mine)
    assert page.returncode == 0, page.stderr
    assert "relative fertility is not in the model" in page.stdout


def test_covariates_of_ones_own_come_with_languages_and_models(cells, tmp_path):
    cells.assign(resource=1.0).to_csv(tmp_path / "cells.csv", index=False)
    speakers = {"eng": 1500, "deu": 130, "dan": 6, "isl": 0.4, "mar": 99, "hin": 600}
    rows = "".join(f"{code},{count}\n" for code, count in speakers.items())
    (tmp_path / "languages.csv").write_text("language,speakers\n" + rows)
    variants = cells["variant"].unique()
    rows = "".join(f"{name},{name},Qwen2.5,,off,{i}\n" for i, name in enumerate(variants))
    (tmp_path / "models.csv").write_text(
        "variant,base_model,family,params_b,reasoning,age\n" + rows
    )
    formula = FORMULA.replace("resource", "resource + speakers + age")
    result = transfer("glmm", "--outcomes", "cells.csv", "--formula", formula, "--engine",
                      "laplace", "--languages", "languages.csv", "--models", "models.csv",
                      cwd=tmp_path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    out = tmp_path / "transfer-results" / "glmm"
    assert pd.read_csv(out / "fixed_effects.csv")["term"].tolist() == [
        "(Intercept)", "resource", "speakers", "age", "size",
    ]  # fmt: skip
    constants = pd.read_csv(out / "standardisation.csv").set_index("feature")
    assert constants.loc["speakers", "mean"] == pytest.approx(np.mean(list(speakers.values())))
    assert constants.loc["age", "mean"] == pytest.approx(2.5)
    assert "columns of the outcomes that are not used: resource" in result.stdout
    assert "read from the models' names" in result.stdout


def test_text_is_compared_by_level_and_tables_that_do_not_apply_are_not_there(cells, tmp_path):
    cells.to_csv(tmp_path / "cells.csv", index=False)
    rows = "".join(f"{code},{'other' if code in ('mar', 'hin') else 'latin'}\n"
                   for code in cells["language"].unique())  # fmt: skip
    (tmp_path / "languages.csv").write_text("language,writing\n" + rows)
    folder = tmp_path / "transfer-results" / "glmm"
    folder.mkdir(parents=True)
    (folder / "lme4_check.csv").write_text("of an earlier fit")
    formula = FORMULA.replace("resource", "resource + writing")
    result = transfer("glmm", "--outcomes", "cells.csv", "--formula", formula, "--engine",
                      "laplace", "--languages", "languages.csv", cwd=tmp_path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    unit = "log-odds per SD; levels of writing against the first"
    assert f"Fixed effects ({unit})" in result.stdout
    table = (tmp_path / "transfer-results" / "tables" / "table_03.md").read_text()
    assert f"Fixed effects ({unit})" in table
    assert {path.name for path in folder.iterdir()} == {
        "README.md", "provenance.json", "fixed_effects.csv", "random_effects.csv",
        "standardisation.csv", "glance.csv",
    }  # fmt: skip


def test_two_names_of_one_grouping_are_noted_and_no_levels_are_compared(cells, tmp_path):
    cells.to_csv(tmp_path / "cells.csv", index=False)
    rows = "".join(f"{code},{code.upper()}\n" for code in cells["language"].unique())
    (tmp_path / "languages.csv").write_text("language,tongue\n" + rows)
    result = transfer("glmm", "--outcomes", "cells.csv", "--formula", f"{FORMULA} + (1 | tongue)",
                      "--engine", "laplace", "--languages", "languages.csv",
                      cwd=tmp_path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "! main model: (1 | language) and (1 | tongue) cannot be told apart" in result.stdout
    assert "Fixed effects (log-odds per SD)" in result.stdout


def test_correlations_of_slopes_are_shown_and_written(cells, tmp_path):
    cells.to_csv(tmp_path / "cells.csv", index=False)
    formula = "~ resource + size + (1 + size | language) + (1 | variant) + (1 | template)"
    result = transfer("glmm", "--outcomes", "cells.csv", "--formula", formula, "--engine",
                      "laplace", cwd=tmp_path)  # fmt: skip
    assert "Correlation Language, Intercept and Model size" in result.stdout
    out = tmp_path / "transfer-results"
    table = pd.read_csv(out / "glmm" / "correlations.csv")
    assert table[["group", "term_1", "term_2"]].to_numpy().tolist() == [
        ["language", "(Intercept)", "size"]
    ]
    text = (out / "tables" / "table_03.md").read_text()
    assert "Correlation Language" in text
    assert "Published" not in text


def test_a_damaged_cached_fit_is_fitted_again_and_said(cells, tmp_path):
    cells.to_csv(tmp_path / "cells.csv", index=False)
    arguments = ["glmm", "--outcomes", "cells.csv", "--formula", FORMULA, "--engine", "laplace"]
    first = transfer(*arguments, cwd=tmp_path)
    for path in (tmp_path / "transfer-results" / "cache" / "fits").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    with pytest.warns(UserWarning, match="is damaged.*it is made again"):
        again = transfer(*arguments, cwd=tmp_path)
    assert again.returncode == 0
    assert again.stdout.split("laplace")[0] == first.stdout.split("laplace")[0]


@pytest.mark.parametrize("out", ["file", "file/deeper"])
def test_an_output_that_cannot_be_written_is_an_error_with_a_message(cells, tmp_path, out):
    cells.to_csv(tmp_path / "cells.csv", index=False)
    (tmp_path / "file").write_text("in the way")
    result = transfer("glmm", "--outcomes", "cells.csv", "--formula", FORMULA, "--engine",
                      "laplace", "--out", out, cwd=tmp_path)  # fmt: skip
    assert result.returncode == 2
    assert "file" in result.stderr


def test_an_interrupt_says_how_to_go_on(cells, tmp_path):
    cells.to_csv(tmp_path / "cells.csv", index=False)
    with patch(
        "capability_transfer.analysis.studies.main_model.cached_fit", side_effect=KeyboardInterrupt
    ):
        result = transfer("glmm", "--outcomes", "cells.csv", "--formula", FORMULA, "--engine",
                          "laplace", cwd=tmp_path)  # fmt: skip
    assert result.returncode == 130
    assert "To go on: transfer glmm --outcomes cells.csv" in result.stderr


def test_the_installed_command_runs_and_lists_its_commands(tmp_path):
    command = Path(sys.executable).with_name("transfer")
    result = subprocess.run(
        [command, "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    for name in ("features", "outcomes", "glmm"):
        assert name in result.stdout
    bad = subprocess.run([command, "glmm", "--engine", "stan"], cwd=tmp_path, capture_output=True,
                         text=True, check=False)  # fmt: skip
    assert bad.returncode == 2
    assert "no engine 'stan'" in bad.stderr


@pytest.mark.heavy
def test_an_encoding_without_a_sign_does_not_end_the_run(tmp_path):
    command = Path(sys.executable).with_name("transfer")
    ended = subprocess.run([command, "overview", "--out", "r"], cwd=tmp_path, capture_output=True,
                           env=os.environ | {"PYTHONIOENCODING": "ascii"}, check=False)  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert b"?" in ended.stdout
