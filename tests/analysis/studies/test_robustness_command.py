"""``transfer robustness`` on a user's scores and outcomes."""

import numpy as np
import pandas as pd
from capability_transfer.analysis.cli import build
from capability_transfer.common.errors import InputError
from typer.testing import CliRunner


def run(*arguments):
    return CliRunner().invoke(build(), ["robustness", *map(str, arguments)])


def scores(path):
    rng = np.random.default_rng(15)
    rows = [
        (variant, language, perturbation, instance, rng.binomial(100, level - loss), 100)
        for variant, level in (("a", 0.8), ("b", 0.7), ("c", 0.6), ("d", 0.5))
        for language in ("eng", "deu", "dan", "isl", "swh", "ibo")
        for perturbation, loss, instances in (("original", 0, 1), ("numbers", 0.1, 4))
        for instance in range(instances)
    ]
    columns = ["variant", "language", "perturbation", "instance", "n_correct", "n_total"]
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)


def test_scores_by_instance_give_drops_ranks_and_stability(tmp_path):
    path, out = tmp_path / "mine.csv", tmp_path / "out"
    scores(path)
    found = run("--scores", path, "--out", out, "--engine", "laplace")
    assert found.exit_code == 0, found.output
    folder = out / "robustness"
    over_models = pd.read_csv(folder / "scores_over_models.csv")
    assert over_models["mean_drop"].between(-16, -4).all()
    assert pd.read_csv(folder / "scores_stability.csv")["instances"].tolist() == [1, 2, 3]
    assert (pd.read_csv(folder / "scores_instance_sd.csv")["instances"] == 4).all()
    glmm = pd.read_csv(folder / "scores_glmm.csv").set_index("term")["estimate"]
    assert glmm["numbers"] < 0
    assert "numbers:resource" in glmm
    assert "mine.csv" in (folder / "README.md").read_text()
    assert not (folder / "contradictions.csv").exists()
    assert (out / "figures" / "figure_robustness_scores_ranks.png").exists()


def test_outcomes_need_both_splits_and_only_one_source_is_taken(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("variant,language,template,n_correct,n_total\na,deu,t,1,2\n")
    found = run("--outcomes", path, "--out", tmp_path / "out")
    assert isinstance(found.exception, InputError)
    assert "hold only one" in str(found.exception)
    assert not (tmp_path / "out").exists()
    assert "not both" in str(run("--outcomes", path, "--scores", path).exception)
