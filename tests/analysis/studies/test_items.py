"""The result of a screen: what it says of the study, and what stays without its items."""

import pandas as pd
import pytest
from capability_transfer.analysis.data import Outcomes
from capability_transfer.common.errors import InputError

import capability_transfer as ct

HEAD = ["language", "template", "effect", "std_error", "expected", "observed", "broken", "flagged"]


@pytest.fixture(scope="module")
def found():
    return ct.items()


def test_the_known_mistakes_of_the_study_are_flagged(found):
    table = found.items
    assert table.columns[:8].tolist() == HEAD
    assert len(table) == 1500
    flagged = pd.MultiIndex.from_frame(found.flagged[["language", "template"]])
    # asks for all pupils and computes the boys; calories per ounce, glasses in centilitres
    assert {("deu", "364"), ("nld", "400")} <= set(flagged)
    row = table.set_index(["language", "template"]).loc[("nld", "400")]
    cells = ct.load().cells.query("language == 'nld' and template == '400'")
    assert row["observed"] == pytest.approx(cells["n_correct"].sum() / cells["n_total"].sum())
    assert row["expected"] > 0.8
    assert row["strong_failing"] == 1
    assert row["models"] == 46


def test_what_flagged_items_cost_is_the_sum_over_them(found):
    rows = found.flagged.query("language == 'rus'")
    lost = (rows["expected"] - rows["observed"]).sum()  # points: a hundred templates weigh equally
    own = found.languages.set_index("language").loc["rus"]
    assert own["lost"] == pytest.approx(lost)
    assert own["flagged"] == len(rows) == own["harder"] + own["easier"]
    kept = found.items.query("language == 'rus' and not flagged")
    assert own["without"] == pytest.approx(kept["observed"].mean())


def test_known_items_are_no_news(found):
    assert len(found.newly_broken(0.95)) == pytest.approx(len(found.flagged), abs=1)
    few = found.flagged.iloc[2:]
    later = ct.items(known=few.astype({"flagged": str}))
    news = later.newly_broken(0.99)
    listed = found.flagged.iloc[:2]
    assert set(news["template"]) == set(listed["template"])
    names = {"rus": "Russian", "zho": "zh"}
    renamed = few.assign(language=few["language"].replace(names), flagged="true")
    more = pd.DataFrame({"language": ["rus"], "template": ["none"], "flagged": ["true"]})
    again = ct.items(known=pd.concat([renamed, more])[["language", "template", "flagged"]])
    pd.testing.assert_frame_equal(again.newly_broken(0.99), news)
    assert "1 items of the table of items are not in the outcomes: rus none" in again.notes()


def test_the_study_without_them(found):
    study = ct.load().without(found)
    lost = 46 * len(found.flagged)
    assert len(study.cells) == 69_000 - lost
    assert not study.inputs.is_study
    assert f"without {len(found.flagged)} items" in study.source
    assert study.key != ct.load().key


def test_outcomes_alone_can_be_screened_and_left_out(cells):
    found = ct.items(Outcomes(cells, "made up"))
    assert found.note.startswith("Data: made up.")
    few = Outcomes(cells, "made up").without(cells[["language", "template"]].head(1))
    assert len(few.cells) == len(cells) - cells["variant"].nunique()


def test_its_files(found, tmp_path):
    found.write(tmp_path)
    text = (tmp_path / "items" / "items.csv").read_text(encoding="utf-8")
    assert text.splitlines()[0].split(",")[:8] == HEAD
    assert set(pd.read_csv(tmp_path / "items" / "items.csv", dtype=str)["flagged"]) == {
        "true",
        "false",
    }
    for name in ("map", "extreme", "cost"):
        assert (tmp_path / "figures" / f"figure_items_{name}.png").stat().st_size > 10_000
    assert (
        ct.load()
        .without(tmp_path / "items" / "items.csv")
        .source.endswith(f"without {len(found.flagged)} items")
    )


def test_what_is_no_list_of_items():
    with pytest.raises(InputError, match="rows come from a file or a pandas data frame"):
        ct.load().without(3)
