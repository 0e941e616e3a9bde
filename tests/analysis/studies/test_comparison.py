"""Two models on the same items: against scipy's paired tests, McNemar's, and a hand computation."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.data import Outcomes
from capability_transfer.analysis.studies import comparison as c
from capability_transfer.common.errors import InputError
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar


def cells(counts, total=10):
    """counts: variant to language to correct answers by template."""
    rows = [
        {"variant": variant, "language": language, "template": str(t), "n_correct": k,
         "n_total": total}
        for variant, by_language in counts.items()
        for language, correct in by_language.items()
        for t, k in enumerate(correct)
    ]  # fmt: skip
    return pd.DataFrame(rows)


TWO = cells({
    "A": {"deu": [9, 8, 7, 10], "dan": [5, 6, 4, 8]},
    "B": {"deu": [7, 8, 5, 9], "dan": [5, 2, 5, 4]},
})  # fmt: skip


@pytest.fixture(scope="module")
def found():
    return c.compare("a", "b", Outcomes(TWO, "made up")).table.set_index("language")


def test_a_language_is_tested_as_paired_samples_are(found):
    test = stats.ttest_rel([9, 8, 7, 10], [7, 8, 5, 9])
    low, high = test.confidence_interval()
    row = found.loc["deu"]
    assert (row["first"], row["second"], row["difference"]) == pytest.approx((0.85, 0.725, 12.5))
    assert (row["statistic"], row["p_value"]) == pytest.approx((test.statistic, test.pvalue))
    assert (row["conf_low"], row["conf_high"]) == pytest.approx((10 * low, 10 * high))
    assert (row["better"], row["worse"], row["tied"]) == (3, 0, 1)
    assert row["p_sign"] == pytest.approx(0.25)  # 2 · (1/2)³


def test_over_all_languages_the_unit_is_the_template(found):
    both = np.array([[2, 0, 2, 1], [0, 4, -1, 4]]).mean(axis=0) * 10
    row = found.loc[c.ALL]
    assert row["difference"] == pytest.approx(both.mean())
    assert row["std_error"] == pytest.approx(both.std(ddof=1) / 2)
    assert row["templates"] == 4


def test_p_values_over_languages_are_those_of_holm(found):
    smaller, larger = sorted(found.loc[["deu", "dan"], "p_value"])
    assert sorted(found.loc[["deu", "dan"], "p_holm"]) == pytest.approx(
        [2 * smaller, max(2 * smaller, larger)]
    )
    assert np.isnan(found.loc[c.ALL, "p_holm"])


def test_with_one_answer_per_item_the_sign_test_is_mcnemars():
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 2, (2, 40))
    data = cells({"A": {"deu": first}, "B": {"deu": second}}, total=1)
    row = c.compare("A", "B", Outcomes(data, "made up")).table.set_index("language").loc["deu"]
    square = pd.crosstab(first, second).to_numpy()
    assert row["p_sign"] == pytest.approx(mcnemar(square, exact=True).pvalue)
    assert row["better"] == ((first == 1) & (second == 0)).sum()


def test_items_that_one_of_them_lacks_are_left_out_and_counted():
    data = TWO.drop(index=TWO[(TWO["variant"] == "B") & (TWO["template"] == "3")].index)
    found = c.compare("A", "B", Outcomes(data, "made up"))
    assert found.table["templates"].tolist() == [3, 3, 3]
    assert found.notes() == ["left out: 2 items that only one of the two answered"]


def test_equal_answers_have_no_interval_and_no_t():
    data = cells({"A": {"deu": [5, 6]}, "B": {"deu": [5, 6]}})
    row = c.compare("A", "B", Outcomes(data, "made up")).table.iloc[0]
    assert (row["difference"], row["p_sign"]) == (0, 1)
    assert np.isnan(row["p_value"])
    (told, _) = c.compare("A", "B", Outcomes(data, "made up")).findings()
    assert "over 1 language (no interval: the same difference on every template); better on" in told


def test_pairing_takes_the_difficulty_of_the_items_out():
    """In simulated data of equal models, 95% intervals hold 0 as often as they say."""
    rng, held, width, draws = np.random.default_rng(8), 0, [], 100
    for _ in range(draws):
        easy = rng.beta(1.0, 1.0, 50)
        first, second = rng.binomial(10, np.stack([easy, easy])) / 10
        items = {"language": "deu", "template": range(50), "first": first, "second": second}
        row = c.differences(pd.DataFrame(items)).iloc[0]
        held += row["conf_low"] <= 0 <= row["conf_high"]
        width.append(row["std_error"])
    assert 0.89 <= held / draws <= 0.99
    assert np.mean(width) < 100 * np.sqrt(2 / 12 / 50) / 2  # unpaired: the items' spread is in it


def test_reasoning_helps_qwen3_in_every_language():
    found = c.compare("Qwen3-8B (reasoning on)", "qwen3-8b (reasoning off)")
    assert (found.table["difference"] > 0).all()
    assert len(found.table) == 16
    assert found.findings()[0].startswith("Qwen3-8B (reasoning on) is ")


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [("A", "a", "with itself"), ("A", "C", "no variant 'C'.*They have A, B")],
)
def test_what_cannot_be_compared(first, second, message):
    with pytest.raises(InputError, match=message):
        c.compare(first, second, Outcomes(TWO, "made up"))


def test_one_common_template_is_too_few():
    with pytest.raises(InputError, match="1 templates were answered by both"):
        c.compare("A", "B", Outcomes(TWO[TWO["template"] == "0"], "made up"))


def test_variants_are_named_with_any_separators():
    labels = {"A": "Qwen3-8B (reasoning on)", "B": "gemma-3-4b-it"}
    cells = TWO.assign(variant=TWO["variant"].map(labels))
    made = c.compare("qwen3 8b, reasoning on", "Gemma_3_4B_it", Outcomes(cells, "made up"))
    assert (made.first, made.second) == tuple(labels.values())
    hub = c.compare("Qwen/Qwen3-8B", "google/gemma-3-4b-it", Outcomes(cells, "made up"))
    assert (hub.first, hub.second) == tuple(labels.values())
    twins = pd.concat([cells, cells.assign(variant="gemma 3 4b it")])
    with pytest.raises(InputError, match="fits several variants"):
        c.compare("GEMMA-3-4B-IT", labels["A"], Outcomes(twins, "made up"))
    modes = pd.concat([cells, cells.assign(variant="Qwen3-8B (reasoning off)")])
    with pytest.raises(InputError, match=r"say which of Qwen3-8B \(reasoning on\), Qwen3-8B"):
        c.compare("Qwen3-8B", labels["B"], Outcomes(modes, "made up"))
