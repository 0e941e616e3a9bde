"""Separation of the fixed part: combinations of covariates that tell outcomes apart too well.

If some direction d has x'd ≥ 0 in every row with a success and x'd ≤ 0 in every row with a failure,
not zero throughout, the likelihood rises all the way along it and the estimates that it moves are
infinite (Albert & Anderson 1984). That holds whatever the random effects are: every conditional
likelihood rises along d, and so does their integral. Levels of a grouping factor that are all right
or all wrong are not meant; the random effects' distribution holds those back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from capability_transfer.common.errors import InputError, name_some
from scipy import sparse
from scipy.linalg import qr
from scipy.optimize import linprog

ROWS = 1_000  # that a program looks at first, and how many more it takes at a time
PART = 100_000  # rows that are copied at a time
NOTHING = 1e-7  # of the largest


@dataclass(frozen=True)
class Separation:
    """A separated fixed part.

    Attributes:
        columns: those whose estimates are infinite; ``upwards`` says which go to +∞.
        complete: whether no row is left that both outcomes share: every outcome is foretold.
        share: of the trials, those whose outcomes the separating direction foretells.
    """

    columns: tuple[str, ...]
    upwards: tuple[bool, ...]
    complete: bool
    share: float

    def sentence(self) -> str:
        """What is wrong, and the ways on."""
        signs = ["+∞" if up else "−∞" for up in self.upwards]
        where = name_some(f"{c} ({s})" for c, s in zip(self.columns, signs, strict=True))
        kind = "every outcome" if self.complete else f"the outcomes of {self.share:.1%} of trials"
        return (
            f"separation: {where} foretell {kind} without error, so that the likelihood has no "
            "maximum and their estimates, standard errors and Wald tests mean nothing; leave the "
            "covariate out, merge the level with another, or add the data in which it errs"
        )


def find_separation(
    matrix: np.ndarray,
    unscale: np.ndarray,
    names: list[str],
    success: np.ndarray,
    trials: np.ndarray,
) -> Separation | None:
    """The columns that separate the outcomes, or None.

    Args:
        matrix: rows × columns, well scaled; ``unscale`` takes their coefficients to the data's.
        names: of the columns.
        success: counts of every row.
        trials: see ``success``.

    A linear program over the rows (Konis 2007). Rows with successes and failures must be at zero,
    which leaves few directions or none.
    """
    used = trials > 0
    if not used.all():
        matrix, success, trials = matrix[used], success[used], trials[used]
    mixed = (success > 0) & (success < trials)
    free = _null_space(matrix, mixed)
    if not free.shape[1]:
        return None
    sign = np.where(success > 0, 1.0, -1.0)[~mixed]
    rows = np.unique((matrix[~mixed] @ free) * sign[:, None], axis=0)
    direction = _separating(rows)
    if direction is None:
        return None
    beta = unscale @ (free @ direction)
    size = np.abs(beta) * _spread(matrix, unscale)
    moved = size > NOTHING * size.max()
    margins = ((matrix[~mixed] @ free) * sign[:, None]) @ direction
    foretold = margins > NOTHING * margins.max()
    return Separation(
        columns=tuple(name for name, moves in zip(names, moved, strict=True) if moves),
        upwards=tuple(bool(up) for up in (beta > 0)[moved]),
        complete=bool(foretold.all() and not mixed.any()),
        share=float(trials[~mixed][foretold].sum() / trials.sum()),
    )


def refuse_complete(found: Separation | None) -> None:
    """Raise InputError for outcomes that the covariates foretell in every row."""
    if found is not None and found.complete:
        raise InputError(f"the model cannot be fitted: {found.sentence()}")


def _null_space(matrix: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Directions (columns) that all of some rows take to zero."""
    gram = np.zeros((matrix.shape[1], matrix.shape[1]))
    for start in range(0, len(matrix), PART):  # a copy of all rows at once would be large
        part = slice(start, start + PART)
        some = matrix[part][rows[part]]
        gram += some.T @ some
    values, vectors = np.linalg.eigh(gram)
    return vectors[:, values <= 1e-10 * max(values.max(initial=0.0), 1.0)]


def _spread(matrix: np.ndarray, unscale: np.ndarray) -> np.ndarray:
    """The largest absolute value of every column on the data's own scale."""
    return np.abs(matrix @ np.linalg.inv(unscale)).max(axis=0)


def _separating(rows: np.ndarray) -> np.ndarray | None:
    """The direction with margins (rows times it) of 0 or more, positive wherever any such has.

    Programs see some of the rows. A direction that some do not allow, all do not allow: those that
    it violates come in. Rows that no direction allowed so far separates end the search once every
    other such row is a combination of them.
    """
    generator = np.random.default_rng(0)
    seen = np.zeros(len(rows), dtype=bool)
    seen[_spanning(rows)] = True
    seen[generator.permutation(len(rows))[:ROWS]] = True
    while True:
        direction = _program(rows[seen])
        margins = rows @ direction
        nothing = NOTHING * max(np.abs(margins).max(), 1.0)
        violated = np.flatnonzero(~seen & (margins < -nothing))
        if len(violated):
            seen[violated[np.argsort(margins[violated], kind="stable")[:ROWS]]] = True
            continue
        level = margins <= nothing
        if _rank(rows[level & seen]) == _rank(rows[level]):
            return None if level.all() else direction
        others = np.flatnonzero(level)
        seen[others[_spanning(rows[others])]] = True


def _spanning(rows: np.ndarray) -> np.ndarray:
    """Rows that all others are combinations of."""
    *_, order = qr(rows.T, mode="economic", pivoting=True)
    return order[: rows.shape[1]]


def _rank(rows: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(rows.T @ rows, hermitian=True)) if len(rows) else 0


def _program(rows: np.ndarray) -> np.ndarray:
    """The direction that puts most rows at a margin of 1 or more and none below 0.

    A row that any direction separates reaches 1: directions add up and have no bound.
    """
    count, size = rows.shape
    found = linprog(
        np.concatenate([np.zeros(size), -np.ones(count)]),
        A_ub=sparse.hstack([sparse.csr_array(-rows), sparse.eye_array(count)], format="csr"),
        b_ub=np.zeros(count),
        bounds=[(None, None)] * size + [(0, 1)] * count,
        method="highs",
    )
    if found.status != 0:
        raise FloatingPointError(f"the linear program for separation failed: {found.message}")
    return found.x[:size]
