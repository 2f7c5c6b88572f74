"""What the expressions of Python code may stand for: texts, folders for tests, the home, and what
the code did not choose itself."""

import ast
import builtins
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, product
from typing import TypeAlias

from automode.core.workspace import Workspace
from automode.judge.words import keys_by_word, word_lists
from automode.programs.inline_python import UNKNOWN

_W = word_lists("python_acts")
Values: TypeAlias = tuple[str, ...] | None
"""The texts that an expression may stand for. None of them: it was given, and nothing in it was
chosen by the code. None: the code chose something of it, and nobody can tell what."""
GIVEN = "\ufdd2"
"""A part of a text that was given. What the project's own code or a library makes is UNKNOWN."""
MOST_VALUES = 60
MOST_STEPS = 40_000
DEEPEST = 60
MOST_MAKERS = 4
LONGEST_TEXT = 4_000
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_BUILTINS = frozenset(dir(builtins))
_PERCENT = re.compile(r"%(?:\(\w+\))?[-+ #0-9.]*[a-zA-Z]|\{[^{}]*\}")
_NUMBER = re.compile(r"[\d.]*")
_OWN = "."
"""Begins the full name of what is the project's."""


def actions() -> Mapping[str, str]:
    """What functions and methods do, by their names."""
    return keys_by_word("python_acts", "actions")


class PythonValues:
    """Learns what the names of a file stand for: those of a function in it, all others anywhere."""

    def __init__(self, nodes: Sequence[ast.AST], path: str, place: Workspace) -> None:
        self.path, self.place = path, place
        self.temporary = f"{place.temporary[0]}/automode/of/tests/0"
        self.imports: dict[str, str] = {}  # by name, what it is in full
        self.functions: dict[str, list[_Function]] = {}
        self.stars: list[str] = []  # modules of which every name is imported
        self.classes: set[str] = set()
        self.seen: set[int] = set()  # every expression that was looked at
        self._bound: dict[tuple[int, str], list[ast.expr | None]] = {}
        self._scopes: dict[int, tuple[int, ...]] = {}  # by node, the functions around it
        self._known: dict[tuple[int, str], Values] = {}
        self._open: set[tuple[int, str]] = set()
        self._steps = 0
        self._deep = 0
        if nodes:
            self._place(nodes[0])
        for node in nodes:
            self._learn(node)
        for node in nodes:
            if isinstance(node, ast.Call):
                self._give(node)

    def _place(self, root: ast.AST) -> None:
        waiting: list[tuple[ast.AST, tuple[int, ...]]] = [(root, ())]
        while waiting:
            node, around = waiting.pop()
            self._scopes[id(node)] = around
            inside = (id(node), *around) if isinstance(node, _FUNCTIONS) else around
            waiting += [(one, inside) for one in ast.iter_child_nodes(node)]

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names):
                for one in names:
                    first = one.name.partition(".")[0]
                    self.imports[one.asname or first] = one.name if one.asname else first
            case ast.ImportFrom(module, names, level):
                for one in names:
                    hidden = one.name in _W.hidden and module != one.name
                    full = f"{_OWN * bool(level)}{module or ''}.{one.name}"
                    self.stars += [module or ""] * (one.name == "*")
                    self.imports[one.asname or one.name] = one.name if hidden else full
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target, _, value) if value is not None:
                self._bind(target, value)
            case ast.AugAssign(target, _, value):
                self._bind(target, value if isinstance(value, ast.List) else None)
            case ast.NamedExpr(target, value) | ast.comprehension(target, value):
                self._bind(target, value)
            case ast.For(target, value) | ast.AsyncFor(target, value):
                self._bind(target, value)
            case ast.withitem(value, target) if target is not None:
                self._bind(target, value)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.functions.setdefault(node.name, []).append(node)
                self._learn_parameters(node)
            case ast.ClassDef(name):
                self.classes.add(name)
            case _:
                pass

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        match target, value:
            case ast.Tuple(names) | ast.List(names), ast.Tuple(values) if len(names) == len(values):
                for name, one in zip(names, values, strict=True):
                    self._bind(name, one)
            case (ast.Tuple(names) | ast.List(names)), _:
                for name in names:
                    self._bind(name, value)
            case ast.Name(name), _:
                around = self._scopes.get(id(target), ())
                self._bind_name(around[0] if around else 0, name, value)
            case ast.Attribute(ast.Name("self" | "cls"), name), _:
                self._bind_name(0, name, value)
            case ast.Starred(inner), _:
                self._bind(inner, value)
            case _:
                pass

    def _bind_name(self, scope: int, name: str, value: ast.expr | None) -> None:
        self._bound.setdefault((scope, name), []).append(value)

    def _learn_parameters(self, node: _Function) -> None:
        """Their defaults, and what pytest gives to them."""
        given = node.args
        plain = [*given.posonlyargs, *given.args]
        pairs = [*zip(reversed(plain), reversed(given.defaults), strict=False)]
        pairs += [(a, b) for a, b in zip(given.kwonlyargs, given.kw_defaults, strict=True) if b]
        for one, value in pairs:
            self._bind_name(id(node), one.arg, value)
        for decorator in node.decorator_list:
            match decorator:
                case ast.Call(ast.Attribute(_, "parametrize"), [names, value, *_]):
                    texts = (n.value for n in ast.walk(names) if isinstance(n, ast.Constant))
                    for text in texts:
                        for name in re.findall(r"\w+", str(text)):
                            self._bind_name(id(node), name, value)
                case ast.Call(ast.Attribute(_, "fixture"), _, keywords):
                    for one in keywords:
                        if one.arg == "params":
                            self._bind_name(0, "param", one.value)
                case _:
                    pass

    def _give(self, node: ast.Call) -> None:
        """What a call gives to a function of the file."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute):
            name = node.func.attr
        if isinstance(node.func, ast.Lambda):
            for one, value in zip(node.func.args.args, node.args, strict=False):
                self._bind_name(0, one.arg, value)
        for made in self.functions.get("__init__" if name in self.classes else name, ()):
            names = [one.arg for one in (*made.args.posonlyargs, *made.args.args)]
            names = names[1:] if names[:1] in (["self"], ["cls"]) else names
            rest = [made.args.vararg.arg] if made.args.vararg else []
            every = [made.args.kwarg.arg] if made.args.kwarg else []
            known = {*names, *(one.arg for one in made.args.kwonlyargs)}
            for at, value in enumerate(node.args):
                several = isinstance(value, ast.Starred)
                for one in [*names[at:], *rest] if several else names[at : at + 1] or rest:
                    self._bind_name(id(made), one, value)
            for keyword in node.keywords:
                named = [keyword.arg] if keyword.arg in known else every
                for one in named if keyword.arg else known:
                    self._bind_name(id(made), one, keyword.value)

    def bound(self, node: ast.Name) -> Sequence[ast.expr | None]:
        """What a name is bound to where it stands."""
        for scope in (*self._scopes.get(id(node), ()), 0):
            if (scope, node.id) in self._bound:
                return self._bound[scope, node.id]
        return ()

    def full_name(self, node: ast.expr) -> str:
        """`os.path.join`, however it was imported; `x()` for what a call of `x` gives; empty where
        it is neither imported nor built in."""
        if self._deep > DEEPEST:
            return ""
        self._deep += 1
        found = self._full_name(node)
        self._deep -= 1
        return found

    def _full_name(self, node: ast.expr) -> str:
        match node:
            case ast.Name(name):
                bound = self.bound(node)
                if name in self.imports and (not bound or name in _W.hidden):
                    return self.imports[name]
                if bound or name in self.functions:
                    return self._made_by(name, bound)
                every = (f"{one}.{name}" for one in self.stars)
                starred = next((one for one in every if one in actions()), "")
                return starred or (f"builtins.{name}" if name in _BUILTINS else "")
            case ast.Attribute(inner, attr):
                outer = self.full_name(inner)
                if not outer:
                    made = isinstance(inner, ast.Name) and inner.id in ("self", "cls")
                    return self._made_by(attr, self._bound.get((0, attr), ())) if made else ""
                # A module of a module: `logging.os`, `shop.subprocess`.
                hidden = attr in _W.hidden and outer[-1] != ")" and outer != attr
                return attr if hidden else f"{outer}.{attr}"
            case ast.Await(inner):
                return self.full_name(inner)
            case ast.Call(func, [one, attr, *_]) if self.full_name(func) == "builtins.getattr":
                outer, named = self.full_name(one), self.values(attr)
                return f"{outer}.{named[0]}" if outer and named and len(named) == 1 else ""
            case ast.Call(func, [ast.Constant(str(name)), *_]) if (
                self.full_name(func) in _W.importers
            ):
                return name
            case ast.Subscript(inner, ast.Constant(str(name))):
                return name if self.full_name(inner) == "sys.modules" else ""
            case ast.Call(func):
                made_by = self.full_name(func)
                return f"{made_by}()" if made_by else ""
            case _:
                return ""

    def _made_by(self, name: str, bound: Sequence[ast.expr | None]) -> str:
        """`httpx.Client()` for a name that is bound to one; what it is another name for."""
        key = (-1, name)
        if key in self._open:
            return ""
        self._open.add(key)
        found = ""
        for value in bound[:MOST_MAKERS]:
            if isinstance(value, ast.Call | ast.Await | ast.Name | ast.Attribute):
                found = found or self.full_name(value)
        self._open.discard(key)
        return found if found[:9] != "builtins." or found in _W.acting else ""

    def values(self, node: ast.expr | None) -> Values:
        self._steps += 1
        if node is None or self._steps > MOST_STEPS or self._deep > DEEPEST:
            return None
        self.seen.add(id(node))
        self._deep += 1
        found = self._values(node)
        self._deep -= 1
        return found

    def _values(self, node: ast.expr) -> Values:
        match node:
            case ast.Constant(str(text)):
                return (text,) if len(text) <= LONGEST_TEXT else (text[:LONGEST_TEXT] + UNKNOWN,)
            case ast.Constant(bytes(raw)):
                return (raw[:LONGEST_TEXT].decode("latin-1"),)
            case ast.Constant(int(number)) if not isinstance(number, bool):
                return (str(number),)
            case ast.Constant() | ast.Compare() | ast.Lambda():
                return ()
            case ast.JoinedStr(parts):
                return _joined([self._part(one) for one in parts], "".join)
            case ast.FormattedValue(inner) | ast.Await(inner) | ast.Starred(inner):
                return self.values(inner)
            case ast.NamedExpr(_, inner) | ast.Yield(inner) | ast.YieldFrom(inner):
                return self.values(inner) if inner is not None else ()
            case ast.BinOp(left, ast.Add(), right):
                return _joined([self._part(left), self._part(right)], "".join)
            case ast.BinOp(left, ast.Div(), right):
                return _joined([self._part(left), self._part(right)], _join_paths)
            case ast.BinOp(left, ast.Mod(), right):
                parts = right.elts if isinstance(right, ast.Tuple) else [right]
                return _joined([self._part(left), *map(self._part, parts)], _filled)
            case ast.Name():
                return self._named(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript(inner, index):
                return self._item(inner, index)
            case ast.Call():
                return self._called(node)
            case ast.Tuple(items) | ast.List(items) | ast.Set(items):
                return _either(map(self.values, items))
            case ast.Dict(_, items):
                return _either(map(self.values, items))
            case ast.IfExp(_, one, other):
                return _either(map(self.values, (one, other)))
            case ast.BoolOp(_, items):
                return _either(map(self.values, items))
            case ast.ListComp(item) | ast.GeneratorExp(item) | ast.SetComp(item):
                return self.values(item)
            case ast.DictComp(_, item):
                return self.values(item)
            case _:
                parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
                return None if _told(map(self.values, parts)) else ()

    def _part(self, node: ast.expr) -> Values:
        """A part of a text: what was given is some text."""
        found = self.values(node)
        return (GIVEN,) if found == () else found

    def _named(self, node: ast.Name) -> Values:
        name, around = node.id, (*self._scopes.get(id(node), ()), 0)
        scope = next((one for one in around if (one, name) in self._bound), 0)
        return self._kept((scope, name), lambda: self._of_name(name, self._bound.get((scope, name))))

    def _kept(self, key: tuple[int, str], found: Callable[[], Values]) -> Values:
        if key in self._known:
            return self._known[key]
        if key in self._open:
            return ()
        self._open.add(key)
        values = found()
        self._open.discard(key)
        if not self._open:
            self._known[key] = values  # within another it may be a part of the whole
        return values

    def _of_name(self, name: str, bound: Sequence[ast.expr | None] | None) -> Values:
        if bound is not None:
            return _either(map(self.values, bound))
        if name in self.functions:
            return self._returned(name)
        if name in self.imports:
            return (UNKNOWN,)
        if name == "__file__":
            return (self.path,)
        return (self.temporary,) if name in _W.temporary else ()

    def _returned(self, name: str) -> Values:
        """What a function of the file gives: of a fixture, what a test gets by its name."""
        every = [
            inner.value
            for made in self.functions[name]
            for inner in ast.walk(made)
            if isinstance(inner, ast.Return | ast.Yield) and inner.value is not None
        ]
        return _either(map(self.values, every))

    def _attribute(self, node: ast.Attribute) -> Values:
        full = self.full_name(node)
        if full == "sys.executable":
            return ("python",)
        if full in _W.neutral:
            return ()
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            return self._attribute_of_self(node.attr)
        found = self.values(node.value)
        if node.attr == "parent" and found is not None:
            return tuple(map(_above, found))
        if node.attr == "param":
            return self._attribute_of_self("param")
        if node.attr == "parents" or found is None:
            return None
        if node.attr in ("name", "stem", "suffix") and found and found[0] != self.temporary:
            return tuple(one.rsplit("/", 1)[-1] for one in found)
        return found

    def _attribute_of_self(self, name: str) -> Values:
        key = (0, name)
        return self._kept(key, lambda: _either(map(self.values, self._bound.get(key, ()))))

    def _item(self, inner: ast.expr, index: ast.expr) -> Values:
        match inner, index:
            case ast.Attribute(outer, "parents"), ast.Constant(int(count)):
                found = self.values(outer)
                for _ in range(count + 1) if found is not None and count < 20 else ():
                    found = tuple(map(_above, found or ()))
                return found
            case _, ast.Constant(str(name)) if self.full_name(inner) == "os.environ":
                return self._variable(name)
            case _:
                return self.values(inner)

    def _variable(self, name: str) -> Values:
        return (self.place.home,) if name in ("HOME", "USERPROFILE") else None

    def _called(self, node: ast.Call) -> Values:
        full, given = self.full_name(node.func), node.args
        last = full.rpartition(".")[2]
        if isinstance(node.func, ast.Attribute):
            last = node.func.attr
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        if full in ("os.getenv", "os.environ.get") and given:
            known = given[0].value if isinstance(given[0], ast.Constant) else None
            return self._variable(known) if isinstance(known, str) else None
        if full in ("pathlib.Path.home", "os.path.expanduser") and not given:
            return (self.place.home,)
        if full in _W.neutral:
            return ()
        if full in ("pathlib.Path.cwd", "os.getcwd"):
            return (self.place.cwd,)
        if full.startswith("tempfile."):
            return (self.temporary,)
        if full in _W.paths or full in ("os.path.join", "posixpath.join"):
            return _joined([self._part(one) for one in given], _join_paths) if given else (".",)
        if full in _W.passing and given:
            return self._passed(last, _either(map(self.values, given)))
        if full in _W.listed and given:
            found = self.values(given[0])
            return None if found is None else tuple(f"{one}/{UNKNOWN}" for one in found)
        if receiver is not None and not full.startswith("os.path."):
            if last == "join" and isinstance(receiver, ast.Constant) and len(given) == 1:
                return self._text_of(str(receiver.value), given[0])
            own = self.values(receiver)
            if last == "format" and own:
                every = [*given, *(one.value for one in node.keywords)]
                return _joined([own, *map(self._part, every)], _filled)
            if last in _W.joining and own:
                return _joined([own, *(self._part(one) for one in given)], _join_paths)
            if last in _W.listing and own:
                return tuple(f"{one}/{UNKNOWN}" for one in own)
            if last in _W.methods and own is not None:
                return self._passed(last, own)
        return self._of_other(node, full)

    def _text_of(self, between: str, several: ast.expr) -> Values:
        """What `", ".join(…)` makes."""
        items = parts_of(several, self.bound)
        if items is not None:
            return _joined([self._part(one) for one in items], between.join)
        found = self.values(several)
        return None if found is None or any(one.strip(UNKNOWN + GIVEN) for one in found) else found

    def _of_other(self, node: ast.Call, full: str) -> Values:
        """Of a call that is not known, by what it is given."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute):
            name = node.func.attr
        every = [*node.args, *(one.value for one in node.keywords)]
        if name in self.functions:
            return self._kept((-2, name), lambda: self._returned(name))
        if isinstance(node.func, ast.Attribute):
            every.append(node.func.value)
        found = _either(map(self.values, every))
        if found is None or all(map(_NUMBER.fullmatch, found)):
            return found if found is None else (UNKNOWN,) if self._is_foreign(full) else ()
        inside = [one for one in found if one.startswith(self.temporary)]
        plain = all(one in inside or _is_plain(one) for one in found)
        if inside and plain:
            return (self.temporary,)
        if not any(one.strip(UNKNOWN + GIVEN) for one in found):
            return (UNKNOWN,)
        return (UNKNOWN,) if plain and self._is_foreign(full) else None

    def _is_foreign(self, full: str) -> bool:
        """Whether the project or a library made it: what the code told it is only a name."""
        first = full.partition(".")[0]
        return bool(full) and first != "builtins" and first not in _W.decoders

    def _passed(self, name: str, found: Values) -> Values:
        if found is None:
            return None
        if name == "dirname":
            return tuple(map(_above, found))
        if name == "basename":
            return tuple(one.rsplit("/", 1)[-1] for one in found)
        if name == "expanduser":
            home = self.place.home
            return tuple(home + one[1:] if one[:1] == "~" else one for one in found)
        return found


def _is_plain(text: str) -> bool:
    return not text.startswith(("/", "~")) and ".." not in text and "://" not in text


def _above(path: str) -> str:
    return posixpath.dirname(path) or (path if path[-1:] in (GIVEN, UNKNOWN) else "..")


def _join_paths(parts: Sequence[str]) -> str:
    return posixpath.join(*parts)


def _filled(parts: Sequence[str]) -> str:
    """A text with its places filled in their order."""
    given = iter(parts[1:])
    return _PERCENT.sub(lambda _: next(given, GIVEN), parts[0])


def _joined(parts: Sequence[Values], join: Callable[[Sequence[str]], str]) -> Values:
    """Each way to put the parts together."""
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None
    every = list(islice(product(*known), MOST_VALUES + 1))
    return None if len(every) > MOST_VALUES else tuple(dict.fromkeys(map(join, every)))


def _either(several: Iterable[Values]) -> Values:
    found: dict[str, None] = {}
    for one in several:
        if one is None:
            return None
        found.update(dict.fromkeys(one))
    return tuple(found) if len(found) <= 10 * MOST_VALUES else None


def _told(several: Iterable[Values]) -> bool:
    """Whether the code chose some of them."""
    return any(one is None or not all(map(_NUMBER.fullmatch, one)) for one in several)


def parts_of(
    node: ast.expr, bound: Callable[[ast.Name], Sequence[ast.expr | None]]
) -> list[ast.expr] | None:
    """The items of a list that is written out, also in several parts."""
    match node:
        case ast.List(items) | ast.Tuple(items):
            return items
        case ast.BinOp(left, ast.Add(), right):
            one, other = parts_of(left, bound), parts_of(right, bound)
            return None if one is None or other is None else [*one, *other]
        case ast.Name():
            values = bound(node)
            one = values[0] if len(values) == 1 else None
            return None if one is None else parts_of(one, lambda _: ())
        case _:
            return None
