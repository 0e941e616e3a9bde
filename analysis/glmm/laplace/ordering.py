"""An elimination order of the random effects, and the fill that it leaves.

Effects that a row loads on together are neighbours; eliminating one makes its neighbours each
other's. Taking those with fewest each time (multiple minimum degree, Liu 1985) leaves nested
designs almost without fill, while large crossed ones fill up whatever the order: the count ends
when it exceeds a budget, so that asking costs little where the answer is no.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design


@dataclass(frozen=True, eq=False)
class Elimination:
    """A symbolic factor L.

    Attributes:
        order: effects, first eliminated first.
        structs: of every effect in that order, the later positions that its column of L has.
        work: Σ of their numbers squared: the multiplications of a factorisation.
    """

    order: np.ndarray
    structs: list[np.ndarray]
    work: int


def eliminate(design: Design, budget: float = np.inf) -> Elimination | None:
    """Minimum-degree elimination, or None where its ``work`` would exceed the budget."""
    neighbours = _neighbours(design)
    heap = [(len(own), effect) for effect, own in enumerate(neighbours)]
    heapq.heapify(heap)
    gone = np.zeros(design.effects, dtype=bool)
    order, later, work = [], [], 0
    while heap:
        least, touched = heap[0][0], set()
        while heap and heap[0][0] == least:
            _, effect = heapq.heappop(heap)
            own = neighbours[effect]
            if gone[effect] or effect in touched or least != len(own):
                continue
            work += least**2
            if work > budget:
                return None
            gone[effect] = True
            order.append(effect)
            later.append(own)
            for other in own:
                neighbours[other] |= own
                neighbours[other] -= {other, effect}
            touched |= own
        for effect in touched:
            heapq.heappush(heap, (len(neighbours[effect]), effect))
    order = _together(order, later)
    place = np.empty(design.effects, dtype=np.intp)
    place[[effect for effect, _ in order]] = np.arange(design.effects)
    structs = [np.sort(place[list(own)]) for _, own in order]
    return Elimination(np.array([effect for effect, _ in order], dtype=np.intp), structs, work)


def _together(order: list[int], later: list[set[int]]) -> list[tuple[int, set[int]]]:
    """The order in which the tree's branches are eliminated one after the other (a postorder).

    The fill is the same, and what a column of L meets stands beside it in memory.
    """
    place = {effect: number for number, effect in enumerate(order)}
    below: list[list[int]] = [[] for _ in order]
    found, waiting = [], []
    for number, own in enumerate(later):
        if own:
            below[min(place[effect] for effect in own)].append(number)
        else:
            waiting.append(number)  # a root
    while waiting:  # roots first, turned around at the end
        number = waiting.pop()
        found.append((order[number], later[number]))
        waiting += below[number]
    return found[::-1]


def _neighbours(design: Design) -> list[set[int]]:
    """Effects that share a row, those of a term's copy together: T mixes them."""
    found: list[set[int]] = [set() for _ in range(design.effects)]
    copies = np.stack([term.index[:, 0] // term.q for term in design.terms], axis=1)
    widths = [np.arange(term.q) for term in design.terms]
    own = [design.starts[t] + copies[:, [t]] * len(w) + w for t, w in enumerate(widths)]
    for t, width in enumerate(widths):  # copies without rows
        whole = np.arange(design.starts[t], design.starts[t + 1]).reshape(-1, len(width))
        for together in whole.tolist() if len(width) > 1 else ():
            for effect in together:
                found[effect].update(together)
    for row in np.unique(np.concatenate(own, axis=1), axis=0).tolist():
        together = set(row)
        for effect in together:
            found[effect] |= together
    for effect, own in enumerate(found):
        own.discard(effect)
    return found
