"""An independent way into lme4: pymer4 builds the call, and its own defaults converge."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from capability_transfer.analysis.glmm import laplace, lme4

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / "results" / "cache" / "pymer4" / "bin" / "python"
TERMS = "resource * size + (1 | variant) + (1 | template) + (1 | language)"

pytestmark = [
    pytest.mark.pymer4,
    pytest.mark.skipif(
        not PYTHON.is_file(), reason="tools/pymer4.sh made no environment: R is left out here"
    ),
]


@pytest.fixture(scope="module")
def subset(cells):
    return cells[cells["template"].isin(["t00", "t01", "t02", "t03"])].reset_index(drop=True)


@pytest.fixture(scope="module")
def theirs(subset, tmp_path_factory):
    path = tmp_path_factory.mktemp("pymer4") / "subset.csv"
    subset.assign(n_wrong=subset["n_total"] - subset["n_correct"]).to_csv(path, index=False)
    formula = f"cbind(n_correct, n_wrong) ~ {TERMS}"
    command = [PYTHON, ROOT / "tools" / "pymer4_fit.py", path, formula]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("engine", [lme4, laplace])
def test_pymer4_on_a_subset_gives_the_same_estimates(subset, theirs, engine):
    ours = engine.fit(f"~ {TERMS}", subset)
    np.testing.assert_allclose(ours.coefficients, theirs["estimate"], atol=1e-4)
    np.testing.assert_allclose(ours.fixed_effects["std_error"], theirs["std_error"], rtol=1e-3)
    assert ours.log_lik == pytest.approx(theirs["log_lik"], abs=1e-4)
