"""The set-up on machines that are only pretended: their commands are small scripts in one folder.

Nothing is downloaded or installed. The pretended Python makes environments whose ``pip`` and
``transfer`` write down how they were called.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = [*sorted((ROOT / "tools").glob("*.sh")), ROOT / ".ci" / "run", ROOT / "Makefile"]
REAL = ("awk", "basename", "bash", "cat", "chmod", "cp", "cut", "dirname", "env", "grep", "make",
        "mkdir", "mktemp", "paste", "rm", "sed", "sh", "sha256sum", "sort", "tail", "touch",
        "true")  # fmt: skip

PYTHON = """#!/bin/bash
case "$1 $2" in
  "-c "*) exec {real} -c 'import sys
sys.executable, sys.version_info = sys.argv[1], ({version}, 0, "final", 0)
exec(sys.argv[2])' "$0" "$2" ;;
  "-m venv")
    mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && echo "VIRTUAL_ENV=$(cd "$3" && pwd -P)" \\
      > "$3/bin/activate" ;;
  "-m pip")
    echo "$@" >> {log}
    printf '#!/bin/bash\\necho "transfer $*" >> {log}\\n' > "$(dirname "$0")/transfer"
    printf '#!/bin/bash\\n' > "$(dirname "$0")/ruff"
    chmod +x "$(dirname "$0")/transfer" "$(dirname "$0")/ruff" ;;
  --version*) echo "Python pretended" ;;
  *) exit 1 ;;
esac
"""
APT_CACHE = """#!/bin/bash
[ -e {folder}/updated ] || exit 0
{sed} 's/^X//' <<END
python3:
  Candidate: {candidate}
XVersion: {candidate}
END
for i in {{1..2000}}; do echo "a description that does not end within a pipe's buffer"; done
"""
APT_GET = """#!/bin/bash
echo "apt-get $*" >> {log}
[ "$1" != update ] || touch {folder}/updated
[ "$1" != install ] || [[ "$*" == *DPkg::Lock::Timeout=* ]] || exit 100 # another apt has the lock
[[ "$*" != *install*python3* ]] || cp {folder}/offered {folder}/bin/python3
"""
R = """#!/bin/bash
case "$*" in
  --version) echo 'R version 4.2.2 (2022-10-31) -- "Innocent and Trusting"'; echo more ;;
  *) echo "-Iflags" ;;
esac
"""
DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\nVERSION_ID="13"\n'
JAMMY = 'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nID=ubuntu\n'


@dataclass
class Machine:
    """A folder with a clone, a ``bin`` that is the whole PATH, and a log of what was called."""

    folder: Path
    clone: Path

    def command(self, name: str, text: str) -> None:
        """Put a script into ``bin``."""
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def python(self, name: str, version: str, offered: bool = False) -> None:
        """A Python, in ``bin`` or only to be had by apt-get."""
        text = PYTHON.format(real=sys.executable, version=version, log=self.folder / "log")
        self.command(name, text)
        if offered:
            (self.folder / "bin" / name).rename(self.folder / "offered")

    def administrator(self, candidate: str = "3.13.5-1") -> None:
        """Root, with an apt whose lists are empty before ``apt-get update``."""
        filled = {"folder": self.folder, "log": self.folder / "log", "candidate": candidate,
                  "sed": shutil.which("sed")}  # fmt: skip
        self.command("id", "#!/bin/bash\necho 0\n")
        self.command("apt-cache", APT_CACHE.format(**filled))
        self.command("apt-get", APT_GET.format(**filled))

    def r(self, compiler: bool = True) -> None:
        """R with lme4, and a C compiler."""
        self.command("R", R)
        self.command("Rscript", "#!/bin/bash\n")
        if compiler:
            self.command("gcc", "#!/bin/bash\ncat > /dev/null\n")

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
        """A command in the clone, without this process's environment."""
        surroundings = {"PATH": str(self.folder / "bin"), "HOME": str(self.folder),
                        "OS_RELEASE": str(self.folder / "os-release")}  # fmt: skip
        return subprocess.run(
            arguments, cwd=self.clone, env=surroundings | variables, capture_output=True, text=True
        )

    def setup(self, *extras: str, **variables: str) -> subprocess.CompletedProcess:
        """``tools/setup.sh`` in the clone."""
        return self.run("bash", "tools/setup.sh", *extras, **variables)

    def installed(self) -> list[str]:
        """What pip was asked to install, call by call."""
        log = self.folder / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line.rpartition(" ")[2] for line in lines if "--editable" in line]


@pytest.fixture
def machine(tmp_path):
    clone = tmp_path / "clone"
    (clone / "tools").mkdir(parents=True)
    for path in SCRIPTS:
        if path.parent != ROOT / ".ci":
            shutil.copy(path, clone / path.relative_to(ROOT))
    for name in ("pyproject.toml", "requirements.lock", "setup.py"):
        shutil.copy(ROOT / name, clone)
    (tmp_path / "bin").mkdir()
    for name in REAL:
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    (tmp_path / "os-release").write_text(DEBIAN)
    pretended = Machine(tmp_path, clone)
    pretended.command("id", "#!/bin/bash\necho 1000\n")
    pretended.command("uname", "#!/bin/bash\necho Linux\n")
    return pretended


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_nothing_is_piped_into_what_stops_reading_early(path):
    """Under pipefail the writer's SIGPIPE is then the pipe's status, once its buffer is full."""
    assert not re.findall(r"\|\s*(?:grep\s+-\w*[qm]|head\b|sed\s+\S*q\b).*", path.read_text())


def test_empty_lists_are_filled_before_the_distribution_s_python_is_judged(machine):
    machine.administrator()
    machine.python("python3", "3, 13", offered=True)
    ran = machine.setup()
    assert ran.returncode == 0, ran.stderr
    assert (machine.clone / ".venv" / "bin" / "transfer").exists()
    assert machine.installed() == ["."]


def test_a_distribution_s_python_that_is_too_old_is_not_installed(machine):
    machine.administrator("3.10.6-1~22.04")
    (machine.folder / "os-release").write_text(JAMMY)
    ran = machine.setup()
    assert ran.returncode == 1
    assert "install" not in (machine.folder / "log").read_text()


def test_a_python_too_old_is_named_with_the_ways_on_for_that_machine(machine):
    machine.python("python3", "3, 10")
    (machine.folder / "os-release").write_text(JAMMY)
    ran = machine.setup()
    assert ran.returncode == 1
    found = f"3.10.0 at {machine.folder}/bin/python3"
    told = f"Python 3.11 or later is needed. This is Ubuntu 22.04.5 LTS; its Python: {found}."
    assert told in ran.stderr
    assert "add-apt-repository -y ppa:deadsnakes/ppa" in ran.stderr
    assert "uv python install" in ran.stderr
    assert not (machine.clone / ".venv").exists()


def test_who_may_not_install_is_told_what_to_ask_for(machine):
    ran = machine.setup()
    assert ran.returncode == 1
    assert "This is Debian GNU/Linux 13 (trixie); its Python: none." in ran.stderr
    assert "as root:  apt-get update && apt-get install -y python3 python3-venv" in ran.stderr
    assert "deadsnakes" not in ran.stderr


def test_the_python_of_the_templates_is_taken_before_an_older_one(machine):
    machine.python("python3", "3, 11")
    machine.python("python3.12", "3, 12")
    assert "python3.12 ..." in machine.setup().stdout


def test_extras_are_added_once_and_kept(machine):
    machine.python("python3", "3, 12")
    machine.setup("templates")
    machine.setup("templates")
    machine.setup("test")
    machine.setup()
    assert machine.installed() == [".[templates]", ".[templates,test]"]


def test_a_clone_that_was_moved_gets_a_new_environment_with_what_the_old_one_had(machine):
    machine.python("python3", "3, 12")
    machine.setup("lme4", "test", WITHOUT_R="1")
    (machine.clone / ".venv" / "old").touch()
    machine.clone = machine.clone.rename(machine.folder / "elsewhere")
    ran = machine.setup("lme4")
    assert ran.returncode == 0, ran.stderr
    assert "moved here, or copied" in ran.stdout
    assert not (machine.clone / ".venv" / "old").exists()
    assert machine.installed() == [".[test]", ".[test]"]
    assert machine.setup("lme4").stdout.count("\n") == 1  # that R was left out, no more


def test_another_python_that_is_asked_for_makes_the_environment_anew(machine):
    machine.python("python3", "3, 11")
    machine.python("other", "3, 13")
    machine.setup("test")
    ran = machine.setup("templates", PYTHON="other")
    assert "creating .venv with" in ran.stdout
    assert machine.installed() == [".[test]", ".[templates,test]"]
    assert machine.setup(PYTHON="absent").returncode == 1


def test_doing_without_r_is_remembered_until_it_is_taken_back(machine):
    machine.python("python3", "3, 12")
    assert machine.setup("lme4", WITHOUT_R="1").returncode == 0
    ran = machine.setup("lme4", "test")
    assert "without R, as chosen" in ran.stdout
    assert "WITHOUT_R=0" in ran.stdout
    machine.r()
    assert machine.setup("lme4", WITHOUT_R="0").returncode == 0
    assert machine.installed() == [".", ".[test]", ".[lme4,test]"]
    assert machine.setup("lme4").stdout == ""


def test_our_engine_at_first_is_the_choice_to_do_without_r(machine):
    machine.python("python3", "3, 12")
    assert machine.run("make", "glmm", "ENGINE=laplace").returncode == 0
    assert machine.run("make", "glmm").returncode == 0
    assert machine.installed() == ["."]
    calls = (machine.folder / "log").read_text().split("\n")
    assert sum(re.fullmatch(r"transfer glmm --engine laplace", call) is not None
               for call in calls) == 2  # fmt: skip


def test_what_make_shows_is_the_command_as_it_runs(machine):
    machine.python("python3", "3, 12")
    machine.r()
    for variables, expected in (
        ({"WITHOUT_R": "1"}, "glmm --engine laplace"),
        ({}, "glmm --engine laplace"),
        ({"WITHOUT_R": "0"}, "glmm"),
        ({}, "glmm"),
        ({"FORMULA": "~ size + (1 | language)"}, "glmm --formula '~ size + (1 | language)'"),
    ):
        ran = machine.run("make", "glmm", *(f"{name}={text}" for name, text in variables.items()))
        assert ran.returncode == 0, ran.stderr
        shown = [line for line in ran.stdout.splitlines() if not line.startswith("setup:")]
        assert [re.sub(" +", " ", line).strip() for line in shown] == [
            f".venv/bin/transfer {expected}"
        ]
        called = (machine.folder / "log").read_text().splitlines()[-1]
        assert called == f"transfer {expected}".replace("'", "")


def test_our_engine_later_leaves_r_as_it_is(machine):
    machine.python("python3", "3, 12")
    machine.r()
    assert machine.run("make", "glmm").returncode == 0
    assert machine.run("make", "glmm", "ENGINE=laplace").returncode == 0
    assert machine.run("make", "glmm").returncode == 0
    assert machine.installed() == [".[lme4]"]
    calls = re.findall(r"^transfer (.*)$", (machine.folder / "log").read_text(), re.M)
    assert calls == ["glmm", "glmm --engine laplace", "glmm"]


def test_r_without_a_compiler_ends_with_what_lacks_and_the_way_without(machine):
    machine.python("python3", "3, 12")
    machine.r(compiler=False)
    ran = machine.setup("lme4")
    assert ran.returncode == 1
    first, *ways = ran.stderr.splitlines()
    assert "R version 4.2.2" in first
    assert "no C compiler" in first
    assert "make glmm WITHOUT_R=1" in ways[-1]
    assert machine.installed() == []


def test_r_without_lme4_is_said(machine):
    machine.python("python3", "3, 12")
    machine.r()
    machine.command("Rscript", "#!/bin/bash\nexit 1\n")
    assert "but not its package lme4" in machine.setup("lme4").stderr


def test_every_target_that_runs_python_sets_itself_up():
    text = (ROOT / "Makefile").read_text()
    recipes = re.findall(r"^([a-z$][^\s:=]*):(?!=).*\n((?:\t.*\n)+)", text, re.M)
    assert len(recipes) > 30
    for target, recipe in recipes:
        if any(text in recipe for text in ("$(transfer)", "$(pytest)", ".venv/bin")):
            assert recipe.startswith("\t$(needs)"), target


def test_extras_that_targets_name_are_there():
    text = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"[a-z0-9]+", " ".join(re.findall(r"\$\(needs\)(.*)", text))))
    declared = set(re.findall(r"^([a-z0-9]+) = \[", (ROOT / "pyproject.toml").read_text(), re.M))
    assert named - {"tests", "judge"} <= declared | {"EXTRAS"}
    assert os.access(ROOT / "tools" / "setup.sh", os.X_OK)
