"""Predictions in words and in percent, from tables made up by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction import describe
from capability_transfer.analysis.prediction.new_model import AskedModel
from capability_transfer.common.errors import InputError

MODEL = AskedModel("own (reasoning on)", "own (new)", "Own (new)", 3.0, 1, "nothing")


@pytest.fixture
def table():
    """Three languages: one in the data, one counted and above its edges, one beyond below."""
    return pd.DataFrame(
        {
            "name": ["German", "Far", "Near"],
            "language": ["deu", "far", "nea"],
            "plug_in": [0.9123, 0.2, 0.5],
            "integrated": [0.9, 0.25, 0.51],
            **{f"low_{level}": [0.8, 0.126, 0.4] for level in (50, 80, 95)},
            **{f"high_{level}": [0.95, 0.3, 0.604] for level in (50, 80, 95)},
            "resource": [7.5, 9.0, 2.0],
            "distance": [0.1, 0.9876, 0.05],
            "fertility": [0.25, -1.5, 0.0],
            "fertility_source": ["data", "counted", "unknown"],
            "resource_outside": [0.0, 0.5, -1.25],
            "distance_outside": [0.0, 2.0, -0.1],
            "templates": [0, 0, 4],
            "seen": [True, False, False],
            "size_multiple": [1.04, np.nan, 12.0],
        }
    )


def test_a_model_is_told_in_a_line():
    assert describe.model_line(MODEL) == (
        "own (reasoning on): 8B, reasoning on, family Own (new, and so is its family: a wide "
        "interval)"
    )
    off = replace(MODEL, variant="own", size=-1.0, reasoning=0, family="Own", known="variant")
    assert describe.model_line(off) == "own: 0.5B, reasoning off, family Own (in the data)"


def test_shares_are_shown_in_percent(table):
    shown = describe.in_percent(table)
    assert shown[""].tolist() == ["German (deu)", "Far (far)", "Near (nea)"]
    assert shown["plug-in"].tolist() == ["91.2", "20.0", "50.0"]
    assert shown["integrated"].tolist() == ["90.0", "25.0", "51.0"]
    for level in ("50%", "80%", "95%"):
        assert shown[level].tolist() == ["80–95", "13–30", "40–60"]
    assert shown["log10 pages"].tolist() == ["7.50", "9.00", "2.00"]
    assert shown["distance"].tolist() == ["0.100", "0.988", "0.050"]
    assert shown["fertility"].tolist() == ["+0.25", "~-1.50", "?"]
    assert shown["× size"].tolist() == ["1.0", "–", "12.0"]


def test_remarks_tell_what_is_extrapolated_guessed_and_known(table):
    assert describe.remarks(table) == [
        "extrapolation: Near has less text than any language learned from (1.25 SD outside)",
        "extrapolation: Far has more text than any language learned from (0.50 SD outside)",
        "extrapolation: Near is closer to English than any language learned from (0.10 SD outside)",
        "extrapolation: Far is farther from English than any language learned from (2.00 SD "
        "outside)",
        "relative fertility marked ~ was counted with the model's tokenizer",
        "relative fertility that is not known (?) is taken as 0, an average tokenizer's; its "
        "spread is in the interval",
        "Near: calibrated with 4 templates of yours",
        "in the data already: German",
    ]
    plain = table.iloc[:1].assign(seen=False)
    assert describe.remarks(plain) == []
    unused = plain.assign(fertility_source="unused")
    assert describe.remarks(unused) == [describe.WITHOUT_FERTILITY]


def test_what_reaches_a_target_is_told_per_language():
    table = pd.DataFrame(
        {
            "language": ["deu", "swh", "isl"],
            "params_b": [3.14159, np.nan, 20.0],
            "limit_b": 1200.0,
            "best": [0.99, 0.7251, 0.9],
            "reasoning_on": [0.85, np.nan, 0.5],
        }
    )
    first, second, third = describe.target_lines(table, 0.8)
    assert first == (
        "80% in deu (plug-in): about 3.14B parameters in the same family and mode; with reasoning "
        "on, this model: 85%"
    )
    assert second == "80% in swh (plug-in): no size up to 1,200B (best: 73%)"
    assert third.endswith("about 20B parameters in the same family and mode; with reasoning on, "
                          "this model: 50%")  # fmt: skip
    none = table.assign(params_b=np.nan)
    with pytest.raises(InputError, match=r"up to 1,200B reaches 90% there.* is 99% \(deu\)"):
        describe.target_lines(none, 0.9)
    assert len(describe.target_lines(none, 0.85)) == 3  # reasoning reaches it


def test_how_far_outside_is_told_in_three_steps_with_reasons(table):
    text, distance = (
        "has more text than any language learned from",
        "is farther from English than any language learned from",
    )
    assert describe.how_far(table.assign(distance_outside=[0.0, 1.0, -0.1])) == [
        (0, ()),
        (1, (text, distance)),
        (2, ("has less text than any language learned from",
             "is closer to English than any language learned from")),
    ]  # fmt: skip
    without = table.drop(columns="distance_outside")  # a predictor without the feature
    assert describe.how_far(without)[1] == (1, (text,))


def test_remarks_name_marks_only_where_they_are_shown(table):
    assert "that is not known (?) is taken" in " ".join(describe.remarks(table))
    assert "that is not known is taken" in " ".join(describe.remarks(table, marks=False))
