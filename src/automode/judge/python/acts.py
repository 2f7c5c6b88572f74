"""What Python code does outside of itself: what it calls, hands on, loads and steers."""

import ast
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from automode.core.recent import Recent
from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge.code.act import Act
from automode.judge.python.calls import PythonCalls
from automode.judge.python.lists import called, carried, choices, literal
from automode.judge.python.names import ANY, WRAPPING, actions
from automode.judge.words import patterns, word_lists
from automode.programs.python_code import parse

_P = patterns("python_acts")
_W = word_lists("python_acts")
MOST_KEPT = 512
MOST_TEXTS = 40
_ANNOTATIONS = ("annotation", "returns")
_STARTING = ("shell", "process", "exec", "code", "rm -rf 1")
_ACTING = frozenset("shell process exec code rm rmdir truncate mv kill installs".split())
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
            if isinstance(node, ast.Call) and self._is_loaded(node):
                found = [replace(one, at_once=one.package not in _W.services) for one in found]
            if counted is None or id(node) in counted or not self.seen.isdisjoint(counted):
                yield from found

    def _is_loaded(self, node: ast.AST) -> bool:
        """Whether it runs when the file is loaded, in no function or in one that is called then."""
        around = set(self.scopes_of(node)) - {0}
        return id(node) not in self._by_itself and around <= self._called_at_once

    @cached_property
    def _by_itself(self) -> set[int]:
        """What only runs where the file is what runs: behind `if __name__ == "__main__":`."""
        guards = (one for one in self.nodes if isinstance(one, ast.If))
        own = [one for one in guards if "__name__" in ast.unparse(one.test)]
        return {id(inner) for one in own for each in one.body for inner in ast.walk(each)}

    @cached_property
    def _called_at_once(self) -> set[int]:
        known: set[int] = set()
        waiting = [one for one in self.calls if id(one) not in self._by_itself]
        while True:
            now = [one for one in waiting if set(self.scopes_of(one)) - {0} <= known]
            made = {id(f) for one in now for f in self.functions.get(called(one), ())}
            if made <= known:
                return known
            known |= made

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
            if isinstance(node, ast.Call):
                found.update(map(id, self._followed(node)))
            for name in _ANNOTATIONS:
                given = getattr(node, name, None)
                found.update(map(id, ast.walk(given) if isinstance(given, ast.expr) else ()))
        return found

    def _followed(self, node: ast.Call) -> Iterator[ast.expr]:
        """What a call is given that is read where it is called."""
        full, last = self.full_name(node.func), called(node)
        if last in self.functions or last in self.classes:
            yield from (*node.args, *(one.value for one in node.keywords))
        elif not self.is_made(full):
            pairs = [one for one, given in carried(node) if given]
            yield from (one for one in pairs if self.full_name(one) in actions())
        if full in WRAPPING:
            yield from node.args[:1]

    def _of_node(self, node: ast.AST, depth: int, *, handed: bool) -> Iterator[Act]:
        match node:
            case ast.Attribute() | ast.Name():
                yield from self._of_name_or_attribute(node, handed=handed)
            case ast.Subscript(_, ast.Constant("__builtins__" | "__import__" as name)):
                yield Act(f"looks for `{name}`", hint=True)
            case ast.Constant(str(text)):
                yield from self._of_constant(text, depth, handed=handed)
            case ast.Dict(keys, values):
                yield from self._sets(zip(map(_text_of, keys), values, strict=True))
            case ast.Call():
                yield from self._sets((one.arg or "", one.value) for one in node.keywords)
                yield from self._sets(zip(map(_text_of, node.args), node.args[1:], strict=False))
                yield from self._looks_into(node)
                yield from self._tells_environment(node)
                yield from self.of_call(node, depth)
            case ast.Assign() | ast.AugAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    yield from self._assigned(target, node.value)
                    if isinstance(target, ast.Subscript):
                        yield from self._sets([(_text_of(target.slice), node.value)])
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
        if isinstance(node, ast.Attribute) and node.attr in _W.originals:
            yield Act("takes back what a patch took away", grave=True)
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
        if self.full_name(target) == "tempfile.TemporaryDirectory().name":
            yield from self.moves("rm -rf 1", [self.values(value)])
        if self.full_name(target).startswith(("sys.path", "tempfile.tempdir")):
            yield from self.leads(value)
        match target:
            case ast.Subscript(inner, ast.Constant("PATH")) if (
                self.full_name(inner) == "os.environ"
            ):
                yield from self.leads(value)
            case _:
                pass

    def _sets(self, pairs: Iterable[tuple[str, ast.expr]]) -> Iterator[Act]:
        """Variables that name what a program starts later, such as `GIT_SSH`, or that hold settings
        of it which may."""
        for name, value in pairs:
            if _P.starting.fullmatch(name):
                found = self.values(value)
                if found is None or any(map(self._may_start, found)):
                    yield Act(f"sets `{name}`", grave=True)

    def _may_start(self, text: str) -> bool:
        return _P.command.search(text) is not None and not self.is_fine(text, keeps=True)

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
        action = actions().get(full, "condition")
        if module or action not in ("condition", "tests"):
            reduced = self.stands_in(node, "__reduce__", "__reduce_ex__")
            acts = full in _W.hidden or action.split(" ")[0] in _ACTING
            acts = acts or (action == "address" and full.rpartition(".")[2].islower())
            if reduced or acts:
                told = f"hands on `{full.removeprefix('builtins.')}`"
                yield Act(told, hint=reduced, grave=acts)
        yield from self._of_module(node)

    def _looks_into(self, node: ast.Call) -> Iterator[Act]:
        full = self.full_name(node.func)
        if full in ("builtins.vars", "operator.attrgetter()") and node.args:
            module = self.full_name(node.args[0])
            if module in _W.hidden:
                yield Act(f"looks into `{module}`", hint=True)
        if full == "builtins.getattr" and len(node.args) > 1:
            outer, names = self.full_name(node.args[0]), self.values(node.args[1])
            told = bool(names) and all(map(str.isidentifier, names or ()))
            acts = any(f"{outer}.{one}" in actions() for one in names or ())
            brought = outer and names is None and self.is_brought(node.args[1])
            if brought or (outer in _W.hidden and (not told or (acts and len(names or ()) > 1))):
                yield Act(
                    f"takes of `{outer}` what nobody can tell", hint=names is None, grave=True
                )


def _text_of(node: ast.expr | None) -> str:
    return "" if node is None else literal(node)


def _may_be_code(text: str) -> bool:
    return "(" in text and ("import" in text or any(f"{one}." in text for one in _PUT_ANYWHERE))


def _looked_at(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Attribute(value) | ast.Subscript(value, ast.Constant()):
            yield value
        case ast.Subscript(ast.Attribute(_, "modules") as value):
            yield value
        case ast.Call():
            yield from _looked_at_in(node)
        case ast.Compare(left, _, others):
            yield from (left, *others)
        case ast.Expr(value):
            yield value  # it says what a function does
        case ast.Assign([ast.Name()], value):
            yield from (value, *choices(value))  # another name for it
        case ast.arguments():
            yield from (*node.defaults, *(one for one in node.kw_defaults if one is not None))
        case _:
            return


def _looked_at_in(node: ast.Call) -> Iterator[ast.AST]:
    given, last = node.args, called(node)
    yield node.func
    if last in _W.patching:
        yield from (one for one in given[:1])
        every = last in _LOOKING
        yield from (one for one in given[1:2] if every or isinstance(one, ast.Constant))
    elif last == "getattr":
        yield from given[:1]
    if last == "setattr" and given[2:] and isinstance(given[1], ast.Constant):
        yield given[2]
    if last in _NAMES_OF:
        yield from (one for one in given if ast.unparse(one) == "sys.modules")
    yield from (one.value for one in node.keywords if one.arg in _SPEC)
