"""What is proved of Python code: it reads, computes and prints, and writes the files it names.

The language of proved code is closed: modules, names of theirs, functions and methods that are not
listed make the whole piece not proved.
"""

import ast
import warnings
from dataclasses import dataclass

from automode.judge.python_names import (
    BASES,
    BUILTINS,
    METHODS,
    MODULES,
    PATHS,
    SPECIAL,
    VALUES,
    Piece,
    module_of,
    reads,
    text_of,
    writes,
)

LONGEST = 20_000
_NODES = (ast.AsyncFunctionDef, ast.Await, ast.Global, ast.Nonlocal, ast.Delete)


@dataclass(frozen=True, slots=True)
class Proved:
    written: tuple[str, ...]  # files, by the names that the code gives them
    texts: tuple[str, ...]  # every text in it: one may name a credential
    fills: bool  # something is put into what it writes


def proved(code: str) -> Proved | None:
    """None: nothing is proved of it."""
    if len(code) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the code would be printed
            nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    piece = Piece()
    for node in nodes:
        match node:
            case ast.For(ast.Name(name), source) | ast.comprehension(ast.Name(name), source):
                piece.sources.setdefault(name, []).append(source)
            case _:
                pass
    if not all(_learn(node, piece) for node in nodes):
        return None
    # A name that stands for anything else as well may be called for that.
    own = piece.functions | set(piece.lambdas)
    piece.functions = {n for n in own if piece.bound.count(n) == piece.lambdas.count(n)}
    piece.texts = {name: text for name, text in piece.texts.items() if piece.bound.count(name) == 1}
    # What is looked at where it is called, or where an attribute of it is taken.
    looked_at = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    looked_at |= {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    looked_at |= {id(one) for n in nodes for one in _compared(n)}
    if not all(_harmless(node, piece, handed=id(node) not in looked_at) for node in nodes):
        return None
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    filled = sum(_fills(node) for node in nodes)
    fills = 0 < len(piece.written) <= filled
    return Proved(tuple(piece.written), (*texts, *piece.read), fills)


def _compared(node: ast.AST) -> list[ast.expr]:
    """Where a class may stand: what kind a value is of, and what a type is printed as."""
    match node:
        case ast.Call(ast.Name("isinstance" | "issubclass"), [_, ast.Tuple(kinds)]):
            return kinds
        case ast.Call(ast.Name("isinstance" | "issubclass"), [_, kind]):
            return [kind]
        case ast.Call(ast.Name("print" | "str" | "repr"), given):
            return given
        case ast.FormattedValue(value):
            return [value]
        case ast.Compare(left, _, others):
            return [left, *others]
        case _:
            return []


def _fills(node: ast.AST) -> bool:
    match node:
        case ast.Call(ast.Name("print"), keywords=[_, *_]):
            return True
        case ast.Call(ast.Attribute(_, name), [given, *_]) if name in _FILLING:
            blank = isinstance(given, ast.Constant) and not str(given.value).strip()
            return not blank
        case _:
            return False


_FILLING = frozenset("write write_text write_bytes dump writelines writerow writerows".split())


def _learn(node: ast.AST, piece: Piece) -> bool:
    """False: it brings something in that is not listed."""
    match node:
        case ast.Import(names):
            for one in names:
                piece.imported.add(one.name)
                first = one.name.partition(".")[0]
                piece.modules[one.asname or first] = one.name if one.asname else first
            return all(one.name in MODULES and one.asname not in BUILTINS for one in names)
        case ast.ImportFrom(module, names):
            return _learn_names(module or "", names, piece)
        case ast.FunctionDef(name) | ast.ClassDef(name):
            piece.functions.add(name)
            piece.own.add(name)
            return name not in BUILTINS and (name[:2] != "__" or name in _OWN)
        case ast.Attribute(ast.Name("self"), name, ast.Store()):
            piece.own.add(name)
        case ast.Assign([ast.Name(name)], ast.Lambda()):
            piece.lambdas.append(name)
        case ast.Assign([ast.Name(name)], value):
            text = text_of(value, piece)
            piece.texts.update({name: text} if text is not None else {})
        case ast.Name(name, ast.Store()):
            piece.bound.append(name)
        case ast.arg(name) | ast.ExceptHandler(name=str(name)):
            piece.bound.append(name)
        case _:
            pass
    return True


_OWN = frozenset("__init__ __str__ __repr__ __len__".split())


def _learn_names(module: str, names: list[ast.alias], piece: Piece) -> bool:
    piece.imported.add(module)
    for one in names:
        name = one.asname or one.name
        if f"{module}.{one.name}" in MODULES:
            piece.modules[name] = f"{module}.{one.name}"
        elif one.name in PATHS:
            piece.classes.add(name)
        elif one.name == "open":
            return False
        piece.functions.add(name)
    plain = all((one.asname or one.name) not in BUILTINS for one in names)
    return plain and all(one.name in MODULES.get(module, ()) for one in names)


def _harmless(node: ast.AST, piece: Piece, *, handed: bool) -> bool:
    """`handed`: its value goes on to somewhere that is not looked at."""
    match node:
        case ast.Attribute():
            return _harmless_attribute(node, piece, handed=handed)
        case ast.Name(name, ast.Load()):
            return _harmless_name(name, piece, handed=handed)
        case ast.Name(name):
            return name not in {*piece.modules, *piece.classes, *_FIXED}
        case ast.arg(name):
            return name not in {*piece.modules, *piece.classes, *_FIXED}
        case ast.Call(ast.Name("type"), given):
            return len(given) == 1 and not handed and "type" not in piece.bound
        case ast.Call():
            return _harmless_call(node, piece)
        case ast.FunctionDef(decorator_list=[_, *_]) | ast.ClassDef(decorator_list=[_, *_]):
            return False
        case ast.ClassDef(bases=bases, keywords=[]):
            return all(isinstance(one, ast.Name) and one.id in BASES for one in bases)
        case ast.ClassDef():
            return False
        case _:
            return not isinstance(node, _NODES)


def _harmless_name(name: str, piece: Piece, *, handed: bool) -> bool:
    """A module, a class of paths and `open` are handed on nowhere."""
    if name in piece.modules or name in piece.classes or name in ("open", "type"):
        return not handed
    known = name in BUILTINS or name in piece.bound or name in piece.functions
    return known or name in SPECIAL


def _harmless_attribute(node: ast.Attribute, piece: Piece, *, handed: bool) -> bool:
    name = node.attr
    if isinstance(node.ctx, ast.Store):
        return isinstance(node.value, ast.Name) and node.value.id == "self" and name[:1] != "_"
    module = module_of(node.value, piece)
    if module is not None:
        inner = f"{module}.{name}" in MODULES or name in PATHS or name == "open"
        return (name in MODULES[module] or name == "__version__") and not (inner and handed)
    match node.value:
        case ast.Name("self") if name in piece.own:
            return True
        case ast.Name(base) if base in piece.classes:
            return name == "cwd" and not handed
        case ast.Attribute(_, base) if base in PATHS:
            return name == "cwd" and not handed
        case ast.Call(ast.Name("type")):
            return name == "__name__"
        case ast.Name("str") if name == "replace":
            return True
        case _:
            return name in _known(piece) or (not handed and name in _CALLED)


def _known(piece: Piece) -> frozenset[str]:
    """Where there are paths, a name of the code's own may be a method of theirs."""
    own = frozenset() if "pathlib" in piece.imported else frozenset(piece.own)
    return METHODS | VALUES | SPECIAL | own


_FIXED = frozenset("open type str".split())  # their names stand for nothing else
# They are proved where they are called.
_CALLED = frozenset(
    "open write_text write_bytes read_text read_bytes replace format glob rglob cwd".split()
)


def _harmless_call(node: ast.Call, piece: Piece) -> bool:
    match node.func:
        case ast.Name("open"):
            return "open" not in piece.bound and _opens(node.args, node, piece)
        case ast.Name(name):
            return name in piece.functions or (name in BUILTINS and name not in piece.bound)
        case ast.Attribute(value, name) if module_of(value, piece) is not None:
            return name != "open" or _opens(node.args, node, piece)
        case ast.Attribute(value, name) if name in _CALLED:
            return _harmless_method(value, name, node, piece)
        case ast.Attribute(ast.Name("self"), name) if name in piece.own:
            return True
        case ast.Attribute(_, name):
            return name in METHODS
        case _:
            return False


def _harmless_method(value: ast.expr, name: str, node: ast.Call, piece: Piece) -> bool:
    match name:
        case "open":
            return _opens([value, *node.args], node, piece)
        case "write_text" | "write_bytes":
            return writes(value, piece)
        case "read_text" | "read_bytes":
            return reads(value, piece)
        case "replace":  # of a path it is a move, and takes one argument
            return len(node.args) > 1 and not any(isinstance(a, ast.Starred) for a in node.args)
        case "format":  # it can take attributes of what it is given
            return isinstance(value, ast.Constant) and "_" not in str(value.value).split("{", 1)[-1]
        case _:
            return True


def _opens(given: list[ast.expr], node: ast.Call, piece: Piece) -> bool:
    mode = given[1] if len(given) > 1 else None
    named = [one.value for one in node.keywords if one.arg == "mode"]
    mode = named[0] if named else mode
    if any(one.arg == "opener" for one in node.keywords) or not given:
        return False
    if any(isinstance(one, ast.Starred) for one in given) or None in [k.arg for k in node.keywords]:
        return False
    match mode:
        case None:
            return reads(given[0], piece)
        case ast.Constant(str(text)) if not set(text) - set("rbt"):
            return reads(given[0], piece)
        case ast.Constant(str(text)) if not set(text) - set("wabtx+r"):
            return writes(given[0], piece)
        case _:
            return False
