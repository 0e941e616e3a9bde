"""A model's parameters as people read them: fixed effects, SDs, and angles for correlations.

The engine's φ holds fixed effects on scaled columns and the entries of every term's lower
triangular T. Here a row of T is its length, the SD of that effect, and its direction in
hyperspherical angles: T[i] = s (sin a₁, cos a₁ sin a₂, …, cos a₁ … cos aᵢ). A correlation of two
effects is sin a₁. Every coordinate but the SDs is unbounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from capability_transfer.analysis.glmm.laplace.model import Model


@dataclass(frozen=True)
class Coordinate:
    """What one coordinate is: ``kind`` is fixed, sd or angle; log-odds, or radians."""

    kind: str
    group: str
    term: str


class Coordinates:
    """The coordinates ω of one model: labels, and the way from and to the engine's φ."""

    def __init__(self, model: Model):
        self.design = model.design
        self.to_natural = model.to_natural()
        self.to_scaled = np.linalg.inv(self.to_natural)
        self.fixed = len(self.design.names)
        self.labels = [Coordinate("fixed", "", name) for name in self.design.names]
        self.rows: list[tuple[np.ndarray, slice]] = []  # T's row in (β, θ), and in ω
        start = self.fixed
        for term in self.design.terms:
            rows, columns = term.triangle()
            for i, name in enumerate(term.columns[: rows.max() + 1]):
                inside = np.flatnonzero(rows == i)
                place = start + inside[np.argsort(columns[inside], kind="stable")]
                here = slice(len(self.labels), len(self.labels) + len(place))
                self.rows.append((place, here))
                self.labels.append(Coordinate("sd", term.group, name))
                self.labels += [Coordinate("angle", term.group, name)] * (len(place) - 1)
            start += term.parameters

    def of(self, phi: np.ndarray) -> np.ndarray:
        """ω of the engine's φ."""
        natural = self.to_natural @ phi
        omega = natural.copy()
        for place, here in self.rows:
            row = natural[place]
            omega[here] = [np.linalg.norm(row), *_angles(row)]
        return omega

    def phi(self, omega: np.ndarray) -> np.ndarray:
        """The engine's φ of ω."""
        natural = omega.copy()
        for place, here in self.rows:
            natural[place] = omega[here.start] * _direction(omega[here][1:])
        return self.to_scaled @ natural

    def jacobian(self, omega: np.ndarray) -> np.ndarray:
        """∂φ/∂ω."""
        out = np.zeros((len(omega), len(omega)))
        out[: self.fixed, : self.fixed] = np.eye(self.fixed)
        for place, here in self.rows:
            sd, angles = omega[here.start], omega[here][1:]
            out[place, here.start] = _direction(angles)
            for k in range(len(angles)):
                turned = angles.copy()
                turned[k] += np.pi / 2  # the derivative of sin and cos alike
                moved = _direction(turned)
                moved[:k] = 0.0
                out[place, here.start + 1 + k] = sd * moved
        return self.to_scaled @ out

    def free(self, phi_free: np.ndarray) -> np.ndarray:
        """Which coordinates are estimated, given which entries of φ are."""
        out = phi_free.copy()
        for place, here in self.rows:
            out[here.start] = phi_free[place].any()
            out[here.start + 1 : here.stop] = phi_free[place].all()
        return out


def _direction(angles: np.ndarray) -> np.ndarray:
    """The unit vector of hyperspherical angles."""
    ahead = np.concatenate([[1.0], np.cumprod(np.cos(angles))])
    return ahead * np.concatenate([np.sin(angles), [1.0]])


def _angles(row: np.ndarray) -> list[float]:
    """Hyperspherical angles of a row of T whose last entry is not negative."""
    found = []
    for k in range(len(row) - 1):
        found.append(float(np.arctan2(row[k], np.linalg.norm(row[k + 1 :]))))
    return found
