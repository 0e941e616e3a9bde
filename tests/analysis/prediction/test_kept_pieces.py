"""Finished pieces on disk: what cannot be read, or is of something else, is not there."""

import pandas as pd
import pytest
from capability_transfer.analysis.prediction.evaluate import Store, Task

TABLE = pd.DataFrame({"language": ["swh", ""], "error": [0.5, 1.5], "df": [3, pd.NA]})


@pytest.fixture
def task(tmp_path):
    cells = pd.DataFrame({"language": ["a"], "n": [1]})
    vectors = pd.DataFrame([[0.0]], index=pd.Index(["a"], name="language"))
    return Task(cells, vectors, cache=tmp_path)


def test_a_piece_comes_back_in_another_run(task):
    Store(task).put(TABLE, "smooth", ("few", 1))
    again = Store(task)
    assert again.has("smooth", ("few", 1))
    assert not again.has("smooth", ("few", 2))
    pd.testing.assert_frame_equal(again.get("smooth", ("few", 1)), TABLE.replace({pd.NA: None}))
    with pytest.raises(KeyError):
        again.get("smooth", ("few", 2))


@pytest.mark.parametrize("change", ["damaged", "foreign"])
def test_a_file_that_is_not_the_piece_counts_as_not_there(task, change):
    store = Store(task)
    store.put(TABLE, "smooth", 1)
    (path,) = (task.cache / "prediction").iterdir()
    if change == "damaged":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        store.put(TABLE, "smooth", 2)
        (other,) = set((task.cache / "prediction").iterdir()) - {path}
        other.replace(path)
    with pytest.warns(UserWarning, match="it is made again"):
        assert not Store(task).has("smooth", 1)


def test_without_a_cache_pieces_are_kept_in_memory():
    store = Store(Task(pd.DataFrame({"n": [1]}), pd.DataFrame({"v": [1.0]})))
    store.put(TABLE, "smooth", 1)
    assert store.get("smooth", 1) is TABLE
    assert not store.has("smooth", 2)
