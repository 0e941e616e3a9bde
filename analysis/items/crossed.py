"""Outcomes as arrays, a block per language, so that memory stays that of one language's cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError

FEWEST = 3
"""Languages in which a template must be, so that the others can say which one is odd."""


@dataclass(frozen=True, eq=False)
class Block:
    """One language's cells, ordered by template.

    Attributes:
        variant: code of each cell's variant.
        correct: correct answers of each cell.
        total: answers of each cell.
        items: codes of the templates that are there.
        starts: where the cells of each of them begin.
        item: the place in ``items`` of each cell.
        variants: number of variants in all.
    """

    variant: np.ndarray
    correct: np.ndarray
    total: np.ndarray
    items: np.ndarray
    starts: np.ndarray
    item: np.ndarray
    variants: int

    def thinned(self, step: int) -> Block:
        """The cells of every ``step``-th template."""
        kept = self.items % step == 0
        rows = kept[self.item]
        sizes = np.diff(np.append(self.starts, len(self.item)))[kept]
        return replace(
            self, variant=self.variant[rows], correct=self.correct[rows], total=self.total[rows],
            items=self.items[kept], starts=np.cumsum(sizes) - sizes,
            item=np.repeat(np.arange(kept.sum(), dtype=np.int32), sizes),
        )  # fmt: skip

    def by_item(self, values: np.ndarray) -> np.ndarray:
        """Sums of a value per cell over each template's cells."""
        return np.add.reduceat(values, self.starts)

    def by_variant(self, values: np.ndarray) -> np.ndarray:
        """Sums of a value per cell over each variant's cells."""
        return np.bincount(self.variant, values, self.variants)


@dataclass(frozen=True, eq=False)
class Crossed:
    """Outcomes of variants on templates in languages, with the names behind the codes."""

    variants: np.ndarray
    languages: np.ndarray
    templates: np.ndarray
    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, cells: pd.DataFrame) -> Crossed:
        """Of variant, language, template, n_correct, n_total; rows of one cell are kept apart.

        Raises InputError for fewer than three languages, or fewer than two variants or templates.
        """
        (variant, variants), (language, languages), (template, templates) = (
            _coded(cells[name]) for name in ("variant", "language", "template")
        )
        for names, least, what in (
            (languages, FEWEST, "languages"), (variants, 2, "variants"), (templates, 2, "templates")
        ):  # fmt: skip
            if len(names) < least:
                raise InputError(
                    f"the outcomes have {len(names)} {what}; a screen of items compares at least "
                    f"{least}"
                )
        correct, total = (_smallest(cells[name]) for name in ("n_correct", "n_total"))
        blocks = []
        for code in range(len(languages)):
            rows = np.flatnonzero(language == code)
            rows = rows[np.argsort(template[rows], kind="stable")]
            items, starts, item = np.unique(template[rows], return_index=True, return_inverse=True)
            kept = variant[rows], correct[rows], total[rows], items, starts
            blocks.append(Block(*kept, item.astype(np.int32), len(variants)))
        return cls(*map(np.asarray, (variants, languages, templates)), tuple(blocks))

    def thinned(self, step: int) -> Crossed:
        """The same with every ``step``-th template alone."""
        return replace(self, blocks=tuple(one.thinned(step) for one in self.blocks))

    def __iter__(self) -> Iterator[tuple[int, Block]]:
        return iter(enumerate(self.blocks))

    def empty(self) -> np.ndarray:
        """An array of languages by templates, all NaN: what a value per item is put into."""
        return np.full((len(self.languages), len(self.templates)), np.nan)


def _coded(labels: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Codes of labels and the labels, in order; a hundred million cells have to fit."""
    codes, levels = pd.factorize(labels, sort=True)
    return codes.astype(np.int32), levels


def _smallest(counts: pd.Series) -> np.ndarray:
    """Counts in the smallest type that holds them."""
    return counts.to_numpy(dtype=np.min_scalar_type(int(counts.max())))
