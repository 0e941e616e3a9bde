"""One top-level name for the folders of this checkout, which stay where they are."""

from setuptools import find_namespace_packages, setup

PARTS = ("analysis", "common", "evaluation", "features", "R")
OURS = "capability_transfer"


def inside(part: str) -> list[str]:
    """The packages below a folder, and its folders of data."""
    return find_namespace_packages(part, exclude=["__pycache__", "*.__pycache__"])


setup(
    packages=[
        OURS,
        *(f"{OURS}.{part}" for part in PARTS),
        *(f"{OURS}.{part}.{name}" for part in PARTS for name in inside(part)),
    ],
    package_dir={f"{OURS}.{part}": part for part in PARTS},
)
