"""The pooled predictor: what enters, whether it recovers a known truth, and floors."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction import pooled
from capability_transfer.common.errors import InputError
from scipy.special import expit, logit

CODES = [
    "eng",
    "deu",
    "fra",
    "rus",
    "zho",
    "jpn",
    "spa",
    "nld",
    "dan",
    "est",
    "isl",
    "hin",
    "mar",
    "swh",
    "amh",
    "yor",
]
FLOORS = {"open": 0.0, "four": 0.25, "two": 0.5}
SLOPE, SIZE = 0.9, 0.8


def languages() -> pd.DataFrame:
    resource = np.linspace(9.0, 4.5, len(CODES))
    return pd.DataFrame({"language": CODES, "resource": resource, "articles": np.nan})


def counts(seed: int = 0, items: int = 1500) -> pd.DataFrame:
    """Three benchmarks whose log-odds of knowing rise by SLOPE and SIZE a standard deviation."""
    generator = np.random.default_rng(seed)
    resource = languages().set_index("language")["resource"]
    resource = (resource - resource.mean()) / resource.std()
    sizes = np.arange(12.0)
    scaled = (sizes - sizes.mean()) / sizes.std(ddof=1)
    own, difficulty = generator.normal(0, 0.3, 12), generator.normal(0, 0.3, len(CODES))
    rows = []
    for benchmark, floor in FLOORS.items():
        level = generator.normal(0, 0.3)
        for m in range(12):
            for code, hard in zip(CODES, difficulty, strict=True):
                eta = level + SLOPE * resource[code] + SIZE * scaled[m] + own[m] + hard
                eta += generator.normal(0, 0.2)
                right = floor + (1 - floor) * expit(eta)
                rows.append((benchmark, f"model {m}", code, floor, generator.binomial(items, right),
                             items, 2.0 ** sizes[m], f"model {m}", f"family {m % 4}"))  # fmt: skip
    names = ["benchmark", "model", "language", "floor", "n_correct", "n_total", "params_b",
             "base_model", "family"]  # fmt: skip
    return pd.DataFrame(rows, columns=names)


@pytest.fixture(scope="module")
def found() -> pooled.Pool:
    return pooled.pool([counts()], languages())


@pytest.fixture(scope="module")
def fitted(found) -> pooled.FittedPool:
    return pooled.fit(found)


def test_effects_are_recovered_above_the_floors_and_too_small_without(found, fitted):
    estimates = fitted.fit.coefficients  # SDs of what is drawn over 16 languages, 12 models: 0.1
    for name, truth in (("resource", SLOPE), ("size", SIZE)):
        assert estimates[name] == pytest.approx(truth, abs=0.25)
    ignored = pooled.fit(pooled.Pool(found.rows.assign(floor=0.0)))
    assert ignored.fit.coefficients["resource"] < 0.8 * estimates["resource"]
    assert ignored.fit.coefficients["resource"] < SLOPE - 0.2


def test_a_language_held_out_of_all_benchmarks_is_predicted_within_the_intervals(found):
    held = found.rows["language"].isin(["amh", "fra"])
    fit = pooled.fit(found.without(held)).sampled(300, 0)
    rows = fit.standardised(found.rows[held].reset_index(drop=True))
    observed = (rows["n_correct"] / rows["n_total"]).to_numpy()
    assert np.abs(fit.plug_in(rows) - observed).mean() < 0.1
    low, high = np.quantile(fit.draws(rows, 1), [0.025, 0.975], axis=1)
    assert ((low <= observed) & (observed <= high)).mean() > 0.7
    assert (low >= rows["floor"]).all()


def test_a_benchmark_that_no_one_saw_has_a_wider_interval(fitted):
    drawn = fitted.sampled(400, 0)
    model = {"variant": "model 5", "base_model": "model 5", "family": "family 1", "size": 5.0}
    row = model | {
        "reasoning": 0,
        "language": "nld",
        "resource": 7.0,
        "articles": np.nan,
        "floor": 0.5,
    }
    row["benchmark"] = "two"
    rows = fitted.standardised(pd.DataFrame([row, row | {"benchmark": "another"}]))
    known, other = np.ptp(np.quantile(drawn.draws(rows, 0), [0.1, 0.9], axis=1), axis=0)
    assert other > 1.2 * known


def test_a_model_without_a_size_informs_languages_and_is_predicted():
    table = counts()
    table.loc[table["model"].isin(["model 9", "model 10", "model 11"]), "params_b"] = np.nan
    fit = pooled.fit(pooled.pool([table], languages()))
    assert fit.fit.coefficients["size_unknown"] > 0.3  # the largest three
    rows = fit.data[fit.data["variant"] == "model 11"]
    assert np.abs(fit.plug_in(rows) - rows["n_correct"] / rows["n_total"]).max() < 0.05


def test_a_language_without_resource_is_left_out_and_named():
    known = languages().assign(resource=lambda t: t["resource"].mask(t["language"] == "amh"))
    found = pooled.pool([counts()], known)
    assert "amh" not in set(found.rows["language"])
    (told,) = found.left_out
    assert told.startswith("36 rows are left out")
    assert told.endswith("amh")


def test_articles_explain_languages_and_are_uncertain_where_they_are_not_known():
    generator = np.random.default_rng(0)
    generator.normal(0, 0.3, 12)
    hard = generator.normal(0, 0.3, len(CODES))  # as in ``counts``
    fit = pooled.fit(pooled.pool([counts()], languages().assign(articles=5 + hard)))
    assert fit.fit.coefficients["articles"] == pytest.approx(hard.std(ddof=1), abs=0.1)
    model = {"variant": "model 5", "base_model": "model 5", "family": "family 1", "size": 5.0}
    row = model | {"reasoning": 0, "benchmark": "open", "floor": 0.0, "language": "zul"}
    row |= {"resource": 6.5, "articles": 5.0}
    rows = fit.standardised(pd.DataFrame([row, row | {"articles": np.nan}]))
    drawn = fit.sampled(400, 0).draws(rows, 0)
    known, unknown = np.ptp(np.quantile(drawn, [0.1, 0.9], axis=1), axis=0)
    assert unknown > 1.1 * known


def test_what_size_changes_is_halved_beyond_a_doubling_above_the_family(fitted):
    sizes = [5.0, 7.0, 9.0, 11.0]  # family 0 has models of up to 2 ** 8
    rows = pd.DataFrame({"size": sizes, "variant": "new", "base_model": "new",
                         "family": "family 0", "reasoning": 0, "benchmark": "open",
                         "floor": 0.0, "language": "nld", "resource": 7.0,
                         "articles": np.nan})  # fmt: skip
    steps = np.diff(logit(fitted.plug_in(fitted.standardised(rows))))
    assert steps[1] == pytest.approx(steps[0])
    assert steps[2] == pytest.approx(steps[0] / 2)


def test_a_model_below_what_guessing_gets_right_is_named():
    table = counts()
    silent = (table["model"] == "model 3") & (table["benchmark"] == "two")
    table.loc[silent, "n_correct"] //= 4
    (told,) = pooled.pool([table], languages()).left_out
    assert told.startswith("on two right less often than by guessing: model 3.")


def test_a_later_table_counts_under_any_name_of_model_and_language():
    table = counts().replace({"language": {"swh": "swa", "nld": "deu"}})
    table = table[table["language"] != "swa"].drop_duplicates(["benchmark", "model", "language"])
    later = table[table["language"] == "deu"].assign(language="de", n_correct=1)
    later["model"] = later["model"].str.upper()
    later = later.drop(columns=["params_b", "base_model", "family"])
    rows = pooled.pool([table, later], languages()).rows
    assert len(rows) == len(table)
    assert (rows.loc[rows["language"] == "deu", "n_correct"] == 1).all()


def test_one_pair_in_two_rows_of_a_table_is_refused():
    table = counts()[["benchmark", "model", "language", "floor", "n_correct", "n_total"]]
    again = table[table["language"] == "deu"].assign(language="de")
    with pytest.raises(InputError, match="model 0 in deu, model 0 in de are one model in one"):
        pooled.pool([pd.concat([table, again])], languages())


def test_a_benchmark_has_one_floor_in_all_tables():
    other = counts().query("benchmark == 'two' and language == 'deu'").assign(floor=0.125)
    with pytest.raises(InputError, match=r"two has more than one floor, 0\.125 and "):
        pooled.pool([counts(), other], languages())


def test_one_language_is_not_enough(found):
    with pytest.raises(InputError, match="of one language only"):
        pooled.fit(found.without(found.rows["language"] != "eng"))


def test_models_are_known_by_their_names_across_tables():
    first = pd.DataFrame(
        {"model": ["Qwen3-8B (reasoning off)", "Claude 4"], "params_b": [8.0, np.nan],
         "base_model": ["Qwen3-8B", "Claude 4"], "family": ["Qwen3", "Claude"],
         "reasoning": ["off", "off"]}
    )  # fmt: skip
    known = pooled.describe_models(first, pd.DataFrame(columns=pooled.MODEL))
    second = pd.DataFrame({"model": ["Qwen/Qwen3-8B", "claude-4", "Qwen3-1.7B-Base", "Secret"]})
    found = pooled.describe_models(second, known)
    assert found.loc["Qwen/Qwen3-8B", "variant"] == "Qwen3-8B (reasoning off)"
    assert found.loc["claude-4", "base_model"] == "Claude 4"
    assert found.loc["Qwen3-1.7B-Base", ["family", "base_model"]].tolist() == [
        "Qwen3", "Qwen3-1.7B-Base",
    ]  # fmt: skip
    assert found.loc["Qwen3-1.7B-Base", "size"] == pytest.approx(np.log2(1.7))
    assert np.isnan(found.loc["Secret", "size"])
    assert found.loc["Secret", "family"] == "Secret"
