"""One top-level name for the folders of this checkout, which stay where they are."""

from setuptools import find_packages, setup

PARTS = ("analysis", "common", "evaluation", "features", "R")
INNER = {part: find_packages(part) for part in PARTS}

setup(
    packages=[
        "capability_transfer",
        *(f"capability_transfer.{part}" for part in PARTS),
        *(f"capability_transfer.{part}.{name}" for part, names in INNER.items() for name in names),
    ],
    package_dir={f"capability_transfer.{part}": part for part in PARTS},
)
