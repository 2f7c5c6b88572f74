"""What calls in Python code do outside of it: to files, programs, addresses, code that is made."""

import ast
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TypeAlias

from automode.core.paths import within
from automode.judge.code.act import (
    GIVEN,
    MOST_VALUES,
    Act,
    is_chosen,
    quoted,
    shown,
    stays,
    with_holes,
)
from automode.judge.hosts import host_of
from automode.judge.python.names import actions, called, lists_of, parts_of
from automode.judge.python.values import PythonValues
from automode.judge.words import patterns, word_lists
from automode.programs.inline_python import UNKNOWN
from automode.programs.python_code import parse
from automode.programs.python_starts import UNKNOWN_WORD
from automode.programs.table import programs
from automode.shell.script import HOLE

_P = patterns("python_acts")
_W = word_lists("python_acts")
NESTING = 2
_NUMBERS = re.compile(r"\d+(?:\.\d+){3}")
_READING = frozenset("r rb br rt U rU r:gz r:* r:xz r:bz2 r|* r|gz r:".split())
_WRITES = re.compile(r"O_(?!RDONLY|CLOEXEC|NONBLOCK|NOFOLLOW|DIRECTORY|BINARY)|\d")
_MODE = re.compile(r"[rwabtxU+]{1,4}")
_PYTHON = ("python", "pypy")
_TOLD_BY = (GIVEN, UNKNOWN)
_PROCESSES = ("process", "shell")
_RAISING = {"raises", "assertRaises"}
_CLASSES = ("pathlib.Path.", "pathlib.PurePath.", "pathlib.PosixPath.")


@dataclass(frozen=True, slots=True)
class Called:
    """A call, with its arguments; of a method what it is called on comes first."""

    node: ast.Call
    given: list[ast.expr]
    full: str
    depth: int

    def keyword(self, *names: str) -> ast.expr | None:
        return next((k.value for k in self.node.keywords if k.arg in names), None)

    def first(self, *names: str) -> ast.expr | None:
        return self.given[0] if self.given else self.keyword(*names)


Read: TypeAlias = Callable[[Called], Iterator[Act]]


def standard(module: str) -> bool:
    """Whether a module of the standard library is listed, as one that acts or as a harmless one."""
    first = module.partition(".")[0]
    listed = _W.modules | _W.partly | _W.harmless
    return first in listed or (first[:1] == "_" and first[:2] != "__" and first in _W.private)


def _is_known(full: str) -> bool:
    """Of a service: what only looks, and what is told a command, which is read."""
    return full in _W.looking or full.partition("()")[0] in actions()


class PythonCalls(PythonValues):
    code: str
    nodes: Sequence[ast.AST]

    @property
    def is_inline(self) -> bool:
        """Whether it is code of the call, and in no file."""
        return self.path.endswith("/-")

    def of_call(self, node: ast.Call, depth: int) -> Iterator[Act]:
        full, method = self.full_name(node.func), called(node)
        first = full.partition(".")[0]
        yield from self._handed_on(node, depth)
        yield from self._told_to_own(node, full)
        action, given = actions().get(full), list(node.args)
        if action is None and isinstance(node.func, ast.Attribute):
            action = actions().get(f".{method}")
            if action is not None and ("(" in full or not full.startswith(_CLASSES)):
                given.insert(0, node.func.value)
                action = None if self._is_function(node.func.value, full) else action
            elif method == "replace" and len(given) == 1 and full.startswith("pathlib."):
                action = "mv 2"
                given.insert(0, node.func.value)
        if first in _W.clients:
            for act in self._requests(node, full, method):
                yield replace(act, package=first)
        elif first in _W.services and not _is_known(full) and not _P.mocks.search(self.code):
            yield Act(f"uses `{full.removesuffix('()')}`", package=first, grave=True)
        elif action is None and "(" not in full and "." in full and not standard(first):
            for act in self._stores(node, full):
                yield replace(act, package=first)
        if action is not None:
            shown = full or f".{method}"
            yield from self._done(action, Called(node, given, shown, depth))

    def _handed_on(self, node: ast.Call, depth: int) -> Iterator[Act]:
        """`partial(os.system, "x")`, `Thread(target=os.system, args=("x",))`."""
        if called(node) in _W.patching - _RAISING:
            return
        named = [k.value for k in node.keywords if k.arg in ("target", "func")]
        for at, one in enumerate([*node.args[:2], *named]):
            if isinstance(one, ast.Name | ast.Attribute) and actions().get(self.full_name(one)):
                lists = [k.value for k in node.keywords if k.arg == "args"]
                told = [n for each in lists for n in getattr(each, "elts", ())]
                yield from self.of_call(ast.Call(one, [*node.args[at + 1 :], *told], []), depth)

    def _told_to_own(self, node: ast.Call, full: str) -> Iterator[Act]:
        """Commands for a function that this session wrote, which may start what it is told."""
        if not full or not self.is_made(full):
            return
        for one in node.args:
            words = [self.one_text(each) for each in parts_of(one, self.bound) or ()]
            every = [shlex.join(words)] if words and all(words) else self.values(one) or ()
            for text in every:
                name = text.split(" ")[0]
                if " " in text and name in programs() and with_holes(text) == text:
                    yield Act(f"has `{full}` start `{shown(name)}`", None, text, guess=True)

    def _is_function(self, receiver: ast.expr, full: str) -> bool:
        """Whether what looks like a method of a path is a function of a module."""
        if full and "(" not in full and full.partition(".")[0] not in ("pathlib", "py"):
            values = self.values(receiver)
            return values is None or not any(map(is_chosen, values))
        return False

    def _done(self, action: str, call: Called) -> Iterator[Act]:
        readers: Mapping[str, Read] = {
            **dict.fromkeys(("never", "import", "tests"), lambda _: iter(())),
            "open": self._opens,
            "shell": self._starts,
            "process": self._starts,
            "exec": self._becomes,
            "code": self._makes_code,
            "condition": self._conditions,
            "loads": self._loads,
            "address": lambda one: self._reaches([one.first("host", "url")]),
            "sends": self._sends,
            "path": lambda one: self.leads(one.given[-1]) if one.given else iter(()),
            "extracts": self._extracts,
            "kill": self._kills,
            "sql": self._changes_data,
        }
        reader = readers.get(action)
        yield from reader(call) if reader else self._moves(action, call)

    def _moves(self, action: str, call: Called) -> Iterator[Act]:
        """Files, by a program that does the same."""
        count = action.removesuffix(" back").split()[-1]
        named = call.keyword("src", "dst", "path", "filename", "target", "database")
        taken = [*call.given, *([named] if named is not None else [])][: int(count)]
        values = [self.part(one) for one in taken]
        yield from self.moves(action, values)

    def _extracts(self, call: Called) -> Iterator[Act]:
        path = call.given[1] if call.given[1:] else call.keyword("path")
        if path is not None:
            yield from self._moves(">> 1", replace(call, given=[path]))

    def _kills(self, call: Called) -> Iterator[Act]:
        if any(map(self._is_started, ast.walk(call.given[0]) if call.given else ())):
            return
        found = self.values(call.given[0]) if call.given else None
        for one in (UNKNOWN,) if found is None else found:
            yield self.act("stops a process", ["kill", one])

    def _is_started(self, node: ast.AST) -> bool:
        """`process.pid`, of what the code started itself."""
        if not isinstance(node, ast.Attribute) or node.attr != "pid":
            return False
        made_by = self.full_name(node.value).partition("()")[0]
        return made_by == "multiprocessing.Process" or actions().get(made_by) in _PROCESSES

    def _changes_data(self, call: Called) -> Iterator[Act]:
        """Statements of the call itself for the one file of SQLite that it opens. In the files of a
        project they are the project's work."""
        opens = [one for one in self.calls if self.full_name(one.func) == "sqlite3.connect"]
        if len(opens) != 1 or not opens[0].args or not self.is_inline:
            return
        for path in self.values(opens[0].args[0]) or ():
            for text in (self.values(call.given[1]) if call.given[1:] else None) or ():
                lasts = path != ":memory:" and "mode=ro" not in path
                if lasts and _P.losing_sql.search(text) and not self.is_fine(path, keeps=True):
                    yield self.act(f"changes data of `{shown(path)}`", ["sqlite3", path, text])

    def _opens(self, call: Called) -> Iterator[Act]:
        mode = call.keyword("mode") or (call.given[1] if call.given[1:] else None)
        literal = str(mode.value) if isinstance(mode, ast.Constant) else "r"
        if call.full not in actions() and not _MODE.fullmatch(literal):
            return  # it opens something else: `client.open("/x")`
        reads = mode is None or self.one_text(mode) in _READING
        if call.full == "os.open" and mode is not None:
            reads = not _WRITES.search(ast.unparse(mode))
        path = call.first("file", "name")
        for one in (self.values(path) if path is not None else ()) or ():
            if not self.is_fine(one, keeps=True):
                told, sign = ("reads", "<") if reads else ("writes", ">>")
                yield self.act(f"{told} `{shown(one)}`", [one], sign)

    def _starts(self, call: Called) -> Iterator[Act]:
        if call.full not in actions():  # of anything: `x.system("rm")`
            call = replace(call, given=call.given[1:])
            if not call.given:
                return
        yield from self._fed(call)
        yield from self._environment(call.keyword("env"))
        at = self._folder(call)
        program = call.first("args", "cmd")
        several = call.full.endswith("_exec")
        if program is None:
            yield Act("starts what nobody can tell", grave=True)
            return
        lists = [call.given] if several else lists_of(program, self.bound)
        if lists is not None:
            for words in lists:
                yield from self._runs(words, call.depth, at)
            return
        bound = self.bound(program) if isinstance(program, ast.Name) else ()
        if any(isinstance(one, ast.List) for one in bound):
            yield Act("starts what nobody can tell", grave=True)
            return
        found = self.values(program)
        untold = found is None or any(one.startswith((UNKNOWN, GIVEN)) for one in found)
        if untold and call.full in actions():
            yield Act("starts what nobody can tell", hint=self.is_brought(program), grave=True)
        for text in found or ():
            if not text.startswith((UNKNOWN, GIVEN)):
                told = with_holes(text).replace(HOLE, UNKNOWN_WORD)
                yield Act(f"starts `{shown(text.split(' ')[0])}`", None, at + told)

    def _folder(self, call: Called) -> str:
        """What leads to where a program is started, as a shell would say it."""
        folder = call.keyword("cwd")
        found = self.values(folder) if folder is not None else ()
        given = next((one for one in found or () if not one.startswith((UNKNOWN, GIVEN))), "")
        texts = (one.value for one in self.nodes if isinstance(one, ast.Constant))
        return self.folder(given, (one for one in texts if isinstance(one, str)))

    def _fed(self, call: Called) -> Iterator[Act]:
        """What tells a program what to do beside its words."""
        if call.keyword("executable") is not None:
            yield Act("starts another program than it says", grave=True)
        fed = [one for one in ("input", "stdin") if call.keyword(one) is not None]
        if fed and any(self.values(call.keyword(one)) != () for one in fed):
            lists = lists_of(call.first("args") or call.node, self.bound)
            words = lists[0] if lists else []
            text = self.one_text(words[0] if words else call.first("args") or call.node)
            name, script = text.split(" ")[0], self.one_text(words[1]) if words[1:] else "-"
            name = name.rpartition("/")[2]
            if script[:1] in ("", "-") and (name in _W.told_by_input or name.startswith(_PYTHON)):
                yield Act("tells an interpreter what to do", grave=True)

    def _environment(self, given: ast.expr | None) -> Iterator[Act]:
        """`env={"PATH": "/tmp/x"}` leads to other programs."""
        if isinstance(given, ast.Dict):
            for name, value in zip(given.keys, given.values, strict=True):
                if isinstance(name, ast.Constant) and name.value == "PATH":
                    yield from self.leads(value)

    def _becomes(self, call: Called) -> Iterator[Act]:
        """`os.execl(path, word, …)`, `os.spawnv(mode, path, words)`."""
        name = call.full.rpartition(".")[2]
        if "l" in name[4:6] or name.startswith(("execl", "spawnl")):
            given = call.given[1:] if name.startswith("spawn") else call.given
            yield from self._runs(given[1:], call.depth)
        else:
            lists = [found for one in call.given if (found := parts_of(one, self.bound))]
            yield from self._runs(lists[0] if lists else [], call.depth)

    def _runs(self, items: Sequence[ast.expr], depth: int, at: str = "") -> Iterator[Act]:
        words: list[Sequence[str]] = []
        for one in items:
            several = parts_of(one.value, self.bound) if isinstance(one, ast.Starred) else None
            found = map(self.part, several if several is not None else [one])
            words += [(UNKNOWN,) if each is None else each for each in found]
        if not words or any(one.startswith((UNKNOWN, GIVEN)) for one in words[0]):
            brought = any(map(self.is_brought, items))
            yield Act("starts what nobody can tell", hint=brought, grave=True)
            return
        for every in islice(product(*[one or () for one in words]), MOST_VALUES):
            yield from self._run(list(every), depth, at)

    def _run(self, words: list[str], depth: int, at: str) -> Iterator[Act]:
        module = ""
        if words[0].rpartition("/")[2].startswith(_PYTHON):
            if "-c" in words[1:4]:
                yield from self.read_code("".join(words[words.index("-c") + 1 :][:1]), depth)
                return
            if words[1:2] == ["-m"] and words[2:]:
                module, words = words[2], words[2:]
        told = f"starts `{shown(words[0])}`"
        if standard(module):
            module = ""
        known = with_holes(words[0]) == words[0]
        text = at + " ".join(map(quoted, words)) if known else ""
        yield Act(told, None, text, module, sure=known, grave=not known)

    def _loads(self, call: Called) -> Iterator[Act]:
        found = self.values(call.given[0]) if call.given else ()
        chosen = any(is_chosen(one) and one[0] not in _TOLD_BY for one in found or ())
        if chosen and "pickle" in call.full:
            yield Act(f"loads code with `{call.full}`", hint=True)

    def _makes_code(self, call: Called) -> Iterator[Act]:
        code = call.first("source")
        if code is None:
            return
        found, brought = self.values(code), self.is_brought(code)
        if found is None or brought:
            yield Act("runs code that it makes", hint=brought, grave=True)
        for one in () if brought else found or ():
            if is_chosen(one):
                yield from self.read_code(one, call.depth)

    def _conditions(self, call: Called) -> Iterator[Act]:
        """`skipif("…")`: a text is run as code."""
        if call.given and (self.values(call.given[0]) or self.is_brought(call.given[0])):
            yield from self._makes_code(call)

    def is_brought(self, code: ast.expr, far: int = 3) -> bool:
        """Whether a text comes out of a decoder or from another machine."""
        for node in ast.walk(code):
            if isinstance(node, ast.Name):
                bound = [one for one in self.bound(node)[:4] if one is not None] if far else []
                if node.id == "chr" or any(self.is_brought(one, far - 1) for one in bound):
                    return True
            elif isinstance(node, ast.Call):
                full = self.full_name(node.func)
                coded = full.partition(".")[0] in _W.decoders | _W.clients
                if coded or called(node) in _W.bringing or actions().get(full) == "address":
                    return True
        return False

    def read_code(self, code: str, depth: int) -> Iterator[Act]:
        """What a text does that is run as code."""
        nodes = parse(textwrap.dedent(code)) if depth < NESTING else []
        if nodes:
            yield from self.inner_acts(nodes, code, depth + 1)
        elif code.strip():
            yield Act("runs code that it makes", grave=True)

    def inner_acts(self, nodes: Sequence[ast.AST], code: str, depth: int) -> Iterator[Act]:
        raise NotImplementedError

    def _reaches(self, given: Sequence[ast.expr | None], *, strict: bool = True) -> Iterator[Act]:
        for one in given:
            if one is None:
                continue
            host = one.elts[0] if isinstance(one, ast.Tuple) and one.elts else one
            found = self.values(host)
            if found is None and strict:
                yield Act("reaches a machine that nobody can tell", grave=True)
            for text in found or ():
                unknown = self.is_inline and text and not host_of(with_holes(text))
                if unknown or (not stays(text) and (strict or "://" in text)):
                    numbers = isinstance(one, ast.Tuple) and _NUMBERS.fullmatch(text) is not None
                    yield Act(f"reaches `{shown(text)}`", hint=numbers, grave=True)

    def _requests(self, node: ast.Call, full: str, method: str) -> Iterator[Act]:
        if method in _W.verbs and not _P.mocks.search(self.code):
            named = [one.value for one in node.keywords if one.arg in ("url", "uri", "host")]
            yield from self._reaches([*node.args[:2], *named], strict="(" not in full)

    def _sends(self, call: Called) -> Iterator[Act]:
        """`x.connect(("machine", 80))`, of anything."""
        for one in call.given[1:]:
            host = one.elts[0] if isinstance(one, ast.Tuple) and one.elts else one
            for text in self.values(host) or ():
                sure = host is not one or _NUMBERS.fullmatch(text) or "://" in text
                if not stays(text) and (sure or call.full.endswith("create_connection")):
                    numbers = _NUMBERS.fullmatch(text) is not None
                    yield Act(f"reaches `{shown(text)}`", hint=numbers, grave=True)

    def leads(self, value: ast.expr) -> Iterator[Act]:
        """What is loaded and found from now on lies there."""
        for one in self.values(value) or ():
            if not self.is_near(one) and not within(one, self.around_temporary):
                yield Act(f"leads to `{shown(one)}`", grave=True)

    def _stores(self, node: ast.Call, full: str) -> Iterator[Act]:
        """What a library is told to write outside."""
        name = full.rpartition(".")[2]
        if _P.reading.fullmatch(name) and not _P.mocks.search(self.code):
            yield from self._reaches(node.args[:2], strict=False)
        if _P.writing.fullmatch(name):
            texts = (text for one in node.args[:2] for text in self.values(one) or ())
            for text in texts:
                if text.startswith(("/", "~")):
                    yield self.act(f"writes `{shown(text)}`", [text], ">>")
