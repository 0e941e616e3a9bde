"""The result type: Wald table, glance, saving, prediction and diagnostics."""

import dataclasses
import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.diagnostics import (
    dependent_columns,
    dispersion,
    pearson_dispersion,
    separated,
    separated_levels,
)
from capability_transfer.analysis.glmm.laplace import fit
from capability_transfer.analysis.glmm.predict import fitted_probability, linear_predictor
from capability_transfer.analysis.glmm.result import dumps, load, save, wald_table
from capability_transfer.common.errors import InputError
from scipy import stats
from scipy.special import expit

GLANCE = [
    "nobs", "trials", "log_lik", "aic", "bic", "deviance", "df", "engine", "engine_version",
    "optimizer", "evaluations", "converged", "singular", "max_abs_gradient", "seconds",
    "data_source", "data_hash",
]  # fmt: skip


def test_the_wald_table_is_statsmodels_arithmetic():
    table = wald_table(["a", "b"], np.array([1.0, -0.2]), np.array([[0.25, 0.1], [0.1, 0.01]]))
    assert table["std_error"].tolist() == [0.5, 0.1]
    assert table["statistic"].tolist() == [2.0, -2.0]
    np.testing.assert_allclose(table["p_value"], 2 * stats.norm.sf(2))
    np.testing.assert_allclose(table["conf_high"] - table["estimate"], [0.979982, 0.195996], 1e-5)


def test_a_fit_reads_back_whole(lme4_fit, tmp_path):
    del lme4_fit.diagnostics["stages"]
    back = load(save(lme4_fit, tmp_path / "a.fit"))
    for field in dataclasses.fields(back):
        ours, theirs = getattr(back, field.name), getattr(lme4_fit, field.name)
        if isinstance(ours, pd.DataFrame):
            pd.testing.assert_frame_equal(ours, theirs)
        elif isinstance(ours, np.ndarray):
            np.testing.assert_array_equal(ours, theirs)
        else:
            assert ours == theirs, field.name


def test_what_is_no_saved_fit_is_refused(tmp_path):
    path = tmp_path / "a.fit"
    path.write_text("not a fit")
    with pytest.raises(InputError, match="is not a saved fit"):
        load(path)


def _changed(contents: bytes, change) -> bytes:
    """A ``.fit`` file's contents with its members changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(contents)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return out.getvalue()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(1 | language)", "(1 | language) + open('sprung', 'w')"),
        ("~ resource", "~ {open('sprung', 'w')}"),
        ('"format": 2', '"format": 0'),
        ('"estimate"', '"another"'),
        ('"messages"', '"gossip"'),
        ('"optimisation": {', '"optimisation": [], "other": {'),
    ],
)
def test_a_header_of_another_kind_is_refused(lme4_fit, tmp_path, monkeypatch, old, new):
    """Formulas are read by our own parser, which knows no function."""
    monkeypatch.chdir(tmp_path)
    contents = dumps(lme4_fit)

    def change(name, data):
        if name != "fit.json":
            return data
        assert old.encode() in data
        return data.replace(old.encode(), new.encode())

    path = tmp_path / "a.fit"
    path.write_bytes(_changed(contents, change))
    with pytest.raises(InputError, match="is not a saved fit"):
        load(path)
    assert not (tmp_path / "sprung").exists()


def test_arrays_that_would_be_unpickled_are_refused(lme4_fit, tmp_path):
    trapped = io.BytesIO()
    np.savez(trapped, covariance=np.array([{}], dtype=object))
    contents = _changed(
        dumps(lme4_fit), lambda name, data: trapped.getvalue() if name == "arrays.npz" else data
    )
    path = tmp_path / "a.fit"
    path.write_bytes(contents)
    with pytest.raises(InputError, match="allow_pickle=False"):
        load(path)


def test_damaged_fits_are_told(lme4_fit, tmp_path):
    contents, generator, path = dumps(lme4_fit), np.random.default_rng(1), tmp_path / "a.fit"
    told = 0
    for _ in range(60):
        wrong = bytearray(contents)
        for place in generator.integers(0, len(wrong), 3):
            wrong[place] ^= 1 + generator.integers(255)
        path.write_bytes(wrong[: generator.integers(len(wrong) // 2, len(wrong) + 1)])
        try:
            load(path)
        except InputError:
            told += 1
    assert told > 50


def test_glance_has_the_documented_columns(lme4_fit):
    glance = lme4_fit.glance()
    assert list(glance.columns) == GLANCE
    assert glance["deviance"].iloc[0] == pytest.approx(-2 * lme4_fit.log_lik)
    assert glance["aic"].iloc[0] == pytest.approx(-2 * lme4_fit.log_lik + 16)
    rows = glance["nobs"].iloc[0]  # lme4 counts rows, not trials
    assert rows == 20 * 16 * 12
    assert glance["bic"].iloc[0] == pytest.approx(-2 * lme4_fit.log_lik + 8 * np.log(rows))


def test_the_linear_predictor_adds_fixed_effects_and_modes(lme4_fit, cells):
    rows = cells.iloc[[0, 100, 2000]]
    beta = lme4_fit.coefficients
    modes = lme4_fit.modes.set_index(["group", "level"])["mode"]
    by_hand = [
        beta["(Intercept)"] + beta["resource"] * row.resource + beta["size"] * row.size_
        + beta["resource:size"] * row.resource * row.size_
        + modes["variant", row.variant] + modes["language", row.language]
        + modes["template", row.template]
        + modes["variant:language", f"{row.variant}:{row.language}"]
        for row in rows.rename(columns={"size": "size_"}).itertuples()
    ]  # fmt: skip
    np.testing.assert_allclose(linear_predictor(lme4_fit, rows), by_hand)
    np.testing.assert_allclose(fitted_probability(lme4_fit, rows), expit(by_hand))


def test_new_levels_are_an_explicit_choice(lme4_fit, cells):
    row = cells.iloc[[0]].assign(language="new")
    with pytest.raises(InputError, match="has not seen language new"):
        linear_predictor(lme4_fit, row)
    population = linear_predictor(lme4_fit, row, new_levels="population")
    some = linear_predictor(lme4_fit, cells.iloc[[0]], groups=["variant", "template"])
    np.testing.assert_allclose(population, some)
    with pytest.raises(InputError, match="no group familly"):
        linear_predictor(lme4_fit, row, groups=["familly"])


def test_dispersion_grows_with_extra_variation(lme4_fit, cells):
    rng = np.random.default_rng(2)
    noisy = cells.assign(
        n_correct=np.clip(cells["n_correct"] + rng.integers(-6, 7, len(cells)), 0, 20)
    )
    assert dispersion(lme4_fit, noisy) > 2 * dispersion(lme4_fit, cells)
    worse = dataclasses.replace(lme4_fit, diagnostics={"dispersion": 1.9})
    assert any("overdispersed" in note for note in worse.warnings())


def test_of_a_plain_fit_there_is_nothing_to_say(cells):
    plain = fit("~ resource * size + (1 | variant) + (1 | template) + (1 | language)", cells)
    assert plain.optimisation.messages == ()
    assert (plain.optimisation.converged, plain.optimisation.hessian) == (True, "exact")
    quiet = dataclasses.replace(plain, diagnostics=plain.diagnostics | {"dispersion": 1.0})
    assert quiet.warnings() == []


def test_separated_levels_are_named(lme4_fit, cells):
    assert separated_levels(lme4_fit.formula, cells) == []
    solved = cells.assign(n_correct=cells["n_correct"].where(cells["template"] != "t03", 20))
    assert "template t03: all right" in separated_levels(lme4_fit.formula, solved)


def test_a_level_is_separated_by_its_answers_and_not_for_want_of_them():
    found = separated("g", ["a", "b", "c", "d"], [0, 5, 0, 3], [5, 5, 0, 5])
    assert found == ["g a: all wrong", "g b: all right"]


def test_dependent_columns_are_found_whatever_their_scale():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 50))
    matrix = np.column_stack([np.ones(50), x, 1e9 * y, 3 * x - 2e9 * y + 5, np.zeros(50)])
    assert dependent_columns(matrix, ["one", "x", "y", "sum", "zero"]) == ["sum", "zero"]


def test_rows_without_trials_say_nothing_of_the_dispersion(cells):
    """By hand: (7 − 5)²/2.5 + (3 − 5)²/2.5 + (5 − 5)²/2.5 over 3 rows less 1 parameter."""
    success, trials = np.array([7.0, 3, 5, 0, 0]), np.array([10.0, 10, 10, 0, 0])
    probability = np.array([0.5, 0.5, 0.5, 0.9, 0.1])
    assert pearson_dispersion(success, trials, probability, 1) == pytest.approx(3.2 / 2)
    few = cells[cells["template"].isin(["t00", "t01", "t02"])]
    empty = pd.concat([few, few.iloc[:300].assign(n_correct=0, n_total=0)], ignore_index=True)
    formula = "~ size + (1 | variant) + (1 | language)"
    plain, longer = fit(formula, few), fit(formula, empty)
    assert longer.diagnostics["dispersion"] == pytest.approx(plain.diagnostics["dispersion"])
    assert dispersion(longer, empty) == pytest.approx(dispersion(plain, few), rel=1e-5)


def test_rows_of_one_trial_are_never_called_overdispersed(cells):
    fitted = fit("~ resource + (1 | variant) + (1 | language)", cells)
    loud = dataclasses.replace(fitted, diagnostics=fitted.diagnostics | {"dispersion": 3.0})
    assert any("overdispersed" in note for note in loud.warnings())
    single = dataclasses.replace(loud, trials=fitted.nobs)
    assert not any("overdispersed" in note for note in single.warnings())
