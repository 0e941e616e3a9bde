"""From an evaluation to the model, nothing by hand: ``inspect eval``, ingest, GLMM."""

import subprocess
from pathlib import Path

import pandas as pd
import pytest

HOME = Path(__file__).parents[1]
FORMULA = "~ resource + size + reasoning + (1 | template) + (1 | language) + (1 | variant:language)"


@pytest.mark.slow
def test_scripted_effects_come_back(tmp_path):
    def run(*command):
        subprocess.run([str(part) for part in command], cwd=HOME, check=True, capture_output=True)

    transfer, out = HOME / ".venv" / "bin" / "transfer", tmp_path / "outcomes.parquet"
    run("tools/evaluate_scripted.sh", tmp_path)
    run(transfer, "ingest", tmp_path / "logs", "--out", out)
    run(transfer, "glmm", "--outcomes", out, "--engine", "laplace", "--formula", FORMULA, "--out",
        tmp_path)  # fmt: skip
    assert len(pd.read_parquet(out)) == 4 * 6 * 10 * 3
    effects = pd.read_csv(tmp_path / "glmm" / "fixed_effects.csv").set_index("term")
    for name in ("resource", "size", "reasoning"):  # all of them scripted above zero
        assert effects["conf_low"][name] > 0, name
