"""A model on its data: the likelihood anywhere, its maximum, and refits with other counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.diagnostics import check_outcomes, column_hashes
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.laplace import probes
from capability_transfer.analysis.glmm.laplace.design import Design, build
from capability_transfer.analysis.glmm.laplace.kernels import Kernel
from capability_transfer.analysis.glmm.laplace.likelihood import (
    DECREMENT,
    Counts,
    Likelihood,
    Modes,
)
from capability_transfer.analysis.glmm.laplace.optimise import (
    Objective,
    Optimum,
    Point,
    first_step,
    initial_information,
    maximise,
    newton_step,
    same_units,
)
from capability_transfer.analysis.glmm.laplace.ordering import eliminate
from capability_transfer.analysis.glmm.laplace.quadrature import Quadrature
from capability_transfer.analysis.glmm.laplace.rows import RowSystem
from capability_transfer.analysis.glmm.laplace.scalar import KEPT, ScalarSystem, suits
from capability_transfer.analysis.glmm.laplace.schur import SchurSystem
from capability_transfer.analysis.glmm.laplace.sparse import SparseSystem
from capability_transfer.analysis.glmm.laplace.start import (
    SMALLEST_SD,
    cold_start,
    start_at,
    working_information,
)
from capability_transfer.analysis.glmm.laplace.starts import AUTOMATIC, is_clear, spread
from capability_transfer.analysis.glmm.laplace.warmstart import WarmStart
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.glmm.separation import (
    Separation,
    find_separation,
    refuse_complete,
)
from capability_transfer.common.errors import InputError
from scipy.special import gammaln
from threadpoolctl import ThreadpoolController

MOST_POINTS = 100  # of quadrature
CERTAIN = 20.0  # log-odds from 0 at which an outcome is as good as certain
SMALL = 1_500  # effects for which dense algebra is quick whatever the fill
SPARSE_WORK = 3e7  # multiplications of a sparse factorisation that is tried unless asked for
MANY = 400  # effects above which it pays to compute their sums sparsely
DENSE = 1 / 30_000  # multiplications of a sparse factorisation that take as long as a dense one's
HIGHER = 1e-4  # log-likelihood by which another optimum is higher, and not the same
SHORT = 25  # iterations of a further search: one that leads higher shows it by then
MODES = 1e-4  # decrement of the modes, of that of a search by gradients alone
ROUGH = 1e-3  # gradient, in log-likelihood per standard error, at which further searches end

Progress = Callable[[str, int, float], None]
Starts = int | Sequence[WarmStart | Fit] | None


@dataclass(frozen=True)
class Settings:
    """Settings of the Laplace engine.

    Attributes:
        quadrature: nodes of adaptive Gauss–Hermite quadrature, for a model with one random effect
            per group; 1 is Laplace's approximation (lme4's nAGQ).
        tolerance: largest gradient allowed at the end, in log-likelihood per standard error.
        hessian: ``exact`` standard errors allow for the SDs being estimated; ``working`` ones
            take them as known (lme4's RX-based) and save most of a warm refit's time.
        max_iterations: of the quasi-Newton method.
        sparse_work: multiplications of a sparse factorisation up to which it is used, where the
            effects that are left when the largest term is eliminated are ``SMALL`` or more; a
            design that fills up beyond it has dense algebra. None: ``SPARSE_WORK``, or less where
            a dense factor is then quicker.
    """

    tolerance: float = 1e-6
    hessian: str = "exact"
    max_iterations: int = 300
    sparse_work: float | None = None
    quadrature: int = 1

    def __post_init__(self):
        if isinstance(self.quadrature, bool) or self.quadrature not in range(1, MOST_POINTS + 1):
            raise InputError(
                f"nAGQ is a whole number from 1 (Laplace's approximation) to {MOST_POINTS}, not "
                f"{self.quadrature!r}"
            )
        if self.hessian not in ("exact", "working"):
            raise InputError(f"hessian is 'exact' or 'working', not {self.hessian!r}")


DEFAULT = Settings()


class Model:
    """A binomial GLMM with logit link on its data.

    Args:
        formula: lme4 syntax.
        data: one row per cell or instance.
        structured: further random terms, with given correlations between their levels.
        settings: how to fit.
        floor: of the probability of success (``Formula.with_floor``); by default the formula's.

    Raises InputError for data or terms that cannot be fitted.
    """

    def __init__(
        self,
        formula: Formula | str,
        data: pd.DataFrame,
        structured: Sequence[Kernel] = (),
        settings: Settings = DEFAULT,
        floor: str | float | None = None,
    ):
        formula = parse(formula) if isinstance(formula, str) else formula
        self.formula = formula if floor is None else formula.with_floor(floor)
        self.settings = settings
        with one_thread():
            self.formula.check(data)
            success, trials = self.formula.counts(data)
            check_outcomes(success, trials)
            self.columns = column_hashes(self.formula, data)
            self.design = build(self.formula, data, structured, settings.quadrature == 1)
            self.system = _system(self.design)
            if self.system is None:  # large: without a grid, elimination may leave little fill
                flat = self.design
                if flat.layout.factor is not None:
                    flat = build(self.formula, data, structured, grid=False)
                scalar = suits(flat)
                budget = settings.sparse_work
                if budget is None:
                    dense = _rest(flat) ** 3 * DENSE if scalar else np.inf
                    budget = min(SPARSE_WORK, dense)
                elimination = eliminate(flat, budget)
                if elimination is not None:
                    self.design, self.system = flat, SparseSystem(flat, elimination)
                elif scalar:
                    self.design, self.system = flat, ScalarSystem(flat)
                else:
                    self.system = SchurSystem(self.design)
            self._take(success, trials)

    def _take(self, success: np.ndarray, trials: np.ndarray) -> None:
        self.success, self.trials = success, trials
        layout = self.design.layout
        units, columns = self.design.shape
        cell = layout.unit * columns + layout.column
        size = units * columns
        counts = Counts(
            np.bincount(cell, success, size).reshape(units, columns),
            np.bincount(cell, trials, size).reshape(units, columns),
        )
        points = self.settings.quadrature
        self.likelihood = (
            Likelihood(self.design, counts, self.system) if points == 1
            else Quadrature(self.design, counts, self.system, points)
        )  # fmt: skip
        self.rough = None
        if isinstance(self.system, ScalarSystem):
            if probes.pays(self.system):
                self.rough = Likelihood(self.design, counts, probes.ProbedSystem(self.system))
            else:
                self.system.direct = self.system.size <= KEPT
        self._last: Modes | None = None
        self._separation: tuple[Separation | None] | None = None  # not sought yet

    def refit(
        self,
        successes: np.ndarray,
        trials: np.ndarray | None = None,
        settings: Settings | None = None,
    ) -> Model:
        """The same model of other counts (one per row of the data), its structure shared.

        Rows without trials are as good as left out: a level that has no others keeps effect zero.
        ``settings`` say how to search from here on, if not as before.
        """
        success = np.asarray(successes, dtype=float)
        trials = self.trials if trials is None else np.asarray(trials, dtype=float)
        if success.shape != self.success.shape or trials.shape != self.trials.shape:
            raise InputError(
                f"a refit needs counts for {len(self.success)} rows, not {len(success)}"
            )
        if not ((success >= 0) & (success <= trials)).all():
            raise InputError("a refit's successes must lie between 0 and the trials of their row")
        check_outcomes(success, trials)
        other = copy(self)
        if settings is not None:
            other.settings = settings
        other._take(success, trials)
        return other

    @property
    def separation(self) -> Separation | None:
        """What of the fixed part foretells outcomes without error, so that there is no maximum."""
        if self._separation is None:
            counts, design = self.likelihood.counts, self.design
            success, trials = counts.successes.sum(axis=1), counts.trials.sum(axis=1)
            if design.floor is not None:  # right no more often than by guessing: never too low
                guessed = counts.successes <= counts.trials * design.floor
                success = np.where(guessed.all(axis=1), 0.0, success)
            self._separation = (
                find_separation(design.fixed, design.unscale, design.names, success, trials),
            )
        return self._separation[0]

    @property
    def constant(self) -> float:
        """Σ log of the counts' binomial coefficients."""
        return log_choose(self.trials, self.success)

    @property
    def rows_per_cell(self) -> np.ndarray:
        """The number of rows of every cell, units × columns."""
        layout, (units, columns) = self.design.layout, self.design.shape
        cell = layout.unit * columns + layout.column
        return np.bincount(cell, minlength=units * columns).reshape(units, columns)

    @property
    def theta_names(self) -> list[str]:
        """Names of θ: per term the lower triangle of T by column, in lme4's names."""
        return [name for term in self.design.terms for name in term.theta_names()]

    def log_likelihood(self, theta: np.ndarray, beta: np.ndarray) -> float:
        """The Laplace log-likelihood, binomial coefficients included, as lme4's at nAGQ = 1.

        ``theta`` is in the order of ``theta_names`` (formula terms in their order, then kernels),
        ``beta`` in that of the fixed-effect columns; both on the data's own scale (log-odds).
        """
        with one_thread():
            return self._modes(theta, beta).value + self.constant

    def gradient(self, theta: np.ndarray, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """∂/∂θ and ∂/∂β of the Laplace log-likelihood."""
        with one_thread():
            for_gamma, for_theta = self.likelihood.gradient(self._modes(theta, beta))
            unscale = np.linalg.inv(self.design.unscale)
            return for_theta * self.design.theta_scale, unscale.T @ for_gamma

    def _modes(self, theta: np.ndarray, beta: np.ndarray) -> Modes:
        gamma = np.linalg.solve(self.design.unscale, np.asarray(beta, dtype=float))
        scaled = np.asarray(theta, dtype=float) * self.design.theta_scale
        near = self._last
        if near is not None and not (
            np.allclose(near.gamma, gamma, atol=0.1) and np.allclose(near.theta, scaled, atol=0.1)
        ):
            near = None
        self._last = self.likelihood.modes(gamma, scaled, near)
        return self._last

    def optimise(
        self,
        start: WarmStart | Fit | Optimum | None = None,
        progress: Progress | None = None,
        starts: Starts = None,
    ) -> Optimum:
        """Maximise the likelihood, from nothing or from where another fit ended.

        An ``Optimum`` to start from must be one of this design, as ``refit`` shares it.
        ``starts`` is how many starts there are in all, or further ones to begin from; by default
        there is one, and ``AUTOMATIC`` if a fit from nothing does not end at a clear peak.

        Raises InputError where the covariates foretell every outcome (``separation``), and where
        the modes cannot be found or the information has no inverse.
        """
        refuse_complete(self.separation)
        if isinstance(starts, int) and starts < 1:
            raise InputError(f"a fit needs one start or more, not {starts}")
        first = self._optimise_from(start, progress)
        if starts is None:
            clear = start is not None or is_clear(self.design, first)
            starts = 1 if clear else AUTOMATIC
        if isinstance(starts, int):
            others = spread(self.design, starts - 1) if starts > 1 else []
        else:
            others = list(starts)
        return self._best(first, others, progress)

    def probability(self, optimum: Optimum) -> np.ndarray:
        """The probability of success of every row at an optimum's modes, rows without trials too.

        Effects of levels without trials are zero there.
        """
        layout = self.design.layout
        return optimum.point.modes.cells.probability[layout.unit, layout.column]

    def foretold(self, optimum: Optimum) -> np.ndarray:
        """As ``probability``, at the end of a Newton step from an optimum of a loose tolerance."""
        layout, fixed = self.design.layout, len(self.design.names)
        with one_thread():
            phi = newton_step(optimum, optimum.point.gradient)
            modes = self.likelihood.follow(phi[:fixed], phi[fixed:], optimum.point.modes)
        return modes.cells.probability[layout.unit, layout.column]

    def _best(
        self,
        first: Optimum,
        starts: Sequence[WarmStart | Fit | np.ndarray],
        progress: Progress | None,
    ) -> Optimum:
        """The highest of an optimum and those that further starts lead to, if clearly higher."""
        best, reached, evaluations = first, [first.point.value], first.evaluations
        for start in starts:
            try:
                rough = self._optimise_from(start, progress, exact=False)
            except InputError:  # there are no modes to begin from
                continue
            evaluations += rough.evaluations
            reached.append(rough.point.value)
            if rough.point.value > best.point.value + HIGHER:
                best = self._optimise_from(rough.point, progress, information=rough.information)
                evaluations += best.evaluations
                reached[-1] = best.point.value
        return replace(best, reached=tuple(reached), evaluations=evaluations)

    def _optimise_from(
        self,
        start: WarmStart | Fit | Optimum | np.ndarray | Point | None,
        progress: Progress | None,
        exact: bool = True,
        information: np.ndarray | None = None,
    ) -> Optimum:
        """Climb from one start; ``exact=False`` stops short of Newton's last steps."""
        settings = self.settings
        # the exact Hessian differences gradients, which needs modes to the last digit
        loose = settings.hessian == "working"
        decrement = MODES * settings.tolerance**2 if loose else DECREMENT
        objective, rough = Objective(self.likelihood, decrement), None
        if self.rough is not None:
            rough = Objective(self.rough, decrement, probes.NOISE)
        with one_thread():
            try:
                if information is None:
                    point, information = self._begin(rough or objective, start)
                else:
                    point = start if rough is None else rough.at(start.phi, start.modes)
                return maximise(
                    objective,
                    point,
                    information,
                    exact=exact and settings.hessian == "exact",
                    tolerance=settings.tolerance if exact else ROUGH,
                    max_iterations=settings.max_iterations if exact else SHORT,
                    progress=self._reporter(progress),
                    rough=rough,
                )
            except (FloatingPointError, np.linalg.LinAlgError) as error:
                raise InputError(f"the fit cannot be computed: {error}{self._why()}") from error

    def _why(self) -> str:
        """What may be the matter with data that cannot be fitted, and what to do."""
        told = "" if self.separation is None else f". {self.separation.sentence()}"
        if (far := np.abs(self.design.offset).max(initial=0)) > CERTAIN:
            told += (
                f". The offset is up to {far:,.0f} log-odds from 0, where outcomes are as good as "
                "certain: an offset is in log-odds, as log(odds); another quantity is a covariate"
            )
        return told

    def _begin(
        self, objective: Objective, start: WarmStart | Fit | Optimum | np.ndarray | None
    ) -> tuple[Point, np.ndarray]:
        """The first point and the information about the parameters there."""
        likelihood, design = objective.likelihood, self.design
        if isinstance(start, Optimum):
            if start.free.all() and same_units(likelihood, start):
                try:
                    point = objective.at(*first_step(objective, start))
                except FloatingPointError:  # it leads nowhere
                    point = objective.at(start.point.phi, start.point.modes)
                return point, start.information
            phi = start.point.phi.copy()
            held = ~start.free[objective.fixed :]
            phi[objective.fixed :][held] = self._off_zero(phi[objective.fixed :])[held]
            point = objective.at(phi, start.point.modes)
            return point, initial_information(objective, point, start.information)
        if start is None or isinstance(start, np.ndarray):
            gamma, theta, u, for_gamma = (
                cold_start(likelihood) if start is None else start_at(likelihood, start)
            )
            point = objective.at(np.concatenate([gamma, theta]), u=u)
            return point, initial_information(objective, point, for_gamma)
        warm = WarmStart.of(start) if isinstance(start, Fit) else start
        gamma = np.linalg.solve(design.unscale, warm.beta(design))
        blocks = [warm.block(term) for term in design.terms]
        theta = np.concatenate(
            [term.theta(block) for term, block in zip(design.terms, blocks, strict=True)]
        )
        point = objective.at(np.concatenate([gamma, theta]), u=warm.effects(design, blocks))
        if warm.information is not None and tuple(warm.parameters) == design.parameter_names:
            back = self.to_natural()
            return point, initial_information(objective, point, back.T @ warm.information @ back)
        modes = point.modes
        for_gamma = working_information(likelihood, modes.cells.weight, modes.blocks, modes.factor)[
            2
        ]
        return point, initial_information(objective, point, for_gamma)

    def _off_zero(self, theta: np.ndarray) -> np.ndarray:
        """θ with every SD that is zero, or almost, at the least that a search can leave."""
        triangles = [term.triangle() for term in self.design.terms]
        diagonal = np.concatenate([rows == columns for rows, columns in triangles])
        return np.where(diagonal, np.maximum(theta, SMALLEST_SD), theta)

    def to_natural(self) -> np.ndarray:
        """The matrix that takes φ on the scaled columns to (β, θ) on the data's own scale."""
        fixed = len(self.design.names)
        out = np.zeros((fixed + self.design.parameters,) * 2)
        out[:fixed, :fixed] = self.design.unscale
        out[fixed:, fixed:] = np.diag(1 / self.design.theta_scale)
        return out

    def _reporter(self, progress: Progress | None):
        if progress is None:
            return None
        constant = self.constant
        return lambda evaluations, value: progress("optimise", evaluations, -2 * (value + constant))


def _fewer_rows(design: Design) -> bool:
    """Whether algebra in the space of rows is smaller than in that of the effects."""
    return design.shape[1] == 1 and design.shape[0] < _rest(design)


def _rest(design: Design) -> int:
    """The number of effects that are not eliminated."""
    return design.effects - design.terms[design.eliminated].size


def _system(design: Design) -> RowSystem | SchurSystem | ScalarSystem | None:
    """The algebra of a design whose size alone says which; None where its fill must be counted."""
    if _fewer_rows(design):
        return RowSystem(design)
    kernels = any(term.root is not None for term in design.terms)
    if _rest(design) >= SMALL and not kernels:
        return None
    large = _rest(design) >= MANY and design.layout.factor is None and suits(design)
    return ScalarSystem(design) if large else SchurSystem(design)


def log_choose(trials: np.ndarray, success: np.ndarray) -> float:
    """Σ log of the binomial coefficients of counts."""
    top = int(trials.max(initial=0))
    if top > 1_000_000:
        terms = gammaln(trials + 1) - gammaln(success + 1) - gammaln(trials - success + 1)
        return float(terms.sum())
    factorial = gammaln(np.arange(top + 1) + 1.0)
    n, k = trials.astype(np.intp), success.astype(np.intp)
    return float((factorial[n] - factorial[k] - factorial[n - k]).sum())


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_thread():
    """BLAS on one thread: its matrices are small here, and refits run side by side."""
    with _threads().limit(limits=1, user_api="blas"):
        yield
