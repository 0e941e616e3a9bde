"""A step is up to date while nothing behind it and nothing that it wrote has changed."""

import pytest
from capability_transfer.analysis.pipeline import run as pipeline
from capability_transfer.analysis.pipeline.steps import Step
from capability_transfer.common.files import recording, write_text

STEP = Step("equivalence")


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A step whose code is one file, and a results directory with its output and its cache."""
    file = tmp_path / "source.py"
    file.write_text("1")
    monkeypatch.setattr(pipeline, "hash_project", file.read_text)
    directory = tmp_path / "results"
    with recording() as written:
        write_text("a", directory / "tables" / "a.csv")
        write_text("fit", directory / "cache" / "fits" / "x.fit")
    pipeline.stamp(STEP, directory, pipeline.fingerprint(STEP, directory), written)
    return file


def current(source):
    return pipeline.is_current(STEP, source.parent / "results")


def test_a_finished_step_is_current(source):
    assert current(source)


def test_a_changed_source_is_noticed(source):
    source.write_text("2")
    assert not current(source)


def test_other_options_are_another_step(source):
    assert not pipeline.is_current(
        Step("equivalence", ("--margin", "2")), source.parent / "results"
    )


@pytest.mark.parametrize("change", ["edit", "delete"])
def test_a_changed_output_is_noticed(source, change):
    output = source.parent / "results" / "tables" / "a.csv"
    output.write_text("b") if change == "edit" else output.unlink()
    assert not current(source)


@pytest.mark.parametrize("name", ["a.csv", "provenance.json"])
def test_a_changed_result_is_noticed_by_a_step_that_reads_results(source, name):
    directory = source.parent / "results"
    before = [pipeline.fingerprint(Step("x", reads_results=reads), directory) for reads in (0, 1)]
    (directory / "tables" / name).write_text("b")
    after = [pipeline.fingerprint(Step("x", reads_results=reads), directory) for reads in (0, 1)]
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_the_cache_may_go(source):
    (source.parent / "results" / "cache" / "fits" / "x.fit").unlink()
    assert current(source)


def test_a_step_that_never_ran_is_not_current(tmp_path):
    assert not pipeline.is_current(STEP, tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "7", '{"outputs": []}', "{", "\0"])
def test_a_stamp_of_another_kind_is_none(source, text):
    directory = source.parent / "results"
    pipeline.stamp_path(STEP, directory).write_text(text)
    assert not current(source)
