"""Running an engine apart: what comes back of one that works, fails, or takes too long."""

import re

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.laplace import fit
from capability_transfer.common import kept

from benchmarks import growth, picture, public
from benchmarks.apart import run_apart
from benchmarks.compare import ratios, update


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
    assert 0 < found["limit_cpu_seconds"] <= found["cpu_seconds"]
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
    slow = run_apart("timeit", "while True: pass", limit=120, cpu=1)
    assert slow == {"status": "stopped after 1 CPU s"}


def test_stopped_engines_stay_in_the_picture():
    columns = ["engine", "cells", "cpu_seconds", "status"]
    rows = [("laplace", 100, 0.1, "converged"), ("lme4", 100, None, "stopped after 9 s")]
    figure = picture.draw(pd.DataFrame(rows, columns=columns), "Data: none.")
    assert [text.get_text() for text in figure.axes[0].texts] == ["laplace", "lme4"]
    hollow = [line for line in figure.axes[0].lines if line.get_markerfacecolor() == "white"]
    assert [line.get_ydata().tolist() for line in hollow] == [[9.0]]


def test_our_engine_is_compared_with_glmmtmb_of_the_same_size():
    columns = ["engine", "templates", "cpu_seconds", "limit_cpu_seconds"]
    rows = [("laplace", 25, 0.5, None), ("glmmTMB", 25, 5.0, None), ("laplace", 100, 0.5, 0.2),
            ("glmmTMB", 100, 20.0, None), ("laplace", 400, 2.0, 1.0),
            ("glmmTMB", 400, None, None)]  # fmt: skip
    (told,) = ratios(pd.DataFrame(rows, columns=columns))
    assert told.startswith("100 templates: glmmTMB 40.0 times ours (0.50 s of a processor")
    assert "evaluations alone 0.20 s" in told


def test_crossed_designs_are_drawn_by_their_levels(tmp_path):
    formula, data = public.crossed(50, 500, 1)
    assert formula == "y ~ x + (1 | a) + (1 | b)"
    assert data[["a", "b"]].nunique().tolist() == [50, 50]
    assert set(data["y"]) == {0, 1}
    path = tmp_path / "public.csv"
    runs = [("laplace", 2.0, "converged"), ("glmmTMB", None, "stopped after 9 CPU s"),
            ("laplace", 1.0, "converged")]  # fmt: skip
    for engine, seconds, status in runs:
        row = {"design": "50 × 50", "levels": 50, "rows": 500, "engine": engine,
               "cpu_seconds": seconds, "status": status}  # fmt: skip
        table = public.update(path, row)
    assert table["engine"].tolist() == ["laplace", "glmmTMB"]
    assert pd.read_csv(path)["cpu_seconds"].iloc[0] == 1.0
    figure = picture.by_size(table, "Data: none.")
    ours, stopped = [line for line in figure.axes[0].lines if line.get_linestyle() == "None"]
    assert ours.get_xydata().tolist() == [[50, 1.0]]
    assert stopped.get_xydata().tolist() == [[50, 9.0]]
    assert stopped.get_markerfacecolor() == "white"


def test_there_is_no_picture_of_sizes_without_sizes(tmp_path):
    row = {"design": "VerbAgg", "rows": 9, "engine": "laplace", "status": "converged"}
    public.draw(public.update(tmp_path / "public.csv", row), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["public.csv"]


@pytest.mark.needs("R")
def test_public_data_are_those_whose_maximum_is_known():
    """tests/expected/glmm_maxima.csv, VerbAgg, two-way."""
    assert fit(*public.verbagg(1)).log_lik == pytest.approx(-4062.09087144, abs=1e-5)


def test_a_rerun_takes_the_place_of_the_earlier_one(tmp_path):
    path = tmp_path / "engines.csv"
    for engine, templates, seconds in (("gpboost", 25, 3.0), ("laplace", 100, 2.0)):
        update(path, {"engine": engine, "templates": templates, "seconds": seconds})
    table = update(path, {"engine": "laplace", "templates": 100, "seconds": 1.0})
    assert table["engine"].tolist() == ["gpboost", "laplace"]
    assert pd.read_csv(path)["seconds"].tolist() == [3.0, 1.0]


def test_growth_has_copies_under_other_names_and_the_slope_of_its_logarithm():
    """Seconds 1, 2, 4 and 8 times as many to the power of 1.5, by hand."""
    keys = {name: ["a", "b"] for name in ("variant", "base_model", "language", "template")}
    data = pd.DataFrame(keys | {"x": [0.1, 0.2], "n_correct": [0, 20], "n_total": 20})
    larger = growth.grow(data, "variants", 3, 1)
    assert larger["variant"].tolist() == ["a", "b", "a 2", "b 2", "a 3", "b 3"]
    assert larger["base_model"].nunique() == 6
    assert larger["language"].tolist() == ["a", "b"] * 3
    assert larger["x"].tolist() == [0.1, 0.2] * 3
    assert larger["n_correct"].between(0, 20).all()
    rows = [
        {"grown": grown, "times": times, "cpu_seconds": times**power, "peak_mb": 100.0}
        for grown, power in (("templates", 1.0), ("variants", 1.5), ("languages", 2.0))
        for times in growth.TIMES
    ]
    rows[-1] = {"grown": "languages", "times": 8, "status": "stopped after 9 s"}
    table = growth.with_exponents(rows)
    assert table.groupby("grown", sort=False)["exponent"].first().tolist() == pytest.approx(
        [1.0, 1.5, 2.0]
    )
    assert np.isnan(table["exponent"].iloc[-1])
    labels = growth.draw(table, "Data: none.").axes[0].get_legend_handles_labels()[1]
    assert labels == ["templates, exponent 1.00", "variants, exponent 1.50",
                      "languages, exponent 2.00"]  # fmt: skip
