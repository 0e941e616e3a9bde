"""Prediction for any language and model, from a bundle of a part of the study."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.data import Study
from capability_transfer.analysis.glmm.posterior import central_sd
from capability_transfer.analysis.prediction import new_language, new_model, pair_features, store
from capability_transfer.analysis.prediction.pair_features import pair_rows
from capability_transfer.analysis.studies.predictions import predict
from capability_transfer.common.errors import InputError
from capability_transfer.features.fertility import read_counts
from scipy.special import expit, logit

WIDTH = ["low_80", "high_80"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def never():
    raise AssertionError("the bundle was in the cache")


@pytest.fixture(scope="module")
def made(inputs, cache):
    return store.load_or_build(("a",), cache, lambda: inputs)


@pytest.fixture(scope="module")
def bundle(made, cache):
    """The same, as it was kept."""
    return store.load_or_build(("a",), cache, never)


def test_a_bundle_that_other_code_or_data_made_is_not_read(bundle, cache, monkeypatch):
    monkeypatch.setattr("capability_transfer.common.kept.hash_project", lambda: "changed")
    with pytest.raises(AssertionError, match="was in the cache"):
        store.load_or_build(("a",), cache, never)


def test_a_kept_bundle_is_the_one_that_was_made(made, bundle, inputs, tmp_path, monkeypatch):
    for one in ("constants", "models", "languages", "vectors", "pairs"):
        pd.testing.assert_frame_equal(getattr(bundle, one), getattr(made, one))
    model = new_model.find_model(made, "Qwen/Qwen3-8B", None, None, "on")
    tables = [_predict(one, model, ["swh", "deu", "bre"]) for one in (made, bundle)]
    pd.testing.assert_frame_equal(*tables, rtol=1e-12)
    monkeypatch.setattr(store, "build", lambda given: made)
    store.load_or_build(("a",), tmp_path, lambda: inputs)
    (path,) = (tmp_path / "predict").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-2000])
    with pytest.warns(UserWarning, match="it is made again"):
        assert store.load_or_build(("a",), tmp_path, lambda: inputs) is made
    assert path.read_bytes() == whole
    drawn = made.fitted.posterior.drawn()
    other = drawn | {"effects": drawn["effects"][:-1]}
    with pytest.raises(ValueError, match="of another fit"):
        made.fitted.posterior.with_drawn(other)


def test_predictions_know_that_sds_are_estimates(bundle):
    """Every draw has SDs of its own, whose spread few levels leave wide."""
    posterior = bundle.fitted.posterior
    assert posterior.count == store.DRAWS
    for spread in posterior.drawn()["spreads"]:
        sds = spread.reshape(len(spread), -1)[:, 0]
        assert len(sds) == store.DRAWS
        assert sds.std() > 0.1 * sds.mean() > 0


def _predict(bundle, model, languages, **options):
    rows, _ = new_language.find_languages(bundle, languages)
    return new_language.predict(bundle, model, rows, 2000, 1, **options).set_index("language")


def _width(table):
    return table["high_80"] - table["low_80"]


def test_a_hub_id_and_a_mode_mean_a_variant(bundle):
    model = new_model.find_model(bundle, "Qwen/Qwen3-8B", None, None, "on")
    assert (model.variant, model.known, 2**model.size) == ("Qwen3-8B (reasoning on)", "variant", 8)
    with pytest.raises(InputError, match="say which with reasoning="):
        new_model.find_model(bundle, "Qwen/Qwen3-8B", None, None, None)
    assert new_model.find_model(bundle, "google/gemma-3-4b-it", None, None, None).reasoning == 0


@pytest.mark.parametrize(("said", "on"), [(None, 0), ("off", 0), ("on", 1)])
@pytest.mark.parametrize("family", [None, "Qwen3"])
def test_a_model_that_nobody_described_does_not_reason(bundle, family, said, on):
    assert new_model.find_model(bundle, None, 8, family, said).reasoning == on
    if family is None:
        assert new_model.find_model(bundle, "somebody/else-8B", None, None, said).reasoning == on


@pytest.mark.parametrize(
    "written", ["qwen/qwen3-8b", "QWEN3 8B", "qwen_3_8b", "qwen38b", "Qwen3-8B (Reasoning On)"]
)
def test_a_name_is_the_same_in_any_spelling(bundle, written):
    mode = None if "Reasoning" in written else "On"
    model = new_model.find_model(bundle, written, None, None, mode)
    exact = new_model.find_model(bundle, "Qwen/Qwen3-8B", None, None, "on")
    assert model == exact
    rows = [_predict(bundle, one, ["nld"])["plug_in"].iloc[0] for one in (model, exact)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    ("params", "said"),
    [(8e9, "not 8e\\+09; 8e\\+09 parameters are 8 billion"), (1e300, "not 1e\\+300$"),
     (1e-300, "from 0.0001 to 100,000, not 1e-300$")],
)  # fmt: skip
def test_a_size_that_no_model_has_is_refused(bundle, params, said):
    with pytest.raises(InputError, match=f"params= is billions of parameters.*{said}"):
        new_model.find_model(bundle, None, params, "Qwen3", "on")


def test_a_size_outside_those_learned_from_is_said(bundle):
    sizes = 2 ** bundle.models["size"]
    for factor, edge, which in ((0.5, sizes.min(), "smaller"), (2, sizes.max(), "larger")):
        (note,) = new_model.find_model(bundle, None, factor * edge, "Qwen3", "on").notes
        assert note.startswith(
            f"extrapolation: {factor * edge:g} billion parameters are {which} than any model "
            f"learned from ({edge:g} billion, by 1.0 doublings)"
        )
        at_the_edge = new_model.find_model(bundle, None, edge, "Qwen3", "on").notes
        assert not any("extrapolation" in note for note in at_the_edge)


def test_beyond_all_sizes_half_of_the_line_is_taken_and_the_interval_holds_both_ends(bundle):
    rows, _ = new_language.find_languages(bundle, ["swh"])
    edge = 2 ** bundle.models["size"].max()
    models = [new_model.find_model(bundle, None, factor * edge, "Qwen3", "on")
              for factor in (1, 8)]  # fmt: skip
    at_edge, beyond = (new_language.predict(bundle, model, rows, 2000, 0) for model in models)
    start, slope = new_language.size_lines(bundle, models[0], rows)
    on_line = start + slope * (np.log2(edge) + 3)
    assert logit(at_edge["plug_in"])[0] == pytest.approx(on_line[0] - 3 * slope[0])
    assert logit(beyond["plug_in"])[0] == pytest.approx(on_line[0] - 1.5 * slope[0])
    assert beyond["low_80"][0] < beyond["plug_in"][0] < beyond["high_80"][0]


def test_a_new_model_takes_its_size_and_family_from_its_name_and_says_so(bundle):
    model = new_model.find_model(bundle, "Qwen/Qwen3-1.5B-foo", None, None, "on")
    assert (model.family, model.known, 2**model.size) == ("Qwen3", "family", 1.5)
    assert [note.split(":")[0] for note in model.notes] == [
        "1.5 billion parameters", "family Qwen3",
    ]  # fmt: skip
    described = new_model.find_model(bundle, None, 1.5, "qwen 3", "on")
    found = [_predict(bundle, one, ["nld"])["plug_in"].iloc[0] for one in (model, described)]
    assert found[0] == found[1]
    other = new_model.find_model(bundle, "Qwen/Qwen3-1.5B-foo", None, "Gemma 3", "on")
    assert other.family == "Gemma 3"


def test_a_size_given_on_purpose_makes_a_near_name_another_model(bundle):
    model = new_model.find_model(bundle, "Qwen/Qwen3-9B", 9, None, "on")
    assert (model.known, 2**model.size) == ("family", pytest.approx(9))
    same = new_model.find_model(bundle, "Qwen/Qwen3-8B", 8.2, None, "on")
    assert (same.known, 2**same.size) == ("variant", 8)
    odd = new_model.find_model(bundle, "somebody/new-3B", 70, None, "off")
    assert "its name states 3 billion parameters; params=70 counts" in odd.notes


def test_a_model_that_is_only_registered_has_its_size_and_family(bundle):
    model = new_model.find_model(bundle, "eurollm 9b instruct 2512", None, None, None)
    assert (2**model.size, model.reasoning, model.known) == (pytest.approx(9), 0, "nothing")
    assert "registered" in model.notes[0]
    assert model.tokenizer == "eurollm"


def test_a_new_models_fertility_is_that_of_its_tokenizers_counts(bundle, inputs):
    model = new_model.find_model(bundle, None, 9, "Gemma 3", "off")
    table = _predict(bundle, model, ["fra", "jpn", "swh"])
    assert table["fertility_source"].to_dict() == {
        "fra": "counted", "jpn": "counted", "swh": "unknown",
    }  # fmt: skip
    pairs = inputs.features.pairs.query("variant == 'gemma-3-4b-it'").set_index("language")
    assert table.loc["fra", "fertility"] == pytest.approx(pairs.loc["fra", "fertility"])
    rates = read_counts().eval("rate = token_count / non_whitespace_characters")
    rates = rates.pivot(index="tokenizer", columns="language", values="rate")
    ratio = rates["jpn"] / rates["eng"]
    peers = ratio[inputs.features.models.query("in_study")["tokenizer"]].mean()
    assert table.loc["jpn", "fertility"] == pytest.approx(ratio["gemma-3"] - peers)
    assert table.loc["swh", "fertility"] == 0
    rows = pair_rows(bundle, [model], new_language.find_languages(bundle, ["fra", "jpn", "swh"])[0])
    assert rows["fertility_error"].tolist() == [0, 0, 1]  # a count has none, ignorance a whole SD


def test_less_known_models_have_wider_intervals(bundle):
    known = new_model.find_model(bundle, "Qwen3-8B", None, None, "off")
    family = new_model.find_model(bundle, None, 8, "Qwen3", "off")
    nothing = new_model.find_model(bundle, "somebody/else-8B", None, None, "off")
    assert (family.known, nothing.known) == ("family", "nothing")
    widths = [_width(_predict(bundle, m, ["nld"])).iloc[0] for m in (known, family, nothing)]
    assert widths == sorted(widths)
    assert widths[2] > 1.3 * widths[0]


def test_far_languages_have_wider_intervals_and_say_so(bundle):
    model = new_model.find_model(bundle, "Qwen2.5-7B-Instruct", None, None, None)
    table = _predict(bundle, model, ["nld", "swh", "deu"])
    assert table.loc["swh", "resource_outside"] < 0 < table.loc["swh", "distance_outside"]
    assert table.loc["nld", "resource_outside"] == 0
    assert _width(table)["swh"] > _width(table)["nld"] > _width(table)["deu"]
    assert table["seen"].to_dict() == {"nld": False, "swh": False, "deu": True}
    assert table["fertility_source"].to_dict() == {
        "nld": "counted", "swh": "counted", "deu": "data",
    }  # fmt: skip
    gemma = new_model.find_model(bundle, "gemma-3-4b-it", None, None, None)
    other = _predict(bundle, gemma, ["swh"])
    assert other["fertility_source"].tolist() == ["unknown"]
    assert other["fertility"].tolist() == [0.0]


def test_a_prediction_does_not_depend_on_what_else_is_asked(bundle):
    model = new_model.find_model(bundle, None, 8, "Qwen3", "on")
    alone = _predict(bundle, model, ["swh"])
    among = _predict(bundle, model, ["deu", "yor", "swh", "bre"]).loc[["swh"]]
    pd.testing.assert_frame_equal(alone, among, rtol=1e-9)


def test_a_few_cells_update(bundle):
    model = new_model.find_model(bundle, "Qwen2.5-7B-Instruct", None, None, None)
    before = _predict(bundle, model, ["nld"])
    cells = pd.DataFrame({"language": "nld", "template": [f"own{i}" for i in range(8)],
                          "n_correct": 2, "n_total": 20})  # fmt: skip
    after = _predict(bundle, model, ["nld"], cells=cells)
    assert after["plug_in"].iloc[0] < before["plug_in"].iloc[0]
    assert after["templates"].iloc[0] == 8
    twice = cells.assign(template=[f"own{i % 3}" for i in range(8)])  # as in two splits
    assert _predict(bundle, model, ["nld"], cells=twice)["templates"].iloc[0] == 3


def test_all_languages_skip_and_name_what_lacks_a_feature(bundle):
    rows, skipped = new_language.find_languages(bundle, ["all"])
    assert len(rows) > 25
    assert rows[["resource", "distance"]].notna().all(axis=None)
    assert (rows["template"] != "").all()  # those that somebody could be asked in
    assert {*rows["language"]} < {*bundle.languages["language"]}
    named = {line.split()[0] for line in skipped}
    assert not named & set(rows["language"])
    with pytest.raises(InputError, match="nan has no resource: Common Crawl has no entry"):
        new_language.find_languages(bundle, ["nan"])


def test_what_reaches_a_target(bundle):
    model = new_model.find_model(bundle, "Qwen2.5-7B-Instruct", None, None, None)
    rows, _ = new_language.find_languages(bundle, ["nld", "swh"])
    table = new_language.what_reaches(bundle, model, rows, 0.6).set_index("language")
    assert table.loc["swh", "params_b"] > table.loc["nld", "params_b"]
    none = new_language.what_reaches(bundle, model, rows, 1 - 1e-9)
    assert none["params_b"].isna().all()
    assert (none["best"] > 0.5).all()
    with pytest.raises(InputError, match="between 0 and 1"):
        new_language.what_reaches(bundle, model, rows, 80)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, None, None, None), "say which model"),
        (("somebody/nosize", None, None, None), "states no size"),
        ((None, -3.0, None, None), "billions of parameters"),
        ((None, 8.0, "Qwen", None), "Did you mean"),
        ((None, 8.0, None, "yes"), "on or off"),
        (("Qwen/Qwen3-8", None, None, "on"), "Did you mean Qwen/Qwen3-8B"),
        (("somebody/Qwen3-8B", None, None, "on"), "Did you mean Qwen/Qwen3-8B.*params="),
        (("gemma-34b-it", None, None, None), "Did you mean google/gemma-3-4b-it"),
        (("Qwen/Qwen3-8B", 14, None, "on"), "has 8 billion parameters, not 14"),
        (("Qwen/Qwen3-8B", None, "Gemma 3", "on"), "of the family Qwen3, not Gemma 3"),
        (("Qwen3-8B (reasoning on)", None, None, "off"), "leave one out"),
        ((["Qwen3-8B", "Qwen3-4B"], None, None, "on"), "one model at a time"),
        ((None, "8B", None, None), "a number such as 8, not '8B'"),
        ((None, True, None, None), "a number such as 8"),
        ((None, float("inf"), None, None), "a number such as 8"),
        (("", None, None, None), "is empty"),
    ],
)
def test_models_that_cannot_be_told(bundle, arguments, message):
    with pytest.raises(InputError, match=message):
        new_model.find_model(bundle, *arguments)


@pytest.mark.parametrize("written", ["SWH", "sw", "swa", "Swahili", " swahili "])
def test_languages_go_by_any_code_and_by_their_names(bundle, written):
    rows, _ = new_language.find_languages(bundle, [written])
    assert rows["language"].tolist() == ["swh"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [(["Swahilli"], "Did you mean swh"), ([5], "by its code"), (["eng_metric"], "second set")],
)
def test_languages_that_are_none_are_refused(bundle, asked, message):
    with pytest.raises(InputError, match=message):
        new_language.find_languages(bundle, asked)


def test_what_cannot_be_asked_is_refused_before_the_fit(inputs):
    study = Study(inputs, 1, None)
    with pytest.raises(InputError, match="Did you mean"):
        predict("swh", "Qwen/Qwen3-8", reasoning="on", study=study)
    assert "bundle" not in vars(study)


def test_predictions_are_shares(bundle):
    model = new_model.find_model(bundle, None, 3, "Gemma 3", None)
    table = _predict(bundle, model, ["swh", "tur"])
    values = table[["plug_in", "integrated", *WIDTH]].to_numpy()
    assert ((values >= 0) & (values <= 1)).all()
    assert np.isfinite(values).all()


def test_one_question_is_right_or_wrong(bundle):
    """The noise of the questions is in the intervals: of one question the score is 0 or 1."""
    model = new_model.find_model(bundle, None, 8, "Qwen3", "off")
    rows, _ = new_language.find_languages(bundle, ["swh"])
    one = new_language.predict(bundle, model, rows, 1, 1).iloc[0]
    assert 0.2 < one["integrated"] < 0.8
    assert (one["low_95"], one["high_95"]) == (0, 1)
    many = new_language.predict(bundle, model, rows, 10**6, 1).iloc[0]
    assert 0 < many["low_95"] < many["high_95"] < 1


def test_templates_without_answers_leave_the_uncertainty(bundle):
    """The prior of the update is the prediction, its variance the square of its SD."""
    model = new_model.find_model(bundle, "somebody/else-8B", None, None, "off")
    cells = pd.DataFrame({"language": "swh", "template": ["own"], "n_correct": 0, "n_total": 0})
    rows, _ = new_language.find_languages(bundle, ["swh"])
    posterior = bundle.fitted.extend_posterior(
        asked := pair_rows(bundle, [model], rows), bundle.vectors
    )
    spread = central_sd(posterior.draws(asked, np.random.default_rng(1)))[0]
    assert abs(np.log(spread)) > 0.2  # so that SD and variance differ
    before, after = (
        new_language.predict(bundle, model, rows, 10**6, 1, cells=seen).iloc[0]
        for seen in (None, cells)
    )
    assert after["plug_in"] == pytest.approx(before["plug_in"], abs=1e-6)
    widths = [one["high_50"] - one["low_50"] for one in (before, after)]
    assert widths[1] == pytest.approx(widths[0], rel=0.06)


def test_a_counted_fertility_and_its_error_are_on_the_scale_of_the_data(bundle, monkeypatch):
    found = pd.DataFrame({"fertility": [0.3], "error": [0.2]}, index=["swh"])
    monkeypatch.setattr(pair_features, "count_fertility", lambda *arguments: found)
    model = new_model.find_model(bundle, "Qwen2.5-7B-Instruct", None, None, None)
    rows = pair_rows(bundle, [model], new_language.find_languages(bundle, ["swh", "deu"])[0])
    scale = bundle.constants.set_index("feature").loc["fertility"]
    assert rows["fertility_source"].tolist() == ["counted", "data"]
    assert rows["fertility"][0] == pytest.approx((0.3 - scale["mean"]) / scale["sd"])
    assert rows["fertility_error"].tolist() == pytest.approx([0.2 / scale["sd"], 0])


@pytest.mark.parametrize("code", ["isl", "swh", "mar"])
def test_at_its_multiple_a_model_does_in_a_language_what_it_does_in_english(bundle, code):
    model = new_model.find_model(bundle, None, 4, "Qwen2.5", "off")
    multiple = _predict(bundle, model, [code])["size_multiple"].iloc[0]
    assert multiple > 1.2
    larger = new_model.find_model(bundle, None, 4 * multiple, "Qwen2.5", "off")
    assert _predict(bundle, larger, [code])["plug_in"].iloc[0] == pytest.approx(
        _predict(bundle, model, ["eng"])["plug_in"].iloc[0], abs=1e-6
    )


def test_the_size_that_reaches_a_target_reaches_it_and_no_much_smaller_one_does(bundle):
    model = new_model.find_model(bundle, None, 4, "Qwen2.5", "off")
    rows, _ = new_language.find_languages(bundle, ["swh"])
    table = new_language.what_reaches(bundle, model, rows, 0.6).iloc[0]
    assert table["params_b"] > 2
    reached, smaller = (
        _predict(bundle, new_model.find_model(bundle, None, size, "Qwen2.5", "off"), ["swh"])
        for size in (table["params_b"], 0.9 * table["params_b"])
    )
    assert smaller["plug_in"].iloc[0] < 0.6 <= reached["plug_in"].iloc[0] + 1e-9
    thinking = new_model.find_model(bundle, None, 4, "Qwen2.5", "on")
    assert table["reasoning_on"] == pytest.approx(
        _predict(bundle, thinking, ["swh"])["plug_in"].iloc[0]
    )
    largest = bundle.models["size"].max()
    assert table["limit_b"] == pytest.approx(10 * 2**largest)


def test_no_multiple_leads_beyond_the_largest_size(bundle, monkeypatch):
    model = new_model.find_model(bundle, None, 4, "Qwen2.5", "off")
    rows, _ = new_language.find_languages(bundle, ["eng", "swh"])
    ((english, swahili),) = new_language.size_multiples(bundle, [model], rows)
    assert english == pytest.approx(1)
    for limit, reached in ((4 * swahili * 1.01, swahili), (4 * swahili / 1.01, np.nan)):
        monkeypatch.setattr(new_language, "largest_size", lambda bundle, limit=limit: limit)
        (found,) = new_language.size_multiples(bundle, [model], rows)
        assert found.tolist() == pytest.approx([1, reached], nan_ok=True)


def test_fertilitys_error_is_apart_from_what_is_new(bundle, monkeypatch):
    """Variances add up: that of the effects not known, and slope² times the error's."""
    model = new_model.find_model(bundle, "somebody/else-8B", None, None, "off")
    rows, _ = new_language.find_languages(bundle, ["swh"])
    asked = pair_rows(bundle, [model], rows)
    posterior = bundle.fitted.extend_posterior(asked, bundle.vectors)
    more = asked.assign(fertility=asked["fertility"] + 1)
    slope = np.diff([posterior.linear_predictor(one)[0] for one in (asked, more)])[0]
    error = 1.5 / abs(slope)
    spreads = []
    for given in (0.0, error):
        told = lambda *of, given=given: pair_rows(*of).assign(fertility_error=given)  # noqa: E731
        monkeypatch.setattr(new_language, "pair_rows", told)
        found = new_language.predict(bundle, model, rows, 10**9, 1).iloc[0]
        low, high = logit([found["low_50"], found["high_50"]])
        spreads.append((high - low) / (2 * 0.6745))
    assert 0.5 < spreads[0] < 3
    assert spreads[1] == pytest.approx(np.hypot(spreads[0], 1.5), rel=0.1)


def test_who_reasons_is_not_told_to(bundle):
    rows, _ = new_language.find_languages(bundle, ["swh"])
    on = new_model.find_model(bundle, "Qwen/Qwen3-8B", None, None, "on")
    assert new_language.what_reaches(bundle, on, rows, 0.6)["reasoning_on"].isna().all()
    off = new_model.find_model(bundle, "Qwen/Qwen3-8B", None, None, "off")
    told = new_language.what_reaches(bundle, off, rows, 0.6)["reasoning_on"].iloc[0]
    assert told == pytest.approx(_predict(bundle, on, ["swh"])["plug_in"].iloc[0])


def test_sizes_are_looked_for_from_a_tenth_of_a_billion(bundle):
    model = new_model.find_model(bundle, None, 4, "Qwen2.5", "off")
    rows, _ = new_language.find_languages(bundle, ["eng", "swh"])
    least = new_language.what_reaches(bundle, model, rows, 1e-6)
    assert least["params_b"].tolist() == pytest.approx([0.1, 0.1])
    at_zero, slope = new_language.size_lines(bundle, model, rows)
    assert (slope > 0).all()
    half = expit(at_zero[0] + slope[0] * np.log2(0.5))
    found = new_language.what_reaches(bundle, model, rows.iloc[:1], half)["params_b"].iloc[0]
    assert found == pytest.approx(0.5, rel=0.05)
    limit = new_language.largest_size(bundle)
    edge = bundle.models["size"].max()  # half of the line counts beyond
    at_limit = expit(at_zero + slope * (edge + np.log2(limit)) / 2)
    assert least["best"].tolist() == pytest.approx(at_limit)


def test_how_far_a_language_lies_outside_is_in_sds_of_those_learned_from(bundle):
    model = new_model.find_model(bundle, "Qwen2.5-7B-Instruct", None, None, None)
    table = _predict(bundle, model, ["swh", "isl", "eng", "jpn"])
    scale = bundle.constants.set_index("feature")
    known = bundle.languages[bundle.languages["seen"]]
    for feature in ("resource", "distance"):
        low, high = known[feature].min(), known[feature].max()
        value = table[feature]
        away = np.minimum(value - low, 0) + np.maximum(value - high, 0)
        expected = away / scale.loc[feature, "sd"]
        np.testing.assert_allclose(table[f"{feature}_outside"], expected, atol=1e-9)
    assert table["resource_outside"]["swh"] < -0.1
    assert table["distance_outside"]["jpn"] > 0.1


def test_of_a_pair_of_the_data_the_fits_own_value_is_predicted(bundle):
    fitted = bundle.fitted
    variant = "Qwen2.5-7B-Instruct"
    model = new_model.find_model(bundle, variant, None, None, None)
    table = _predict(bundle, model, ["deu", "isl", "hin"])
    own = fitted.data[fitted.data["variant"] == variant].set_index("language").loc[table.index]
    eta = fitted.posterior.linear_predictor(own.reset_index())
    np.testing.assert_allclose(table["plug_in"], expit(eta), atol=1e-9)
    observed = own["n_correct"] / own["n_total"]
    np.testing.assert_allclose(table["plug_in"], observed, atol=0.03)
    assert table["seen"].all()
    counts = bundle.pairs[bundle.pairs["variant"] == variant].set_index("language")["fertility"]
    np.testing.assert_allclose(table["fertility"], counts[table.index], atol=1e-9)


def test_a_line_of_size_is_that_of_any_other_model_of_the_family(bundle):
    """Neither a base model's own effect nor its size moves the line that it is compared along."""
    rows, _ = new_language.find_languages(bundle, ["eng", "isl"])
    small, large = (
        new_model.find_model(bundle, f"Qwen2.5-{size}B-Instruct", None, None, None)
        for size in ("1.5", "14")
    )
    lines = [np.array(new_language.size_lines(bundle, one, rows)) for one in (small, large)]
    np.testing.assert_allclose(*lines, atol=1e-9)
    new = new_model.find_model(bundle, None, 2, "Qwen2.5", "off")
    at_zero, slope = lines[0]
    own = _predict(bundle, new, ["eng", "isl"])["plug_in"]
    np.testing.assert_allclose(own, expit(at_zero + slope * 1.0), atol=1e-9)


def test_models_that_there_are_no_outcomes_of_are_not_learned_from(inputs):
    known = store.catalogue(inputs)
    assert set(known.models["variant"]) == set(inputs.cells["variant"])
    more = inputs.features.models.iloc[[0]].assign(variant="unseen", tokenizer=None)
    models = pd.concat([inputs.features.models, more], ignore_index=True)
    wider = replace(inputs, features=replace(inputs.features, models=models))
    assert "unseen" not in set(store.catalogue(wider).models["variant"])
    bare = replace(wider, features=replace(wider.features, models=models.drop(columns="hub_id")))
    assert set(store.catalogue(bare).models["hub_id"]) == {""}
    pairs = store.pairs_known(inputs)
    own, further = inputs.features.pairs, inputs.further_pairs
    assert len(pairs) == len(own) + len(further)
    assert not pairs.duplicated(["variant", "language"]).any()
    assert len(store.pairs_known(replace(inputs, further_pairs=None))) == len(own)
