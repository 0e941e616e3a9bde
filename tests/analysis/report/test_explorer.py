"""The explorer's numbers are those of a prediction asked for alone, multiples of English's size."""

import base64

import numpy as np
import pytest
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.outcomes.study import study_cells
from capability_transfer.analysis.prediction import describe, new_language, new_model, store
from capability_transfer.analysis.prediction.new_language import size_multiples
from capability_transfer.analysis.report import explorer
from capability_transfer.features.table import build_all

LANGUAGES = ["eng", "deu", "fra", "rus", "dan", "est", "isl", "hin", "mar"]
FAMILIES = ("Qwen2.5", "Qwen3-", "gemma-3", "granite")
SIZES = (1, 8, 72)
ITEMS, SEED = 500, 3

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def bundle():
    cells = study_cells(languages=LANGUAGES).drop(columns="split")
    kept = cells["template"].isin(cells["template"].unique()[:20])
    cells = cells[kept & cells["variant"].str.startswith(FAMILIES)].reset_index(drop=True)
    features = build_all(models=cells["variant"].unique(), languages=LANGUAGES)
    made = store.build(Inputs(cells, features, "a part of the study", is_study=True))
    kept = [*LANGUAGES, "swh", "bre", "fao"]
    table = made.languages[made.languages["language"].isin(kept)].reset_index(drop=True)
    object.__setattr__(made, "languages", table)
    return made


@pytest.fixture(scope="module")
def grid(bundle):
    return explorer.grid(bundle, ("x",), ITEMS, SEED, None, workers=1, sizes=SIZES)


def test_a_kept_grid_is_read_and_a_damaged_one_made_again(bundle, grid, tmp_path, monkeypatch):
    made = []

    def computed(*given):
        made.append(given)
        return grid

    monkeypatch.setattr(explorer, "_compute", computed)
    arguments = (bundle, ("x",), ITEMS, SEED, tmp_path, 1, SIZES)
    explorer.grid(*arguments)
    back = explorer.grid(*arguments)
    assert len(made) == 1
    assert explorer.payload(bundle, back, ITEMS, SEED) == explorer.payload(
        bundle, grid, ITEMS, SEED
    )
    (path,) = (tmp_path / "report").iterdir()
    path.write_bytes(b"no grid")
    with pytest.warns(UserWarning, match="it is made again"):
        explorer.grid(*arguments)
    assert len(made) == 2


@pytest.fixture(scope="module")
def payload(bundle, grid):
    return explorer.payload(bundle, grid, ITEMS, SEED)


def numbers(payload, name, kind):
    return np.frombuffer(base64.b64decode(payload[name]), dtype=kind)


@pytest.mark.parametrize(("family", "mode", "size", "code"), [
    ("Qwen3", "on", 8, "swh"), ("Qwen2.5", "off", 1, "mar"), (None, "on", 72, "bre"),
    ("Gemma 3", "off", 8, "eng"),
])  # fmt: skip
def test_every_setting_is_what_predict_says_of_it_alone(bundle, payload, family, mode, size, code):
    model = new_model.find_model(bundle, None, size, family, mode)
    rows, _ = new_language.find_languages(bundle, [code])
    alone = new_language.predict(bundle, model, rows, ITEMS, SEED)
    shown = describe.in_percent(alone).iloc[0]
    setting = payload["families"].index(family) * 2 + explorer.MODES.index(mode)
    setting = setting * len(SIZES) + SIZES.index(size)
    group = payload["families"].index(family)
    check(payload, shown, setting, group, code)
    said = describe.remarks(alone, marks=False)
    assert remarks(payload, group, code) == said
    assert not any("marked ~" in text or "(?)" in text for text in said)  # no such marks there


@pytest.mark.parametrize(("variant", "base", "mode", "code"), [
    ("Qwen3-8B (reasoning on)", "Qwen3-8B", "on", "swh"),
    ("gemma-3-4b-it", "gemma-3-4b-it", "off", "mar"),
])  # fmt: skip
def test_every_model_by_name_is_what_predict_says_of_it(bundle, payload, variant, base, mode, code):
    model = new_model.find_model(bundle, base, None, None, mode)
    rows, _ = new_language.find_languages(bundle, [code])
    alone = new_language.predict(bundle, model, rows, ITEMS, SEED)
    names = [row["variant"] for row in payload["models"]]
    described = len(payload["families"]) * 2 * len(SIZES)
    group = len(payload["families"]) + names.index(variant)
    check(
        payload, describe.in_percent(alone).iloc[0], described + names.index(variant), group, code
    )
    assert remarks(payload, group, code) == describe.remarks(alone, marks=False)


def remarks(payload, group, code):
    codes = [row["code"] for row in payload["languages"]]
    return payload["texts"][
        numbers(payload, "remarks", "<u2")[group * len(codes) + codes.index(code)]
    ]


def check(payload, shown, setting, group, code):
    """What is packed for a setting and a language, against a line of ``transfer predict``."""
    codes = [row["code"] for row in payload["languages"]]
    place = setting * len(codes) + codes.index(code)
    points = numbers(payload, "points", "<u2")[2 * place : 2 * place + 2]
    assert [f"{value / 10:.1f}" for value in points] == [shown["plug-in"], shown["integrated"]]
    ends = numbers(payload, "ends", "u1")[6 * place : 6 * place + 6]
    told = [f"{low}–{high}" for low, high in ends.reshape(3, 2)]
    assert told == [shown[f"{level}%"] for level in payload["levels"]]
    multiple = numbers(payload, "multiples", "<i4")[place]
    told = "–" if multiple < 0 else "≤1" if multiple < 10 else f"{multiple / 10:.1f}"
    assert shown["× size"] == told


def test_a_multiple_is_the_size_that_reaches_what_english_is(bundle):
    model = new_model.find_model(bundle, None, 8, "Qwen3", "on")
    rows, _ = new_language.find_languages(bundle, ["eng", "deu", "swh"])
    ((english, *others),) = size_multiples(bundle, [model], rows)
    assert english == pytest.approx(1)
    target = new_language.predict(bundle, model, rows.iloc[:1], ITEMS, SEED)["plug_in"].iloc[0]
    for code, multiple in zip(["deu", "swh"], others, strict=True):
        row = rows[rows["language"] == code].reset_index(drop=True)
        larger = new_model.find_model(bundle, None, 8 * multiple, "Qwen3", "on")
        reached = new_language.predict(bundle, larger, row, ITEMS, SEED)["plug_in"].iloc[0]
        assert reached == pytest.approx(target, abs=1e-6)


def test_a_multiple_beyond_the_largest_size_is_none(bundle, monkeypatch):
    model = new_model.find_model(bundle, None, 8, "Qwen3", "off")
    rows, _ = new_language.find_languages(bundle, ["mar"])
    assert size_multiples(bundle, [model], rows)[0, 0] > 1
    monkeypatch.setattr(new_language, "LARGEST", 8 / 2 ** bundle.models["size"].max())
    assert np.isnan(size_multiples(bundle, [model], rows)[0, 0])


def test_nearest_languages_are_evaluated_ones_and_not_itself(bundle, payload):
    rows = {row["code"]: row for row in payload["languages"]}
    for code, row in rows.items():
        for kind in ("by_vector", "by_resource"):
            near = [other for other, _ in row[kind]]
            assert len(set(near)) == 3
            assert code not in near
            assert set(near) <= set(LANGUAGES)
    assert rows["dan"]["by_vector"][0][0] in {"deu", "isl"}
    pages = bundle.languages.set_index("language")["resource"]
    closest = min((c for c in LANGUAGES if c != "mar"), key=lambda c: abs(pages[c] - pages["mar"]))
    assert rows["mar"]["by_resource"][0][0] == closest


def test_observed_accuracies_are_those_of_the_data(bundle, payload):
    row = next(row for row in payload["models"] if row["variant"] == "Qwen3-8B (reasoning on)")
    data = bundle.fitted.data.set_index(["variant", "language"])
    counts = data.loc[("Qwen3-8B (reasoning on)", "mar")]
    assert row["accuracy"]["mar"] == f"{100 * counts['n_correct'] / counts['n_total']:.1f}"
    assert (row["family"], row["size"], row["mode"]) == ("Qwen3", 8, "on")


def test_models_by_name_are_those_of_the_data_and_their_registered_kin(payload):
    by_name = {row["variant"]: row for row in payload["models"]}
    assert "EuroLLM-9B-Instruct-2512" not in by_name  # nothing is known of its family here
    sizes = {0: [], 1: [], 2: []}
    for row in payload["models"]:
        if row["third"] is not None:
            sizes[row["third"]].append(row["size"])
            assert set(row["accuracy"]) == set(LANGUAGES)
    assert max(sizes[0]) < min(sizes[1]) <= max(sizes[1]) < min(sizes[2])


def test_notes_on_a_model_are_those_of_predict(bundle, payload):
    described = [
        new_model.find_model(bundle, None, size, family, mode).notes
        for family in payload["families"] for mode in explorer.MODES for size in SIZES
    ]  # fmt: skip
    assert any(described)
    named = [
        new_model.find_model(bundle, row["base"], None, None, row["mode"]).notes
        for row in payload["models"]
    ]
    assert [tuple(notes) for notes in payload["notes"]] == described + named


def test_how_far_a_language_lies_outside_is_told_with_reasons(payload):
    rows = {row["code"]: row for row in payload["languages"]}
    assert (rows["deu"]["far"], rows["deu"]["reasons"]) == (0, [])
    assert rows["swh"]["far"] == 1
    assert rows["swh"]["reasons"] == [
        "has less text than any language learned from",
        "is farther from English than any language learned from",
    ]
    assert "Kiswahili" in rows["swh"]["others"]


def test_a_grid_is_kept_under_what_it_was_made_from(bundle, grid, tmp_path):
    def make(items):
        return explorer.grid(bundle, ("x",), items, SEED, tmp_path, 1, (8,)).key

    first = make(ITEMS)
    kept = list((tmp_path / "report").iterdir())
    assert make(ITEMS) == first
    assert list((tmp_path / "report").iterdir()) == kept
    assert make(ITEMS + 1) != first
