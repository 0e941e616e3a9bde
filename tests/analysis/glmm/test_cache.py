"""Kept fits: read where data, model and code are the same, made again where they are not."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import cache as module
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.laplace import fit
from capability_transfer.common import kept

FORMULA = "~ x + (1 | g)"
OF_CELLS = "~ size + (1 | variant) + (1 | language)"


@pytest.fixture
def data():
    generator = np.random.default_rng(1)
    table = pd.DataFrame({"g": [f"g{i % 9}" for i in range(90)], "x": generator.normal(size=90)})
    return table.assign(n_total=12, n_correct=generator.integers(2, 10, 90))


def test_a_kept_fit_is_read(data, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = (cached_fit("laplace", FORMULA, data, tmp_path) for _ in range(2))
    pd.testing.assert_frame_equal(second.fixed_effects, first.fixed_effects)
    assert second.optimisation.seconds == first.optimisation.seconds


def test_a_damaged_fit_is_made_again(data, tmp_path):
    first = cached_fit("laplace", FORMULA, data, tmp_path)
    (path,) = (tmp_path / "fits").iterdir()
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.warns(UserWarning, match="is damaged.*made again"):
        again = cached_fit("laplace", FORMULA, data, tmp_path)
    np.testing.assert_allclose(again.coefficients, first.coefficients, atol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cached_fit("laplace", FORMULA, data, tmp_path)


@pytest.mark.parametrize("other", ["data", "formula"])
def test_another_fit_in_its_place_is_made_again(data, tmp_path, other):
    mine = cached_fit("laplace", FORMULA, data, tmp_path / "mine")
    changed = data.assign(n_correct=data["n_total"] - data["n_correct"])
    if other == "data":
        cached_fit("laplace", FORMULA, changed, tmp_path / "other")
    else:
        cached_fit("laplace", "~ 1 + (1 | g)", data, tmp_path / "other")
    (path,), (foreign,) = ((tmp_path / name / "fits").iterdir() for name in ("mine", "other"))
    kept.write(kept.read(foreign), path)
    with pytest.warns(UserWarning, match="holds something else: of"):
        again = cached_fit("laplace", FORMULA, data, tmp_path / "mine")
    np.testing.assert_allclose(again.coefficients, mine.coefficients, atol=1e-9)


@pytest.fixture
def fits(cells, monkeypatch):
    """Counts the fits that were made."""
    made = fit(OF_CELLS, cells)
    count = []

    def engine(name):
        return lambda formula, data, **options: (
            count.append(name) or replace(made, provenance=options["provenance"])
        )

    monkeypatch.setattr(module, "engine", engine)
    return count


def test_a_kept_fit_is_read_and_one_of_other_code_is_not(cells, tmp_path, fits, monkeypatch):
    for _ in range(2):
        again = cached_fit("laplace", OF_CELLS, cells, tmp_path)
    assert fits == ["laplace"]
    assert again.coefficients["size"] == fit(OF_CELLS, cells).coefficients["size"]
    monkeypatch.setattr(kept, "hash_project", lambda: "changed")
    cached_fit("laplace", OF_CELLS, cells, tmp_path)
    assert len(fits) == 2


def test_a_start_counts_by_its_point_and_not_by_how_it_was_found(cells, tmp_path, fits):
    start = fit(OF_CELLS, cells)
    slower = replace(start, optimisation=replace(start.optimisation, seconds=1e6))
    for one in (start, slower):
        cached_fit("laplace", OF_CELLS, cells, tmp_path, start=one)
    assert len(fits) == 1
    elsewhere = start.fixed_effects.assign(estimate=0.0)
    for one in (None, replace(start, fixed_effects=elsewhere)):
        cached_fit("laplace", OF_CELLS, cells, tmp_path, start=one)
    assert len(fits) == 3
