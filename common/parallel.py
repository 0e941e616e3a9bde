"""Where independent pieces of work run: processes of this machine, or a Dask cluster.

Refits, bootstraps, simulations and held-out languages are lists of ``joblib.delayed`` calls that
share nothing, each with its own seed. They run on joblib's default backend; inside ``cluster`` that
is a Dask cluster, for every ``joblib.Parallel`` without its own backend. Results do not depend
on where they were computed.
"""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from capability_transfer.common import extras
from capability_transfer.common.errors import InputError
from joblib import parallel_config

CONNECT_SECONDS = 10


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def cluster(address: str | None = None, workers: int = 0) -> Iterator[None]:
    """Run joblib's parallel work on a Dask cluster while the context lasts.

    Args:
        address: of a running scheduler (``tcp://host:8786``).
        workers: processes of a cluster started here for the time, in place of an address.

    Without either, work stays with processes of this machine, which leave Ctrl-C to the one that
    began them (it ends them). Work of a worker that dies is done again by others. Raises
    InputError if Dask is not installed and if there is no scheduler at the address.
    """
    if address is None and not workers:
        with parallel_config("loky", initializer=_ignore_interrupts):
            yield
        return
    if address is not None and workers:
        raise InputError("give a scheduler's address or a number of workers, not both")
    distributed = extras.load("distributed", "dask")
    if address is None:
        own = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None
        )
        with own, distributed.Client(own), parallel_config("dask"):
            yield
        return
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"there is no Dask scheduler at {address}: {error}") from error
    with client, parallel_config("dask"):
        yield


@contextmanager
def replaced_quietly() -> Iterator[None]:
    """Keep joblib from warning that it replaced a worker that had grown: no result is lost."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        yield
