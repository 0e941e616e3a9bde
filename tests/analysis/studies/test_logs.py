"""``ingest`` on the packaged test logs."""

from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from capability_transfer.common.errors import InputError

from capability_transfer import ingest, load

LOGS = Path(__file__).parents[2] / "data" / "inspect"


def test_logs_become_outcomes_with_their_story():
    logs = ingest([LOGS / "big_on.eval", str(LOGS / "big_off.eval")])
    assert logs.outcomes.columns.tolist() == [
        "variant", "language", "template", "split", "instance", "correct",
    ]  # fmt: skip
    assert {"log", "sample", "epoch"} <= set(logs.rows.columns)
    assert logs.models["outcomes"].sum() == len(logs.rows)
    assert logs.source in repr(logs)
    ElementTree.fromstring(f"<div>{logs._repr_html_()}</div>")
    study = load(outcomes=logs.outcomes)
    assert study.source == logs.source
    assert study.cells["n_total"].sum() == len(logs.rows)
    assert not study.inputs.notes


def test_a_folder_is_read_as_load_reads_it(tmp_path):
    for name in ("big_on", "big_off"):
        (tmp_path / f"{name}.eval").write_bytes((LOGS / f"{name}.eval").read_bytes())
    by_hand = load(outcomes=ingest(tmp_path).outcomes)
    pd.testing.assert_frame_equal(load(outcomes=tmp_path).cells, by_hand.cells)


def test_errors_are_refused_unless_something_is_said_of_them():
    with pytest.raises(InputError, match=r"errors=wrong|errors="):
        ingest(LOGS / "errored_samples.eval")
    logs = ingest(LOGS / "errored_samples.eval", errors="wrong")
    assert logs.report.counts.errors > 0
