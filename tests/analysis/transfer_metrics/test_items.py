"""Pass rates from cells, and what is refused on the way."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.transfer_metrics.items import (
    ItemRates,
    item_rates,
    require_same_items,
)
from capability_transfer.analysis.transfer_metrics.metrics import estimate
from capability_transfer.common.errors import InputError


def cells(languages=("eng", "dan", "deu"), templates=("a", "b", "c"), variants=("m", "n")):
    grid = pd.MultiIndex.from_product(
        [variants, languages, templates], names=["variant", "language", "template"]
    ).to_frame(index=False)
    return grid.assign(n_correct=np.arange(len(grid)) % 5, n_total=4)


def test_rates_are_those_of_the_cells_for_any_source():
    table = cells()
    for source, targets in (("eng", ("dan", "deu")), ("deu", ("eng", "dan"))):
        first, second = item_rates(table, source)
        assert (first.variant, second.variant) == ("m", "n")
        assert first.languages == targets
        assert first.items == ("a", "b", "c")
        wide = table[table["variant"] == "m"].pivot(
            index="template", columns="language", values="n_correct"
        )
        np.testing.assert_array_equal(first.source_rate, wide[source] / 4)
        np.testing.assert_array_equal(first.target_rate, wide[list(targets)] / 4)
        np.testing.assert_array_equal(first.source_trials, [4, 4, 4])


def test_row_order_does_not_matter():
    table = cells()
    shuffled = item_rates(table.sample(frac=1, random_state=3), targets=["dan", "deu"])
    by_variant = {rates.variant: rates for rates in shuffled}
    for rates in item_rates(table, targets=["dan", "deu"]):
        np.testing.assert_array_equal(rates.target_rate, by_variant[rates.variant].target_rate)


def test_unmatched_items_are_listed_and_intersected_only_on_request():
    table = cells(variants=["m"])
    table = table[~((table["language"] == "dan") & (table["template"] == "b"))]
    with pytest.raises(InputError, match="dan lacks b.*intersect=True"):
        item_rates(table)
    (rates,) = item_rates(table, unmatched="intersect")
    assert rates.items == ("a", "c")
    assert rates.left_out == ("b",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.assign(n_correct=9), "not between 0 and 1.*2.25.*not percent"),
        (lambda t: t.assign(n_correct=-1), "not between 0 and 1"),
        (lambda t: t.assign(n_total=0), "n_total is below 1"),
        (lambda t: t[t["template"] == "a"], "1 item in common.*at least two"),
        (lambda t: pd.concat([t, t]), "more than once"),
        (lambda t: t.drop(columns="n_total"), "lack the column n_total"),
        (lambda t: t[~((t["variant"] == "m") & (t["language"] == "dan"))], "m has no outcomes in"),
    ],
)
def test_bad_cells_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        item_rates(change(cells()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "en"}, "no outcomes are in language 'en'.*eng"),
        ({"targets": ["dan", "xyz"]}, "xyz"),
        ({"targets": ["eng"]}, "cannot be a target"),
        ({"targets": []}, "no target language"),
        ({"unmatched": "drop"}, "error or intersect"),
    ],
)
def test_bad_requests_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        item_rates(cells(), **arguments)


def test_a_percentage_is_no_rate():
    with pytest.raises(InputError, match="not percent"):
        ItemRates(
            "m", "eng", ("dan",), ("a", "b"), np.array([0.5, 50]), np.ones(2), np.ones((2, 1))
        )


def test_a_source_of_zeros_leaves_hat_undefined_and_says_so():
    rates = ItemRates(
        "m", "eng", ("dan",), ("a", "b"), np.zeros(2), np.full(2, 5), np.array([[0.2], [0.4]])
    )
    for metric in ("hat", "hat_corrected", "hat_area", "transfer_score"):
        with pytest.raises(InputError, match=f"{metric} of m is undefined.*eng is 0 on all items"):
            estimate(rates, metric)
    assert estimate(rates, "xlt_gap") == pytest.approx(-0.3)


def test_one_pass_an_item_cannot_be_corrected():
    rates = ItemRates(
        "m", "eng", ("dan",), ("a", "b"), np.ones(2), np.ones(2), np.array([[1.0], [0.0]])
    )
    assert estimate(rates, "hat") == pytest.approx(0.5)
    with pytest.raises(InputError, match="two passes"):
        estimate(rates, "hat_corrected")


def test_models_on_different_items_are_told():
    table = cells()
    first, second = item_rates(table)
    require_same_items([first, second])
    fewer = table[~((table["variant"] == "n") & (table["template"] == "a"))]
    with pytest.raises(InputError, match="n and m were not given the same items: a"):
        require_same_items(item_rates(fewer))
