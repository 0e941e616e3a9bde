"""Running an engine apart: what comes back of one that works, fails, or takes too long."""

import re

import pandas as pd
import pytest
from capability_transfer.common import kept

from benchmarks import picture
from benchmarks.apart import run_apart
from benchmarks.compare import update


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    data = pd.DataFrame(
        [
            (f"v{i}", f"l{j}", float(j), (3 * i + 5 * j) % 19, 20)
            for i in range(9)
            for j in range(8)
        ],
        columns=["variant", "language", "resource", "n_correct", "n_total"],
    )
    path = tmp_path_factory.mktemp("bench") / "design.npz"
    return kept.write(("~ resource + (1 | variant) + (1 | language)", data), path)


@pytest.mark.heavy
def test_an_engine_that_works(design):
    found = run_apart("benchmarks.child", "laplace", str(design), limit=120)
    assert found["status"] == "converged"
    assert set(found["beta"]) == {"(Intercept)", "resource"}
    assert found["seconds"] > 0
    assert 30 < found["base_mb"] <= found["peak_mb"]
    assert re.search(r"openblas|mkl|blis|accelerate", found["blas"])


@pytest.mark.heavy
def test_an_engine_in_r_says_rs_blas(design):
    found = run_apart("benchmarks.child", "lme4 nAGQ=0", str(design), limit=120)
    if found["status"] == "not installed":
        pytest.skip("needs R")
    assert re.fullmatch(r"R: \w+ \(.*blas.*\)", found["blas"])


@pytest.mark.heavy
def test_an_engine_that_fails_or_is_stopped(design):
    assert run_apart("benchmarks.child", "no engine", str(design), limit=120) == {
        "status": "failed: KeyError: 'no engine'"
    }
    slow = run_apart("benchmarks.child", "laplace", str(design), limit=0.01)
    assert slow == {"status": "stopped after 0.01 s"}


def test_stopped_engines_stay_in_the_picture():
    columns = ["engine", "cells", "seconds", "status"]
    rows = [("laplace", 100, 0.1, "converged"), ("lme4", 100, None, "stopped after 9 s")]
    figure = picture.draw(pd.DataFrame(rows, columns=columns), 9.0, "Data: none.")
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["laplace", "lme4"]


def test_a_rerun_takes_the_place_of_the_earlier_one(tmp_path):
    path = tmp_path / "engines.csv"
    for engine, templates, seconds in (("gpboost", 25, 3.0), ("laplace", 100, 2.0)):
        update(path, {"engine": engine, "templates": templates, "seconds": seconds})
    table = update(path, {"engine": "laplace", "templates": 100, "seconds": 1.0})
    assert table["engine"].tolist() == ["gpboost", "laplace"]
    assert pd.read_csv(path)["seconds"].tolist() == [3.0, 1.0]
