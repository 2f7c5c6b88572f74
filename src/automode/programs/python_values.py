"""What names and expressions of Python code stand for, as far as that is sure: texts, files that
may be read, and what comes out of modules that nobody listed."""

import ast
import posixpath
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from automode.core.word_lists import word_lists, word_sets

_WORDS = word_sets("automode.programs")
_ACTING = _WORDS["python-acting"]
_LIBRARIES = frozenset(
    "yaml numpy np pandas pd torch requests httpx aiohttp boto3 botocore sh psutil paramiko docker"
    " plumbum dill joblib cloudpickle tensorflow tf sqlalchemy django flask".split()
)
PATHS = frozenset("Path PurePath PosixPath PurePosixPath".split())
"""Classes whose methods act: they are called to make a path, and never handed on."""
_COPIES = frozenset("sorted list set tuple reversed".split())
_LOOKS_THROUGH = _COPIES | frozenset("len print zip enumerate any all".split())
_BREAKS = re.compile(r"[._]+|(?<=[a-z0-9])(?=[A-Z])")
_PLAIN_PATTERN = re.compile(r"[\w*?./\\:~ -]*\.\w+")
LONGEST_TEXT = 10_000
STEP_LIMIT = 20_000


@cache
def modules() -> Mapping[str, frozenset[str]]:
    """The listed modules with their listed names."""
    listed = word_lists("automode.programs", "python_modules")
    return {name: frozenset(words) for name, words in listed.items()}


@cache
def _all_checked() -> Mapping[str, frozenset[str]]:
    listed = word_lists("automode.programs", "python_checked")
    return {name: frozenset(words) for name, words in listed.items()}


@cache
def readable_endings() -> tuple[str, ...]:
    return tuple(f".{one}" for one in _WORDS["python-proved-readable"])


class Source(NamedTuple):
    value: ast.expr
    each: bool  # the name runs through it


@dataclass(slots=True)
class Piece:
    """What the code itself gives names to."""

    modules: dict[str, str] = field(default_factory=dict)  # a name in the code: the module
    checked: dict[str, str] = field(default_factory=dict)  # and the function: `subprocess.run`
    imported: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    bound: Counter[str] = field(default_factory=Counter)  # how often a name is given a value
    named: set[str] = field(default_factory=set)  # what is imported or defined
    lambdas: Counter[str] = field(default_factory=Counter)
    written: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    started: list[str] = field(default_factory=list)  # as a shell would read it
    classes: set[str] = field(default_factory=set)  # of paths
    own: set[str] = field(default_factory=set)  # functions and attributes that it defines
    sources: dict[str, list[Source]] = field(default_factory=dict)
    sourced: Counter[str] = field(default_factory=Counter)  # the same, where the values are known
    loads: dict[str, list[int]] = field(default_factory=dict)  # where names are used, by node
    kept: set[int] = field(default_factory=set)  # where they are only looked through
    shows_path: bool = False  # `sys.path` may be handed on
    foreign: set[str] = field(default_factory=set)  # names out of modules that nobody listed
    unlisted: list[str] | None = None  # those modules; None where there may be none
    folders: list[str] = field(default_factory=list)  # put into `sys.path`
    longer: set[int] = field(default_factory=set)  # where that is done
    steps: int = 0

    def goes_on(self) -> bool:
        """Whether to follow another expression: they may refer to each other in a circle, and one
        to another twice, again and again."""
        self.steps += 1
        return self.steps <= STEP_LIMIT


def checked(piece: Piece) -> Mapping[str, frozenset[str]]:
    """Modules with their names that are looked at where they are called."""
    return {} if piece.unlisted is None else _all_checked()


def learn_sources(nodes: list[ast.AST], piece: Piece) -> None:
    """What each name is given, wherever that is seen."""
    for node in nodes:
        match node:
            case ast.For(ast.Name(name), value) | ast.comprehension(ast.Name(name), value):
                _add(name, [Source(value, each=True)], piece)
            case (
                ast.Assign([ast.Name(name)], value)
                | ast.NamedExpr(ast.Name(name), value)
                | ast.withitem(value, ast.Name(name))
            ):
                _add(name, [Source(value, each=False)], piece)
            case ast.Name(name, ast.Load()):
                piece.loads.setdefault(name, []).append(id(node))
            case _:
                pass
        piece.kept |= {id(one) for one in _looked_through(node, piece)}
    _learn_parameters(nodes, piece)


def _add(name: str, sources: list[Source], piece: Piece) -> None:
    piece.sources.setdefault(name, []).extend(sources)
    piece.sourced[name] += 1


def _looked_through(node: ast.AST, piece: Piece) -> list[ast.expr]:
    match node:
        case ast.Starred(value):
            return [value]
        case ast.BinOp(left, ast.Add(), right):
            return [left, right]
        case ast.Call(func, given) if checked_name(func, piece) is not None:
            return given
        case ast.For(iter=value) | ast.comprehension(iter=value) | ast.FormattedValue(value):
            return [value]
        case ast.Subscript(value, ctx=ast.Load()):
            return [value]
        case ast.Call(ast.Name(name), given) if name in _LOOKS_THROUGH:
            return [] if name in piece.bound else given
        case _:
            return []


def _learn_parameters(nodes: list[ast.AST], piece: Piece) -> None:
    """Of functions that are only called by their name, with plain arguments."""
    calls: dict[str, list[ast.Call]] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls.setdefault(node.func.id, []).append(node)
    called = {id(one.func) for every in calls.values() for one in every}
    handed = {n.id for n in nodes if isinstance(n, ast.Name) and id(n) not in called}
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    handed |= {one.attr for one in attributes if checked_name(one, piece) is None}
    for node in nodes:
        if not isinstance(node, ast.FunctionDef) or node.name in handed:
            continue
        given, names = node.args, [one.arg for one in node.args.args]
        every = calls.get(node.name, [])
        if given.kwarg or given.posonlyargs or given.kwonlyargs or given.defaults or not every:
            continue
        many = [value for one in every for value in one.args if isinstance(value, ast.Starred)]
        if many or any(one.keywords or len(one.args) < len(names) for one in every):
            continue
        for place, name in enumerate(names):
            _add(name, [Source(one.args[place], each=False) for one in every], piece)
        if given.vararg is not None:
            rest = [ast.Tuple(one.args[len(names) :]) for one in every]
            _add(given.vararg.arg, [Source(one, each=False) for one in rest], piece)


def sources_of(name: str, piece: Piece) -> list[Source]:
    """All that a name can stand for; nothing where that is not known."""
    sure = name not in piece.named and piece.bound[name] == piece.sourced[name]
    return piece.sources.get(name, []) if sure else []


def module_of(node: ast.expr, piece: Piece) -> str | None:
    """`os`, or `os.path`."""
    match node:
        case ast.Name(name):
            return piece.modules.get(name)
        case ast.Attribute(inner, attr) if (outer := module_of(inner, piece)) is not None:
            return f"{outer}.{attr}" if f"{outer}.{attr}" in modules() else None
        case _:
            return None


def checked_name(node: ast.expr, piece: Piece) -> str | None:
    """`subprocess.run`, of a name that is looked at where it is called."""
    match node:
        case ast.Name(name):
            return piece.checked.get(name)
        case ast.Attribute(inner, attr) if (module := module_of(inner, piece)) is not None:
            return f"{module}.{attr}" if attr in checked(piece).get(module, ()) else None
        case _:
            return None


def writes(path: ast.expr, piece: Piece) -> bool:
    text = text_of(path, piece)
    if text is None:
        return False
    piece.written.append(text)
    return True


def reads(path: ast.expr, piece: Piece, seen: frozenset[str] = frozenset()) -> bool:
    """Whether it can be told which file that is, or that it is none that holds a credential.
    `seen`: names that are being looked at. What they are given besides settles it."""
    text = text_of(path, piece)
    if text is not None:
        piece.read.append(text)
        return True
    match path:
        case ast.Name(name):
            return name in seen or _all_sources(name, piece, seen, each=False)
        case ast.Subscript(ast.Attribute(ast.Name(name), "argv")):
            return piece.modules.get(name) == "sys"  # it stands on the command line
        case ast.Subscript(many, at) if not isinstance(at, ast.Slice):
            return _gives_plain(many, piece, seen)
        case ast.Call(func, [inner], []) if _makes_path(func, piece) or _is_builtin(
            func, "str", piece
        ):
            return reads(inner, piece, seen)
        case _:
            return _ends_plainly(path, piece)


def _all_sources(name: str, piece: Piece, seen: frozenset[str], *, each: bool) -> bool:
    """`each`: what a name runs through, not the name itself, is asked about."""
    every, seen = sources_of(name, piece), seen | {name}
    if each:
        return bool(every) and all(
            not one.each and _gives_plain(one.value, piece, seen) for one in every
        )
    return bool(every) and all(
        (_gives_plain if one.each else reads)(one.value, piece, seen) for one in every
    )


def _gives_plain(source: ast.expr, piece: Piece, seen: frozenset[str]) -> bool:
    """Whether all that comes out of it may be read."""
    if not piece.goes_on():
        return False
    match source:
        case ast.Name(name):
            # Where it is handed on, something else may be put into it.
            kept = piece.kept.issuperset(piece.loads.get(name, ()))
            return kept and _all_sources(name, piece, seen, each=True)
        case ast.Call(ast.Name(name), [inner], _) if name in _COPIES:
            return name not in piece.bound and _gives_plain(inner, piece, seen)
        case ast.List(items) | ast.Tuple(items):
            return all(reads(one, piece, seen) for one in items)
        case ast.ListComp(one, _) | ast.SetComp(one, _) | ast.GeneratorExp(one, _):
            return reads(one, piece, seen)
        case ast.Subscript(ast.Attribute(ast.Name(name), "argv"), ast.Slice()):
            return piece.modules.get(name) == "sys"
        case ast.Subscript(many, ast.Slice()):
            return _gives_plain(many, piece, seen)
        case ast.Call(ast.Attribute(base, "glob" | "rglob" | "iglob" as name), [pattern], given):
            plain = all(one.arg == "recursive" for one in given)
            known = plain and _names_files(base, name, pattern, piece)
            return known or _ends_plainly(pattern, piece)
        case _:
            return False


def _names_files(base: ast.expr, name: str, pattern: ast.expr, piece: Piece) -> bool:
    """Whether it is known which folder is looked through for which names, as in `cat a/*.json`.
    A folder below it, or a name that begins with a dot, is only found where it is written so."""
    text = text_of(pattern, piece)
    by_module = module_of(base, piece) == "glob"
    folder = "" if by_module else text_of(base, piece)
    if text is None or folder is None or name == "rglob" or not _PLAIN_PATTERN.fullmatch(text):
        return False
    if by_module:
        piece.read.append(text)
        return True
    if "**" in text or "/" in text:
        return False
    # To a path a star stands for a dot as well.
    piece.read += [f"{folder}/{text}", *([f"{folder}/.{text}"] if text[0] in "*?" else [])]
    return True


def _ends_plainly(path: ast.expr, piece: Piece) -> bool:
    """Whether a name that is put together is that of a source, whatever comes before its end."""
    match path:
        case ast.Constant(str(text)):
            return text.endswith(readable_endings())
        case ast.JoinedStr([*_, last]) | ast.BinOp(_, ast.Add() | ast.Div(), last):
            return _ends_plainly(last, piece)
        case ast.Call(func, [*_, last], []):
            joins = _makes_path(func, piece) or _is_join(func, piece)
            return joins and _ends_plainly(last, piece)
        case _:
            return False


def _makes_path(func: ast.expr, piece: Piece) -> bool:
    match func:
        case ast.Name(name):
            return name in piece.classes
        case ast.Attribute(value, name):
            return name in PATHS and module_of(value, piece) == "pathlib"
        case _:
            return False


def _is_join(func: ast.expr, piece: Piece) -> bool:
    match func:
        case ast.Attribute(value, "join"):
            return module_of(value, piece) == "os.path"
        case _:
            return False


def _is_builtin(func: ast.expr, name: str, piece: Piece) -> bool:
    return isinstance(func, ast.Name) and func.id == name and name not in piece.bound


def text_of(node: ast.expr, piece: Piece, seen: frozenset[str] = frozenset()) -> str | None:
    """The text that an expression stands for: written out, a path made of it, or a name for it."""
    if not piece.goes_on():
        return None
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.Name(name) if piece.bound[name] == 1 and name not in seen:
            match sources_of(name, piece):
                case [Source(value, False)]:
                    return text_of(value, piece, seen | {name})
                case _:
                    return None
        case ast.Call(func, [_, *_] as parts, []) if _makes_path(func, piece):
            return _join_texts(parts, "/", piece, seen)
        case ast.BinOp(left, ast.Div() | ast.Add() as put, right):
            return _join_texts([left, right], "" if isinstance(put, ast.Add) else "/", piece, seen)
        case ast.Call(func, [_, *_] as parts, []) if _is_join(func, piece):
            return _join_texts(parts, "/", piece, seen)
        case ast.Call(ast.Attribute(value, "expanduser"), [inner], []):
            of_path = module_of(value, piece) == "os.path"
            return text_of(inner, piece, seen) if of_path else None
        case ast.Call(ast.Attribute(inner, "expanduser" | "resolve" | "absolute"), [], []):
            return text_of(inner, piece, seen)
        case _:
            return None


def _join_texts(
    parts: list[ast.expr], between: str, piece: Piece, seen: frozenset[str]
) -> str | None:
    texts = [text_of(one, piece, seen) for one in parts]
    known = [one for one in texts if one is not None]
    if len(known) < len(texts) or sum(map(len, known)) > LONGEST_TEXT:
        return None
    return posixpath.join(*known) if between else "".join(known)


def is_foreign(node: ast.expr, piece: Piece, seen: frozenset[str] = frozenset()) -> bool:
    """Whether it is, or came out of, what a module gave that nobody listed."""
    if not piece.goes_on():
        return False
    match node:
        case ast.Name(name) if name in piece.foreign:
            return name not in piece.bound
        case ast.Name(name) if name in seen:
            return True
        case ast.Name(name):
            every = sources_of(name, piece)
            return bool(every) and all(is_foreign(one.value, piece, seen | {name}) for one in every)
        case ast.Attribute(value) | ast.Subscript(value) | ast.Call(value):
            return is_foreign(value, piece, seen)
        case _:
            return False


def sounds_harmless(name: str) -> bool:
    """Whether no part of a name says that it acts or holds a secret. It proves nothing."""
    return _ACTING.isdisjoint(one.casefold() for one in _BREAKS.split(name))


def is_library(name: str) -> bool:
    """Whether an attribute of a project's module is rather a library that it imports."""
    return name in sys.stdlib_module_names or name in _LIBRARIES


def hides(node: ast.AST) -> bool:
    """What changes a value where nobody looks: a list with two names at once, the command line,
    methods that Python calls by itself."""
    match node:
        case ast.NamedExpr(_, ast.List() | ast.ListComp() | ast.Dict()):
            return True
        case ast.Name(name, ast.Store()):
            return name[:2] == "__"
        case ast.Subscript(ast.Attribute(_, "argv"), _, ast.Store() | ast.Del()):
            return True
        case ast.Call(ast.Attribute(ast.Attribute(_, "argv"))):
            return True  # `sys.argv.append(…)`
        case ast.For(target) | ast.comprehension(target):
            return any(isinstance(one, ast.Attribute) for one in ast.walk(target))
        case _:
            return False
