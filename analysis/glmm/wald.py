"""Wald tests of linear hypotheses about the fixed effects, written as text: ``resource = size``."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.frames import Wide
from capability_transfer.analysis.glmm.result import WALD_LEVEL, Fit, critical
from capability_transfer.common.errors import InputError, suggest
from scipy import stats


def linear_test(
    fit: Fit, hypothesis: str | Sequence, data: pd.DataFrame, level: float = WALD_LEVEL
) -> pd.DataFrame:
    """Test one or several linear hypotheses, several of them jointly.

    Args:
        fit: the model.
        hypothesis: ``"a = b"``, ``"2 * a - b = 1"``, several after commas or in a list; a term such
            as ``"period"`` stands for all its columns being zero; or a matrix, hypotheses ×
            fixed effects, that is to give zero.
        data: the rows fitted.
        level: of the interval of a single hypothesis.

    Returns one row. Of a single hypothesis: hypothesis, estimate (left side minus right),
    std_error, statistic (z), p_value, conf_low, conf_high; of several: hypothesis, statistic (χ²),
    df, p_value.

    Raises InputError for a text that is no linear hypothesis and for hypotheses that say the same.
    """
    texts, matrix, right = _read(fit, hypothesis, data)
    estimate = matrix @ fit.coefficients.to_numpy() - right
    covariance = matrix @ fit.covariance @ matrix.T
    if len(texts) == 1:
        row = {"hypothesis": texts[0]} | single(estimate[0], np.sqrt(covariance[0, 0]), level)
        return Wide([row])
    return pd.DataFrame([{"hypothesis": ", ".join(texts)} | joint(estimate, covariance)])


def term_tests(fit: Fit, data: pd.DataFrame) -> pd.DataFrame:
    """A joint Wald test of the columns of every term: term, statistic (χ²), df, p_value.

    Each says whether the term's columns are zero beside all others (type III), which for a main
    effect beside its interactions depends on the contrasts: with ``sum`` it is an average effect.
    """
    estimate, rows = fit.coefficients.to_numpy(), []
    for term, places in _terms(fit, data).items():
        covariance = fit.covariance[np.ix_(places, places)]
        rows.append({"term": term} | joint(estimate[places], covariance))
    return pd.DataFrame(rows)


def single(estimate: float, std_error: float, level: float = WALD_LEVEL) -> dict[str, float]:
    """estimate, std_error, statistic (z), p_value, conf_low, conf_high."""
    z = estimate / std_error if std_error > 0 else np.nan
    half = critical(level) * std_error
    return {
        "estimate": float(estimate),
        "std_error": float(std_error),
        "statistic": float(z),
        "p_value": float(2 * stats.norm.sf(abs(z))),
        "conf_low": float(estimate - half),
        "conf_high": float(estimate + half),
    }


def joint(estimate: np.ndarray, covariance: np.ndarray) -> dict[str, float]:
    """statistic (χ²), df, p_value of all estimates being zero."""
    if np.linalg.matrix_rank(covariance, hermitian=True) < len(estimate):
        raise InputError("the hypotheses are not independent: one of them follows from the others")
    statistic = float(estimate @ np.linalg.solve(covariance, estimate))
    return {
        "statistic": statistic,
        "df": len(estimate),
        "p_value": float(stats.chi2.sf(statistic, len(estimate))),
    }


def _terms(fit: Fit, data: pd.DataFrame) -> dict[str, list[int]]:
    """The places of every term's columns among the fixed effects."""
    columns = fit.formula.fixed_columns(data.iloc[:1], fit.levels)
    term_of = dict(zip(columns.names, columns.terms, strict=True))
    found: dict[str, list[int]] = {}
    for place, name in enumerate(fit.fixed_effects["term"]):
        found.setdefault(term_of[name], []).append(place)
    return found


def _read(fit: Fit, hypothesis, data: pd.DataFrame) -> tuple[list[str], np.ndarray, np.ndarray]:
    names = list(fit.fixed_effects["term"])
    if not isinstance(hypothesis, str) and not all(isinstance(part, str) for part in hypothesis):
        matrix = np.atleast_2d(np.asarray(hypothesis, dtype=float))
        if matrix.shape[1] != len(names):
            raise InputError(
                f"a matrix of hypotheses has a column for each of the {len(names)} fixed effects, "
                f"not {matrix.shape[1]}"
            )
        texts = [_written(row, names) for row in matrix]
        return texts, matrix, np.zeros(len(matrix))
    texts, rows, right = [], [], []
    terms = _terms(fit, data)
    for text in [hypothesis] if isinstance(hypothesis, str) else hypothesis:
        for part in _mark(text, names, list(terms)).split(","):
            if whole := re.fullmatch(r"\s*t(\d+)_\s*", part):  # a term of several columns
                for place in list(terms.values())[int(whole[1])]:
                    rows.append(np.eye(len(names))[place])
                    right.append(0.0)
                    texts.append(f"{names[place]} = 0")
                continue
            sides = [_linear(side, len(names), text, [*names, *terms]) for side in part.split("=")]
            if len(sides) == 1:
                sides.append((np.zeros(len(names)), 0.0))
            for (one, constant), (other, more) in pairwise(sides):
                if not (one - other).any():
                    raise InputError(f"{text!r} says nothing of the fixed effects")
                rows.append(one - other)
                right.append(more - constant)
                texts.append(f"{_written(one - other, names)} = {more - constant:g}")
    if not texts:
        raise InputError("no hypothesis is given, such as 'a = b'")
    return texts, np.array(rows), np.array(right)


def _mark(text: str, names: list[str], terms: list[str]) -> str:
    """Names of fixed effects, which may hold any sign, as v0_, v1_, …, and of terms as t0_, …"""
    marks = {term: f"t{place}_" for place, term in enumerate(terms)}
    marks |= {name: f"v{place}_" for place, name in enumerate(names)}
    alternatives = "|".join(map(re.escape, sorted(marks, key=len, reverse=True)))
    pattern = rf"(?<![\w.:])(?:{alternatives})(?![\w.:(])"
    return re.sub(pattern, lambda found: marks[found[0]], text)


def _linear(side: str, size: int, text: str, known: list[str]) -> tuple[np.ndarray, float]:
    """A side of a hypothesis as coefficients of the fixed effects and a constant."""

    def value(node: ast.expr) -> tuple[np.ndarray, float]:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return np.zeros(size), float(node.value)
        if isinstance(node, ast.Name):
            if not (place := re.fullmatch(r"v(\d+)_", node.id)):
                if node.id[1:-1].isdigit():
                    raise InputError(f"a term of several columns stands alone: {text!r}")
                raise InputError(
                    f"{node.id} in {text!r} is no fixed effect.{suggest(node.id, known)} There are "
                    f"{', '.join(known[:size])}"
                )
            return np.eye(size)[int(place[1])], 0.0
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            sign = -1 if isinstance(node.op, ast.USub) else 1
            vector, constant = value(node.operand)
            return sign * vector, sign * constant
        if isinstance(node, ast.BinOp):
            (one, a), (two, b) = value(node.left), value(node.right)
            if isinstance(node.op, ast.Add):
                return one + two, a + b
            if isinstance(node.op, ast.Sub):
                return one - two, a - b
            if isinstance(node.op, ast.Mult) and not (one.any() and two.any()):
                return one * b + two * a, a * b
            if isinstance(node.op, ast.Div) and not two.any() and b:
                return one / b, a / b
        raise InputError(f"{text!r} is no linear hypothesis, such as 'a = b' or '2 * a - b = 1'")

    try:
        tree = ast.parse(side.strip(), mode="eval").body
    except SyntaxError:
        raise InputError(
            f"{text!r} cannot be read: a hypothesis is made of fixed effects and numbers, such as "
            f"'a = b'. There are {', '.join(known[:size])}"
        ) from None
    return value(tree)


def _written(row: np.ndarray, names: list[str]) -> str:
    """A combination of fixed effects as text."""
    text = ""
    for weight, name in zip(row, names, strict=True):
        if weight:
            sign = "-" if weight < 0 else "+"
            size = "" if abs(weight) == 1 else f"{abs(weight):g} * "
            text += f" {sign} {size}{name}" if text else f"{'-' if weight < 0 else ''}{size}{name}"
    return text or "0"
