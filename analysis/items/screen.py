"""Find the items that behave otherwise in one language than everywhere else.

The model of an answer is additive on the log-odds: the model variant's ability in the language plus
the easiness of the template in the language. The latter is the template's easiness everywhere plus
an *effect* of this language, and effects come from two kinds of items: ordinary ones, whose effects
are normal with a small standard deviation, and broken ones, whose effects are normal with a large
one. Maximum likelihood by an EM algorithm, in which every sum over cells is one over whole arrays:
its cost is linear in the cells. ``docs/statistics.md`` argues for it.

An item's ordinary value is what the *other* languages say of the template, so a broken item neither
hides itself nor, since it then counts less there, makes its siblings look odd.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
import pandas as pd
from capability_transfer.analysis.items.crossed import FEWEST, Block, Crossed
from capability_transfer.analysis.items.mantel_haenszel import mantel_haenszel
from capability_transfer.common.errors import InputError, option
from scipy.special import expit

THRESHOLD = 0.95
"""Probability of being broken from which on an item is flagged."""

ABILITY_SD = 5.0
"""Log-odds; what keeps a pair that is all right or all wrong finite, and no other."""

ROUNDS, INNER = 60, 25
LEAST = 6
"""Rounds at least: an effect of −8 takes some Newton steps."""

LEARN_FROM = 4000
"""Templates by which, where there are many more, abilities and the mixture are begun."""

TOLERANCE = 1e-3
LONGEST_STEP = 2.0
WALD = 1.959964
STRONG = 0.25
"""The share of variants that count as strong ones."""

LEAST_BROKEN_SD = 1.0
LARGEST_SHARE = 0.3


@dataclass(frozen=True)
class Spread:
    """How items differ: the parameters of the mixture. SDs are in log-odds.

    Attributes:
        ordinary: SD of the effects of ordinary items.
        broken: SD of the effects of broken items.
        share: of items that are broken.
        template: SD of the templates' easiness.
        within: correlation of two answers of one cell, given the cell's expected accuracy.
    """

    ordinary: float = 0.5
    broken: float = 3.0
    share: float = 0.02
    template: float = 1.3
    within: float = 0.0

    def differs(self, other: Spread) -> bool:
        """Whether any parameter is more than the tolerance apart."""
        return any(abs(vars(self)[name] - vars(other)[name]) > TOLERANCE for name in vars(self))


@dataclass(frozen=True, eq=False)
class Screen:
    """What a screen found.

    Attributes:
        items: one row per language and template: language, template, effect, std_error, expected,
            observed, broken, flagged, conf_low, conf_high, models, answers, strong_expected,
            strong_observed, strong_failing, slope, slope_std_error, mh_log_odds, mh_p_value.
        spread: the parameters.
        rounds: of the algorithm.
        converged: whether it ended by its tolerance.
        unscreened: templates that are in too few languages; their items have no effect.
    """

    items: pd.DataFrame
    spread: Spread
    rounds: int
    converged: bool
    unscreened: tuple[str, ...]


@dataclass(eq=False)
class _State:
    """Current values: abilities (language × variant) and, language × template, everything else.

    ``modes``, ``errors`` and ``heights`` have a first axis of two, ordinary and broken: the
    likelihood of an item's easiness near its most probable value under that kind is taken for
    ``exp(height)`` times a normal density with this ``pseudo`` value and variance ``errors``.
    """

    ability: np.ndarray
    modes: np.ndarray
    pseudo: np.ndarray
    errors: np.ndarray
    heights: np.ndarray
    centre: np.ndarray
    doubt: np.ndarray
    broken: np.ndarray


def screen(cells: pd.DataFrame, threshold: float = THRESHOLD) -> Screen:
    """Screen every template in every language.

    Args:
        cells: variant, language, template, n_correct, n_total; not every variant need have
            answered every template.
        threshold: the probability of being broken from which on an item is flagged; of the flagged
            ones at most a share of 1 − ``threshold`` is expected to be ordinary.

    Returns a ``Screen``. ``effect`` (log-odds, negative: harder here than elsewhere) is the mean
    of what is likely given the data, ``std_error`` its SD, ``expected`` and ``observed`` are
    accuracies (0 to 1). ``slope`` is how much an item gains by a model's ability, 1 as
    elsewhere, 0 not at all.

    Raises InputError for fewer than three languages, two variants or two templates, and for a
    threshold outside 0.5 to 1.
    """
    if not isinstance(threshold, Real) or not 0.5 <= threshold < 1:
        raise InputError(
            f"{option('threshold', threshold)} is a probability from 0.5 to below 1", (),
            "threshold",
        )  # fmt: skip
    crossed = Crossed.of(cells)
    there = np.zeros((len(crossed.languages), len(crossed.templates)), dtype=bool)
    for place, block in crossed:
        there[place, block.items] = True
    able = there & (there.sum(axis=0) >= FEWEST)
    spread, state = Spread(), _start(crossed)
    if (step := able.any(axis=0).sum() // LEARN_FROM) > 1:
        part = able & (np.arange(able.shape[1]) % step == 0)
        spread, learned, _, _ = _fitted(crossed.thinned(step), _start(crossed), spread, part)
        state.ability = learned.ability
    spread, state, rounds, converged = _fitted(crossed, state, spread, able)
    items = _described(crossed, state, spread, able, threshold)
    lost = tuple(crossed.templates[there.any(axis=0) & ~able.any(axis=0)].astype(str))
    return Screen(items, spread, rounds, converged, lost)


def _fitted(
    crossed: Crossed, state: _State, spread: Spread, able: np.ndarray
) -> tuple[Spread, _State, int, bool]:
    """The algorithm from a start; with the number of its rounds, and whether it ended by itself."""
    for rounds in range(1, ROUNDS + 1):
        before = spread
        residual = _over_cells(crossed, state, spread)
        spread = replace(spread, within=_within(residual, spread, state, able))
        spread = _mixture(state, spread, able)
        if rounds >= LEAST and not spread.differs(before):
            return spread, state, rounds, True
    return spread, state, ROUNDS, False


def effective(block: Block, within: float) -> tuple[np.ndarray, np.ndarray]:
    """Correct and all answers of cells, counted as independent ones (Williams 1982)."""
    shrink = 1 / (1 + (block.total - 1.0) * within)
    return block.correct * shrink, block.total * shrink


def _start(crossed: Crossed) -> _State:
    ability = np.zeros((len(crossed.languages), len(crossed.variants)))
    for place, block in crossed:
        right, all_ = block.by_variant(block.correct), block.by_variant(block.total)
        ability[place] = np.log((right + 0.5) / (all_ - right + 0.5))
    shape = crossed.empty().shape
    pair = (2, *shape)
    return _State(
        ability, np.zeros(pair), np.zeros(pair), np.ones(pair), np.zeros(pair),
        np.zeros(shape), np.ones(shape), np.full(shape, Spread.share),
    )  # fmt: skip


def _over_cells(crossed: Crossed, state: _State, spread: Spread) -> np.ndarray:
    """One Newton step of every item and every ability; returns what is left over, for ``within``.

    Three sums over all cells: squared residuals, binomial variances, and the latter times one less
    than the cell's answers; and the number of cells and of abilities.
    """
    left = np.zeros(5)
    for place, block in crossed:
        right, all_ = effective(block, spread.within)
        at = (place, block.items)
        base = state.ability[place][block.variant]
        for kind, sd in enumerate((spread.ordinary, spread.broken)):
            prior = sd**2 + state.doubt[at]
            mode = state.modes[kind][at]
            total = base + mode[block.item]
            chance = expit(total)
            slope = block.by_item(right - all_ * chance)
            bend = np.maximum(block.by_item(all_ * chance * (1 - chance)), 1e-9)
            height = block.by_item(right * total - all_ * np.logaddexp(0, total))
            state.pseudo[kind][at] = mode + slope / bend
            state.errors[kind][at] = 1 / bend
            # of exp(height) N(pseudo | mode, 1 / bend), whose height at the mode is the likelihood
            state.heights[kind][at] = height + slope**2 / bend / 2 - np.log(bend) / 2
            step = (slope - (mode - state.centre[at]) / prior) / (bend + 1 / prior)
            state.modes[kind][at] = mode + np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        left += _abilities(block, state, spread, place, right, all_)
    return left


def _easiness(state: _State, at: tuple) -> np.ndarray:
    """The items' easiness, over both kinds."""
    broken = state.broken[at]
    return (1 - broken) * state.modes[0][at] + broken * state.modes[1][at]


def _abilities(
    block: Block, state: _State, spread: Spread, place: int, right: np.ndarray, all_: np.ndarray
) -> np.ndarray:
    """A Newton step of a language's abilities, after what its ordinary items have in common.

    Returns what is left over before it, see ``_over_cells``.
    """
    at = (place, block.items)
    weight = (1 - state.broken[at]) / (spread.ordinary**2 + state.doubt[at] + state.errors[0][at])
    common = np.average(state.pseudo[0][at] - state.centre[at], weights=weight)
    common = float(np.clip(common, -LONGEST_STEP, LONGEST_STEP))
    state.ability[place] += common
    state.modes[:, place] -= common
    state.pseudo[:, place] -= common
    ability = state.ability[place]
    chance = expit(ability[block.variant] + _easiness(state, at)[block.item])
    variance = chance * (1 - chance)
    slope = block.by_variant(right - all_ * chance)
    bend = block.by_variant(all_ * variance)
    seen = bend > 0
    pull = np.where(seen, (ability - ability[seen].mean()) / ABILITY_SD**2, 0)
    step = (slope - pull) / (bend + 1 / ABILITY_SD**2)
    ability += np.clip(step, -LONGEST_STEP, LONGEST_STEP)
    squares = ((block.correct - block.total * chance) ** 2).sum()
    variance = variance * block.total
    repeated = (variance * (block.total - 1.0)).sum()
    return np.array([squares, variance.sum(), repeated, len(block.total), seen.sum()])


def _within(left: np.ndarray, spread: Spread, state: _State, able: np.ndarray) -> float:
    """The correlation within cells by moments; 0 where every cell is one answer."""
    squares, variance, repeated, cells, abilities = left
    if repeated < 1e-9:
        return 0.0
    prior = spread.ordinary**2
    fitted = abilities + (prior / (prior + state.errors[0][able])).sum()
    squares *= cells / max(cells - fitted, 1.0)
    return float(np.clip((squares - variance) / repeated, 0.0, 0.95))


def _mixture(state: _State, spread: Spread, able: np.ndarray) -> Spread:
    """EM for the mixture, given each item's likelihood; sets centre, doubt and broken."""
    y, e = np.where(able, state.pseudo, 0.0), np.where(able, state.errors, 1.0)
    broken = state.broken
    for _ in range(INNER):
        sds = np.array([spread.ordinary, spread.broken])
        variances = sds[:, None, None] ** 2 + e
        weights = np.stack([1 - broken, broken]) * able / variances
        weight, value = weights.sum(axis=0), (weights * y).sum(axis=0)
        all_weight = weight.sum(axis=0) + 1 / spread.template**2
        all_value = value.sum(axis=0)
        doubt = 1 / (all_weight - weight)
        centre = (all_value - value) * doubt
        total = variances + doubt
        gap = y - centre
        logs = state.heights - (gap**2 / total + np.log(total)) / 2
        broken = expit(logs[1] - logs[0] + np.log(spread.share / (1 - spread.share)))
        kinds = np.stack([1 - broken, broken]) * able
        kept = sds[:, None, None] ** 2 / total
        squares = (kept * gap) ** 2 + sds[:, None, None] ** 2 * (1 - kept)
        second = (kinds * squares).sum(axis=(1, 2)) / np.maximum(kinds.sum(axis=(1, 2)), 1e-9)
        easiness = (all_value / all_weight) ** 2 + 1 / all_weight
        spread = replace(
            spread,
            ordinary=float(max(np.sqrt(second[0]), 0.01)),
            broken=float(max(np.sqrt(second[1]), LEAST_BROKEN_SD, 2 * np.sqrt(second[0]))),
            share=float(np.clip(broken[able].mean(), 0.5 / able.sum(), LARGEST_SHARE)),
            template=float(np.sqrt(easiness[able.any(axis=0)].mean())),
        )
    state.centre, state.doubt = centre, doubt
    state.broken = np.where(able, broken, 0.0)
    return spread


def _described(
    crossed: Crossed, state: _State, spread: Spread, able: np.ndarray, threshold: float
) -> pd.DataFrame:
    """The table of items."""
    columns = {name: crossed.empty() for name in DESCRIBED}
    strength = np.nanmean(state.ability - state.ability.mean(axis=1, keepdims=True), axis=0)
    strong = strength >= np.quantile(strength, 1 - STRONG)
    for place, block in crossed:
        at = (place, block.items)
        for name, values in _of_items(block, state, spread, place, strong).items():
            columns[name][at] = values
    sds = np.array([spread.ordinary, spread.broken])[:, None, None]
    total = sds**2 + state.errors + state.doubt
    kept = sds**2 / total
    means, variances = kept * (state.pseudo - state.centre), sds**2 * (1 - kept)
    kinds = np.stack([1 - state.broken, state.broken])
    effect = (kinds * means).sum(axis=0)
    error = np.sqrt((kinds * (variances + means**2)).sum(axis=0) - effect**2)
    columns |= {
        "effect": effect, "std_error": error, "broken": state.broken,
        "conf_low": effect - WALD * error, "conf_high": effect + WALD * error,
    }  # fmt: skip
    columns |= mantel_haenszel(crossed, spread.within)
    language, template = np.nonzero(~np.isnan(columns["observed"]))
    known = able[language, template]
    table = pd.DataFrame(
        {"language": crossed.languages[language], "template": crossed.templates[template]}
    )
    for name in ORDER:
        if name == "flagged":
            table[name] = known & (state.broken[language, template] >= threshold)
        else:
            values = columns[name][language, template]
            table[name] = np.where(known, values, np.nan) if name in OF_MODEL else values
    return table.astype({"models": int, "answers": int})


DESCRIBED = (
    "expected", "observed", "models", "answers", "strong_expected", "strong_observed",
    "strong_failing", "slope", "slope_std_error",
)  # fmt: skip
ORDER = (
    "effect", "std_error", "expected", "observed", "broken", "flagged", "conf_low", "conf_high",
    *DESCRIBED[2:], "mh_log_odds", "mh_p_value",
)  # fmt: skip
OF_MODEL = {"effect", "std_error", "expected", "broken", "conf_low", "conf_high",
            "strong_expected", "strong_failing"}  # fmt: skip
"""What an item in too few languages does not have."""


def _of_items(
    block: Block, state: _State, spread: Spread, place: int, strong: np.ndarray
) -> dict[str, np.ndarray]:
    """What the cells of one language say of its items."""
    at = (place, block.items)
    ability = state.ability[place][block.variant]
    usual = expit(ability + state.centre[at][block.item])
    answers = block.by_item(block.total.astype(float))
    found = {
        "expected": block.by_item(block.total * usual) / answers,
        "observed": block.by_item(block.correct.astype(float)) / answers,
        "models": block.by_item(np.ones_like(usual)),
        "answers": answers,
    }
    able = np.where(strong[block.variant], 1.0, 0.0)
    with np.errstate(invalid="ignore"):  # an item that no strong variant has answered
        asked = block.by_item(able * block.total)
        found["strong_expected"] = block.by_item(able * block.total * usual) / asked
        found["strong_observed"] = block.by_item(able * block.correct) / asked
        failing = able * (block.correct < block.total * usual / 2)
        found["strong_failing"] = block.by_item(failing) / block.by_item(able)
    return found | _slopes(block, state, spread, place)


def _slopes(block: Block, state: _State, spread: Spread, place: int) -> dict[str, np.ndarray]:
    """The slope of each item on ability, and its SD, by Newton from 1 with a prior N(1, 1)."""
    right, all_ = effective(block, spread.within)
    ability = state.ability[place][block.variant]
    usual = block.by_item(all_ * ability) / block.by_item(all_)
    x = ability - usual[block.item]
    easiness = _easiness(state, (place, block.items)) + usual
    slope = np.ones(len(block.items))
    prior = spread.broken**2
    for _ in range(8):
        chance = expit(easiness[block.item] + slope[block.item] * x)
        rest, bend = right - all_ * chance, all_ * chance * (1 - chance)
        first = block.by_item(rest)
        second = block.by_item(rest * x) - (slope - 1)
        a, b = block.by_item(bend) + 1 / prior, block.by_item(bend * x)
        d = block.by_item(bend * x**2) + 1
        determinant = a * d - b**2
        easiness = easiness + np.clip((d * first - b * second) / determinant, -1, 1)
        slope = slope + np.clip((a * second - b * first) / determinant, -1, 1)
    return {"slope": slope, "slope_std_error": np.sqrt(a / determinant)}
