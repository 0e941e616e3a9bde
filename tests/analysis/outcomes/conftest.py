"""Real Inspect logs, and a way to write further ones that say what a test needs."""

import zipfile
from pathlib import Path

import pytest

LOGS = Path(__file__).parents[2] / "data" / "inspect"


@pytest.fixture
def logs():
    """The folder of real logs."""
    return LOGS


@pytest.fixture
def edited(tmp_path):
    """A function that writes a copy of a real log with an edit of its EvalLog."""
    from inspect_ai.log import read_eval_log, write_eval_log

    def write(edit, source="one_mode.eval", name="edited.eval"):
        log = read_eval_log(str(LOGS / source))
        edit(log)
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        write_eval_log(log, str(target))
        return target

    return write


@pytest.fixture
def renamed(tmp_path):
    """A function that copies a log with texts of its files replaced."""

    def write(name, source, **texts):
        target = tmp_path / name
        with zipfile.ZipFile(LOGS / source) as old, zipfile.ZipFile(target, "w") as new:
            for entry in old.infolist():
                data = old.read(entry)
                for before, after in texts.values():
                    data = data.replace(before.encode(), after.encode())
                new.writestr(entry.filename, data)
        return target

    return write
