"""What the expressions of Python code may stand for: texts, folders for tests, the home, and what
the code did not choose itself."""

import ast
import re
from collections.abc import Callable, Iterable, Sequence

from automode.core.workspace import Workspace
from automode.judge.code.act import (
    GIVEN,
    Places,
    Values,
    above,
    either,
    is_chosen,
    join_paths,
    joined,
)
from automode.judge.python.names import (
    ANY,
    DEEPEST,
    Bound,
    PythonNames,
    actions,
    called,
    parts_of,
    returns,
)
from automode.judge.words import word_lists
from automode.programs.inline_python import UNKNOWN

_W = word_lists("python_acts")
MOST_STEPS = 40_000
LONGEST_TEXT = 4_000
_PERCENT = re.compile(r"%(?:\(\w+\))?[-+ #0-9.]*[a-zA-Z]|\{[^{}]*\}")
_NUMBER = re.compile(r"[\d.]*")
_SEPARATORS = {"os.sep": "/", "os.curdir": ".", "os.pardir": "..", "sys.executable": "python"}
_HOME = re.compile(r"\$HOME\b|\$\{HOME\}|%USERPROFILE%")


class PythonValues(PythonNames, Places):
    """`made`: modules that this session wrote: nobody can tell what their names stand for."""

    def __init__(
        self,
        nodes: Sequence[ast.AST],
        path: str,
        place: Workspace,
        around: Sequence[str] = (),
        made: frozenset[str] = frozenset(),
    ) -> None:
        PythonNames.__init__(self, nodes, around)
        Places.__init__(self, place)
        self.path, self.made = path, made
        self.seen: set[int] = set()  # every expression that was looked at
        self._known: dict[tuple[int, str], Values] = {}
        self._open: set[tuple[int, str]] = set()
        self._steps = 0

    def values(self, node: ast.expr | None) -> Values:
        self._steps += 1
        if node is None or self._steps > MOST_STEPS or self._deep > DEEPEST:
            return None
        self.seen.add(id(node))
        self._deep += 1
        found = self._of_text(node)
        self._deep -= 1
        return found

    def part(self, node: ast.expr) -> Values:
        """A part of a text: what was given is some text."""
        found = self.values(node)
        return (GIVEN,) if found == () else found

    def one_text(self, node: ast.expr) -> str:
        found = self.values(node)
        return found[0] if found and len(found) == 1 else ""

    def named_module(self, node: ast.expr) -> str:
        found = self.values(node)
        if not found:
            return ANY if found is None else ""
        hidden = next((one for one in found if one in _W.hidden | _W.modules), "")
        return hidden or (found[0] if len(found) == 1 else "")

    def _of_text(self, node: ast.expr) -> Values:
        match node:
            case ast.Constant():
                return _constant(node.value)
            case ast.JoinedStr(parts):
                return joined([self.part(one) for one in parts], "".join)
            case ast.BinOp(left, ast.Add(), right):
                return joined([self.part(left), self.part(right)], "".join)
            case ast.BinOp(left, ast.Div(), right):
                return joined([self.part(left), self.part(right)], join_paths)
            case ast.BinOp(left, ast.Mod(), right):
                parts = right.elts if isinstance(right, ast.Tuple) else [right]
                return joined([self.part(left), *map(self.part, parts)], _filled)
            case ast.Name():
                return self._of_name(node)
            case ast.Attribute():
                return self._of_attribute(node)
            case ast.Subscript(inner, index):
                return self._of_item(inner, index)
            case ast.Call():
                return self._of_call(node)
            case _:
                return self._of_several(node)

    def _of_several(self, node: ast.expr) -> Values:
        match node:
            case ast.Tuple(items) | ast.List(items) | ast.Set(items) | ast.BoolOp(_, items):
                return either(map(self.values, items))
            case ast.Dict(_, items):
                return either(map(self.values, items))
            case ast.IfExp(_, one, other):
                return either(map(self.values, (one, other)))
            case ast.ListComp(item) | ast.GeneratorExp(item) | ast.SetComp(item):
                return self.values(item)
            case ast.DictComp(_, item) | ast.FormattedValue(item) | ast.Await(item):
                return self.values(item)
            case ast.Starred(item) | ast.NamedExpr(_, item) | ast.YieldFrom(item):
                return self.values(item)
            case ast.Yield(inner):
                return () if inner is None else self.values(inner)
            case ast.Compare() | ast.Lambda() | ast.UnaryOp(ast.Not()):
                return ()
            case _:
                parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
                return None if _told(map(self.values, parts)) else ()

    def _of_name(self, node: ast.Name) -> Values:
        name, key = node.id, (self.scope(node), node.id)
        bound = self.bound(node) or None
        if bound is None and name in self.parameters and not self.is_given(node):
            return None
        return self._kept(key, lambda: self._named_values(name, bound))

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

    def _named_values(self, name: str, bound: Bound | None) -> Values:
        if bound is not None:
            return either(map(self.values, bound))
        if name in self.functions:
            return self._returned(name)
        if name in self.imports:
            return None if self.is_made(self.imports[name]) else (UNKNOWN,)
        if name == "__file__":
            return (self.path,)
        if name in self.parameters or f"builtins.{name}" == self.full_name(ast.Name(name)):
            return (self.temporary,) if name in _W.temporary else ()
        return (UNKNOWN,)

    def is_made(self, full: str) -> bool:
        parts = re.split(r"\W+", full)
        theirs = self._is_standard(full) or parts[0] in _W.known
        return not theirs and not self.made.isdisjoint(parts)

    def _is_standard(self, full: str) -> bool:
        return full.partition(".")[0] in _W.partly | _W.harmless | _W.modules

    def _returned(self, name: str) -> Values:
        """What a function of the file gives: of a fixture, what a test gets by its name."""
        every = [one.value for made in self.functions[name] for one in returns(made)]
        return either(map(self.values, filter(None, every)))

    def _of_attribute(self, node: ast.Attribute) -> Values:
        full, name = self.full_name(node), node.attr
        if full in _SEPARATORS:
            return (_SEPARATORS[full],)
        if full in _W.neutral:
            return ()
        if name == "server_port":
            return (UNKNOWN,)
        if (0, name) in self._bound or name == "param":
            key = (0, name)
            return self._kept(key, lambda: either(map(self.values, self._bound.get(key, ()))))
        found = (self.place.home,) if name == "pw_dir" else self.values(node.value)
        if found is None or name == "parents" or name in ("__doc__", "__annotations__"):
            return None
        if name == "parent":
            return tuple(map(above, found))
        if name in ("name", "stem", "suffix") and found and found[0] != self.temporary:
            return tuple(one.rsplit("/", 1)[-1] for one in found)
        return found

    def _of_item(self, inner: ast.expr, index: ast.expr) -> Values:
        match inner, index:
            case ast.Attribute(outer, "parents"), ast.Constant(int(count)):
                found = self.values(outer)
                for _ in range(count + 1) if found is not None and count < DEEPEST else ():
                    found = tuple(map(above, found or ()))
                return found
            case _, ast.Constant(str(name)) if self.full_name(inner) == "os.environ":
                return self._variable(name)
            case _, ast.Slice(step=ast.UnaryOp()):
                found = self.values(inner)
                return None if found is None else tuple(one[::-1] for one in found)
            case _:
                return self.values(inner)

    def _variable(self, name: str) -> Values:
        return (self.place.home,) if name in ("HOME", "USERPROFILE") else None

    def _of_call(self, node: ast.Call) -> Values:
        full, given, last = self.full_name(node.func), node.args, called(node)
        if full in ("os.getenv", "os.environ.get") and given:
            return self._variable(self.one_text(given[0]))
        if full in _W.neutral:
            return ()
        if full in _W.homes and not given:
            return (self.place.cwd if last in ("cwd", "getcwd") else self.place.home,)
        if full.startswith("tempfile."):
            folder = next((one.value for one in node.keywords if one.arg == "dir"), None)
            given_folder = self.values(folder) if folder is not None else ()
            return given_folder if given_folder != () else (self.temporary,)
        if full in _W.paths:
            return joined([self.part(one) for one in given], join_paths) if given else (".",)
        if full in _W.passing and given:
            return self._passed(last, either(map(self.values, given)))
        if full in _W.listed and given:
            return _inside(self.values(given[0]))
        if isinstance(node.func, ast.Attribute) and not full.startswith("os.path."):
            return self._of_method(node, node.func.value, full)
        return self._of_other(node, full)

    def _of_method(self, node: ast.Call, receiver: ast.expr, full: str) -> Values:
        given, last = node.args, called(node)
        own = self.values(receiver)
        if last == "join" and len(given) == 1 and own and not own[0].startswith(self.temporary):
            return self._text_of(own[0], given[0])
        if last == "format" and own:
            every = [*given, *(one.value for one in node.keywords)]
            return joined([own, *map(self.part, every)], _filled)
        if last in _W.joining and (own or (own == () and self._is_given(receiver))):
            return joined([own or (GIVEN,), *(self.part(one) for one in given)], join_paths)
        if last in _W.listing and own:
            return _inside(own)
        if last in _W.methods and own is not None:
            return self._passed(last, own)
        return self._of_other(node, full)

    def _text_of(self, between: str, several: ast.expr) -> Values:
        """What `", ".join(…)` makes."""
        items = parts_of(several, self.bound)
        if items is not None:
            return joined([self.part(one) for one in items], between.join)
        found = self.values(several)
        return found if found is not None and not any(map(is_chosen, found)) else None

    def _of_other(self, node: ast.Call, full: str) -> Values:
        """Of a call that is not known, by what it is given."""
        name = called(node)
        every = [*node.args, *(one.value for one in node.keywords)]
        if name in self.functions:
            return self._kept((-2, name), lambda: self._returned(name))
        if actions().get(full) == "address" and node.args:
            return self.values(node.args[0])  # a server or a client: its machine
        if isinstance(node.func, ast.Attribute):
            every.append(node.func.value)
        found = either(map(self.values, every))
        foreign = bool(full) and not self._is_standard(full)
        if found is None or self.is_made(full):
            return None
        if all(map(_NUMBER.fullmatch, found)):
            return (UNKNOWN,) if full and full[:9] != "builtins." else ()
        plain = all(one.startswith(self.temporary) or _is_plain(one) for one in found)
        if plain and any(one.startswith(self.temporary) for one in found):
            return (self.temporary,)
        if not any(map(is_chosen, found)):
            return (UNKNOWN,)
        if plain and self._is_given(node.func):
            return (GIVEN,)
        # The project or a library made it: what the code told it is only a name.
        return (UNKNOWN,) if plain and foreign else None

    def _is_given(self, node: ast.expr) -> bool:
        """Whether it is, or belongs to, what a function was given."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.parameters and not self.bound(node)

    def _passed(self, name: str, found: Values) -> Values:
        if found is None:
            return None
        home = self.place.home
        match name:
            case "dirname":
                return tuple(map(above, found))
            case "basename":
                return tuple(one.rsplit("/", 1)[-1] for one in found)
            case "expanduser":
                return tuple(home + one[1:] if one[:1] == "~" else one for one in found)
            case "expandvars":
                return tuple(_HOME.sub(lambda _: home, one) for one in found)
            case _:
                return found


def _constant(value: object) -> Values:
    if isinstance(value, bytes):
        value = value[:LONGEST_TEXT].decode("latin-1")
    if isinstance(value, str):
        return (value,) if len(value) <= LONGEST_TEXT else (value[:LONGEST_TEXT] + UNKNOWN,)
    number = isinstance(value, int) and not isinstance(value, bool)
    return (str(value),) if number else ()


def _is_plain(text: str) -> bool:
    return not text.startswith(("/", "~")) and ".." not in text and "://" not in text


def _inside(found: Values) -> Values:
    """What is found in folders."""
    return None if found is None else tuple(f"{one}/{UNKNOWN}" for one in found)


def _filled(parts: Sequence[str]) -> str:
    """A text with its places filled in their order."""
    given = iter(parts[1:])
    return _PERCENT.sub(lambda _: next(given, GIVEN), parts[0])


def _told(several: Iterable[Values]) -> bool:
    """Whether the code chose some of them."""
    return any(one is None or not all(map(_NUMBER.fullmatch, one)) for one in several)
