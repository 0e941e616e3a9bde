"""R's model matrices: its coding and names, and levels that belong to the fit."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import columns
from capability_transfer.analysis.glmm.r_session import to_r_frame
from capability_transfer.analysis.glmm.wilkinson import Expansion, expand
from capability_transfer.common.errors import InputError
from hypothesis import given, settings
from hypothesis import strategies as st

MODEL_MATRIX = """
function(terms, data) {
  library(splines)
  model.matrix(as.formula(paste("~", terms)), data)
}
"""

FRAME = pd.DataFrame(
    {
        "x": np.linspace(-1, 2, 12),
        "z": np.cos(np.arange(12.0)),
        "f": ["mid", "low", "top"] * 4,
        "k": pd.Categorical(["v", "u"] * 6, ["v", "u"]),
        "h": [True, True, False, False] * 3,
    }
)
KNOWN = columns.levels(FRAME, FRAME.columns)

_names = st.sampled_from(
    [*"xzfkh", "log(z + 2)", "poly(x, 2)", "scale(z)", "I(x > 0)", "ns(x, 2)", "I(x^2 / 3)"]
)
_sums = st.recursive(
    _names,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+*:/-"), inner).map(" ".join),
        inner.map("({})".format),
        st.tuples(_names, _names, st.sampled_from("23"))
        .filter(lambda drawn: drawn[0] != drawn[1])
        .map(lambda drawn: "({} + {})^{}".format(*drawn)),
    ),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(_sums, st.sampled_from(["", " - 1", " + 0", " + x:f"]))
def test_every_column_is_rs(r, text, end):
    expansion = expand(text + end)
    if expansion == Expansion((), False):
        return
    theirs = r(MODEL_MATRIX)(text + end, to_r_frame(FRAME, KNOWN))
    ours = columns.matrix(expansion, FRAME, columns.levels(FRAME, expansion.variables()))
    assert ours.names == list(theirs.colnames)
    np.testing.assert_allclose(ours.values, np.array(theirs), atol=1e-12)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("f + x", ["(Intercept)", "fmid", "ftop", "x"]),
        ("k", ["(Intercept)", "ku"]),
        ("h", ["(Intercept)", "hTRUE"]),
        ("0 + h", ["hFALSE", "hTRUE"]),
        ("f:x", ["(Intercept)", "flow:x", "fmid:x", "ftop:x"]),
        ("x + f:x", ["(Intercept)", "x", "x:fmid", "x:ftop"]),
        ("k:f", ["(Intercept)", *(f"k{k}:f{f}" for f in ("low", "mid", "top") for k in "vu")]),
    ],
)
def test_factors_have_contrasts_where_their_margin_is_in_the_model(text, names):
    assert columns.matrix(expand(text), FRAME, KNOWN).names == names


def test_rows_are_coded_by_the_levels_of_the_fit():
    whole = columns.matrix(expand("f * x + k + h"), FRAME, KNOWN)
    for row in range(len(FRAME)):
        alone = columns.matrix(expand("f * x + k + h"), FRAME.iloc[[row]], KNOWN)
        assert alone.names == whole.names
        np.testing.assert_array_equal(alone.values, whole.values[[row]])


@pytest.mark.parametrize("kind", ["object", "string", "category"])
def test_every_kind_of_text_is_one_factor(kind):
    frame = FRAME.assign(f=FRAME["f"].astype(kind))
    known = columns.levels(frame, ["f"])
    assert known == {"f": ("low", "mid", "top")}
    ours = columns.matrix(expand("f"), frame, known)
    np.testing.assert_array_equal(ours.values[:, 1], FRAME["f"] == "mid")


def test_a_level_that_the_fit_has_not_seen_is_named_with_its_row():
    with pytest.raises(InputError, match=r"f is new in row 2, .*it has low, mid, top"):
        columns.matrix(expand("f"), FRAME.assign(f=["low", "mid", "new"] * 4).iloc[:3], KNOWN)
    with pytest.raises(InputError, match="k is w"):
        columns.matrix(expand("k"), FRAME.assign(k="w"), KNOWN)
    with pytest.raises(InputError, match="x holds few where the model needs numbers"):
        columns.matrix(expand("x"), FRAME.assign(x="few"), KNOWN)


def test_a_factor_with_one_level_is_refused():
    with pytest.raises(InputError, match=r"f has one level in these rows \(low\)"):
        columns.levels(FRAME.assign(f="low"), ["f"])
    with pytest.raises(InputError, match=r"h has one level in these rows \(True\)"):
        columns.levels(FRAME.assign(h=True), ["h"])


def test_booleans_of_other_kinds_are_read_by_what_they_are():
    for column in (FRAME["h"].astype(int), FRAME["h"].astype("boolean"), FRAME["h"].astype(object)):
        ours = columns.matrix(expand("h"), FRAME.assign(h=column), KNOWN)
        np.testing.assert_array_equal(ours.values[:, 1], FRAME["h"])


def test_two_columns_of_one_name_are_refused():
    frame = FRAME.assign(fmid=FRAME["x"])
    with pytest.raises(InputError, match="two columns of the model are called fmid"):
        columns.matrix(expand("f + fmid"), frame, KNOWN)
