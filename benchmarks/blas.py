"""Which BLAS an engine's process computes with: much of what engines differ by may be theirs."""

from __future__ import annotations

import sys
from pathlib import Path

from threadpoolctl import threadpool_info


def in_use() -> str:
    """R's BLAS where R runs in this process, else those loaded, e.g. ``openblas 0.3.30``.

    R's file is the reference implementation unless its name or folder says another: Debian's is
    ``blas/libblas.so.3`` until ``libopenblas0`` is installed.
    """
    if "rpy2.robjects" in sys.modules:
        robjects = sys.modules["rpy2.robjects"]
        path = Path(str(robjects.r('extSoftVersion()[["BLAS"]]')[0]))
        known = [name for name in ("openblas", "mkl", "atlas", "blis") if name in str(path)]
        return f"R: {known[0] if known else 'reference'} ({path.parent.name}/{path.name})"
    found = {
        f"{library['internal_api']} {library['version']}"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    return ", ".join(sorted(found))
