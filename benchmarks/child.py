"""One engine on one design: ``python -m benchmarks.child ENGINE FILE`` prints a line of JSON.

FILE keeps the formula and the data (``common.kept``), so that the process loads nothing but what a
fit needs.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import asdict
from pathlib import Path

from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.common import kept

from benchmarks import blas
from benchmarks.engines import ENGINES, NotInstalled


def peak_mb() -> float:
    """Peak resident memory of this process so far, MB.

    Linux starts a child's ``ru_maxrss`` at its parent's, so there ``VmHWM`` is read.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    scale = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale


def measure(engine: str, path: str) -> dict:
    """Fit, and what it took: wall and CPU seconds, peak memory before and after, and the BLAS.

    What loads on an engine's first use (R, a package) is loaded before the clock starts.
    """
    text, data = kept.read(path)
    formula = parse(text)
    prepare, fit = ENGINES[engine]
    try:
        prepare()
    except NotInstalled:
        return {"status": "not installed"}
    base = peak_mb()
    wall, cpu = time.perf_counter(), time.process_time()
    outcome = fit(formula, data)
    return {
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "base_mb": base,
        "peak_mb": peak_mb(),
        "blas": blas.in_use(),
        "status": "converged" if outcome.converged else "not converged",
        **asdict(outcome),
    }


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:])))
