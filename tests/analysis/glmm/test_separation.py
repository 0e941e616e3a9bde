"""Separated fixed parts: found exactly, named with their signs, and told from harmless levels."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace, lme4, separation
from capability_transfer.analysis.glmm.r_session import EngineMissing
from capability_transfer.analysis.glmm.separation import find_separation
from capability_transfer.common.errors import InputError
from scipy.optimize import linprog


def answers(seed=3, rows=300):
    """0/1 answers with a covariate, a factor, and groups of which some are all right."""
    rng = np.random.default_rng(seed)
    group, subject = rng.integers(0, 12, rows), rng.integers(0, rows // 3, rows)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=rows),
            "f": rng.choice(["hi", "lo", "mid"], rows),
            "group": [f"g{i}" for i in group],
            "subject": [f"s{i}" for i in subject],
        }
    )
    eta = 0.4 * frame["x"] + rng.normal(size=12)[group]
    return frame.assign(y=rng.binomial(1, 1 / (1 + np.exp(-eta))))


def engines():
    yield laplace.fit
    try:
        from capability_transfer.analysis.glmm.r_session import session

        session()
        yield lme4.fit
    except EngineMissing:
        return


def test_a_level_that_is_always_right_is_named_with_its_sign():
    data = answers()
    data["y"] = data["y"].where(data["f"] != "mid", 1)
    share = (data["f"] == "mid").mean()
    for fit in engines():
        found = fit("y ~ x + f + (1 | group)", data)
        (text,) = [note for note in found.warnings() if note.startswith("separation")]
        assert text.startswith(f"separation: fmid (+∞) foretell the outcomes of {share:.1%} of")
        assert "merge the level" in text


def test_outcomes_that_a_covariate_foretells_altogether_are_refused():
    data = answers()
    data["y"] = (data["x"] > 0.1).astype(int)
    for fit in engines():
        with pytest.raises(InputError, match=r"cannot be fitted: separation: .*x \(\+∞\)"):
            fit("y ~ x + (1 | group)", data)
    other = laplace.Model("y ~ x + (1 | group)", answers())
    with pytest.raises(InputError, match="cannot be fitted: separation"):
        other.refit(data["y"].to_numpy()).optimise()


def test_one_wrong_answer_in_all_is_told_and_not_a_traceback():
    data = answers().assign(y=1)
    data.loc[5, "y"] = 0
    found = laplace.fit("y ~ x + f + (1 | group)", data)
    assert any("separation: (Intercept) (+∞)" in note for note in found.warnings())


def test_levels_that_are_all_right_or_wrong_are_counted_in_one_line():
    data = answers()
    for fit in engines():
        found = fit("y ~ x + (1 | group) + (1 | subject)", data)
        held = [note for note in found.warnings() if "held back" in note]
        shares = data.groupby("subject")["y"].mean()
        count = int(shares.isin((0.0, 1.0)).sum())
        assert held == [
            f"{count} of {len(shares)} levels of subject: all right or all wrong: their effects "
            "are held back by the SD alone"
        ]
        assert not any(note.startswith("separation") for note in found.warnings())


def margins(rows):
    """The largest margin of every row that one program over all of them can give, up to 1."""
    best = np.zeros(len(rows))
    for place, row in enumerate(rows):
        found = linprog(-row, A_ub=np.vstack([-rows, row]), b_ub=[*np.zeros(len(rows)), 1.0],
                        bounds=(None, None), method="highs")  # fmt: skip
        best[place] = -found.fun
    return best > 0.5


@pytest.mark.parametrize("seed", range(12))
def test_rows_are_foretold_exactly_if_some_direction_foretells_them(seed, monkeypatch):
    monkeypatch.setattr(separation, "ROWS", 4)  # several programs, each of few rows
    rng = np.random.default_rng(seed)
    count, size = int(rng.integers(10, 40)), int(rng.integers(2, 5))
    matrix = rng.integers(-1, 2, (count, size)).astype(float)
    matrix[:, 0] = 1.0
    eta = 3 * matrix @ rng.normal(size=size)
    success = rng.binomial(1, 1 / (1 + np.exp(-eta))).astype(float)
    success[:2] = 0, 1
    names = [f"x{i}" for i in range(size)]
    found = find_separation(matrix, np.eye(size), names, success, np.ones(count))
    foretold = margins(np.unique(matrix * (2 * success - 1)[:, None], axis=0))
    assert (found is not None) == foretold.any()
    if found is not None:
        assert found.complete == foretold.all()


def test_a_level_of_few_rows_among_many_is_found():
    rng = np.random.default_rng(1)
    matrix = np.column_stack([np.ones(20_000), rng.normal(size=20_000), np.arange(20_000) < 3])
    success = rng.binomial(1, 0.5, 20_000).astype(float)
    success[:3] = 0
    found = find_separation(matrix, np.eye(3), ["i", "x", "rare"], success, np.ones(20_000))
    assert (found.columns, found.upwards, found.complete) == (("rare",), (False,), False)
    assert found.share == pytest.approx(3 / 20_000)


def test_rows_of_both_outcomes_keep_a_separated_level_from_being_all_and_trials_are_counted():
    matrix = np.column_stack([np.ones(4), [0, 0, 1, 1]])
    success, trials = np.array([1.0, 2.0, 5.0, 2.0]), np.array([4.0, 4.0, 5.0, 2.0])
    found = find_separation(matrix, np.eye(2), ["i", "always"], success, trials)
    assert (found.columns, found.upwards, found.complete) == (("always",), (True,), False)
    assert found.share == pytest.approx(7 / 15)
    assert "the outcomes of 46.7% of trials" in found.sentence()


def test_rows_of_both_outcomes_leave_no_direction():
    matrix = np.column_stack([np.ones(8), np.arange(8) % 2])
    found = find_separation(matrix, np.eye(2), ["i", "x"], np.full(8, 1.0), np.full(8, 2.0))
    assert found is None
