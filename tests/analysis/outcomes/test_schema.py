"""Bad tables are refused with the place and the way out; good ones get canonical types."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.schema import check_fit_ready, kind_of, validate
from capability_transfer.common.errors import InputError

CELL = {"variant": "a", "language": "dan", "template": "t1", "n_correct": 3, "n_total": 20}
INSTANCE = {"variant": "a", "language": "dan", "template": "t1", "instance": 1, "correct": 1}


def cells(*changes):
    return pd.DataFrame([CELL | {"template": f"t{i}"} | change for i, change in enumerate(changes)])


def instances(*changes):
    return pd.DataFrame([INSTANCE | {"instance": i} | change for i, change in enumerate(changes)])


def test_canonical_columns_and_types():
    table = cells({"template": 7.0, "n_correct": "3", "n_total": 20.0, "note": "x"})
    checked = validate(table, "cells")
    assert list(checked.columns) == ["variant", "language", "template", "n_correct", "n_total"]
    assert checked.loc[0].tolist() == ["a", "dan", "7", 3, 20]
    assert checked.dtypes[["n_correct", "n_total"]].tolist() == [np.int64, np.int64]


@pytest.mark.parametrize(
    ("score", "correct"),
    [
        *((1, True), (0, False), (1.0, True), (True, True), (np.False_, False)),
        *(("1", True), ("0.0", False), ("true", True), ("FALSE", False), (" True ", True)),
    ],
)
def test_scores_that_are_read(score, correct):
    checked = validate(instances({"correct": score}), "instances")
    assert checked["correct"].dtype == bool
    assert checked["correct"].tolist() == [correct]


@pytest.mark.parametrize("score", [0.5, 2, -1, "INVALID", "C", "I", "yes", "", None, np.nan])
def test_scores_that_are_refused(score):
    table = instances({}, {"correct": score, "language": "swa"})
    table.index = pd.RangeIndex(2, 4, name="line")
    with pytest.raises(InputError, match=r"log\.csv.*'correct'.*line 3 \(swa, ") as error:
        validate(table, "instances", "log.csv")
    assert "write 1" in str(error.value)
    if score is not None:  # pandas itself makes it nan
        assert f", {score!r})" in str(error.value)


@pytest.mark.parametrize("count", [-1, 2.5, "many", "1_0", np.nan, None, "", True, np.inf])
def test_counts_that_are_refused(count):
    with pytest.raises(InputError, match=r"'n_correct' is not a whole number.*row 1 \(dan, "):
        validate(cells({}, {"n_correct": count}), "cells")


def test_counts_must_fit_together():
    with pytest.raises(InputError, match=r"n_correct is larger than n_total: row 1 \(dan\)"):
        validate(cells({}, {"n_correct": 21}), "cells")
    with pytest.raises(InputError, match="n_total is 0"):
        validate(cells({"n_correct": 0, "n_total": 0}), "cells")
    ends = validate(
        cells({"n_correct": 20}, {"n_correct": 0}, {"n_correct": 1, "n_total": 1}), "cells"
    )
    assert ends["n_correct"].tolist() == [20, 0, 1]


def test_missing_and_misspelt_columns():
    table = cells({}).rename(columns={"n_correct": "n_corect"})
    with pytest.raises(InputError, match=r"no column 'n_correct'.*Did you mean n_corect\?"):
        validate(table, "cells", "x.csv")
    with pytest.raises(InputError, match="has a column 'Split': write 'split'"):
        validate(cells({"Split": "symbolic"}), "cells")
    with pytest.raises(InputError, match="the column variant more than once"):
        validate(pd.concat([cells({}), cells({})[["variant"]]], axis=1), "cells")


def test_no_rows():
    with pytest.raises(InputError, match=r"x\.csv has no rows"):
        validate(cells({}).iloc[:0], "cells", "x.csv")


def test_repeated_rows():
    table = instances({}, {"instance": 0}, {})
    with pytest.raises(InputError, match=r"same variant, .*instance more than once: row 0.*row 1"):
        validate(table, "instances")
    both = instances({"split": "symbolic"}, {"split": "original", "instance": 0})
    assert len(validate(both, "instances")) == 2


def test_labels():
    assert validate(cells({"language": " nan "}), "cells")["language"].tolist() == ["nan"]
    assert validate(cells({"language": "no"}), "cells")["language"].tolist() == ["no"]
    with pytest.raises(InputError, match="Min Nan Chinese"):
        validate(cells({"language": np.nan}), "cells")
    for lost in (False, "False"):
        with pytest.raises(InputError, match="YAML"):
            validate(cells({"language": lost}), "cells")
    with pytest.raises(InputError, match=r"'variant' is empty.*row 1 \(''\)"):
        validate(cells({}, {"variant": ""}), "cells")
    with pytest.raises(InputError, match=r"'split' is not one of symbolic, original.*'test'"):
        validate(cells({"split": "test"}), "cells")


def test_many_wrong_rows_are_counted():
    with pytest.raises(InputError, match="row 7.* and 12 more"):
        validate(cells(*[{"n_correct": -1}] * 20), "cells")


def test_kind_is_told_by_the_columns():
    assert kind_of(cells({})) == "cells"
    assert kind_of(instances({"n_total": 20})) == "instances"
    assert kind_of(cells({}).rename(columns={"n_correct": "correc"})) == "cells"
    with pytest.raises(InputError, match="both"):
        kind_of(instances({"n_correct": 3, "n_total": 20}))
    with pytest.raises(InputError, match=r"instances \(variant, .*cells \(variant"):
        kind_of(pd.DataFrame({"model": ["a"], "score": [1]}))


def test_fit_ready():
    ready = pd.DataFrame(
        [
            CELL | {"variant": v, "language": k, "template": t}
            for v in "ab"
            for k in "cd"
            for t in "ef"
        ]
    )
    check_fit_ready(ready)
    for column in ("variant", "language", "template"):
        with pytest.raises(InputError, match=f"one {column} only"):
            check_fit_ready(ready[ready[column] == ready.loc[0, column]])
    with pytest.raises(InputError, match="every answer in mine is wrong"):
        check_fit_ready(ready.assign(n_correct=0), "mine")
    with pytest.raises(InputError, match="is correct"):
        check_fit_ready(ready.assign(n_correct=20))
