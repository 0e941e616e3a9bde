"""Outcomes in which some items are broken on purpose, and what a screen makes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.items.lists import KEY
from capability_transfer.analysis.items.screen import THRESHOLD, screen
from scipy.special import expit


@dataclass(frozen=True)
class World:
    """A design and its truth; SDs in log-odds, by default about those of the study.

    Attributes:
        models: number of variants.
        languages: number of languages.
        templates: number of templates.
        answers: of a variant to a template in a language.
        share: of items that are broken.
        effect: of a broken item, log-odds.
        together: in how many languages a broken template is broken.
        ordinary: SD of the effects of ordinary items.
        template: SD of the templates' easiness.
        cell: SD of single cells.
        present: share of the cells that are there.
    """

    models: int = 46
    languages: int = 15
    templates: int = 100
    answers: int = 20
    share: float = 0.02
    effect: float = -4.0
    together: int = 1
    ordinary: float = 0.4
    template: float = 1.3
    cell: float = 0.8
    present: float = 1.0


def simulate(world: World, random: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cells of a world (variant, language, template, n_correct, n_total), and its broken items."""
    shape = (world.models, world.languages, world.templates)
    ability = 0.9 + random.normal(0, 2.0, (world.models, 1)) + random.normal(0, 0.9, shape[1])
    ability = ability + random.normal(0, 0.6, shape[:2])
    item = random.normal(0, world.template, shape[2])
    item = item + random.normal(0, world.ordinary, shape[1:])
    number = round(world.share * world.languages * world.templates / world.together)
    broken = np.zeros(shape[1:], dtype=bool)
    for template in random.choice(world.templates, number, replace=number > world.templates):
        free = np.flatnonzero(~broken[:, template])
        broken[random.choice(free, min(world.together, len(free)), replace=False), template] = True
    item = item + world.effect * broken
    chance = expit(ability[..., None] + item + random.normal(0, world.cell, shape))
    correct = random.binomial(world.answers, chance)
    kept = random.random(shape) < world.present
    variant, language, template = np.nonzero(kept)
    cells = pd.DataFrame(
        {
            "variant": pd.Categorical.from_codes(variant, _names("model", shape[0])),
            "language": pd.Categorical.from_codes(language, _names("l", shape[1])),
            "template": pd.Categorical.from_codes(template, _names("t", shape[2])),
            "n_correct": correct[kept],
            "n_total": world.answers,
        }
    )
    at = np.nonzero(broken)
    names = [np.array(_names(letter, size)) for letter, size in zip("lt", shape[1:], strict=True)]
    truth = {key: names[axis][at[axis]] for axis, key in enumerate(KEY)}
    return cells, pd.DataFrame(truth)


def _names(stem: str, size: int) -> list[str]:
    return [f"{stem}{number:0{len(str(size))}d}" for number in range(size)]


def outcome(world: World, seed: int, threshold: float = THRESHOLD) -> dict[str, float]:
    """What a screen of one simulated world finds.

    Returns broken (items that are), flagged, found (both), promised (the share of ordinary ones
    expected among the flagged, times the flagged), log_odds_error (mean of effect less truth over
    broken items that are found).
    """
    cells, truth = simulate(world, np.random.default_rng(seed))
    items = screen(cells, threshold).items
    real = pd.MultiIndex.from_frame(items[KEY]).isin(pd.MultiIndex.from_frame(truth))
    flagged = items["flagged"].to_numpy(dtype=bool)
    both = real & flagged
    return {
        "broken": int(real.sum()),
        "flagged": int(flagged.sum()),
        "found": int(both.sum()),
        "promised": float((1 - items["broken"][flagged]).sum()),
        "log_odds_error": float((items["effect"][both] - world.effect).mean()),
    }
