"""MGSM-Pro's tables as packaged, and the figures recomputed from their cells."""

import pandas as pd
import pytest
from capability_transfer.analysis.robustness import mgsm_pro
from capability_transfer.common.errors import InputError


def test_all_cells_are_there_and_missing_ones_stay_missing():
    scores = mgsm_pro.published_scores()
    assert scores["variant"].nunique() == 18
    assert scores.groupby("language").size().eq(18 * 7).all()
    missing = scores[scores["accuracy"].isna()]
    assert set(missing["variant"]) == {"GPT-5"}
    assert set(missing["perturbation"]) == {"names", "context_numbers", "names_numbers"}
    assert len(missing) == 27


def test_figures_read_off_the_paper():
    cells = mgsm_pro.read("accuracy").set_index(["table", "model", "language", "perturbation"])
    read = cells["accuracy"]
    assert read[2, "Qwen 3 32B", "twi", "context_numbers"] == 2.2
    assert read[12, "Llama 3 70B", "amh", "context_names_numbers"] == 3.5
    assert read[13, "Gemma 2 9B", "twi", "context_names_numbers"] == 3.1
    assert read[8, "Gemini 3.0 Flash", "eng", "names"] == 97.3
    rankings = mgsm_pro.read("rankings").set_index(["model", "languages", "instances"])
    assert rankings.loc[("Gemini 2.5 Flash", "high", 5), "rank"] == 12
    assert rankings.loc[("Qwen 3 32B", "all", 10), "sd"] == 1.0
    classes = mgsm_pro.read("languages").set_index("language")["joshi_class"]
    assert classes["ibo"] == 1
    assert mgsm_pro.resource_groups()["jpn"] == "high"
    assert mgsm_pro.resource_groups()["swh"] == "low"


def test_an_unknown_file_is_refused():
    with pytest.raises(InputError, match="published as 'mgsm_pro/table_1'"):
        mgsm_pro.read("table_1")


@pytest.fixture(scope="module")
def compared():
    return mgsm_pro.comparisons()


def test_deltas_averages_and_ranks_come_out_of_the_cells(compared):
    counts = mgsm_pro.summary(compared).set_index("check")
    for check, number in (
        ("Δ columns of Tables 1–2", 36),
        ("Ranks of Table 3, by its accuracies", 90),
        ("Ranks of Table 3, by the cells", 72),
        ("Change marks of Table 3", 36),
        ("Table 4 against 8–13", 36),
    ):
        assert counts.loc[check].tolist() == [number, 0], check
    assert counts.loc["Average of rows"].tolist() == [163, 2]
    assert counts.loc["Accuracies of Table 3"].tolist() == [72, 2]
    # 5 open and 5 closed models × 9 languages and an average × 4 figures, less 10 of GPT-5
    assert counts.loc["Tables 1–2 against 8–13", "compared"] == 10 * 10 * 4 - 10


def test_the_contradictions_are_those_found_by_hand(compared):
    from pathlib import Path

    expected = pd.read_csv(Path(__file__).parents[2] / "expected" / "mgsm_pro_contradictions.csv")
    found = mgsm_pro.contradictions(compared)
    found = found[found["check"] != "Counts out of 248 questions"]
    key = ["check", "table", "model", "language", "quantity"]
    assert found[key].values.tolist() == expected[key].values.tolist()
    assert found["printed"].tolist() == expected["printed"].tolist()
    assert found["expected"].tolist() == pytest.approx(expected["expected"].tolist(), abs=1e-4)


def test_only_one_model_and_the_native_runs_are_no_counts_of_248(compared):
    found = mgsm_pro.contradictions(compared)
    odd = found[found["check"] == "Counts out of 248 questions"]
    assert set(odd.loc[odd["table"] == 13, "model"]) == {"Gemma 2 9B"}
    assert set(odd["table"]) == {4, 13}


def test_a_wrong_cell_is_noticed(monkeypatch):
    original = mgsm_pro.read

    def altered(name):
        table = original(name)
        if name == "accuracy":
            wrong = (table["table"] == 11) & (table["model"] == "Gemma 3 4B")
            wrong &= (table["language"] == "eng") & (table["perturbation"] == "names")
            table.loc[wrong, "accuracy"] += 3
        return table

    monkeypatch.setattr(mgsm_pro, "read", altered)
    found = mgsm_pro.contradictions()
    row = found[(found["check"] == "Average of rows") & (found["table"] == 11)]
    assert row["model"].tolist() == ["Gemma 3 4B"]
    assert row["difference"].iloc[0] == pytest.approx(-1 / 3, abs=0.1)


def test_ranks_are_only_as_sharp_as_rounding(monkeypatch):
    original = mgsm_pro.read

    def altered(name):
        table = original(name)
        if name == "rankings":
            # DeepSeek V3 (70.7) and GPT-OSS 120B (70.8) on ten instances may be either way round
            ten = table["instances"] == 10
            first, second = (ten & (table["model"] == m) for m in ("DeepSeek V3", "GPT-OSS 120B"))
            table.loc[first, "rank"], table.loc[second, "rank"] = 5, 6
            # Gemini 3.0 Pro cannot be third
            table.loc[ten & (table["model"] == "Gemini 3.0 Pro"), "rank"] = 3
        return table

    monkeypatch.setattr(mgsm_pro, "read", altered)
    found = mgsm_pro.contradictions(
        pd.DataFrame(mgsm_pro.ranking_ranks()).pipe(
            lambda t: t.assign(
                difference=t["printed"] - t["expected"],
                contradicts=(t["printed"] != t["expected"]),
            )
        )
    )
    assert found["model"].tolist() == ["Gemini 3.0 Pro"]
