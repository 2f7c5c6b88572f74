"""What is written out in Python code: the items of its lists, and what stars stand for."""

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import TypeAlias

Bound: TypeAlias = Sequence[ast.expr | None]
"""The expressions that a name stands for; None for one that nobody can tell."""
MOST_MAKERS = 50


def literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def choices(node: ast.expr) -> Sequence[ast.expr]:
    """What an expression is one of."""
    match node:
        case ast.IfExp(_, one, other):
            return (one, other)
        case ast.BoolOp(_, several):
            return several
        case ast.NamedExpr(_, inner):
            return (inner,)
        case _:
            return ()


def items_of(node: ast.expr | None) -> Sequence[ast.expr]:
    match node:
        case ast.List(items) | ast.Tuple(items) | ast.Dict(_, items):
            return items
        case _:
            return ()


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def returns(made: ast.AST) -> Iterator[ast.Return | ast.Yield]:
    for one in ast.walk(made):
        if isinstance(one, ast.Return | ast.Yield):
            yield one


def parts_of(node: ast.expr, bound: Callable[[ast.Name], Bound]) -> list[ast.expr] | None:
    """The items of a list that is written out, also in several parts."""
    lists = lists_of(node, bound, 1)
    return lists[0] if lists and len(lists) == 1 else None


def pairs_of(one: ast.keyword, bound: Callable[[ast.Name], Bound]) -> list[ast.keyword]:
    """What `**{"a": x}` and `**dict(a=x)` give."""
    value = one.value
    if one.arg is None and isinstance(value, ast.Name):
        values = bound(value)
        value = values[0] if len(values) == 1 and values[0] is not None else value
    match value:
        case ast.Dict(keys, values) if one.arg is None and all(map(_is_text, keys)):
            pairs = zip(keys, values, strict=True)
            return [ast.keyword(literal(key), each) for key, each in pairs if key is not None]
        case ast.Call(ast.Name("dict"), [], keywords) if one.arg is None:
            return keywords
        case _:
            return [one]


def _is_text(node: ast.expr | None) -> bool:
    return node is not None and bool(literal(node))


def lists_of(
    node: ast.expr, bound: Callable[[ast.Name], Bound], far: int = 3
) -> list[list[ast.expr]] | None:
    """Each list that an expression may stand for; None where nobody can tell one of them."""
    match node:
        case ast.List(items) | ast.Tuple(items):
            return [items]
        case ast.BinOp(left, ast.Add(), right):
            starts = lists_of(left, bound, far)
            ends = lists_of(right, bound, far) or [[ast.Starred(right)]]
            pairs = islice(product(starts or (), ends), MOST_MAKERS)
            return [[*one, *other] for one, other in pairs] or None
        case ast.Name():
            return _lists_of_name(bound(node) if far else (), bound, far - 1)
        case _:
            return None


def _lists_of_name(
    values: Bound, bound: Callable[[ast.Name], Bound], far: int
) -> list[list[ast.expr]] | None:
    added: list[ast.expr] = [one for one in values if isinstance(one, ast.Starred)]
    found: list[list[ast.expr]] = []
    for value in (one for one in values if not isinstance(one, ast.Starred)):
        lists = None if value is None else lists_of(value, bound, far)
        if lists is None:
            return None
        found += lists
    # `words += ["x"]` may have been, or come later.
    return [*found, *([*one, *added] for one in found if added)] or None


def carried(node: ast.Call) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """What may be a function that a call hands on, with what that is given."""
    lists = [k.value for k in node.keywords if k.arg == "args"]
    told = [n for each in lists for n in getattr(each, "elts", ())]
    for at, one in enumerate(node.args[:2]):
        yield one, [*node.args[at + 1 :], *told]
    yield from ((k.value, told) for k in node.keywords if k.arg in ("target", "func"))


def is_property(made: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(one) for one in made.decorator_list)
