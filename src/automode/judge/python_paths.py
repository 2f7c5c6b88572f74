"""Which files a piece of Python names: what the code gives names to, and what its paths are."""

import ast
from dataclasses import dataclass, field

from automode.judge.python_names import MODULES, PATHS, READABLE


@dataclass(slots=True)
class Piece:
    """What the code itself gives names to."""

    modules: dict[str, str] = field(default_factory=dict)  # a name in the code: the module
    imported: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)  # names that stand for one text only
    bound: list[str] = field(default_factory=list)
    lambdas: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)  # of paths
    own: set[str] = field(default_factory=set)  # functions and attributes that it defines
    sources: dict[str, list[ast.expr]] = field(default_factory=dict)  # what names run through


def module_of(node: ast.expr, piece: Piece) -> str | None:
    """`os`, or `os.path`."""
    match node:
        case ast.Name(name):
            return piece.modules.get(name)
        case ast.Attribute(inner, attr) if (outer := module_of(inner, piece)) is not None:
            return f"{outer}.{attr}" if f"{outer}.{attr}" in MODULES else None
        case _:
            return None


def writes(path: ast.expr, piece: Piece) -> bool:
    text = text_of(path, piece)
    if text is None:
        return False
    piece.written.append(text)
    return True


def reads(path: ast.expr, piece: Piece) -> bool:
    """Whether it can be told which file that is, or that it is none that holds a credential."""
    text = text_of(path, piece)
    if text is not None:
        piece.read.append(text)
        return True
    match path:
        case ast.Subscript(ast.Attribute(ast.Name(name), "argv")):
            return piece.modules.get(name) == "sys"  # it stands on the command line
        case ast.Name(name) if name in piece.sources:
            every = piece.sources[name]
            return piece.bound.count(name) == len(every) and all(
                _plain(one, piece) for one in every
            )
        case _:
            return _ends_plainly(path)


def _plain(source: ast.expr, piece: Piece) -> bool:
    """Whether all that comes out of it may be read."""
    match source:
        case ast.Call(ast.Name("sorted" | "list" | "set"), [inner], _):
            return _plain(inner, piece)
        case ast.List(items) | ast.Tuple(items):
            return all(reads(one, piece) for one in items)
        case ast.Call(ast.Attribute(_, "glob" | "rglob" | "iglob"), [pattern], _):
            return _ends_plainly(pattern)
        case ast.Subscript(ast.Attribute(ast.Name(name), "argv")):
            return piece.modules.get(name) == "sys"
        case _:
            return False


def _ends_plainly(path: ast.expr) -> bool:
    """Whether a name that is put together is that of a source, whatever comes before its end."""
    match path:
        case ast.Constant(str(text)):
            return text.endswith(READABLE)
        case ast.JoinedStr([*_, last]) | ast.BinOp(_, ast.Add() | ast.Div(), last):
            return _ends_plainly(last)
        case ast.Call(ast.Name(name) | ast.Attribute(_, name), [*_, last], []):
            return (name in PATHS or name == "join") and _ends_plainly(last)
        case _:
            return False


def text_of(node: ast.expr, piece: Piece) -> str | None:
    """The text that an expression stands for: written out, a path made of it, or a name for it."""
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.Name(name):
            return piece.texts.get(name)
        case ast.Call(ast.Name("Path") | ast.Attribute(_, "Path"), [_, *_] as parts, []):
            return _joined(parts, "/", piece)
        case ast.BinOp(left, ast.Div() | ast.Add() as put, right):
            return _joined([left, right], "" if isinstance(put, ast.Add) else "/", piece)
        case ast.Call(ast.Attribute(_, "join") as join, parts, []) if (
            module_of(join.value, piece) == "os.path"
        ):
            return _joined(parts, "/", piece)
        case ast.Call(ast.Attribute(_, "expanduser"), [inner], []):
            return text_of(inner, piece)
        case ast.Call(ast.Attribute(inner, "expanduser" | "resolve" | "absolute"), [], []):
            return text_of(inner, piece)
        case _:
            return None


def _joined(parts: list[ast.expr], between: str, piece: Piece) -> str | None:
    texts = [text_of(one, piece) for one in parts]
    known = [one for one in texts if one is not None]
    return between.join(known) if len(known) == len(texts) else None
