"""What a few templates in a language say of all of them.

Pair models know accuracies over all templates. Here is how templates differ about that: their
easiness, learned in other languages, how much that shifts from language to language, and how much
cells vary beyond binomial noise. A language's first few cells then update what was predicted for
it, and what they have in common that is chance (these templates happen to be hard there) is not
taken for the language.

For a cell of variant v and template t in one language, with c the level of the pair:

    logit p = c_v + a_t + d_t,   d_t ~ N(0, τ²),   Var(y) = φ n p (1 − p).

An expectation over d scales log-odds by 1 / √(1 + 0.346 τ²), as the logistic-normal integral does
to good approximation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.unseen.fitting import fit_glmm

FORMULA = "~ 1 + (1 | variant:language) + (1 | template) + (1 | template:language)"
SHRINKAGE = (16 * np.sqrt(3) / (15 * np.pi)) ** 2
STEPS = 50
SMALLEST_VARIANCE = 1e-6
"""Of a template's effect (log-odds²): where templates do not differ, precision stays finite."""


@dataclass(frozen=True, eq=False)
class TemplateLayer:
    """How templates differ, as a GLMM of the training cells says.

    Attributes:
        easiness: a_t (log-odds) by template; ``error`` its conditional SD.
        sd: of a template that was never seen.
        language_sd: τ.
        dispersion: φ, at least one.
    """

    easiness: pd.Series
    error: pd.Series
    sd: float
    language_sd: float
    dispersion: float
    start: object = None

    @classmethod
    def fit(cls, train: pd.DataFrame, start: object = None) -> TemplateLayer:
        """From cells in at least two languages; features are not needed."""
        fit, following = fit_glmm(FORMULA, train, start=start)
        modes = fit.modes[fit.modes["group"] == "template"].set_index("level")
        return cls(
            modes["mode"],
            modes["std_error"],
            fit.sd("template"),
            fit.sd("template:language"),
            max(fit.diagnostics["dispersion"], 1.0),
            following,
        )

    @property
    def scale(self) -> float:
        """What log-odds are divided by when d is integrated out."""
        return float(np.sqrt(1 + SHRINKAGE * self.language_sd**2))

    def known(self, templates: pd.Index) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of a_t + d_t; a template that was never seen is any template."""
        mean = self.easiness.reindex(templates).fillna(0.0).to_numpy()
        variance = self.error.reindex(templates).fillna(self.sd).to_numpy() ** 2
        return mean, np.maximum(variance + self.language_sd**2, SMALLEST_VARIANCE)

    def accuracy(self, level: np.ndarray, templates: pd.Index) -> np.ndarray:
        """Mean accuracy (0–1) over ``templates`` of pairs at levels c, d integrated out."""
        easiness = self.easiness.reindex(templates).fillna(0.0).to_numpy()
        return expit((level[:, None] + easiness) / self.scale).mean(axis=1)

    def level(self, logit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The level c whose accuracy over all known templates has the log-odds given, and dc/dη."""
        low, high = logit * self.scale - 30, logit * self.scale + 30
        for _ in range(60):
            middle = (low + high) / 2
            below = self.accuracy(middle, self.easiness.index) < expit(logit)
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        p = expit((middle[:, None] + self.easiness.to_numpy()) / self.scale)
        slope = (p * (1 - p)).mean(axis=1) / self.scale
        whole = expit(logit)
        return middle, whole * (1 - whole) / slope


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Pairs of one language after some of its cells were seen.

    Attributes:
        layer: of the templates.
        mean, covariance: of the levels c of the pairs (log-odds).
        seen: templates that were seen there, with mean a + d and its variance.
    """

    layer: TemplateLayer
    mean: np.ndarray
    covariance: np.ndarray
    seen: pd.DataFrame

    def accuracy(self, templates: pd.Index) -> np.ndarray:
        """Plug-in accuracy (0–1) of every pair over templates, d of unseen ones integrated out."""
        layer = self.layer
        easiness = layer.easiness.reindex(templates).fillna(0.0).to_numpy()
        scale = np.full(len(templates), layer.scale)
        place = self.seen.index.get_indexer(templates)
        easiness = np.where(place >= 0, self.seen["mean"].to_numpy()[place], easiness) \
            if len(self.seen) else easiness  # fmt: skip
        scale[place >= 0] = 1.0
        return expit((self.mean[:, None] + easiness) / scale).mean(axis=1)

    def draws(self, templates: pd.Index, count: int, generator: np.random.Generator) -> np.ndarray:
        """Accuracies over ``templates`` (pairs × count), everything that is uncertain drawn."""
        root = np.linalg.cholesky(_semidefinite(self.covariance) + 1e-10 * np.eye(len(self.mean)))
        level = self.mean[:, None] + root @ generator.standard_normal((len(self.mean), count))
        mean, variance = self.layer.known(templates)
        place = self.seen.index.get_indexer(templates)
        if len(self.seen):
            mean = np.where(place >= 0, self.seen["mean"].to_numpy()[place], mean)
            variance = np.where(place >= 0, self.seen["variance"].to_numpy()[place], variance)
        noise = generator.standard_normal((len(templates), count))
        effect = mean[:, None] + np.sqrt(variance)[:, None] * noise
        out = np.zeros_like(level)
        for row in effect:
            out += expit(level + row)
        return out / len(templates)


def _semidefinite(covariance: np.ndarray) -> np.ndarray:
    """The covariance without what rounding put below zero, where pairs hardly differ."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def calibrate(
    layer: TemplateLayer,
    mean: np.ndarray,
    covariance: np.ndarray,
    pairs: pd.DataFrame,
    cells: pd.DataFrame,
) -> Calibrated:
    """Update a prediction for one language with the cells seen there.

    Args:
        layer: of the other languages.
        mean: of the pairs' log-odds of accuracy.
        covariance: of the same.
        pairs: their variants, in order.
        cells: variant, template, n_correct, n_total; may be none, and need not have every pair.

    The mode of the posterior and its curvature (Laplace), the likelihood tempered by the
    dispersion. Raises FloatingPointError if the mode is not found.
    """
    level, slope = layer.level(mean)
    prior = covariance * slope[:, None] * slope
    codes, templates = pd.factorize(cells["template"])
    templates = pd.Index(templates)
    start, variance = layer.known(templates)
    variant = pd.Index(pairs["variant"]).get_indexer(cells["variant"])
    count = len(level)
    precision = np.zeros((count + len(templates),) * 2)
    precision[:count, :count] = np.linalg.inv(prior + 1e-10 * np.eye(count))
    precision[np.arange(count, len(precision)), np.arange(count, len(precision))] = 1 / variance
    centre = np.concatenate([level, start])
    success, trials = (cells[name].to_numpy(dtype=float) / layer.dispersion
                       for name in ("n_correct", "n_total"))  # fmt: skip
    loads = np.zeros((len(cells), len(centre)))
    loads[np.arange(len(cells)), variant] = 1.0
    loads[np.arange(len(cells)), count + codes] = 1.0

    def value(x: np.ndarray) -> float:
        eta = loads @ x
        away = x - centre
        return success @ eta - trials @ np.logaddexp(0, eta) - away @ precision @ away / 2

    x = centre.copy()
    for _ in range(STEPS):
        p = expit(loads @ x)
        score = loads.T @ (success - trials * p) - precision @ (x - centre)
        hessian = (loads.T * (trials * p * (1 - p))) @ loads + precision
        step = np.linalg.solve(hessian, score)
        if score @ step < 1e-12:
            break
        size, here = 1.0, value(x)
        while value(x + size * step) < here and size > 1e-8:
            size /= 2
        x = x + size * step
    else:
        raise FloatingPointError("no posterior mode was found for the seen templates")
    posterior = np.linalg.inv(hessian)
    seen = pd.DataFrame(
        {"mean": x[count:], "variance": posterior.diagonal()[count:]}, index=templates
    )
    return Calibrated(layer, x[:count], posterior[:count, :count], seen)
