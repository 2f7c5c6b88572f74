"""What is proved of Python code: it reads, computes and prints, and writes the files it names; and
which of it is harmless enough to need nobody's leave.

The language of proved code is closed: modules, names of theirs, functions and methods that are not
listed make the whole piece not proved. That of harmless code is smaller.
"""

import ast
import sys
import warnings
from dataclasses import dataclass
from functools import lru_cache

from automode.core.word_lists import word_sets
from automode.programs.python_starts import connects_to_read, queries, starts
from automode.programs.python_values import (
    PATHS,
    Piece,
    checked,
    checked_name,
    hides,
    is_foreign,
    is_library,
    learn_sources,
    module_of,
    modules,
    reads,
    sounds_harmless,
    text_of,
    writes,
)

_WORDS = word_sets("automode.programs")
_BUILTINS, _METHODS, _VALUES, _CALLED, _BASES, _SPECIAL, _FILLING = (
    _WORDS[f"python-proved-{name}"]
    for name in "builtins methods values called bases special filling".split()
)
_CHECKED_VALUES = _WORDS["python-checked-values"]
LONGEST_CODE = 20_000
MOST_KEPT = 64
_NODES = (ast.AsyncFunctionDef, ast.Await, ast.Global, ast.Nonlocal, ast.Delete, ast.Match)
_OWN = frozenset("__init__ __str__ __repr__ __len__".split())
_FIXED = frozenset("open type str".split())  # their names stand for nothing else
_TELLS = frozenset("getsource getfile getsourcefile getsourcelines getdoc signature".split())


@dataclass(frozen=True, slots=True)
class Proved:
    written: tuple[str, ...]  # files, by the names that the code gives them
    texts: tuple[str, ...]  # every text in it: one may name a credential
    fills: bool  # something is put into what it writes
    started: tuple[str, ...] = ()  # commands, as a shell would read them: see `starts`
    runs: tuple[str, ...] = ()  # modules of the project, and data that is loaded as one


@lru_cache(MOST_KEPT)
def prove_python(code: str, *, further: bool = False) -> Proved | None:
    """None: nothing is proved of it. `further`: it may start programs and use modules that are not
    listed. Both may do anything, and are told."""
    if len(code) > LONGEST_CODE:
        return None
    return _prove(parse(code), Piece(unlisted=[] if further else None))


def parse(code: str) -> list[ast.AST]:
    """All nodes of the code, the module first; none where it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the code would be printed
            return list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def imported_modules(code: str) -> frozenset[str]:
    """Every module that the code may load, and packages around it. Any name may be a module."""
    found: set[str] = set()
    for node in parse(code):
        match node:
            case ast.Import(names):
                found |= {one.name for one in names}
            case ast.ImportFrom(str(module), names):
                found |= {f"{module}.{one.name}" for one in names}
            case _:
                pass
    parts = [one.split(".") for one in found]
    return frozenset(".".join(one[:count]) for one in parts for count in range(1, len(one) + 1))


def _prove(nodes: list[ast.AST], piece: Piece) -> Proved | None:
    try:
        return _read(nodes, piece) if nodes else None
    except RecursionError:
        return None


def _read(nodes: list[ast.AST], piece: Piece) -> Proved | None:
    if not all(_learn(node, piece) for node in nodes) or any(map(hides, nodes)):
        return None
    learn_sources(nodes, piece)
    # A name that stands for anything else as well may be called for that.
    own = piece.functions | set(piece.lambdas)
    piece.functions = {n for n in own if piece.bound[n] == piece.lambdas[n]}
    if piece.foreign & {*piece.modules, *piece.classes, *piece.checked}:
        return None
    # What is looked at where it is called, or where an attribute of it is taken.
    looked_at = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    looked_at |= {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    looked_at |= {id(one) for n in nodes for one in _class_places(n, piece)}
    piece.longer = {id(one) for n in nodes for one in _longer_path(n, piece)}
    if not all(_harmless(node, piece, handed=id(node) not in looked_at) for node in nodes):
        return None
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    filled = sum(_fills(node) for node in nodes)
    return Proved(
        tuple(piece.written),
        (*texts, *piece.read),
        0 < len(piece.written) <= filled,
        tuple(piece.started),
    )


def _longer_path(node: ast.AST, piece: Piece) -> list[ast.expr]:
    """`sys.path` in `sys.path.insert(0, "src")`."""
    match node:
        case ast.Call(
            ast.Attribute(ast.Attribute(value, "path") as path, "insert" | "append"),
            [*_, folder],
            [],
        ) if piece.unlisted is not None and module_of(value, piece) == "sys":
            text = text_of(folder, piece)
            piece.folders += [] if text is None else [text]
            return [] if text is None else [path]
        case _:
            return []


def _class_places(node: ast.AST, piece: Piece) -> list[ast.expr]:
    """Where a class may stand: what kind a value is of, and what a type is printed as."""
    match node:
        case ast.Call(ast.Name(name)) if name in piece.bound:
            return []
        case ast.Call(ast.Name("isinstance" | "issubclass"), [_, ast.Tuple(kinds)]):
            return kinds
        case ast.Call(ast.Name("isinstance" | "issubclass"), [_, kind]):
            return [kind]
        case ast.Call(ast.Name("print" | "str" | "repr" | "dir"), given):
            return given
        case ast.Call(ast.Attribute(value, name), given) if name in _TELLS:
            return given if module_of(value, piece) == "inspect" else []
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


def _learn(node: ast.AST, piece: Piece) -> bool:
    """False: it brings something in that is not listed."""
    match node:
        case ast.Import(names):
            return all(_learn_module(one, piece) for one in names)
        case ast.ImportFrom(module, names, level):
            return _learn_names(f"{'.' * level}{module or ''}", names, piece)
        case ast.FunctionDef(name) | ast.ClassDef(name):
            piece.functions.add(name)
            piece.own.add(name)
            piece.named.add(name)
            free = name not in _BUILTINS and name not in PATHS
            return free and (name[:2] != "__" or name in _OWN)
        case ast.Attribute(ast.Name("self"), name, ast.Store()):
            piece.own.add(name)
        case ast.Assign([ast.Name(name)], ast.Lambda()):
            piece.lambdas[name] += 1
        case ast.Name(name, ast.Store()):
            piece.bound[name] += 1
        case ast.arg(name) | ast.ExceptHandler(name=str(name)):
            piece.bound[name] += 1
        case _:
            pass
    return True


def _learn_module(one: ast.alias, piece: Piece) -> bool:
    first = one.name.partition(".")[0]
    name = one.asname or first
    piece.imported.add(one.name)
    piece.named.add(name)
    if one.name not in modules() and one.name not in checked(piece):
        piece.foreign.add(name)
        return _may_be_unlisted(one.name, piece)
    meant = one.name if one.asname else first
    before = piece.modules.setdefault(name, meant)
    return before == meant and name not in _BUILTINS


def _may_be_unlisted(module: str, piece: Piece) -> bool:
    """Whether the code may use a module of which nothing is known. Its name is a hint."""
    if piece.unlisted is None or module.partition(".")[0] in ("", *sys.stdlib_module_names):
        return False
    piece.unlisted.append(module)
    return sounds_harmless(module)


def _learn_names(module: str, names: list[ast.alias], piece: Piece) -> bool:
    piece.imported.add(module)
    listed, looked_at = modules().get(module, frozenset()), checked(piece).get(module, frozenset())
    known = module in modules() or module in checked(piece)
    for one in names:
        name = one.asname or one.name
        piece.named.add(name)
        if not known:
            piece.foreign.add(name)
            continue
        if f"{module}.{one.name}" in modules():
            before = piece.modules.setdefault(name, f"{module}.{one.name}")
            if before != f"{module}.{one.name}":
                return False
        elif one.name in PATHS:
            piece.classes.add(name)
        elif one.name in looked_at and f"{module}.{one.name}" not in _CHECKED_VALUES:
            if piece.checked.setdefault(name, f"{module}.{one.name}") != f"{module}.{one.name}":
                return False
            continue
        piece.functions.add(name)
    plain = all((one.asname or one.name) not in _BUILTINS for one in names)
    if not known:
        harmless = all(sounds_harmless(one.name) for one in names)
        return plain and harmless and _may_be_unlisted(module, piece)
    return plain and all(one.name in listed or one.name in looked_at for one in names)


def _harmless(node: ast.AST, piece: Piece, *, handed: bool) -> bool:
    """`handed`: its value goes on to somewhere that is not looked at."""
    match node:
        case ast.Attribute():
            return _harmless_attribute(node, piece, handed=handed)
        case ast.Name(name, ast.Load()):
            return _harmless_name(name, piece, handed=handed)
        case ast.Name(name) | ast.arg(name):
            return not _is_fixed(name, piece)
        case ast.Call(ast.Name("type"), given):
            return len(given) == 1 and not handed and "type" not in piece.bound
        case ast.Call():
            return _harmless_call(node, piece)
        case ast.FunctionDef(decorator_list=[_, *_]) | ast.ClassDef(decorator_list=[_, *_]):
            return False
        case ast.FunctionDef(name):
            return not _is_fixed(name, piece)
        case ast.ClassDef(name, bases=bases, keywords=[]):
            plain = all(isinstance(one, ast.Name) and one.id in _BASES for one in bases)
            return plain and not _is_fixed(name, piece)
        case ast.ClassDef():
            return False
        case _:
            return not isinstance(node, _NODES)


def _is_fixed(name: str, piece: Piece) -> bool:
    """Whether a name stands for what acts, and so for nothing else."""
    return name in _FIXED or any(
        name in one for one in (piece.modules, piece.classes, piece.checked)
    )


def _harmless_name(name: str, piece: Piece, *, handed: bool) -> bool:
    """What acts is handed on nowhere."""
    if _is_fixed(name, piece) and name != "str":
        return not handed
    known = name in _BUILTINS or name in piece.bound or name in piece.functions
    return known or name in _SPECIAL or name in piece.foreign


def _harmless_attribute(node: ast.Attribute, piece: Piece, *, handed: bool) -> bool:
    name = node.attr
    if isinstance(node.ctx, ast.Store):
        return isinstance(node.value, ast.Name) and node.value.id == "self" and name[:1] != "_"
    module = module_of(node.value, piece)
    if (module, name) == ("sys", "path"):
        return piece.shows_path or id(node) in piece.longer
    if module is not None:
        listed = name in modules().get(module, ()) or name in _SPECIAL
        acts = name in checked(piece).get(module, ()) and f"{module}.{name}" not in _CHECKED_VALUES
        inner = f"{module}.{name}" in modules() or name in PATHS or acts
        return (listed or name in checked(piece).get(module, ())) and not (inner and handed)
    if is_foreign(node.value, piece) and (is_library(name) or name not in _CALLED):
        # What a module of the project imports is no part of it.
        plain = name[:1] != "_" and sounds_harmless(name) and not is_library(name)
        return name in _SPECIAL or plain
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
            return name in _is_known(piece) or (not handed and name in _CALLED)


def _is_known(piece: Piece) -> frozenset[str]:
    """Where there are things that act, a name of the code's own may be a method of theirs."""
    acting = {"pathlib", *checked(piece)} - {"os"}
    own = frozenset() if piece.foreign or acting & piece.imported else frozenset(piece.own)
    return _METHODS | _VALUES | _SPECIAL | own


def _harmless_call(node: ast.Call, piece: Piece) -> bool:
    name = checked_name(node.func, piece)
    if name is not None and name not in _CHECKED_VALUES:
        return _harmless_checked(name, node, piece)
    match node.func:
        case ast.Name("open"):
            return "open" not in piece.bound and _opens(node.args, node, piece)
        case ast.Name(name):
            known = name in piece.functions or name in piece.foreign
            return (known or name in _BUILTINS) and (
                name in piece.functions or name not in piece.bound
            )
        case ast.Attribute(value) if module_of(value, piece) is not None:
            return True
        case ast.Attribute(value, name) if name in _CALLED:
            return _harmless_method(value, name, node, piece)
        case ast.Attribute(ast.Name("self"), name) if name in piece.own:
            return True
        case ast.Attribute(value, name):
            return name in _METHODS or is_foreign(value, piece)
        case _:
            return False


def _harmless_checked(name: str, node: ast.Call, piece: Piece) -> bool:
    match name:
        case "sqlite3.connect":
            return connects_to_read(node, piece)
        case "gzip.open":
            return _opens(node.args, node, piece)
        case "zipfile.ZipFile" | "tarfile.open":
            before = len(piece.written)
            return _opens(node.args, node, piece) and len(piece.written) == before
        case _:
            return starts(name, node, piece)


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
        case "execute":
            return queries(node, piece)
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


LONGEST_HARMLESS = 4_000
_CHANGING = frozenset("append add extend sort".split())
_HARMLESS = {
    name: _WORDS[f"python-{name}"] for name in "modules builtins attributes keywords".split()
}
_HARMLESS_NODES: tuple[type[ast.AST], ...] = tuple(
    getattr(ast, name) for name in _WORDS["python-nodes"]
)
_WIDER = (_BUILTINS | _SPECIAL) - _HARMLESS["builtins"] - {"open"}


@dataclass(frozen=True, slots=True)
class Harmless:
    """What code that only computes and prints needs from outside."""

    modules: frozenset[str]
    files: frozenset[str]  # opened for reading, by literal name


def harmless(code: str) -> Harmless | None:
    """What `code` imports and opens; None when it is not known to be harmless: proved, in a smaller
    language, with every file by a literal name, and imports before all else."""
    nodes = parse(code) if len(code) <= LONGEST_HARMLESS else []
    proved = _prove(nodes, Piece(shows_path=not any(map(_changes, nodes))))
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    opened = [file for node in nodes if (file := _opened_file(node)) is not None]
    if proved is None or proved.written or proved.started or names.count("open") != len(opened):
        return None
    imports = [node for node in nodes if isinstance(node, ast.Import)]
    body = nodes[0].body if isinstance(nodes[0], ast.Module) else []
    late = imports != body[: len(imports)]  # what runs before may change what is imported
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if late or _hands_on_code(nodes) or {*names} & _WIDER - bound:
        return None
    if not all(map(_is_small, nodes)):
        return None
    modules = frozenset(alias.name for node in imports for alias in node.names)
    return Harmless(modules, frozenset(opened))


def _changes(node: ast.AST) -> bool:
    """Whether it may change a list. `sys.path` decides which file a module is, also for modules
    that others load later, so nothing beside it may change."""
    match node:
        case ast.Attribute(attr=name):
            return name in _CHANGING
        case ast.Subscript(ctx=ast.Store()) | ast.AugAssign():
            return True
        case _:
            return False


def _hands_on_code(nodes: list[ast.AST]) -> bool:
    """Whether a lambda is anything but what a list is sorted by."""
    keys = [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg == "key"]
    lambdas = [node for node in nodes if isinstance(node, ast.Lambda)]
    return not all(isinstance(key, ast.Lambda) for key in keys) or len(keys) != len(lambdas)


def _opened_file(node: ast.AST) -> str | None:
    """The file that `open("name")` or `open("name", "r")` reads."""
    match node:
        case ast.Call(
            func=ast.Name(id="open"),
            args=[ast.Constant(value=str(name))]
            | [ast.Constant(value=str(name)), ast.Constant(value="r" | "rb")],
            keywords=[] | [ast.keyword(arg="encoding")],
        ):
            return name
        case _:
            return None


def _is_small(node: ast.AST) -> bool:
    """Whether a node is one of the smaller language: `print(x, file=…)` writes where it is told,
    `default=` calls what it gets, and a dunder reaches anything."""
    match node:
        case ast.Import():
            plain = all(one.asname is None for one in node.names)
            return plain and {one.name for one in node.names} <= _HARMLESS["modules"]
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name, annotation=None):
            return name not in _HARMLESS["builtins"] and name[0] != "_"
        case ast.ExceptHandler(name=name):
            return name is None or (name not in _HARMLESS["builtins"] and name[0] != "_")
        case ast.With():
            return all(_opened_file(item.context_expr) is not None for item in node.items)
        case ast.Subscript(ctx=ast.Store()):
            return isinstance(node.value, ast.Name)
        case ast.Attribute(attr=name, ctx=context):
            return isinstance(context, ast.Load) and name in _HARMLESS["attributes"]
        case ast.Call(func=ast.Name() | ast.Attribute()):
            return {keyword.arg for keyword in node.keywords} <= _HARMLESS["keywords"]
        case _:
            return isinstance(node, _HARMLESS_NODES) and not isinstance(node, ast.Call)
