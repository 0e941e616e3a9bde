"""Memory that was freed goes back to the system."""

from __future__ import annotations

import pyarrow as pa


def release() -> None:
    """Give back what reading left unused; it would count beside what a fit needs.

    Arrow's allocators, and C's under Arrow's system allocator, keep freed memory for later use.
    """
    for pool in (pa.default_memory_pool(), pa.system_memory_pool()):
        pool.release_unused()
