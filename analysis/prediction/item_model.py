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
CERTAIN = 1e-6  # decrement below which Newton's step gains, though rounding may hide it
BY_LANGUAGE = replace(SETTINGS["laplace"], tolerance=1e-4, sparse_work=1e9)
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
        level = logit * self.scale
        for _ in range(60):  # Newton's steps, bisection where they lead outside
            p = expit((level[:, None] + easiness) / self.scale)
            away = whole - p.mean(axis=1)
            low, high = np.where(away > 0, level, low), np.where(away > 0, high, level)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = level + away * self.scale / (p * (1 - p)).mean(axis=1)
            new = np.where((low <= new) & (new <= high), new, (low + high) / 2)
            moved, level = np.abs(new - level).max(initial=0.0), new
            if moved < 1e-12:
                break
        p = expit((level[:, None] + easiness) / self.scale)
        slope = (p * (1 - p)).mean(axis=1) / self.scale
        return level, whole * (1 - whole) / slope


def _formula(cells: pd.DataFrame) -> str:
    several = cells["family"].nunique() > 1
    return FORMULA + (f" + (1 | {FAMILIES})" if several else "")


def fit_without_each(cells: pd.DataFrame, languages: Sequence[str]) -> dict[str, ItemModel]:
    """The item model of all other languages' cells, for every one of ``languages``.

    One design has them all, from which a language is absent where its cells have no trials; each
    fit starts at that of all languages, with the information of the one before it.
    """
    formula = _formula(cells)
    model = laplace.Model(formula, cells, (), BY_LANGUAGE)
    everything = last = model.optimise()
    found = {}
    for language in languages:
        kept = (cells["language"] != language).to_numpy()
        train = cells[kept]
        if _formula(train) != formula:
            found[language] = ItemModel.fit(train)
            continue
        part = model.refit(*(np.where(kept, cells[name], 0) for name in ("n_correct", "n_total")))
        last = part.optimise(replace(everything, information=last.information))
        found[language] = ItemModel._of(laplace.report(part, last), train)
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
        out, against = np.zeros_like(level), np.exp(-level)  # the odds of a wrong answer
        for place, template in enumerate(templates):
            if template in self.seen.columns:
                centre, spread = self.seen[template], self.variance[template]
                effect = centre.to_numpy()[:, None] + np.sqrt(
                    spread.to_numpy()[:, None]
                ) * generator.standard_normal(shape)
            else:
                shared = mean[place] + np.sqrt(variance[place]) * generator.standard_normal(count)
                effect = shared + self.item_model.family_sd * generator.standard_normal(shape)
            odds = np.exp(-effect)[self.families]
            odds *= against
            odds += 1
            out += np.divide(1.0, odds, out=odds)
        return out / len(templates)


def _semidefinite(covariance: np.ndarray) -> np.ndarray:
    """The covariance without what rounding put below zero, where pairs hardly differ."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


@dataclass(frozen=True, eq=False)
class Prior:
    """What is predicted for the pairs of one language before any of its cells are seen.

    Attributes:
        item_model: of the other languages.
        variants: of the pairs; ``families`` are the numbers of theirs.
        level: c (log-odds), and ``precision`` the inverse of its covariance.
    """

    item_model: ItemModel
    variants: pd.Index
    families: np.ndarray
    level: np.ndarray
    precision: np.ndarray

    @classmethod
    def of(
        cls, item_model: ItemModel, mean: np.ndarray, covariance: np.ndarray, pairs: pd.DataFrame
    ) -> Prior:
        """From the ``mean`` and ``covariance`` of the pairs' log-odds of accuracy; ``pairs`` has
        their variant and family, in order."""
        level, slope = item_model.level(mean)
        prior = covariance * slope[:, None] * slope
        families, _ = pd.factorize(pairs["family"], use_na_sentinel=False)
        precision = np.linalg.inv(prior + 1e-10 * np.eye(len(level)))
        return cls(item_model, pd.Index(pairs["variant"]), families, level, precision)

    def tempered(self, cells: pd.DataFrame) -> tuple[pd.Index, np.ndarray, np.ndarray]:
        """Templates of cells, and their successes and trials (templates × pairs), each row divided
        by the dispersion of so many trials."""
        codes, templates = pd.factorize(cells["template"])
        variant = self.variants.get_indexer(cells["variant"])
        shape = (len(templates), len(self.variants))
        tempering = self.item_model.dispersions(cells["n_total"].to_numpy(dtype=float))
        success, trials = (
            np.bincount(codes * shape[1] + variant, cells[name].to_numpy(dtype=float) / tempering,
                        shape[0] * shape[1]).reshape(shape)
            for name in ("n_correct", "n_total")
        )  # fmt: skip
        return pd.Index(templates), success, trials

    def update(self, templates: pd.Index, success: np.ndarray, trials: np.ndarray) -> Updated:
        """The prediction once these (``tempered``) were seen.

        The mode of the posterior and its curvature (Laplace). Raises FloatingPointError if the
        mode is not found.
        """
        item_model, level, precision = self.item_model, self.level, self.precision
        family, shape, groups = self.families, success.shape, self.families.max() + 1
        start, variance = item_model.known(templates)
        # g = a + d + e by template and family has the covariance K, α = K⁻¹ (g − its mean)
        own = np.eye(groups) * item_model.family_sd**2 + variance[:, None, None]
        member = np.eye(groups)[family]
        c, alpha = level, np.zeros((shape[0], groups))
        effect = np.tile(start[:, None], groups)

        def value(c: np.ndarray, effect: np.ndarray, alpha: np.ndarray) -> float:
            eta, away = c + effect[:, family], c - level
            fit = np.vdot(success, eta) - np.vdot(trials, np.logaddexp(0, eta))
            return fit - (away @ precision @ away + np.vdot(alpha, effect - start[:, None])) / 2

        for _ in range(STEPS):
            p = expit(c + effect[:, family])
            residual, weight = success - trials * p, trials * p * (1 - p)
            total = weight @ member
            spread = np.linalg.solve(np.eye(groups) + own * total[:, None, :], own)  # of g given c
            among = spread[:, :, family] * weight[:, None, :]  # how g moves against the levels
            score = residual.sum(axis=0) - precision @ (c - level)
            of_effect = residual @ member - alpha
            moved = (spread @ of_effect[:, :, None])[:, :, 0]
            hessian = precision + np.diag(weight.sum(axis=0))
            hessian -= np.einsum("tv,tvu->vu", weight, among[:, family])
            step = np.linalg.solve(hessian, score - np.sum(weight * moved[:, family], axis=0))
            by_effect = moved - among @ step
            by_alpha = of_effect - (weight * step) @ member - total * by_effect
            decrement = score @ step + np.vdot(of_effect, by_effect)
            if decrement < 1e-12:
                break
            point, moves, length = (c, effect, alpha), (step, by_effect, by_alpha), 1.0
            here = value(*point)
            while (
                decrement > CERTAIN and length > 1e-8 and here > value(*_on(point, moves, length))
            ):
                length /= 2
            c, effect, alpha = _on(point, moves, length)
        else:
            raise FloatingPointError("no posterior mode was found for the seen templates")
        covariance = np.linalg.inv(hessian)
        by_level = np.einsum("tfv,vu,tfu->tf", among, covariance, among, optimize=True)
        return Updated(
            item_model,
            c,
            covariance,
            family,
            pd.DataFrame(effect.T, columns=templates),
            pd.DataFrame((np.einsum("tff->tf", spread) + by_level).T, columns=templates),
        )


def _on(point: tuple, moves: tuple, length: float) -> tuple:
    return tuple(x + length * move for x, move in zip(point, moves, strict=True))


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

    Raises FloatingPointError if the posterior's mode is not found.
    """
    prior = Prior.of(item_model, mean, covariance, pairs)
    return prior.update(*prior.tempered(cells))
