"""Updating the prediction for a language after a few of its templates were evaluated.

Pair models predict accuracies over all templates. The item model describes how templates differ:
their easiness, learned in other languages, how much it shifts from language to language, and how
much cells vary beyond binomial noise. The first few cells of a language then update its prediction.
What those cells share by chance (these templates happen to be hard there) is not attributed to the
language.

For a cell of variant v of family f and template t in one language, with c the level of the pair:

    logit p = c_v + a_t + d_t + e_ft,   d_t ~ N(0, τ²),   e_ft ~ N(0, σ²),   Var(y) = φ n p (1 − p).

φ is that of a row with as many trials as the training rows: answers within a row are correlated
with ρ, and φ = 1 + (n − 1) ρ. A row of one trial is never overdispersed.

A template that is hard in a language for one family need not be hard for another. Without e, a few
such templates would be taken as evidence on the whole family, and intervals would be too narrow. An
expectation over d and e scales log-odds by 1 / √(1 + 0.346 (τ² + σ²)), as the
logistic-normal integral does to good approximation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.prediction.models import SETTINGS
from scipy.special import expit

FORMULA = "~ 1 + (1 | variant:language) + (1 | template) + (1 | template:language)"
FAMILIES = "family:template:language"
SHRINKAGE = (16 * np.sqrt(3) / (15 * np.pi)) ** 2
STEPS = 50
BY_LANGUAGE = replace(SETTINGS["laplace"], sparse_work=1e9)
"""Given the templates, languages have nothing to do with each other: eliminated one by one they
leave little fill."""
SMALLEST_VARIANCE = 1e-6
"""Of a template's effect (log-odds²): where templates do not differ, precision stays finite."""


@dataclass(frozen=True, eq=False)
class ItemModel:
    """How templates differ, as a GLMM of the training cells says.

    Attributes:
        easiness: a_t (log-odds) by template; ``error`` its conditional SD.
        sd: of a template that was never seen.
        language_sd: τ.
        dispersion: φ, at least one, of a row of ``trials`` trials.
        trials: of a training row, on average.
        family_sd: σ; 0 where the training cells cannot tell it from τ.
    """

    easiness: pd.Series
    error: pd.Series
    sd: float
    language_sd: float
    dispersion: float
    trials: float
    family_sd: float = 0.0

    @classmethod
    def fit(cls, train: pd.DataFrame) -> ItemModel:
        """From cells in at least two languages; features are not needed."""
        model = laplace.Model(_formula(train), train, (), BY_LANGUAGE)
        return cls._of(laplace.report(model, model.optimise()), train)

    @classmethod
    def _of(cls, fit: Fit, train: pd.DataFrame) -> ItemModel:
        modes = fit.modes[fit.modes["group"] == "template"].set_index("level")
        modes = modes[modes.index.isin(train["template"].unique().astype(str))]
        trials = train.loc[train["n_total"] > 0, "n_total"]
        families = FAMILIES in set(fit.random_effects["group"])
        return cls(
            modes["mode"],
            modes["std_error"],
            fit.sd("template"),
            fit.sd("template:language"),
            max(fit.diagnostics["dispersion"], 1.0),
            float(trials.mean()),
            fit.sd(FAMILIES) if families else 0.0,
        )

    @property
    def scale(self) -> float:
        """What log-odds are divided by when d and e are integrated out."""
        return float(np.sqrt(1 + SHRINKAGE * (self.language_sd**2 + self.family_sd**2)))

    def dispersions(self, trials: np.ndarray) -> np.ndarray:
        """φ of rows by their trials; one where no training row could tell it."""
        if self.trials <= 1:
            return np.ones(len(trials))
        more = np.maximum(trials - 1, 0) / (self.trials - 1)
        return 1 + (self.dispersion - 1) * more

    def known(self, templates: pd.Index) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of a_t + d_t; a template that was never seen is any template."""
        mean = self.easiness.reindex(templates).fillna(0.0).to_numpy()
        variance = self.error.reindex(templates).fillna(self.sd).to_numpy() ** 2
        return mean, np.maximum(variance + self.language_sd**2, SMALLEST_VARIANCE)

    def accuracy(self, level: np.ndarray, templates: pd.Index) -> np.ndarray:
        """Mean accuracy (0–1) over ``templates`` of pairs at levels c, d and e integrated out."""
        easiness = self.easiness.reindex(templates).fillna(0.0).to_numpy()
        return expit((level[:, None] + easiness) / self.scale).mean(axis=1)

    def level(self, logit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The level c whose accuracy over all known templates has the log-odds given, and dc/dη."""
        easiness, whole = self.easiness.to_numpy(), expit(logit)
        low, high = logit * self.scale - 30, logit * self.scale + 30
        for _ in range(60):
            middle = (low + high) / 2
            below = expit((middle[:, None] + easiness) / self.scale).mean(axis=1) < whole
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        p = expit((middle[:, None] + easiness) / self.scale)
        slope = (p * (1 - p)).mean(axis=1) / self.scale
        return middle, whole * (1 - whole) / slope


def _formula(cells: pd.DataFrame) -> str:
    several = cells["family"].nunique() > 1
    return FORMULA + (f" + (1 | {FAMILIES})" if several else "")


def fit_without_each(cells: pd.DataFrame, languages: Sequence[str]) -> dict[str, ItemModel]:
    """The item model of all other languages' cells, for every one of ``languages``.

    One design has them all, from which a language is absent where its cells have no trials; each
    fit starts at that of all languages.
    """
    formula = _formula(cells)
    model = laplace.Model(formula, cells, (), BY_LANGUAGE)
    everything = model.optimise()
    found = {}
    for language in languages:
        kept = (cells["language"] != language).to_numpy()
        train = cells[kept]
        if _formula(train) != formula:
            found[language] = ItemModel.fit(train)
            continue
        part = model.refit(*(np.where(kept, cells[name], 0) for name in ("n_correct", "n_total")))
        found[language] = ItemModel._of(laplace.report(part, part.optimise(everything)), train)
    return found


@dataclass(frozen=True, eq=False)
class Updated:
    """Pairs of one language after some of its cells were seen.

    Attributes:
        item_model: of the templates.
        mean: of the levels c of the pairs (log-odds).
        covariance: see ``mean``.
        families: of the pairs, as rows of ``seen`` and ``variance``.
        seen: a + d + e by family (rows) and template that was seen there (columns): its mean.
        variance: likewise.
    """

    item_model: ItemModel
    mean: np.ndarray
    covariance: np.ndarray
    families: np.ndarray
    seen: pd.DataFrame
    variance: pd.DataFrame

    def accuracy(self, templates: pd.Index) -> np.ndarray:
        """Plug-in accuracy (0–1) of every pair over templates, without d and e of unseen ones."""
        seen = templates[templates.isin(self.seen.columns)]
        others = templates.difference(seen, sort=False)
        known = expit(self.mean[:, None] + self.seen[seen].to_numpy()[self.families])
        total = self.item_model.accuracy(self.mean, others) * len(others) if len(others) else 0.0
        return (total + known.sum(axis=1)) / len(templates)

    def draws(self, templates: pd.Index, count: int, generator: np.random.Generator) -> np.ndarray:
        """Accuracies over ``templates`` (pairs × count), everything that is uncertain drawn."""
        root = np.linalg.cholesky(_semidefinite(self.covariance) + 1e-10 * np.eye(len(self.mean)))
        level = self.mean[:, None] + root @ generator.standard_normal((len(self.mean), count))
        mean, variance = self.item_model.known(templates)
        shape = (len(self.seen), count)
        out = np.zeros_like(level)
        for place, template in enumerate(templates):
            if template in self.seen.columns:
                centre, spread = self.seen[template], self.variance[template]
                effect = centre.to_numpy()[:, None] + np.sqrt(
                    spread.to_numpy()[:, None]
                ) * generator.standard_normal(shape)
            else:
                shared = mean[place] + np.sqrt(variance[place]) * generator.standard_normal(count)
                effect = shared + self.item_model.family_sd * generator.standard_normal(shape)
            out += expit(level + effect[self.families])
        return out / len(templates)


def _semidefinite(covariance: np.ndarray) -> np.ndarray:
    """The covariance without what rounding put below zero, where pairs hardly differ."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def update(
    item_model: ItemModel,
    mean: np.ndarray,
    covariance: np.ndarray,
    pairs: pd.DataFrame,
    cells: pd.DataFrame,
) -> Updated:
    """Update a prediction for one language with the cells seen there.

    Args:
        item_model: of the other languages.
        mean: of the pairs' log-odds of accuracy.
        covariance: of the same.
        pairs: their variants and families, in order.
        cells: variant, template, n_correct, n_total; may be none, and need not have every pair.

    The mode of the posterior and its curvature (Laplace), the likelihood of each row tempered by
    the dispersion of so many trials. Raises FloatingPointError if the mode is not found.
    """
    level, slope = item_model.level(mean)
    prior = covariance * slope[:, None] * slope
    codes, templates = pd.factorize(cells["template"])
    families, _ = pd.factorize(pairs["family"], use_na_sentinel=False)
    templates, groups = pd.Index(templates), families.max() + 1
    start, variance = item_model.known(templates)
    variant = pd.Index(pairs["variant"]).get_indexer(cells["variant"])
    count, number = len(level), len(templates)
    # unknowns: levels, then a + d by template, then e by template and family where it varies
    size = count + number + (number * groups if item_model.family_sd else 0)
    precision, centre = np.zeros((size, size)), np.zeros(size)
    precision[:count, :count] = np.linalg.inv(prior + 1e-10 * np.eye(count))
    diagonal = np.arange(count, size)
    precision[diagonal, diagonal] = 1 / item_model.family_sd**2 if item_model.family_sd else 0.0
    precision[diagonal[:number], diagonal[:number]] = 1 / variance
    centre[: count + number] = np.concatenate([level, start])
    tempering = item_model.dispersions(cells["n_total"].to_numpy(dtype=float))
    success, trials = (cells[name].to_numpy(dtype=float) / tempering
                       for name in ("n_correct", "n_total"))  # fmt: skip
    unknowns = [variant, count + codes]  # of every cell
    if item_model.family_sd:
        unknowns.append(count + number + codes * groups + families[variant])
    unknowns = np.stack(unknowns, axis=1)
    each = unknowns.shape[1]
    pairs_of_unknowns = (unknowns[:, :, None] * size + unknowns[:, None, :]).ravel()

    def value(x: np.ndarray) -> float:
        eta = x[unknowns].sum(axis=1)
        away = x - centre
        return success @ eta - trials @ np.logaddexp(0, eta) - away @ precision @ away / 2

    x = centre.copy()
    for _ in range(STEPS):
        p = expit(x[unknowns].sum(axis=1))
        residual, weight = success - trials * p, trials * p * (1 - p)
        score = np.bincount(unknowns.ravel(), np.repeat(residual, each), size)
        score = score - precision @ (x - centre)
        hessian = np.bincount(pairs_of_unknowns, np.repeat(weight, each**2), size**2)
        hessian = hessian.reshape(size, size) + precision
        step = np.linalg.solve(hessian, score)
        if score @ step < 1e-12:
            break
        length, here = 1.0, value(x)
        while value(x + length * step) < here and length > 1e-8:
            length /= 2
        x = x + length * step
    else:
        raise FloatingPointError("no posterior mode was found for the seen templates")
    posterior = np.linalg.inv(hessian)
    effect, spread = _by_family(x, posterior, count, number, groups)
    return Updated(
        item_model,
        x[:count],
        posterior[:count, :count],
        families,
        pd.DataFrame(effect, columns=templates),
        pd.DataFrame(spread, columns=templates),
    )


def _by_family(
    x: np.ndarray, posterior: np.ndarray, count: int, number: int, groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of a + d + e (families × templates) from those of all unknowns."""
    shared = np.arange(count, count + number)
    effect = np.tile(x[shared], (groups, 1))
    spread = np.tile(posterior[shared, shared], (groups, 1))
    if len(x) > count + number:
        own = count + number + np.arange(number) * groups + np.arange(groups)[:, None]
        effect = effect + x[own]
        spread = spread + posterior[own, own] + 2 * posterior[shared, own]
    return effect, spread
