"""Functions of a column that learn from the data fitted: R's scale, poly, bs and ns.

``learn`` gives what a basis is made of as plain data, ``evaluate`` its columns on any rows.
"""

from __future__ import annotations

import numpy as np
from capability_transfer.common.errors import InputError

ARGUMENTS = {
    "scale": ("center", "scale"),
    "poly": ("degree", "raw"),
    "bs": ("df", "knots", "degree"),
    "ns": ("df", "knots"),
}
"""What each takes after the column, in R's order and by R's names."""


def learn(function: str, x: np.ndarray, given: dict) -> dict:
    """The state of a basis on the rows fitted.

    Raises InputError where the column is too poor for it.
    """
    from formulaic import transforms

    if function == "scale":
        state: dict = {}
        transforms.scale(
            x, center=_number_or_bool(given, "center"), scale=_number_or_bool(given, "scale"),
            _state=state,
        )  # fmt: skip
        found = {
            key: None if state[key] is None else float(state[key]) for key in ARGUMENTS[function]
        }
        if found["scale"] == 0:
            raise InputError("scale() of a constant column: there is nothing to scale by")
        return found
    if function == "poly":
        degree, raw = _whole(given.get("degree", 1), "degree", 1), bool(given.get("raw", False))
        if degree >= len(np.unique(x)):
            raise InputError(f"poly() of degree {degree} needs more than {degree} different values")
        state = {"degree": degree, "raw": raw}
        if not raw:
            learned: dict = {}
            transforms.poly(x, degree, _state=learned)
            for key in ("alpha", "norms2"):
                state[key] = [float(learned[key][place]) for place in sorted(learned[key])]
        return state
    degree = _whole(given.get("degree", 3), "degree", 1)
    least = degree if function == "bs" else 1
    if "knots" in given and "df" in given:
        raise InputError(f"{function}() takes df or knots, not both")
    low, high = float(x.min()), float(x.max())
    if "knots" in given:
        inner = np.atleast_1d(np.asarray(given["knots"], dtype=float))
        if not ((inner > low) & (inner < high)).all():
            raise InputError(f"knots of {function}() lie within the data, {low:g} to {high:g}")
    else:
        df = _whole(given.get("df", least), "df", least)
        inner = np.quantile(x, np.linspace(0, 1, df - least + 2)[1:-1])
    return {"degree": degree, "knots": np.sort(inner).tolist(), "low": low, "high": high}


def evaluate(function: str, x: np.ndarray, state: dict) -> np.ndarray:
    """The columns of a basis for rows ``x``: rows, or rows × columns."""
    from formulaic import transforms

    if function == "scale":
        centred = x - (state["center"] or 0.0)
        return centred if state["scale"] is None else centred / state["scale"]
    if function == "poly":
        if state["raw"]:
            return np.column_stack([x**power for power in range(1, state["degree"] + 1)])
        learned = {key: dict(enumerate(state[key])) for key in ("alpha", "norms2")}
        return np.asarray(transforms.poly(x, state["degree"], _state=learned))
    if function == "bs":
        edges = {"lower_bound": state["low"], "upper_bound": state["high"]}
        found = transforms.basis_spline(
            x, knots=state["knots"], degree=state["degree"], extrapolation="extend", **edges,
            _state={},
        )  # fmt: skip
        return np.column_stack([found[key] for key in sorted(found)])
    return _natural(x, state)


def _natural(x: np.ndarray, state: dict) -> np.ndarray:
    """R's ``ns``: cubic B-splines with no curvature at the edges, and straight beyond them.

    The two conditions are two directions of the coefficients; what is orthogonal to them, by the
    QR decomposition that R takes, is the basis.
    """
    from scipy.interpolate import BSpline

    edges = [state["low"], state["high"]]
    knots = np.r_[[edges[0]] * 4, state["knots"], [edges[1]] * 4]
    splines = BSpline(knots, np.eye(len(knots) - 4), 3)
    inside = np.clip(x, *edges)
    values = splines(inside) + splines(inside, 1) * (x - inside)[:, None]
    curvature = splines(np.array(edges), 2)[:, 1:]
    rotation, _ = np.linalg.qr(curvature.T, mode="complete")
    return values[:, 1:] @ rotation[:, 2:]


def _whole(value: object, name: str, least: int) -> int:
    number = float(np.asarray(value).item())
    if number != round(number) or number < least:
        raise InputError(f"{name} is a whole number from {least} up, not {number:g}")
    return int(number)


def _number_or_bool(given: dict, name: str) -> bool | float:
    value = given.get(name, True)
    return value if isinstance(value, bool) else float(value)
