"""Finished fits are kept, and only for the data, model and code that made them."""

import pytest

from analysis.glmm import cache as module
from analysis.glmm.cache import cached_fit
from analysis.glmm.laplace import fit

FORMULA = "~ size + (1 | variant) + (1 | language)"


@pytest.fixture
def fits(cells, monkeypatch):
    """Counts the fits that were made."""
    made = fit(FORMULA, cells)
    count = []

    def engine(name):
        return lambda formula, data, **options: count.append(name) or made

    monkeypatch.setattr(module, "engine", engine)
    return count


def test_a_kept_fit_is_read_and_one_of_other_code_is_not(cells, tmp_path, fits, monkeypatch):
    for _ in range(2):
        again = cached_fit("laplace", FORMULA, cells, tmp_path)
    assert fits == ["laplace"]
    assert again.coefficients["size"] == fit(FORMULA, cells).coefficients["size"]
    monkeypatch.setattr(module, "hash_project", lambda: "changed")
    cached_fit("laplace", FORMULA, cells, tmp_path)
    assert len(fits) == 2
