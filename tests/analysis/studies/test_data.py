"""``load``: files and data frames are one, and what is wrong with either is said."""

import pandas as pd
import pytest
from capability_transfer.common.errors import InputError

from capability_transfer import fit, load


def test_files_and_data_frames_give_the_same_study(cells, study, tmp_path):
    path = tmp_path / "cells.csv"
    cells.to_csv(path, index=False)
    for source in (path, str(path)):
        read = load(outcomes=source)
        pd.testing.assert_frame_equal(read.cells, study.cells)
        pd.testing.assert_frame_equal(read.features.pairs, study.features.pairs)
    assert read.source == "cells of cells.csv"
    assert study.source == "cells of the table of outcomes"


def test_answers_add_up_to_the_same_cells(cells, study):
    rows = cells.loc[cells.index.repeat(cells["n_total"])].reset_index(drop=True)
    rows["instance"] = rows.groupby(["variant", "language", "template"]).cumcount()
    rows["correct"] = rows["instance"] < rows["n_correct"]
    answers = load(outcomes=rows.drop(columns=["n_correct", "n_total"]))
    pd.testing.assert_frame_equal(answers.cells, study.cells)


def test_the_embedded_study_says_where_it_comes_from():
    study = load()
    assert study.source == "the study's published cells"
    assert "published cells" in repr(study)
    assert "original" in load(split=None).source
    assert load() is study  # read once a process
    mine = study.cells
    mine["variant"] = "changed"
    assert "changed" not in set(load().cells["variant"])


def test_a_part_of_the_embedded_study_keeps_its_name(study):
    part = load().cells.query("language != 'mar'")
    assert load(outcomes=part).source == "the study's published cells"
    assert study.source == "cells of the table of outcomes"


def test_a_bad_row_is_named_by_the_frames_index(cells):
    bad = cells.set_index(cells.index + 100)
    bad.loc[107, "n_correct"] = 999
    with pytest.raises(InputError, match=r"the table of outcomes.*row 107"):
        load(outcomes=bad)
    with pytest.raises(InputError, match=r"no column 'language'.*Did you mean lang\?"):
        load(outcomes=cells.rename(columns={"language": "lang"}))


def test_models_of_ones_own_come_as_a_frame(cells):
    own = cells.assign(variant=cells["variant"].replace("Qwen2.5-7B-Instruct", "mine"))
    row = {"variant": "mine", "base_model": "mine-7B", "family": "Mine", "reasoning": False}
    with pytest.raises(InputError, match=r"no features are known for model mine.*\(models=, CSV"):
        load(outcomes=own)
    study = load(outcomes=own, models=pd.DataFrame([row]))
    assert study.features.models.set_index("variant").loc["mine", "size"] == pytest.approx(
        2.807, 0.001
    )
    assert "mine-7B 7" in " ".join(study.inputs.notes)
    with pytest.raises(InputError, match="the table of models: column 'family' is empty.*row 0"):
        load(outcomes=own, models=pd.DataFrame([row | {"family": None}]))
    with pytest.raises(InputError, match="the table of models has no column 'reasoning'"):
        load(outcomes=own, models=pd.DataFrame([row]).drop(columns="reasoning"))


def test_languages_of_ones_own_come_as_a_frame(cells):
    rows = pd.DataFrame({"language": ["isl"], "resource": [9.5], "speakers": [0.4]}, index=["x"])
    features = load(outcomes=cells, languages=rows).features.languages.set_index("language")
    assert features.loc["isl", "resource"] == 9.5
    assert features.loc["isl", "speakers"] == 0.4
    assert features.loc["dan", "resource"] < 9
    with pytest.raises(InputError, match="the table of languages, row x: unknown language 'zzx'"):
        load(outcomes=cells, languages=rows.assign(language="zzx"))


def test_what_is_no_study_is_refused(cells):
    with pytest.raises(InputError, match=r"a study comes from load\(\), this is a DataFrame"):
        fit(cells)
