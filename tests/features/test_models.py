"""The model registry against the study's own counts, and users' files."""

import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.features import fertility, models
from capability_transfer.features.size import parse_size


def test_the_registry_has_the_study_s_counts():
    rows = models.registry()
    assert len(rows) == 48
    study = rows[rows["in_study"]]
    assert len(study) == 46
    assert study["base_model"].nunique() == 35
    assert study["family"].nunique() == 9
    assert study["reasoning"].value_counts().to_dict() == {"off": 33, "on": 13}
    assert (study.groupby("base_model").size() == 2).sum() == 11
    assert set(rows["variant"][~rows["in_study"]]) == {
        "EuroLLM-1.7B-Instruct",
        "Qwen3.5-0.8B (reasoning on)",
    }


def test_labels_say_the_mode_where_a_model_has_two():
    rows = models.registry()
    two = rows.groupby("base_model")["variant"].transform("size") == 2
    labels = rows["base_model"] + " (reasoning " + rows["reasoning"] + ")"
    assert (rows["variant"][two] == labels[two]).all()
    assert "Olmo-3-7B-Think (reasoning on)" in set(rows["variant"])
    assert "Qwen2.5-7B-Instruct" in set(rows["variant"])


def test_hub_ids_end_in_the_base_model_and_revisions_are_commits():
    rows = models.registry()
    assert (rows["hub_id"].str.split("/").str[-1] == rows["base_model"]).all()
    assert rows["revision"].str.fullmatch("[0-9a-f]{7}").all()
    assert rows.groupby("base_model")["revision"].nunique().eq(1).all()


def test_sizes_parsed_from_the_names_are_the_registered_ones():
    for hub_id, billions in models.registry()[["hub_id", "params_b"]].itertuples(index=False):
        assert parse_size(hub_id) == billions


def test_every_tokenizer_is_counted():
    assert set(models.registry()["tokenizer"]) == set(fertility.read_counts()["tokenizer"])


def test_an_unknown_variant_is_refused_with_near_matches():
    with pytest.raises(InputError, match=r"Qwen3-8B \(reasoning o"):
        models.table(["Qwen3-8B"])


class TestReadModels:
    HEADER = "variant,base_model,family,reasoning"

    def read(self, tmp_path, text, **options) -> pd.DataFrame:
        (tmp_path / "models.csv").write_text(text, encoding="utf-8")
        return models.read_models(tmp_path / "models.csv", **options)

    def test_sizes_are_parsed_where_absent(self, tmp_path):
        rows = self.read(tmp_path, f"{self.HEADER},params_b\na,X-7B,X,off,\nb,Y-7B,Y,True,6.5\n")
        assert rows["params_b"].tolist() == [7, 6.5]
        assert rows["reasoning"].tolist() == ["off", "on"]
        assert rows["tokenizer"].tolist() == ["", ""]
        assert not rows["in_study"].any()

    def test_a_size_is_that_of_the_hub_id_before_that_of_the_label(self, tmp_path):
        text = f"{self.HEADER},hub_id\na,X,X,off,me/X-7B\nb,Y-3B,Y,off,\nc,Z-1B,Z,off,me/Z-2B\n"
        rows = self.read(tmp_path, text)
        assert rows["params_b"].tolist() == [7, 3, 2]
        assert rows.attrs["sizes_from_names"] == {"X": 7, "Y-3B": 3, "Z-1B": 2}

    def test_a_mixture_needs_a_choice(self, tmp_path):
        text = f"{self.HEADER}\na,X-30B-A3B,X,off\n"
        with pytest.raises(InputError, match="line 2: X-30B-A3B is a mixture"):
            self.read(tmp_path, text)
        assert self.read(tmp_path, text, count="active")["params_b"].tolist() == [3]

    def test_what_is_written_can_be_read_again(self, tmp_path):
        models.registry().to_csv(tmp_path / "again.csv", index=False)
        pd.testing.assert_frame_equal(models.read_models(tmp_path / "again.csv"), models.registry())

    def test_a_checkpoint_has_one_size(self, tmp_path):
        text = f"{self.HEADER},params_b\na,X-7B,X,off,7\nb,X-7B,X,on,{{}}\n"
        assert len(self.read(tmp_path, text.format(7))) == 2
        with pytest.raises(InputError, match="X-7B has more than one params_b"):
            self.read(tmp_path, text.format(8))

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ("a,X-7B,X,off\na,X-7B,X,on", "a is given twice"),
            ("a,X-7B,X,off\nb,X-7B,Y,on", "X-7B has more than one family"),
            ("a,X-7B,X,maybe", "reasoning of a is 'maybe'"),
            ("a,X,X,off", "line 2: X states no size"),
            ("a,X-7B,,off", "'family' is empty.*: line 2"),
        ],
    )
    def test_bad_rows_are_named(self, tmp_path, rows, message):
        with pytest.raises(InputError, match=message):
            self.read(tmp_path, f"{self.HEADER}\n{rows}\n")

    def test_a_missing_column_is_named(self, tmp_path):
        with pytest.raises(InputError, match="has no column 'family'"):
            self.read(tmp_path, "variant,base_model,reasoning\na,X-7B,off\n")
