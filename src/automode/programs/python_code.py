"""What is proved of Python code: it reads, computes and prints, and writes the files it names; and
which of it is harmless enough to need nobody's leave.

The language of proved code is closed: modules, names of theirs, functions and methods that are not
listed make the whole piece not proved. That of harmless code is smaller.
"""

import ast
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from automode.core.word_lists import word_lists, word_sets

_WORDS = word_sets("automode.programs")
_BUILTINS, _METHODS, _VALUES, _CALLED, _BASES, _SPECIAL, _FILLING = (
    _WORDS[f"python-proved-{name}"]
    for name in "builtins methods values called bases special filling".split()
)
PATHS = frozenset("Path PurePath PosixPath PurePosixPath".split())
"""Classes whose methods act: they are called to make a path, and never handed on."""
LONGEST_CODE = 20_000
_NODES = (ast.AsyncFunctionDef, ast.Await, ast.Global, ast.Nonlocal, ast.Delete)
_OWN = frozenset("__init__ __str__ __repr__ __len__".split())
_FIXED = frozenset("open type str".split())  # their names stand for nothing else


@cache
def readable_endings() -> tuple[str, ...]:
    return tuple(f".{one}" for one in _WORDS["python-proved-readable"])


@cache
def modules() -> Mapping[str, frozenset[str]]:
    """The listed modules with their listed names."""
    listed = word_lists("automode.programs", "python_modules")
    return {name: frozenset(words) for name, words in listed.items()}


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
    shows_path: bool = False  # `sys.path` may be handed on


def module_of(node: ast.expr, piece: Piece) -> str | None:
    """`os`, or `os.path`."""
    match node:
        case ast.Name(name):
            return piece.modules.get(name)
        case ast.Attribute(inner, attr) if (outer := module_of(inner, piece)) is not None:
            return f"{outer}.{attr}" if f"{outer}.{attr}" in modules() else None
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
            return text.endswith(readable_endings())
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
            return _join_texts(parts, "/", piece)
        case ast.BinOp(left, ast.Div() | ast.Add() as put, right):
            return _join_texts([left, right], "" if isinstance(put, ast.Add) else "/", piece)
        case ast.Call(ast.Attribute(_, "join") as join, parts, []) if (
            module_of(join.value, piece) == "os.path"
        ):
            return _join_texts(parts, "/", piece)
        case ast.Call(ast.Attribute(_, "expanduser"), [inner], []):
            return text_of(inner, piece)
        case ast.Call(ast.Attribute(inner, "expanduser" | "resolve" | "absolute"), [], []):
            return text_of(inner, piece)
        case _:
            return None


def _join_texts(parts: list[ast.expr], between: str, piece: Piece) -> str | None:
    texts = [text_of(one, piece) for one in parts]
    known = [one for one in texts if one is not None]
    return between.join(known) if len(known) == len(texts) else None


@dataclass(frozen=True, slots=True)
class Proved:
    written: tuple[str, ...]  # files, by the names that the code gives them
    texts: tuple[str, ...]  # every text in it: one may name a credential
    fills: bool  # something is put into what it writes
    runs: tuple[str, ...] = ()  # modules of the project, and data that is loaded as one


def prove_python(code: str) -> Proved | None:
    """None: nothing is proved of it."""
    return _prove(parse(code)) if len(code) <= LONGEST_CODE else None


def parse(code: str) -> list[ast.AST]:
    """All nodes of the code, the module first; none where it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the code would be printed
            return list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _prove(nodes: list[ast.AST], *, shows_path: bool = False) -> Proved | None:
    """`shows_path`: nothing in it changes `sys.path`, so that it may be printed."""
    if not nodes:
        return None
    piece = Piece(shows_path=shows_path)
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
    looked_at |= {id(one) for n in nodes for one in _class_places(n)}
    if not all(_harmless(node, piece, handed=id(node) not in looked_at) for node in nodes):
        return None
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    filled = sum(_fills(node) for node in nodes)
    fills = 0 < len(piece.written) <= filled
    return Proved(tuple(piece.written), (*texts, *piece.read), fills)


def _class_places(node: ast.AST) -> list[ast.expr]:
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


def _learn(node: ast.AST, piece: Piece) -> bool:
    """False: it brings something in that is not listed."""
    match node:
        case ast.Import(names):
            for one in names:
                piece.imported.add(one.name)
                first = one.name.partition(".")[0]
                piece.modules[one.asname or first] = one.name if one.asname else first
            return all(one.name in modules() and one.asname not in _BUILTINS for one in names)
        case ast.ImportFrom(module, names):
            return _learn_names(module or "", names, piece)
        case ast.FunctionDef(name) | ast.ClassDef(name):
            piece.functions.add(name)
            piece.own.add(name)
            return name not in _BUILTINS and (name[:2] != "__" or name in _OWN)
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


def _learn_names(module: str, names: list[ast.alias], piece: Piece) -> bool:
    piece.imported.add(module)
    for one in names:
        name = one.asname or one.name
        if f"{module}.{one.name}" in modules():
            piece.modules[name] = f"{module}.{one.name}"
        elif one.name in PATHS:
            piece.classes.add(name)
        elif one.name == "open":
            return False
        piece.functions.add(name)
    plain = all((one.asname or one.name) not in _BUILTINS for one in names)
    return plain and all(one.name in modules().get(module, ()) for one in names)


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
            return all(isinstance(one, ast.Name) and one.id in _BASES for one in bases)
        case ast.ClassDef():
            return False
        case _:
            return not isinstance(node, _NODES)


def _harmless_name(name: str, piece: Piece, *, handed: bool) -> bool:
    """A module, a class of paths and `open` are handed on nowhere."""
    if name in piece.modules or name in piece.classes or name in ("open", "type"):
        return not handed
    known = name in _BUILTINS or name in piece.bound or name in piece.functions
    return known or name in _SPECIAL


def _harmless_attribute(node: ast.Attribute, piece: Piece, *, handed: bool) -> bool:
    name = node.attr
    if isinstance(node.ctx, ast.Store):
        return isinstance(node.value, ast.Name) and node.value.id == "self" and name[:1] != "_"
    module = module_of(node.value, piece)
    if (module, name) == ("sys", "path"):
        return piece.shows_path
    if module is not None:
        inner = f"{module}.{name}" in modules() or name in PATHS or name == "open"
        return (name in modules()[module] or name == "__version__") and not (inner and handed)
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
    """Where there are paths, a name of the code's own may be a method of theirs."""
    own = frozenset() if "pathlib" in piece.imported else frozenset(piece.own)
    return _METHODS | _VALUES | _SPECIAL | own


def _harmless_call(node: ast.Call, piece: Piece) -> bool:
    match node.func:
        case ast.Name("open"):
            return "open" not in piece.bound and _opens(node.args, node, piece)
        case ast.Name(name):
            return name in piece.functions or (name in _BUILTINS and name not in piece.bound)
        case ast.Attribute(value, name) if module_of(value, piece) is not None:
            return name != "open" or _opens(node.args, node, piece)
        case ast.Attribute(value, name) if name in _CALLED:
            return _harmless_method(value, name, node, piece)
        case ast.Attribute(ast.Name("self"), name) if name in piece.own:
            return True
        case ast.Attribute(_, name):
            return name in _METHODS
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
    proved = _prove(nodes, shows_path=not any(map(_changes, nodes)))
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    opened = [file for node in nodes if (file := _opened_file(node)) is not None]
    if proved is None or proved.written or names.count("open") != len(opened):
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
