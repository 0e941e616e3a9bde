"""Large instance files through DuckDB: the same cells and the same refusals as in memory."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.files import cells_of_instances
from capability_transfer.analysis.outcomes.schema import to_cells, validate
from capability_transfer.common.errors import InputError


@pytest.fixture
def instances():
    rng = np.random.default_rng(3)
    grid = [
        (variant, language, template, split, instance)
        for variant in (" b", "a")
        for language in ("nan", "dan")
        for template in (1.0, 2.0)
        for split in ("symbolic", "original")
        for instance in range(3)
    ]
    table = pd.DataFrame(grid, columns=["variant", "language", "template", "split", "instance"])
    table["correct"] = rng.integers(0, 2, len(table))
    return table.sample(frac=1, random_state=4)


@pytest.mark.parametrize("scores", [int, float, bool, str])
def test_same_cells_as_in_memory(instances, tmp_path, scores):
    table = instances.assign(correct=instances["correct"].astype(scores), note="x")
    table.to_parquet(tmp_path / "it's.parquet")
    expected = to_cells(validate(table, "instances"))
    pd.testing.assert_frame_equal(cells_of_instances(tmp_path / "it's.parquet"), expected)


def spoilt(table, column, value):
    table = table.reset_index(drop=True).astype({column: object})
    table.loc[4, column] = value
    return table


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("correct", "C", r"'correct' is neither.*row 5 \(.*, 'C'\)"),
        ("correct", None, "'correct' is neither.*row 5"),
        ("language", None, "'language' is empty.*row 5"),
        ("variant", "  ", "'variant' is empty.*row 5"),
        ("split", "dev", "'split' is not one of.*row 5"),
        ("instance", "", "'instance' is empty or missing: row 5"),
    ],
)
def test_wrong_rows_are_named(instances, tmp_path, column, value, message):
    table = spoilt(instances, column, value)
    if column in ("correct", "instance"):
        table[column] = table[column].map(lambda one: None if one is None else str(one))
    table.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=rf"(?s)t\.parquet.*{message}"):
        cells_of_instances(tmp_path / "t.parquet")


def test_repeated_rows_are_named(instances, tmp_path):
    other = instances.iloc[[3]].assign(variant="x")
    table = pd.concat([instances, other, instances.iloc[[3]]])
    table.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"more than once: row 4 \(nan\); row 50 "):
        cells_of_instances(tmp_path / "t.parquet")
