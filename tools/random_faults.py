"""Faults drawn at random from the sources, for ``make mutations RANDOM=30 SEED=1``.

One operator is applied to one place in the code: what computes, not what is said of it (messages,
docstrings, type hints and decorators stay). The tests that must notice are the quick ones that
mirror the file or its folder, or import its module.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGES = ("analysis/prediction", "analysis/glmm", "analysis/outcomes", "features")
SAID = {"InputError", "advise", "name_some", "option", "print", "spelled", "suggest", "warn"}
"""Functions whose arguments are messages."""

COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
OTHER = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all",
    "all": "any", "sum": "mean", "mean": "sum", "std": "var", "var": "std", "argmin": "argmax",
    "argmax": "argmin", "first": "last", "last": "first", "isna": "notna", "notna": "isna",
    "startswith": "endswith", "endswith": "startswith", "floor": "ceil", "ceil": "floor",
    "cumsum": "cumprod", "triu": "tril", "tril": "triu", "union": "intersection",
    "exp": "expm1", "log": "log1p", "log2": "log10", "log10": "log2", "median": "mean",
    "partition": "rpartition", "rpartition": "partition", "size": "count",
}  # fmt: skip
"""Functions and methods, and what is called in their stead."""

WRAPPING = {"abs", "exp", "expit", "float", "log", "log10", "log2", "sorted", "sqrt", "square"}
"""Functions that give their argument back where they are left out."""

CHAINED = {
    "abs", "casefold", "clip", "drop_duplicates", "dropna", "fillna", "lower", "mask", "reindex",
    "reset_index", "sort_index", "sort_values", "strip", "where",
}  # fmt: skip
"""Methods that give their object back where they are left out."""

CONVENTION = {"encoding", "strict"}  # arguments that change nothing where the tests run


@dataclass(frozen=True)
class Drawn:
    """A fault drawn: characters ``start`` to ``end`` of a file are replaced.

    The other attributes are those of ``tools.mutations.Fault``.
    """

    name: str
    file: str
    start: int
    end: int
    replacement: str
    tests: tuple[str, ...]

    def planted(self, root: Path) -> str:
        """The file's contents with the fault."""
        source = (root / self.file).read_text(encoding="utf-8")
        return source[: self.start] + self.replacement + source[self.end :]


def draw(root: Path, count: int, seed: int) -> list[Drawn]:
    """Faults in ``count`` lines, every line with a place for one being as likely as any other."""
    lines = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            for node, wrong in changes(ast.parse(path.read_text(encoding="utf-8"))):
                lines.setdefault((path, node.lineno), []).append((node, wrong))
    generator = random.Random(seed)
    drawn = []
    for path, line in generator.sample(sorted(lines), count):
        source, file = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
        node, wrong = generator.choice(lines[path, line])
        start, end = _span(source, node)
        text = ast.unparse(wrong)
        text = f"({text})" if isinstance(wrong, ast.BinOp | ast.BoolOp | ast.Compare) else text
        name = f"line {line}: {' '.join(source[start:end].split())} → {text}"
        drawn.append(Drawn(name, file, start, end, text, related(root, file)))
    return drawn


def _span(source: str, node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Where a node's text begins and ends; ``ast`` counts the bytes of lines."""
    lines = source.splitlines(keepends=True)
    places = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
    return tuple(
        sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())
        for line, column in places
    )


def related(root: Path, file: str) -> tuple[str, ...]:
    """Files of tests that mirror a source file, its folder, and those elsewhere that import it."""
    path = Path(file)
    mirror, module = root / "tests" / path.with_name(f"test_{path.name}"), _module(path)
    order = {}
    for test in sorted((root / "tests").rglob("test_*.py")):
        if test.parent == mirror.parent:
            order[test] = test != mirror
        elif module in _imported(test):
            order[test] = 2
    return tuple(test.relative_to(root).as_posix() for test in sorted(order, key=order.get))


def _module(path: Path) -> str:
    return ".".join(("capability_transfer", *path.with_suffix("").parts)).removesuffix(".__init__")


@cache
def _imported(test: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def changes(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, ast.expr | ast.stmt]]:
    """Every place in the code with what an operator puts there."""
    for node in _code(tree):
        for operator in (_values, _calls, _flow, _names):
            for wrong in operator(node):
                yield wrong if isinstance(wrong, tuple) else (node, wrong)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, without what is said: messages, hints, texts and decorators."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_said(child):
                yield from _code(child)


def _is_said(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _called(node) in SAID
    return isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr)


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _but(node: ast.AST, **fields: object) -> ast.AST:
    """A copy of a node with other fields."""
    return type(node)(**{**dict(ast.iter_fields(node)), **fields})


def _values(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Comparisons, arithmetic and constants."""
    match node:
        case ast.Compare(ops=[kind]):
            yield from (_but(node, ops=[other()]) for other in COMPARISONS[type(kind)])
        case ast.BinOp(op=kind) if type(kind) in ARITHMETIC and not _is_text(node):
            yield _but(node, op=ARITHMETIC[type(kind)]())
        case ast.AugAssign(op=kind, target=target, value=value):
            yield _but(node, op=ARITHMETIC.get(type(kind), ast.Sub)())
            yield ast.Assign([target], value, lineno=node.lineno)
        case ast.BoolOp(op=kind):
            yield _but(node, op=ast.Or() if isinstance(kind, ast.And) else ast.And())
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield ast.Constant(2 * value or 1.0)
        case ast.Subscript(slice=ast.Slice(upper=ast.expr() as upper) as bounds):
            more = ast.BinOp(upper, ast.Add(), ast.Constant(1))
            yield _but(node, slice=_but(bounds, upper=more))


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str)


def _has_text(node: ast.AST) -> bool:
    return any(isinstance(part, ast.JoinedStr) for part in ast.walk(node))


def _calls(node: ast.AST) -> Iterator[ast.expr]:
    """Other functions, named arguments left out, calls left out."""
    match node:
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in OTHER:
            yield _but(node, attr=OTHER[name])
        case ast.Name(id="min" | "max" | "any" | "all" as name):
            yield _but(node, id=OTHER[name])
        case ast.Call(args=args, keywords=given):
            for one in given:
                if one.arg not in CONVENTION:
                    yield _but(node, keywords=[other for other in given if other is not one])
            if len(args) == 1 and not given and _called(node) in WRAPPING:
                yield args[0]
            if isinstance(node.func, ast.Attribute) and node.func.attr in CHAINED:
                yield node.func.value


def _flow(node: ast.AST) -> Iterator[ast.expr | ast.stmt | tuple[ast.expr, ast.expr]]:
    """Conditions and steps left out."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test):
            yield test, ast.Constant(True)
            yield test, ast.Constant(False)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            if any(part.ifs for part in node.generators):
                yield _but(node, generators=[_but(part, ifs=[]) for part in node.generators])
        case ast.Continue() | ast.Break():
            yield ast.Pass()
        case ast.Expr(value=ast.Call(args=args)) if not any(map(_has_text, args)):
            yield ast.Pass()


def _names(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Another of a function's names where one is returned."""
    if isinstance(node, ast.FunctionDef):
        own = [one.arg for one in node.args.args if one.arg not in ("self", "cls")]
        for part in ast.walk(node):
            match part:
                case ast.Name(id=name, ctx=ast.Store()):
                    own.append(name)
                case ast.Return(value=ast.Name(id=name) as value):
                    yield from ((value, ast.Name(other)) for other in own[-1:] if other != name)
                case ast.Return(value=ast.Tuple(elts=[first, second, *rest]) as value):
                    yield value, ast.Tuple([second, first, *rest], ast.Load())
