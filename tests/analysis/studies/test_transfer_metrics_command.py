"""``transfer transfer-metrics`` on a user's own outcomes, from file to results."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.cli import build
from capability_transfer.common.errors import InputError
from typer.testing import CliRunner

CUTOFFS = ["2024-01", "2024-01", "2024-02", "2025-03", "2025-03", "2025-04"]


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(14)
    variants = [f"own-{i}b" for i in range(1, 7)]
    rows = [
        (variant, language, f"t{item:02d}", rng.binomial(10, min(0.95, level * hardness)), 10)
        for place, variant in enumerate(variants)
        for language, level in (("eng", 0.7), ("deu", 0.65), ("rus", 0.5), ("dan", 0.55))
        for item, hardness in enumerate(np.linspace(0.3, 1.2 + 0.03 * place, 20))
    ]
    columns = ["variant", "language", "template", "n_correct", "n_total"]
    outcomes, models = tmp_path / "outcomes.csv", tmp_path / "models.csv"
    pd.DataFrame(rows, columns=columns).to_csv(outcomes, index=False)
    pd.DataFrame(
        {
            "variant": variants,
            "base_model": variants,
            "family": "own",
            "params_b": [1, 2, 3, 4, 5, 6],
            "reasoning": "off",
            "cutoff": CUTOFFS,
        }
    ).to_csv(models, index=False)
    return outcomes, models, tmp_path / "out"


def run(*arguments):
    return CliRunner().invoke(build(), ["transfer-metrics", *map(str, arguments)])


@pytest.mark.heavy
def test_a_users_outcomes_give_tables_figures_and_cohorts(files):
    outcomes, models, out = files
    found = run(
        *("--outcomes", outcomes, "--models", models, "--out", out),
        *("--engine", "none", "--replicates", 50, "--source", "deu"),
    )
    assert found.exit_code == 0, found.output
    folder = out / "transfer_metrics"
    metrics = pd.read_csv(folder / "metrics.csv")
    assert set(metrics["source"]) == {"deu"}
    assert set(metrics["languages"]) == {"dan eng rus"}
    assert len(pd.read_csv(folder / "cohorts.csv")) == 1
    contrast = pd.read_csv(folder / "script_contrast.csv").set_index(["metric", "side"])
    assert contrast.loc[("hat", "same"), "languages"] == "dan eng"
    assert "glmm_level" not in pd.read_csv(folder / "comparison.csv")
    note = (folder / "README.md").read_text()
    assert "outcomes.csv" in note
    assert "the study" not in note
    assert "HAT, noise-corrected orders the models" in note
    for name in ("figure_hat", "figure_transfer_profile", "figure_on_the_line"):
        assert (out / "figures" / f"{name}.png").stat().st_size > 10_000
    table = (out / "tables" / "table_transfer_metrics.md").read_text()
    assert all(f"own-{i}b" in table for i in range(1, 7))


@pytest.mark.heavy
def test_a_glmm_stands_beside_on_request(files):
    outcomes, models, out = files
    found = run(
        *("--outcomes", outcomes, "--models", models, "--out", out),
        *("--engine", "laplace", "--replicates", 50),
        *("--formula", "~ resource + size + (1 | variant) + (1 | template) + (1 | language)"),
    )
    assert found.exit_code == 0, found.output
    comparison = pd.read_csv(out / "transfer_metrics" / "comparison.csv")
    assert comparison["glmm_resource_slope"].nunique() == 1
    assert comparison["glmm_level"].nunique() == 6
    assert "glmm_distance_slope" not in comparison


@pytest.fixture
def unmatched(files):
    """Options for outcomes of which one item lacks in Russian."""
    outcomes, models, out = files
    table = pd.read_csv(outcomes)
    table[~((table["language"] == "rus") & (table["template"] == "t03"))].to_csv(
        outcomes, index=False
    )
    return "--outcomes", outcomes, "--models", models, "--out", out, "--engine", "none"


def test_unmatched_items_need_a_word(files, unmatched):
    found = run(*unmatched)
    assert isinstance(found.exception, InputError)
    assert "rus lacks t03" in str(found.exception)
    assert not files[2].exists()


@pytest.mark.heavy
def test_unmatched_items_are_left_out_on_request(files, unmatched):
    out = files[2]
    assert run(*unmatched, "--intersect", "--replicates", 20).exit_code == 0
    assert set(pd.read_csv(out / "transfer_metrics" / "metrics.csv")["items"]) == {19}


def test_an_unknown_engine_is_refused():
    assert "no engine 'stan'" in str(run("--engine", "stan").exception)
