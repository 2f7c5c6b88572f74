"""What Python code does outside of itself: what it calls, hands on, loads and steers."""

import ast
import textwrap
from collections.abc import Iterator, Sequence
from functools import cached_property

from automode.core.recent import Recent
from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge.code.act import Act
from automode.judge.python.calls import PythonCalls
from automode.judge.python.names import ANY, actions, called
from automode.judge.words import word_lists
from automode.programs.python_code import parse

_W = word_lists("python_acts")
MOST_KEPT = 512
MOST_TEXTS = 40
_ANNOTATIONS = ("annotation", "returns")
_STARTING = ("shell", "process", "exec", "code", "rm -rf 1")
_LOOKING = ("raises", "assertRaises", "isinstance", "issubclass", "is_", "in_")
_NAMES_OF = ("list", "set", "sorted", "tuple", "len", "frozenset")
_INNER = ("__dict__", "__getattribute__", "__getattr__", "__loader__", "__spec__")
_SPEC = ("spec", "spec_set", "autospec")
_PLAIN = frozenset("io logging types asyncio pathlib signal urllib platform uuid".split())
_BASES = ("__base__", "__mro__[-1]", "__bases__[0]", "mro()[-1]", "mro()[1]")
# Code that is put into a file has the imports of that file.
_PUT_ANYWHERE = {one: one for one in (*_W.hidden, "requests", "httpx")}
_KNOWN = Recent[tuple[object, ...], tuple[Act, ...] | None](MOST_KEPT)


def python_acts(
    code: str,
    path: str,
    place: Workspace,
    around: tuple[str, ...] = (),
    made: frozenset[str] = frozenset(),
) -> tuple[Act, ...] | None:
    """None where it cannot be parsed. `around`: files whose fixtures it gets; `made`: modules that
    this session wrote."""
    key = (code, path, around, made, place.root, place.cwd, place.home)
    if key not in _KNOWN:
        nodes = parse(code)
        reader = _Reader(nodes, path, place, around, made)
        reader.code = code
        none = not nodes and bool(code.strip())
        _KNOWN[key] = None if none else tuple(dict.fromkeys(reader.acts(0)))
    return _KNOWN[key]


def put_acts(
    pieces: Sequence[str],
    code: str,
    path: str,
    place: Workspace,
    around: tuple[str, ...] = (),
    made: frozenset[str] = frozenset(),
) -> tuple[Act, ...] | None:
    """Of what was put into code that was there, with what its names mean there, and what the rest
    does with it; None where that cannot be told."""
    nodes = parse(code)
    lines: set[int] = set()
    for piece in pieces:
        at = code.find(piece)
        if not nodes or at < 0 or code.find(piece, at + 1) >= 0:
            return None
        first = code.count("\n", 0, at) + 1
        lines.update(range(first, first + piece.count("\n") + 1))
    put = [one for one in nodes if lines.intersection(_lines_of(one))]
    put += [n for one in put if isinstance(one, ast.Call) for n in ast.walk(one.func)]
    reader = _Reader(nodes, path, place, around, made)
    reader.code, reader.counted = "", frozenset(map(id, put))
    return tuple(dict.fromkeys(reader.acts(0)))


def _lines_of(node: ast.AST) -> range:
    first = getattr(node, "lineno", 0)
    return range(first, (getattr(node, "end_lineno", None) or first) + 1)


class _Reader(PythonCalls):
    counted: frozenset[int] | None = None
    """The nodes that somebody put in; the others were there before."""

    def __init__(
        self,
        nodes: Sequence[ast.AST],
        path: str,
        place: Workspace,
        around: Sequence[str] = (),
        made: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(nodes, path, place, around, made)
        self.nodes = nodes
        self.texts = 0  # texts that were read as code

    def acts(self, depth: int) -> Iterator[Act]:
        looked, counted = self._looked_at, self.counted
        for node in self.nodes:
            self.seen.clear()
            found = list(self._of_node(node, depth, handed=id(node) not in looked))
            if counted is None or id(node) in counted or not self.seen.isdisjoint(counted):
                yield from found

    def inner_acts(self, nodes: Sequence[ast.AST], code: str, depth: int) -> Iterator[Act]:
        inner = _Reader(nodes, self.path, self.place, (), self.made)
        inner.code = code
        inner.imports = {**_PUT_ANYWHERE, **self.imports, **inner.imports}
        yield from inner.acts(depth)

    def _tells_environment(self, node: ast.Call) -> Iterator[Act]:
        """Whether a call to another machine is given all variables, and so every token in them."""
        full = self.full_name(node.func)
        made_by = full.partition("()")[0]
        if made_by.partition(".")[0] in _W.clients or actions().get(made_by) == "address":
            given = [*node.args, *(one.value for one in node.keywords)]
            if any(self._has_environment(one) for one in given):
                yield Act(f"tells another machine the environment with `{full}`", hint=True)

    def _has_environment(self, node: ast.expr, far: int = 2) -> bool:
        taken = [n.value for n in ast.walk(node) if isinstance(n, ast.Subscript)]
        taken += [
            n.value for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr == "get"
        ]
        single = set(map(id, taken))
        for one in ast.walk(node):
            if isinstance(one, ast.Name | ast.Attribute) and id(one) not in single:
                if self.full_name(one) == "os.environ":
                    return True
                bound = self.bound(one)[:4] if far and isinstance(one, ast.Name) else ()
                if any(inner and self._has_environment(inner, far - 1) for inner in bound):
                    return True
        return False

    @cached_property
    def _looked_at(self) -> set[int]:
        """What is looked at where it stands: what is called, whose attribute is taken, what is
        patched or compared, and annotations."""
        found: set[int] = set()
        for node in self.nodes:
            found.update(map(id, _looked_at(node)))
            for name in _ANNOTATIONS:
                given = getattr(node, name, None)
                found.update(map(id, ast.walk(given) if isinstance(given, ast.expr) else ()))
        return found

    def _of_node(self, node: ast.AST, depth: int, *, handed: bool) -> Iterator[Act]:
        match node:
            case ast.Attribute() | ast.Name():
                yield from self._of_name_or_attribute(node, handed=handed)
            case ast.Subscript(_, ast.Constant("__builtins__" | "__import__" as name)):
                yield Act(f"looks for `{name}`", hint=True)
            case ast.Constant(str(text)):
                yield from self._of_constant(text, depth, handed=handed)
            case ast.Call():
                yield from self._looks_into(node)
                yield from self._tells_environment(node)
                yield from self.of_call(node, depth)
            case ast.Assign() | ast.AugAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    yield from self._assigned(target, node.value)
            case ast.arg(_, ast.Constant(str(text))) | ast.AnnAssign(_, ast.Constant(str(text))):
                yield from self.read_code(text, depth) if "(" in text else ()
            case _:
                return

    def _of_name_or_attribute(
        self, node: ast.Attribute | ast.Name, *, handed: bool
    ) -> Iterator[Act]:
        if isinstance(node, ast.Attribute) and node.attr in _W.leading:
            based = ast.unparse(node.value).endswith(_BASES)
            yield from (Act(f"takes `{node.attr}`", hint=True),) if based else ()
        if isinstance(node, ast.Attribute) and node.attr in _INNER:
            outer = self.full_name(node.value)
            if outer in _W.hidden:
                yield Act(f"looks into `{outer}`", hint=True)
        yield from self._mentioned(node) if handed else self._of_module(node)

    def _of_constant(self, text: str, depth: int, *, handed: bool) -> Iterator[Act]:
        if handed and text in _W.environment:
            yield Act(f"sets `{text}`", grave=True)
        elif handed and text[:1] != "." and actions().get(text.replace(":", ".")) in _STARTING:
            yield Act(f"names `{text}`", grave=True)
        elif text[:1] in "/~$" and " " not in text and may_be_credential(text, self.place.home):
            yield Act("names a file that may hold credentials", grave=True)
        elif handed and _may_be_code(text) and self.texts < MOST_TEXTS:
            # It may be written somewhere, and run.
            self.texts += 1
            nodes = parse(textwrap.dedent(text))
            for one in self.inner_acts(nodes, text, depth + 1) if nodes and depth == 0 else ():
                if one.hint or (one.is_told and not one.module):
                    yield one

    def _assigned(self, target: ast.expr, value: ast.expr) -> Iterator[Act]:
        if self.full_name(target).startswith(("sys.path", "tempfile.tempdir")):
            yield from self.leads(value)
        match target:
            case ast.Subscript(inner, ast.Constant("PATH")) if (
                self.full_name(inner) == "os.environ"
            ):
                yield from self.leads(value)
            case _:
                pass

    def _of_module(self, node: ast.expr) -> Iterator[Act]:
        """Of a name that is called, or whose attribute is taken."""
        full = self.full_name(node)
        first = full.partition(".")[0]
        acts = first in (*_W.modules, ANY) or (first in _W.private and first[:1] == "_")
        if "." in full and "()" not in full and acts:
            yield Act(f"uses `{full}`", grave=first in _W.modules)

    def _mentioned(self, node: ast.expr) -> Iterator[Act]:
        """What goes on to somewhere that is not looked at."""
        full = self.full_name(node)
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) or full[-1:] in ("", ")"):
            return
        module = full in _W.partly - _PLAIN or full in ("sys.modules", "builtins.getattr", ANY)
        if module or actions().get(full, "condition") not in ("condition", "tests"):
            reduced = self.stands_in(node, "__reduce__", "__reduce_ex__")
            starts = actions().get(full) in _STARTING
            if reduced or starts:
                told = f"hands on `{full.removeprefix('builtins.')}`"
                yield Act(told, hint=reduced, grave=starts)
        yield from self._of_module(node)

    def _looks_into(self, node: ast.Call) -> Iterator[Act]:
        full = self.full_name(node.func)
        if full in ("builtins.vars", "operator.attrgetter()") and node.args:
            module = self.full_name(node.args[0])
            if module in _W.hidden:
                yield Act(f"looks into `{module}`", hint=True)
        if full == "builtins.getattr" and len(node.args) > 1 and not self.one_text(node.args[1]):
            outer, hidden = self.full_name(node.args[0]), self.values(node.args[1]) is None
            if outer in _W.hidden or (outer and hidden and self.is_brought(node.args[1])):
                yield Act(f"takes of `{outer}` what nobody can tell", hint=hidden)


def _may_be_code(text: str) -> bool:
    return "(" in text and ("import" in text or any(f"{one}." in text for one in _PUT_ANYWHERE))


def _looked_at(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Attribute(value) | ast.Subscript(value, ast.Constant()):
            yield value
        case ast.Subscript(ast.Attribute(_, "modules") as value):
            yield value
        case ast.Call(func, given, keywords):
            yield func
            last = called(node)
            if last in _W.patching:
                yield from (one for one in given[:1])
                every = last in _LOOKING
                yield from (one for one in given[1:2] if every or isinstance(one, ast.Constant))
            elif last == "getattr":
                yield from given[:1]
            if last in _NAMES_OF:
                yield from (one for one in given if ast.unparse(one) == "sys.modules")
            yield from (one.value for one in keywords if one.arg in _SPEC)
        case ast.Compare(left, _, others):
            yield from (left, *others)
        case ast.Expr(value):
            yield value  # it says what a function does
        case ast.Assign([ast.Name()], (ast.Name() | ast.Attribute()) as value):
            yield value  # another name for it
        case _:
            return
