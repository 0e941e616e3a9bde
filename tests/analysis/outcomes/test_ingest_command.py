"""``transfer ingest`` and ``transfer export`` on real logs."""

import json

import pandas as pd
import pytest
from capability_transfer.analysis.cli import build
from capability_transfer.common.errors import InputError
from capability_transfer.features.models import read_models
from typer.testing import CliRunner

from tests.analysis.outcomes.harness_logs import Task, write


def run(*arguments):
    result = CliRunner().invoke(build(), [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_dry_run_writes_nothing(logs, tmp_path):
    out = tmp_path / "o.parquet"
    told = run(
        "ingest", logs / "errored_samples.eval", "--out", out, "--dry-run", "--errors", "drop"
    )
    assert "errors: 3 (left out)" in told
    assert "nothing was written" in told
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="--out outcomes.parquet, or --dry-run"):
        run("ingest", logs / "big_on.eval")
    with pytest.raises(InputError, match="name ending in .parquet"):
        run("ingest", logs / "big_on.eval", "--out", tmp_path / "o.csv")


def test_report_beside_the_outcomes(logs, tmp_path):
    out = tmp_path / "o.parquet"
    told = run("ingest", logs / "status_error.eval", logs / "retried.eval", "--out", out)
    assert "Files: 2: 1 Inspect AI (error), 1 Inspect AI (success)" in told
    assert "Languages: 2: dan 4, eng 4" in told
    assert "retried: 8" in told
    report = json.loads(out.with_suffix(".report.json").read_text())
    assert report["counts"]["retried"] == 8
    assert report["variants"][0]["variant"] == "Qwen3-8B (reasoning on)"
    attrs = pd.read_parquet(out).attrs
    assert attrs["counts"] == report["counts"]
    assert attrs["policies"] == {"errors": "fail", "duplicates": "fail"}


def test_a_scorer_for_each_task(tmp_path):
    two = {("acc", "none"): [1.0, 0.0], ("acc_norm", "none"): [0.0, 0.0]}
    tasks = [Task(f"mgsm_direct_{code}", two) for code in ("sw", "de")]
    folder = write(tmp_path / "logs", "x/Y-1B", tasks, "old")
    out = tmp_path / "o.parquet"
    run("ingest", folder, "--out", out, "--scorer", "mgsm_direct_sw=acc", "--scorer", "acc_norm")
    right = pd.read_parquet(out).groupby("language")["correct"].sum()
    assert right.to_dict() == {"swh": 1, "deu": 0}
    with pytest.raises(InputError, match="acc and acc_norm for all tasks: choose one"):
        run("ingest", folder, "--out", out, "--scorer", "acc", "--scorer", "acc_norm")


def test_a_models_file_to_complete(logs, renamed, tmp_path):
    log = renamed("new.eval", "one_mode.eval", model=("Qwen/Qwen2.5-1.5B-Instruct", "acme/New-4B"))
    out = tmp_path / "o.parquet"
    assert "not in the model registry" in run("ingest", log, "--out", out)
    path = out.with_suffix(".models.csv")
    with pytest.raises(InputError, match="'family' is empty"):
        read_models(path)
    table = pd.read_csv(path)
    assert table["params_b"].item() == 4
    table.assign(family="New", reasoning="off").to_csv(path, index=False)
    assert read_models(path)["variant"].item() == "scripted/acme/New-4B"
    assert "kept" in run("ingest", log, "--out", out)
    assert pd.read_csv(path)["family"].item() == "New"


def test_response_matrix(logs, tmp_path):
    out, matrix = tmp_path / "o.parquet", tmp_path / "m.jsonlines"
    run("ingest", logs / "big_on.eval", logs / "small_off.eval", "--out", out)
    run("export", "--outcomes", out, "--irt", matrix)
    lines = [json.loads(line) for line in matrix.read_text().splitlines()]
    table = pd.read_parquet(out)
    assert [line["subject_id"] for line in lines] == sorted(table["variant"].unique())
    for line in lines:
        own = table[table["variant"] == line["subject_id"]]
        keys = own[["language", "split", "template", "instance"]].agg(":".join, axis=1)
        assert line["responses"] == dict(zip(keys, own["correct"].astype(int), strict=True))
    with pytest.raises(InputError, match="go together"):
        run("export", "--outcomes", out)
    out.write_text("x")
    with pytest.raises(InputError, match="not a Parquet file"):
        run("export", "--outcomes", out, "--irt", matrix)


def test_tidy_tables_have_the_names_of_broom(tmp_path):
    folder = tmp_path / "glmm"
    folder.mkdir()
    effects = (
        "term,estimate,std_error,statistic,p_value,conf_low,conf_high\nsize,1,0.5,2,0.04,0,2\n"
    )
    (folder / "fixed_effects.csv").write_text(effects)
    (folder / "random_effects.csv").write_text("group,levels,sd\nlanguage,4,0.3\n")
    (folder / "glance.csv").write_text("nobs,log_lik,aic,bic,deviance,df\n9,-3,10,11,6,2\n")
    run("export", "--fit", folder, "--tidy", tmp_path)
    table = pd.read_csv(tmp_path / "tidy.csv").set_index("term")
    assert table["std.error"]["size"] == 0.5
    assert table["estimate"]["sd__(Intercept)"] == 0.3
    assert table["effect"].tolist() == ["fixed", "ran_pars"]
    row = pd.read_csv(tmp_path / "glance.csv").iloc[0]
    assert (row["logLik"], row["df.residual"]) == (-3, 7)
    (folder / "glance.csv").unlink()
    with pytest.raises(InputError, match="there is no .*glance.csv"):
        run("export", "--fit", folder, "--tidy", tmp_path)
