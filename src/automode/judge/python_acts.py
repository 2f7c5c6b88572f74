"""What Python code does outside of itself, by what acts: programs, files, addresses, code made at
run time, the interpreter itself."""

import ast
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product

from automode.core.paths import within
from automode.core.recent import Recent
from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge import file_deeds
from automode.judge.network import host_of, is_here
from automode.judge.python_values import (
    GIVEN,
    MOST_VALUES,
    PythonValues,
    Values,
    actions,
    parts_of,
)
from automode.judge.words import patterns, word_lists
from automode.programs.inline_python import UNKNOWN
from automode.programs.python_code import parse
from automode.shell.script import HOLE, Command, Redirect, Word

_P = patterns("python_acts")
_W = word_lists("python_acts")
NESTING = 2
MOST_KEPT = 512
_NUMBERS = re.compile(r"\d+(?:\.\d+){3}")
_READING = frozenset("r rb br rt U rU r:gz r:* r:xz r:bz2 r|* r|gz r:".split())
_WRITES = re.compile(r"O_(?!RDONLY|CLOEXEC|NONBLOCK|NOFOLLOW|DIRECTORY|BINARY)|\d")
_MODE = re.compile(r"[rwabtxU+]{1,4}")
_ABOVE = re.compile(r"(?:^|/)\.\.(?:/|$)")
_HIDDEN = re.compile(r"/\.(?!\.)")
_ANNOTATIONS = ("annotation", "returns")


@dataclass(frozen=True, slots=True)
class Act:
    """`told` completes "it …". A command that does the same, a text that a shell would read, or a
    module that is loaded; none of them: nobody can tell what it is done to. `sure`: all of it is
    known. `hint`: it is far-reaching, whoever does it."""

    told: str
    command: Command | None = None
    text: str = ""
    module: str = ""
    sure: bool = True
    hint: bool = False


def standard(module: str) -> bool:
    """Whether a module of the standard library is listed, as one that acts or as a harmless one."""
    first = module.partition(".")[0]
    listed = _W.modules | _W.partly | _W.harmless
    return first in listed or is_private(first)


def is_private(module: str) -> bool:
    """Whether it is one of the standard library's own, which only that is to use."""
    return module[:1] == "_" and module in sys.stdlib_module_names and module not in _W.harmless


_KNOWN = Recent[tuple[str, ...], tuple[Act, ...] | None](MOST_KEPT)


def python_acts(code: str, path: str, place: Workspace) -> tuple[Act, ...] | None:
    """None where it cannot be parsed."""
    key = (code, path, place.root, place.cwd, place.home)
    if key not in _KNOWN:
        nodes = parse(code)
        reader = _Reader(nodes, path, place, code)
        none = not nodes and bool(code.strip())
        _KNOWN[key] = None if none else tuple(dict.fromkeys(reader.acts(0)))
    return _KNOWN[key]


def put_acts(pieces: Sequence[str], code: str, path: str, place: Workspace) -> tuple[Act, ...] | None:
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
    reader = _Reader(nodes, path, place, code, frozenset(map(id, put)))
    return tuple(dict.fromkeys(reader.acts(0)))


def _lines_of(node: ast.AST) -> range:
    first = getattr(node, "lineno", 0)
    return range(first, (getattr(node, "end_lineno", None) or first) + 1)


class _Reader(PythonValues):
    def __init__(
        self,
        nodes: Sequence[ast.AST],
        path: str,
        place: Workspace,
        code: str,
        counted: frozenset[int] | None = None,
    ) -> None:
        """`counted`: the nodes that somebody put in; the others were there before."""
        super().__init__(nodes, path, place)
        self.nodes, self.counted, self.code = nodes, counted, code

    def acts(self, depth: int) -> Iterator[Act]:
        found = list(self._acts(depth))
        yield from found
        away = next((one for one in found if one.told.startswith("reaches")), None)
        if away is not None and any(map(self._shows_environment, self.nodes)):
            yield Act(f"{away.told} with the environment at hand", hint=True)

    def _shows_environment(self, node: ast.AST) -> bool:
        match node:
            case ast.Call(ast.Attribute(inner, "items" | "values"), []):
                return self.full_name(inner) == "os.environ"
            case ast.Call(ast.Name() | ast.Attribute(), [inner, *_]):
                return isinstance(inner, ast.Name | ast.Attribute) and (
                    self.full_name(inner) == "os.environ"
                )
            case _:
                return False

    def _acts(self, depth: int) -> Iterator[Act]:
        looked = self._looked_at
        for node in self.nodes:
            self.seen.clear()
            found = list(self._of_node(node, depth, handed=id(node) not in looked))
            counted = self.counted
            if counted is None or id(node) in counted or not self.seen.isdisjoint(counted):
                yield from found
            if counted and id(node) in counted and isinstance(node, ast.Name):
                full = self.imports.get(node.id, ".")
                yield from self._imported(full) if full[:1] != "." else ()
        if self.counted is None:
            yield from self._unused()

    @cached_property
    def _looked_at(self) -> set[int]:
        """What is looked at where it stands: what is called, whose attribute is taken, what is
        patched or compared, and annotations."""
        found: set[int] = set()
        for node in self.nodes:
            match node:
                case ast.Attribute(value):
                    found.add(id(value))
                case ast.Call(func, given):
                    found.add(id(func))
                    last = func.attr if isinstance(func, ast.Attribute) else ""
                    last = func.id if isinstance(func, ast.Name) else last
                    if last in _W.patching:
                        found.update(map(id, given[:2]))
                    if last == "getattr" and len(given) > 1 and isinstance(given[1], ast.Constant):
                        found.add(id(given[0]))
                    found.update(id(k.value) for k in node.keywords if k.arg in ("spec", "autospec"))
                case ast.Compare(left, _, others):
                    found.update(map(id, (left, *others)))
                case ast.Assign([ast.Name()], ast.Name() | ast.Attribute()):
                    found.add(id(node.value))  # another name for it
                case ast.Subscript(value, ast.Constant()):
                    found.add(id(value))
                case _:
                    pass
            for name in _ANNOTATIONS:
                given = getattr(node, name, None)
                if isinstance(given, ast.expr):
                    found.update(map(id, ast.walk(given)))
        return found

    def _unused(self) -> Iterator[Act]:
        used = {node.id for node in self.nodes if isinstance(node, ast.Name)}
        for name, full in self.imports.items():
            if name not in used and (full in _W.starting or full in actions()):
                yield Act(f"brings in `{full}`")

    def _of_node(self, node: ast.AST, depth: int, *, handed: bool) -> Iterator[Act]:
        match node:
            case ast.Import(names):
                for one in names:
                    yield from self._imported(one.name)
            case ast.ImportFrom(module, names, 0) if module is not None:
                yield from self._imported(module)
                if any(one.name == "*" for one in names) and module in _W.partly:
                    yield Act(f"takes every name of `{module}`")
            case ast.Attribute(_, name):
                if name in _W.leading:
                    based = ast.unparse(node.value).endswith(("__base__", "__mro__[-1]", "__bases__[0]"))
                    yield Act(f"takes `{name}`", hint=based)
                yield from self._mentioned(node) if handed else self._of_module(node)
            case ast.Name(_, ast.Load()):
                yield from self._mentioned(node) if handed else self._of_module(node)
            case ast.Constant(str(text)):
                if text in ("__builtins__", "__import__"):
                    yield Act(f"looks for `{text}`", hint=True)
                elif text in _W.environment:
                    yield Act(f"sets `{text}`")
                elif text[:1] in "/~$" and " " not in text and self._is_secret(text):
                    yield Act("names a file that may hold credentials")
            case ast.Call():
                yield from self._of_call(node, depth)
            case ast.Assign(targets, value):
                for target in targets:
                    if self.full_name(target).startswith(("sys.path", "sys.meta_path")):
                        yield from self._leads(value)
                    if isinstance(target, ast.Name) and target.id == "pytest_plugins":
                        yield from self._imports(self.values(value))
            case ast.AugAssign(target, _, value) if self.full_name(target) == "sys.path":
                yield from self._leads(value)
            case _:
                return

    def _imported(self, module: str) -> Iterator[Act]:
        yield Act(f"imports `{module}`, unknown to the project", module=module)

    def _is_secret(self, text: str) -> bool:
        return may_be_credential(text, self.place.home)

    def _of_module(self, node: ast.expr) -> Iterator[Act]:
        """Of a name that is called, or whose attribute is taken."""
        full = self.full_name(node)
        first = full.partition(".")[0]
        if "." in full and "()" not in full and (
            first in _W.modules or is_private(first)
        ):
            yield Act(f"uses `{full}`")

    def _mentioned(self, node: ast.expr) -> Iterator[Act]:
        """What goes on to somewhere that is not looked at."""
        full = self.full_name(node)
        if not full or full[-1] == ")":
            return
        context = getattr(node, "ctx", None)
        if isinstance(context, ast.Store | ast.Del):
            return
        module = full in _W.partly or full in ("sys.modules", "os.path.os")
        action = actions().get(full)
        if (module and full not in ("io", "logging", "types", "asyncio", "pathlib", "signal")) or (
            action is not None and full != "sys.path"
        ):
            reduced = self._stands_in(node, "__reduce__", "__reduce_ex__")
            yield Act(f"hands on `{full.removeprefix('builtins.')}`", hint=reduced)
        yield from self._of_module(node)

    def _stands_in(self, node: ast.AST, *names: str) -> bool:
        return any(
            id(made) in self._scopes.get(id(node), ())
            for name in names
            for made in self.functions.get(name, ())
        )

    def _of_call(self, node: ast.Call, depth: int) -> Iterator[Act]:
        full = self.full_name(node.func)
        named = [k.value for k in node.keywords if k.arg in ("target", "func")]
        for at, one in enumerate([*node.args[:2], *named]):
            # `partial(os.system, "x")`, `Thread(target=os.system, args=("x",))`
            if actions().get(self.full_name(one)) and isinstance(one, ast.Name | ast.Attribute):
                told = [n for k in node.keywords if k.arg == "args" for n in getattr(k.value, "elts", ())]
                inner = ast.Call(one, [*node.args[at + 1 :], *told], [])
                yield from self._of_call(inner, depth)
        if full in ("builtins.vars", "operator.attrgetter()") and node.args:
            module = self.full_name(node.args[0])
            if module in _W.hidden:
                yield Act(f"looks into `{module}`", hint=True)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        first = full.partition(".")[0]
        action = actions().get(full)
        given: list[ast.expr] = list(node.args)
        if action is None and (action := actions().get(f".{method}")) is not None:
            if self._is_own_method(node, full):
                return
            given.insert(0, node.func.value)  # type: ignore[attr-defined]
        if first in _W.clients:
            yield from self._requests(node, full, method)
        elif first in _W.services and full not in _W.looking and not _P.mocks.search(self.code):
            yield Act(f"uses `{full.removesuffix('()')}`")
        elif action is None and "(" not in full and "." in full and not standard(first):
            yield from self._stores(node, full)
        if action is not None:
            yield from self._done(action, node, given, full or f".{method}", depth)

    def _is_own_method(self, node: ast.Call, full: str) -> bool:
        """Whether what looks like a method of a path is a function of a module."""
        if full and "(" not in full and full.partition(".")[0] not in ("pathlib", "py"):
            values = self.values(node.func.value)  # type: ignore[attr-defined]
            return values is None or all(UNKNOWN == one for one in values)
        return False

    def _done(
        self, action: str, node: ast.Call, given: list[ast.expr], full: str, depth: int
    ) -> Iterator[Act]:
        if action == "never":
            yield Act(f"uses `{full.removeprefix('builtins.')}`")
        elif action == "open":
            yield from self._opens(node, given, full)
        elif action in ("shell", "process"):
            yield from self._starts(node, given, depth)
        elif action == "exec":
            words = [*given] if "l" in full.rpartition(".")[2][4:6] else []
            listed = parts_of(given[-1], self.bound) if given else None
            yield from self._runs(words[1:] or listed or [], depth)
        elif action == "code":
            yield from self._makes_code(given, depth)
        elif action == "import":
            yield from self._imports(self.values(given[0]) if given else None)
        elif action == "loads":
            found = self.values(given[0]) if given else ()
            if found is None or any(one.strip(UNKNOWN + GIVEN) for one in found):
                yield Act(f"loads code with `{full}`", hint=bool(found) and "pickle" in full)
        elif action == "address":
            yield from self._reaches(given[:1] or [k.value for k in node.keywords if k.arg == "host"])
        elif action == "path":
            yield from self._leads(given[-1]) if given else ()
        elif action == "extracts":
            named = [k.value for k in node.keywords if k.arg == "path"]
            yield from self._moves(">> 1", node, [*given[1:2], *named]) if given[1:] or named else ()
        elif action == "kill":
            found = self.values(given[0]) if given else None
            for one in (UNKNOWN,) if found is None else found:
                yield self._act("stops a process", ["kill", one])
        else:
            yield from self._moves(action, node, given)

    def _values_of(self, name: str) -> Sequence[ast.expr | None]:
        return self.bound.get(name, ())

    def _act(self, told: str, words: Sequence[str], redirect: str = "") -> Act:
        known = redirect or not any(one.startswith((UNKNOWN, GIVEN)) for one in words)
        texts = [_with_holes(one) for one in words]
        here = self.place.cwd
        if redirect:
            target = Redirect(redirect, Word(texts[0]))
            return Act(told, Command((), redirects=(target,), cwd=here))
        return Act(told, Command(tuple(map(Word, texts)), cwd=here), sure=bool(known))

    def _is_fine(self, path: str, *, keeps: bool) -> bool:
        """Whether a path lies in a folder for tests, or in one that was given. `keeps`: nothing is
        lost there, and the project's own code may have told the folder."""
        given = path.startswith(GIVEN) or (keeps and path.startswith(UNKNOWN))
        if given and not _ABOVE.search(path):
            return not keeps or path[0] == GIVEN or not _HIDDEN.search(path)
        return within(path, self.temporary) and not _ABOVE.search(path)

    def _moves(self, action: str, node: ast.Call, given: list[ast.expr]) -> Iterator[Act]:
        """Files, by a program that does the same."""
        *words, count = action.removesuffix(" back").split()
        named = [k.value for k in node.keywords if k.arg in ("src", "dst", "path", "filename", "target")]
        taken = [*given, *named][: int(count)]
        back = action.endswith("back")
        values = [self._part(one) for one in taken]
        told = _TOLD.get(words[0], "changes")
        if not values or any(one is None for one in values):
            if words[0] != "<":
                yield Act(f"{told} what nobody can tell")
            return
        keeps = words[0] in ("mkdir", ">>", "<", "cp", "ln", "chmod")
        for texts in islice(product(*[one or () for one in values]), MOST_VALUES):
            every = list(reversed(texts)) if back else list(texts)
            shown = f"{told} `{_shown(every[-1])}`"
            if words[0] == "cp" and every[0].startswith((UNKNOWN, GIVEN, self.temporary)):
                words, every = [">>"], every[1:]
            if all(self._is_fine(one, keeps=keeps) for one in every):
                continue
            if words[0] == "ln" and not self._is_near(every[0]):
                yield Act(f"links to `{_shown(every[0])}`")
            if words[0] in (">>", "<"):
                yield self._act(shown, every, words[0])
            else:
                yield self._act(shown, [*words, *every])

    def _opens(self, node: ast.Call, given: list[ast.expr], full: str) -> Iterator[Act]:
        named = {k.arg: k.value for k in node.keywords}
        mode = named.get("mode") or (given[1] if len(given) > 1 else None)
        path = given[0] if given else named.get("file") or named.get("name")
        reads = mode is None or (isinstance(mode, ast.Constant) and mode.value in _READING)
        if full == "os.open" and mode is not None:
            reads = not _WRITES.search(ast.unparse(mode))
        if full not in actions() and mode is not None and not _is_mode(mode):
            return  # it opens something else: `client.open("/x")`
        if "opener" in named:
            yield Act("opens a file in its own way")
        found = self.values(path) if path is not None else ()
        if found is None:
            # To read what nobody can tell may show a credential.
            yield Act("opens what nobody can tell")
        for one in found or ():
            if not self._is_fine(one, keeps=True):
                told, sign = ("reads", "<") if reads else ("writes", ">>")
                yield self._act(f"{told} `{_shown(one)}`", [one], sign)

    def _starts(self, node: ast.Call, given: list[ast.expr], depth: int) -> Iterator[Act]:
        program = given[0] if given else None
        if program is None:
            program = next((k.value for k in node.keywords if k.arg in ("args", "cmd")), None)
        several = self.full_name(node.func).endswith("_exec")
        words = given if several else program and parts_of(program, self.bound)
        if program is None:
            yield Act("starts what nobody can tell")
        elif words is not None:
            yield from self._runs(words, depth)
        else:
            found = self.values(program)
            if found is None or any(one.startswith((UNKNOWN, GIVEN)) for one in found):
                yield Act("starts what nobody can tell", hint=self._is_brought(program))
            for text in found or ():
                if not text.startswith((UNKNOWN, GIVEN)):
                    shown = _with_holes(text).replace(HOLE, "${__unknown}")
                    sure = shown == text
                    yield Act(f"starts `{_shown(text.split(' ')[0])}`", None, shown, sure=sure)

    def _runs(self, items: list[ast.expr], depth: int) -> Iterator[Act]:
        words: list[Values] = []
        for one in items:
            several = parts_of(one.value, self.bound) if isinstance(one, ast.Starred) else None
            words += map(self._part, several if several is not None else [one])
        if not words or any(one is None for one in words):
            yield Act("starts what nobody can tell")
            return
        for every in islice(product(*[one or () for one in words]), MOST_VALUES):
            python = every[0].rpartition("/")[2].startswith(("python", "pypy"))
            if python and "-c" in every[1:4]:
                code = every[every.index("-c") + 1 : every.index("-c") + 2]
                yield from self._read_code("".join(code), depth)
                continue
            if python and every[1:2] == ("-m",) and every[2:]:
                act = self._act(f"starts `{_shown(every[2])}`", every[2:])
                act = replace(act, module="" if standard(every[2]) else every[2])
            else:
                act = self._act(f"starts `{_shown(every[0])}`", every)
            yield replace(act, sure=not any(_with_holes(one) != one for one in every))

    def _makes_code(self, given: list[ast.expr], depth: int) -> Iterator[Act]:
        found = self.values(given[0]) if given else ()
        brought = bool(given) and self._is_brought(given[0])
        if found is None or brought:
            yield Act("runs code that it makes", hint=brought)
        for one in () if brought else found or ():
            if one.strip(UNKNOWN + GIVEN):
                yield from self._read_code(one, depth)

    def _is_brought(self, code: ast.expr, far: int = 3) -> bool:
        """Whether a text comes out of a decoder or from another machine."""
        for node in ast.walk(code):
            if isinstance(node, ast.Name):
                if node.id == "chr" or (
                    far and any(one and self._is_brought(one, far - 1) for one in self.bound(node)[:4])
                ):
                    return True
            elif isinstance(node, ast.Call):
                full = self.full_name(node.func)
                method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
                coded = full.partition(".")[0] in _W.decoders | _W.clients
                if coded or method in _W.bringing or actions().get(full) == "address":
                    return True
        return False

    def _read_code(self, code: str, depth: int) -> Iterator[Act]:
        nodes = parse(textwrap.dedent(code)) if depth < NESTING else []
        if not nodes:
            yield Act("runs code that it makes")
        else:
            inner = _Reader(nodes, self.path, self.place, code)
            inner.imports = {**self.imports, **inner.imports}
            yield from inner.acts(depth + 1)

    def _imports(self, found: Values) -> Iterator[Act]:
        if found is None:
            yield Act("imports what nobody can tell")
        for one in found or ():
            first = one.partition(".")[0]
            if first and _with_holes(first) == first:
                yield from self._imported(first)

    def _reaches(self, given: list[ast.expr], *, strict: bool = True) -> Iterator[Act]:
        for one in given:
            host = one.elts[0] if isinstance(one, ast.Tuple) and one.elts else one
            found = self.values(host)
            if found is None and strict:
                yield Act("reaches a machine that nobody can tell")
            for text in found or ():
                if not _stays(text) and (strict or "://" in text):
                    numbers = isinstance(one, ast.Tuple) and _NUMBERS.fullmatch(text) is not None
                    yield Act(f"reaches `{_shown(text)}`", hint=numbers)

    def _requests(self, node: ast.Call, full: str, method: str) -> Iterator[Act]:
        if method not in _W.verbs or (self.counted is None and _P.mocks.search(self.code)):
            return
        yield from self._reaches(node.args[:2], strict="(" not in full)

    def _is_near(self, path: str) -> bool:
        """Whether it lies in the workspace, or in a folder for tests."""
        if self._is_fine(path, keeps=False):
            return True
        where = file_deeds.where(_with_holes(path), Command(()), self.place)
        return where in ("here", "generated")

    def _leads(self, value: ast.expr) -> Iterator[Act]:
        """What is loaded and found from now on lies there."""
        found = self.values(value)
        for one in (UNKNOWN,) if found is None else found:
            if not self._is_near(one):
                yield Act(f"leads to `{_shown(one)}`")

    def _stores(self, node: ast.Call, full: str) -> Iterator[Act]:
        """What a library is told to write outside."""
        if self.imports and _P.writing.fullmatch(full.rpartition(".")[2]):
            for one in node.args[:2]:
                for text in self.values(one) or ():
                    if text.startswith(("/", "~")):
                        yield self._act(f"writes `{_shown(text)}`", [text], ">>")


_TOLD = {
    "rm": "deletes",
    "rmdir": "deletes",
    "mkdir": "makes",
    "mv": "moves",
    "cp": "copies to",
    "ln": "links",
    ">>": "writes",
    "<": "reads",
    "truncate": "empties",
    "chmod": "changes the rights of",
}


def _is_mode(mode: ast.expr) -> bool:
    return not isinstance(mode, ast.Constant) or _MODE.fullmatch(str(mode.value)) is not None


def _with_holes(text: str) -> str:
    return text.replace(UNKNOWN, HOLE).replace(GIVEN, HOLE)


def _shown(text: str) -> str:
    plain = re.sub(r"\s+", " ", _with_holes(text).replace(HOLE, "…").replace("`", "'"))
    return plain if len(plain) <= 60 else f"{plain[:60]}…"


def _stays(text: str) -> bool:
    """Whether an address is one of this machine, one that stands for any in a test, or given."""
    if text.startswith((UNKNOWN, GIVEN, "/")) or not text or text.isdigit():
        return True
    host = host_of(_with_holes(text))
    return is_here(host) or _P.nowhere.fullmatch(host) is not None or host == UNKNOWN
