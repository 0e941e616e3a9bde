"""R through rpy2: found, checked and explained, with the project's R files loaded."""

from __future__ import annotations

import atexit
import re
import shutil
import subprocess
from functools import cache
from importlib import metadata, resources
from types import SimpleNamespace

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.columns import LOGICAL, Levels, codes, is_number, labels
from capability_transfer.common.errors import InputError, option

INSTALL = (
    f"Without it, {option('engine', 'laplace')} finds the same optimum. To have it: in a "
    "clone `make setup WITHOUT_R=0` installs R, lme4 and rpy2 where it may. By hand, "
    "Debian/Ubuntu: `apt-get install r-base-dev r-cran-lme4 python3-dev`; conda: `conda install "
    "-c conda-forge r-base r-lme4 c-compiler`; elsewhere install R, then in R "
    "`install.packages('lme4')`; then in a clone `pip install '.[lme4]'`."
)


class EngineMissing(InputError):
    """An engine cannot run on this machine; the message says what to install."""


def r_version() -> tuple[int, ...] | None:
    """The version of the R on the path, e.g. ``(4, 2, 2)``, or None without R."""
    if shutil.which("R") is None:
        return None
    text = subprocess.run(["R", "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"R version (\d+)\.(\d+)\.(\d+)", text)
    return tuple(map(int, match.groups())) if match else None


def check_pair(r: tuple[int, ...] | None, rpy2: str | None) -> None:
    """Raise EngineMissing unless this R and this rpy2 work together.

    rpy2 3.6 and later call R's C function ``R_getVar``, which R has had since 4.5.
    """
    if r is None:
        raise EngineMissing(f"R is not installed, and the lme4 engine runs in it. {INSTALL}")
    if rpy2 is None:
        raise EngineMissing(f"rpy2, the bridge to R, is not installed. {INSTALL}")
    major, minor = map(int, re.match(r"(\d+)\.(\d+)", rpy2).groups())
    if (major, minor) >= (3, 6) and r < (4, 5):
        raise EngineMissing(
            f"rpy2 {rpy2} needs R 4.5 or later (it calls R_getVar), and this is R "
            f"{'.'.join(map(str, r))}. Use the pinned one: pip install 'rpy2>=3.5.17,<3.6'"
        )


@cache
def session() -> SimpleNamespace:
    """The R session: ``call`` for functions of the project's R files, and ``versions``.

    Raises EngineMissing if R, rpy2 or lme4 is absent or the versions do not fit together.
    """
    try:
        rpy2 = metadata.version("rpy2")
    except metadata.PackageNotFoundError:
        rpy2 = None
    check_pair(r_version(), rpy2)
    from rpy2 import robjects
    from rpy2.rinterface_lib import callbacks, embedded

    callbacks.consolewrite_warnerror = lambda text: None  # lme4's notes reach us in the result
    # attached, not only loaded: lme4's deviance functions look names up from the global environment
    if not robjects.r("(suppressPackageStartupMessages(require(lme4, quietly = TRUE)))")[0]:
        raise EngineMissing(f"R has no package lme4. {INSTALL}")
    for file in sorted(
        resources.files("capability_transfer.R").iterdir(), key=lambda path: path.name
    ):
        if file.name.endswith(".R"):
            robjects.r(file.read_text(encoding="utf-8"))
    versions = robjects.r("r_versions()")
    known = dict(zip(versions.names, versions, strict=True)) | {"rpy2": rpy2}

    def call(function: str, *arguments: object) -> object:
        try:
            return robjects.globalenv[function](*arguments)
        except embedded.RRuntimeError as error:
            raise InputError(f"R: {str(error).strip()}") from error

    # R objects that outlive the interpreter's modules end in a traceback on exit
    atexit.register(session.cache_clear)
    return SimpleNamespace(call=call, versions=known, robjects=robjects)


def to_r_frame(data: pd.DataFrame, known: Levels) -> object:
    """A data frame in R: numbers as doubles, everything else as factors.

    Covariates have the levels ``known`` (``Formula.levels``), and booleans among them are R's
    logicals; other factors, those that only group, have their labels sorted.
    """
    robjects = session().robjects
    make = robjects.r("function(at, levels) structure(at, levels = levels, class = 'factor')")
    columns = {}
    for name, column in data.items():
        if known.get(name) == LOGICAL:
            columns[name] = robjects.BoolVector(codes(column, LOGICAL).astype(bool).tolist())
        elif name not in known and is_number(column):
            columns[name] = robjects.FloatVector(np.asarray(column, dtype=float))
        else:
            column = column if name in known else labels(column)
            levels = known.get(name) or tuple(sorted(set(column)))
            at = robjects.IntVector(codes(column, levels).astype(np.int32) + 1)
            columns[name] = make(at, robjects.StrVector(levels))
    return robjects.DataFrame(columns)


def from_r_frame(frame: object) -> pd.DataFrame:
    """A data frame of R's numbers and strings as pandas."""
    robjects = session().robjects
    missing = robjects.NA_Character
    return pd.DataFrame(
        {
            name: [None if value is missing else value for value in column]
            if isinstance(column, robjects.StrVector)
            else np.array(column)  # a copy: a view would keep R's memory
            for name, column in zip(frame.names, frame, strict=True)
        }
    )
