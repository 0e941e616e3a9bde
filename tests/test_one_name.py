"""The project is one name in a user's environment, and each of its modules is imported once."""

import subprocess
import sys
from pathlib import Path

WALK = """
import pkgutil, sys
import capability_transfer
for part in ("analysis", "common", "evaluation", "features"):
    folder = f"{capability_transfer.__path__[-1]}/{part}"
    for found in pkgutil.walk_packages([folder], f"capability_transfer.{part}."):
        try:
            __import__(found.name)
        except ImportError as error:  # of an extra that is not installed
            assert "capability_transfer" not in (error.name or ""), error
first = {name.split(".")[0] for name in sys.modules}
bare = first & {"analysis", "common", "evaluation", "features"}
print(sorted(bare), "capability_transfer.analysis.cli" in sys.modules)
"""


def test_no_module_is_imported_under_a_second_name():
    assert run(WALK, Path.cwd()) == "[] True"


def test_a_folder_of_the_users_own_does_not_get_in_the_way(tmp_path):
    for name in ("analysis", "features", "common", "evaluation"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the user’s own')\n")
    code = (
        "from capability_transfer import load; "
        "print(load().inputs.cells['language'].nunique(), 'languages')"
    )
    assert run(code, tmp_path) == "15 languages"


def run(code: str, folder: Path) -> str:
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()
