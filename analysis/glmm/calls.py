"""Functions in a formula: ``log(x)``, ``I(x^2)``, ``poly(x, 2)``, ``scale(x)``, ``ns(x, 3)``.

A call is read into a tree of what is listed here, and into nothing else; no text is run. What a
function learns from the data fitted (a mean, knots) is its *state*, plain data that stays with the
fit, so that any rows are transformed by the same numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError, name_some, suggest

States = dict[str, dict]
"""What the calls within a call have learned, by their text."""

_PIECE = re.compile(
    r"\s*(?:(?P<name>[A-Za-z][\w.]*|\.?[A-Za-z_]\w*|`[^`]+`)|(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)"
    r"|(?P<text>\"[^\"\\]*\"|'[^'\\]*')|(?P<sign>\*\*|[<>=!]=|[-+*/^<>=(),]))"
)
_APART = {"+", "-", "*", "<", ">", "==", "!=", "<=", ">=", "="}  # R writes blanks around these
_SIGNS = "-+*/^<>=!(),"
_DOT = "\u00b7"  # stands for the dot of R's names, which Python would read as an attribute

PLAIN: dict[str, Callable] = {
    name: getattr(np, name)
    for name in ("exp", "expm1", "log10", "log1p", "log2", "sqrt", "abs", "sin", "cos", "tan")
}
LEARNING = ("scale", "poly", "ns", "bs")
OTHERS = ("log", "I", "factor", "as.factor")
KNOWN = (*PLAIN, *LEARNING, *OTHERS)

_BINARY = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply,
    ast.Div: np.true_divide, ast.Pow: np.power,
}  # fmt: skip
_COMPARED = {
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal,
    ast.Eq: np.equal, ast.NotEq: np.not_equal,
}  # fmt: skip


def is_plain(name: str) -> bool:
    """Whether a variable of a formula is a column by its bare name."""
    return "(" not in name and "`" not in name


def canonical(text: str) -> str:
    """A call, or a name in backticks, written as R writes it.

    Raises InputError for what is neither, or names a function that is not among ``KNOWN``.
    """
    pieces = _pieces(text)
    written, before = "", "("
    for piece in pieces:
        unary = piece in "+-" and (before in _APART or before in "(,^/")
        if piece in _APART and not unary:
            written += f" {piece} "
        elif piece[0] not in _SIGNS and before[0] not in _SIGNS:
            raise InputError(f"{before} {piece} in the formula: an operator is missing")
        else:
            written += ", " if piece == "," else "^" if piece == "**" else piece
        before = piece
    _tree(written)
    return written


def columns(name: str) -> frozenset[str]:
    """The columns of the data that a variable of a formula is made of."""
    if is_plain(name):
        return frozenset([name])
    return frozenset(
        _column(node.id) for node in ast.walk(_tree(name))
        if isinstance(node, ast.Name) and node.id not in ("TRUE", "FALSE", "T", "F")
        and not getattr(node, "is_function", False)
    )  # fmt: skip


def learn(name: str, data: pd.DataFrame) -> States:
    """The states of a variable's calls, from the rows to be fitted."""
    states: States = {}
    evaluate(name, data, states, learning=True)
    return states


def evaluate(
    name: str, data: pd.DataFrame, states: Mapping[str, dict], learning: bool = False
) -> pd.Series | np.ndarray:
    """A variable of a formula on rows.

    Returns floats (rows × columns), or a Series of labels or truth values, which are a factor.
    Raises InputError for values that are missing or not finite, naming their rows.
    """
    if is_plain(name):
        return data[name]
    if name.startswith("`"):
        return data[name[1:-1]]
    found = _Evaluation(data, states, learning).of(_tree(name))
    if isinstance(found, pd.Series):
        return found
    found = np.asarray(found)
    if found.ndim == 0:
        raise InputError(f"{name} is the same in every row")
    if found.dtype == bool:
        return pd.Series(found, index=data.index, name=name)
    found = found.astype(float)
    bad = ~np.isfinite(found if found.ndim == 1 else found.sum(axis=1))
    if bad.any():
        raise InputError(f"{name} is not finite in row {name_some(data.index[bad], 5)}")
    return found.reshape(len(data), -1)


def _pieces(text: str) -> list[str]:
    found, position, text = [], 0, text.strip()
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None:
            raise InputError(f"{text[position:].strip()[:1]!r} has no meaning here in {text!r}")
        found.append(match[match.lastgroup])
        position = match.end()
    return found


@lru_cache(maxsize=4096)
def _tree(text: str) -> ast.expr:
    """The tree of a call in canonical writing, every node checked."""
    pieces = [
        f"_{piece[1:-1].encode().hex()}_" if piece.startswith("`")
        else piece if piece[0] in "\"'" else piece.replace(".", _DOT) if piece[0].isalpha()
        else "**" if piece == "^" else piece
        for piece in _pieces(text)
    ]  # fmt: skip
    try:
        tree = ast.parse(" ".join(pieces), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(f"{text!r} in the formula cannot be read") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = _name(node.func)
            if function not in (*KNOWN, "c"):
                raise InputError(
                    f"the formula calls {function or 'something without a name'}, which is not "
                    f"supported.{_instead(function)} There are {', '.join(KNOWN)}; anything "
                    "else: put a transformed column into the data instead"
                )
            node.func.is_function = True
        elif isinstance(node, ast.Compare):
            if len(node.ops) > 1 or type(node.ops[0]) not in _COMPARED:
                raise InputError(f"one comparison at a time: {text!r}")
        elif not isinstance(
            node,
            ast.Name | ast.Constant | ast.BinOp | ast.UnaryOp | ast.keyword | ast.expr_context
            | ast.cmpop | ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow | ast.USub | ast.UAdd,
        ):  # fmt: skip
            raise InputError(f"{text!r} in the formula cannot be read")
    return tree


def _instead(function: str) -> str:
    """What to write for a function that statsmodels' and patsy's users write."""
    if function == "C":
        return " Write factor(x) for C(x), and contrasts as an argument."
    return suggest(function.removeprefix("np."), KNOWN)


def _name(node: ast.expr) -> str:
    return node.id.replace(_DOT, ".") if isinstance(node, ast.Name) else ""


def _column(identifier: str) -> str:
    if re.fullmatch(r"_(?:[0-9a-f]{2})+_", identifier):
        return bytes.fromhex(identifier[1:-1]).decode()
    return identifier.replace(_DOT, ".")


class _Evaluation:
    """The value of a tree on rows."""

    def __init__(self, data: pd.DataFrame, states: Mapping[str, dict], learning: bool):
        self.data, self.states, self.learning = data, states, learning

    def of(self, node: ast.expr):
        if isinstance(node, ast.Constant):
            exact = isinstance(node.value, str | bool)
            return node.value if exact else float(node.value)  # whole numbers would overflow
        if isinstance(node, ast.Name):
            if node.id in ("TRUE", "T", "FALSE", "F"):
                return node.id[0] == "T"
            return self._values(self.data[_column(node.id)])
        if isinstance(node, ast.UnaryOp):
            value = self._number(node.operand)
            return -value if isinstance(node.op, ast.USub) else value
        with np.errstate(all="ignore"):  # what is not finite is named by its rows
            if isinstance(node, ast.BinOp):
                sides = self._number(node.left), self._number(node.right)
                return _BINARY[type(node.op)](*sides)
            if isinstance(node, ast.Compare):
                return self._compared(node)
            return self._call(node)

    def _values(self, column: pd.Series) -> pd.Series | np.ndarray:
        """A column, numbers as floats; InputError where one is missing (a comparison with it would
        be false, and say nothing)."""
        numeric = pd.api.types.is_numeric_dtype(column)
        values = column.to_numpy(dtype=float, na_value=np.nan) if numeric else column
        missing = ~np.isfinite(values) if numeric else column.isna()
        if missing.any():
            rows = name_some(column.index[missing], 5)
            raise InputError(f"column {column.name} is missing or not finite in row {rows}")
        return values

    def _compared(self, node: ast.Compare) -> np.ndarray:
        left, right = self.of(node.left), self.of(node.comparators[0])
        if isinstance(left, pd.Series) or isinstance(right, str):
            left = np.asarray(pd.Series(left).astype(str))
            right = right if isinstance(right, str) else np.asarray(pd.Series(right).astype(str))
        return _COMPARED[type(node.ops[0])](left, right)

    def _number(self, node: ast.expr):
        value = self.of(node)
        if isinstance(value, pd.Series | str):
            raise InputError(f"{self._text(node)} is text where the formula needs numbers")
        return value

    def _text(self, node: ast.expr) -> str:
        text = re.sub(
            r"_(?:[0-9a-f]{2})+_", lambda found: f"`{_column(found[0])}`", ast.unparse(node)
        )
        return canonical(text.replace(_DOT, ".")) if isinstance(node, ast.Call) else text

    def _call(self, node: ast.Call):
        function = _name(node.func)
        named = {(word.arg or "").replace(_DOT, "."): word.value for word in node.keywords}
        if function == "c":
            return np.array([float(self._number(part)) for part in node.args])
        if not node.args:
            raise InputError(f"{function}() in the formula is without a column")
        if function in ("factor", "as.factor"):
            self._takes(node, function, named, ())
            value = self.of(node.args[0])
            if isinstance(value, pd.Series):
                return value
            return _labels(value, self.data.index)
        if function == "I":
            self._takes(node, function, named, ())
            return self.of(node.args[0])
        x = self._number(node.args[0])
        if function in PLAIN:
            self._takes(node, function, named, ())
            return PLAIN[function](x)
        if function == "log":
            given = self._takes(node, function, named, ("base",))
            return np.log(x) if "base" not in given else np.log(x) / np.log(given["base"])
        return self._learned(node, function, x, named)

    def _takes(self, node: ast.Call, function: str, named: dict, accepts: tuple) -> dict:
        """Arguments after the first, by name; raises InputError for others than ``accepts``."""
        positional = dict(zip(accepts, node.args[1:], strict=False))
        unknown = [name for name in named if name not in accepts]
        if unknown or len(node.args) - 1 > len(accepts):
            raise InputError(
                f"{function} in a formula takes a column"
                + (f", {', '.join(accepts)}" if accepts else " and nothing else")
                + (f"; not {', '.join(unknown)}" if unknown else "")
            )
        return {name: self.of(value) for name, value in (positional | named).items()}

    def _learned(self, node: ast.Call, function: str, x: np.ndarray, named: dict) -> np.ndarray:
        from capability_transfer.analysis.glmm import bases

        given = self._takes(node, function, named, bases.ARGUMENTS[function])
        text = self._text(node)
        if self.learning and text not in self.states:
            if np.ndim(x) != 1 or not np.isfinite(x).all():
                raise InputError(f"{text} needs a column of finite numbers")
            self.states[text] = bases.learn(function, x, given)
        if text not in self.states:
            raise InputError(f"the fit knows nothing of {text}")
        return bases.evaluate(function, x, self.states[text])


def _labels(values: np.ndarray, index: pd.Index) -> pd.Series:
    """Numbers as a categorical, in their own order and written as R writes them."""
    values = np.asarray(values)
    if values.dtype == bool:
        return pd.Series(values, index=index)
    levels, codes = np.unique(values, return_inverse=True)
    texts = [f"{level:.15g}" for level in levels]
    return pd.Series(pd.Categorical.from_codes(codes, texts, ordered=False), index=index)
