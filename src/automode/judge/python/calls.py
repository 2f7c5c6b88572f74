"""What calls in Python code do outside of it: to files, programs, addresses, code that is made."""

import ast
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TypeAlias

from automode.core.paths import normal, within
from automode.judge.calls import file_deeds
from automode.judge.calls.network import host_of, is_here
from automode.judge.python.names import actions, called, lists_of, parts_of
from automode.judge.python.values import GIVEN, MOST_VALUES, PythonValues, is_chosen
from automode.judge.words import patterns, word_lists
from automode.programs.inline_python import UNKNOWN
from automode.programs.python_code import parse
from automode.programs.python_starts import UNKNOWN_WORD
from automode.programs.table import programs
from automode.shell.script import HOLE, Command, Redirect, Word

_P = patterns("python_acts")
_W = word_lists("python_acts")
NESTING = 2
LONGEST_SHOWN = 60
_NUMBERS = re.compile(r"\d+(?:\.\d+){3}")
_READING = frozenset("r rb br rt U rU r:gz r:* r:xz r:bz2 r|* r|gz r:".split())
_WRITES = re.compile(r"O_(?!RDONLY|CLOEXEC|NONBLOCK|NOFOLLOW|DIRECTORY|BINARY)|\d")
_MODE = re.compile(r"[rwabtxU+]{1,4}")
_ABOVE = re.compile(r"(?:^|/)\.\.(?:/|$)")
_HIDDEN = re.compile(r"/\.(?!\.)")
_LOSING = frozenset("rm truncate kill".split())
_KEEPING = frozenset("mkdir >> < cp ln chmod".split())
_PYTHON = ("python", "pypy")
_TOLD_BY = (GIVEN, UNKNOWN)
_RAISING = {"raises", "assertRaises"}
_CLASSES = ("pathlib.Path.", "pathlib.PurePath.", "pathlib.PosixPath.")
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


@dataclass(frozen=True, slots=True)
class Act:
    """`told` completes "it …". A command that does the same, a text that a shell would read, or a
    module that is loaded; none of them: nobody can tell what it is done to. `sure`: all of it is
    known. `hint`: it is far-reaching, whoever does it. `grave`: it may be far-reaching, as its
    target is not known. `package`: the library that does it, which may be the project itself."""

    told: str
    command: Command | None = None
    text: str = ""
    module: str = ""
    package: str = ""
    sure: bool = True
    hint: bool = False
    grave: bool = False
    guess: bool = False  # it may be no command at all

    @property
    def is_told(self) -> bool:
        """Whether all that it does is known."""
        return self.sure and (self.command is not None or bool(self.text))


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


class PythonCalls(PythonValues):
    code: str

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
        elif first in _W.services and full not in _W.looking and not _P.mocks.search(self.code):
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
        }
        reader = readers.get(action)
        yield from reader(call) if reader else self._moves(action, call)

    def _act(self, told: str, words: Sequence[str], redirect: str = "") -> Act:
        known = not any(one.startswith((UNKNOWN, GIVEN)) or self._leaves(one) for one in words)
        grave = not known and words[0] in _LOSING
        texts = [with_holes(one) for one in words]
        here = self.place.cwd
        if redirect:
            target = Redirect(redirect, Word(texts[0]))
            return Act(told, Command((), redirects=(target,), cwd=here), sure=known)
        return Act(told, Command(tuple(map(Word, texts)), cwd=here), sure=known, grave=grave)

    def _is_fine(self, path: str, *, keeps: bool) -> bool:
        """Whether a path lies in a folder for tests, or in one that was given. `keeps`: nothing is
        lost there, and the project's own code may have told the folder."""
        if _ABOVE.search(path):
            return False
        if keeps and path.startswith(UNKNOWN):
            return not _HIDDEN.search(path)
        return path.startswith(GIVEN) or within(path, self.temporary)

    def _leaves(self, path: str) -> bool:
        """Whether it leads out of a folder for tests, to where nobody can tell."""
        return within(path, self.around_temporary) and not within(normal(path), self.temporary)

    def _is_near(self, path: str) -> bool:
        """Whether it lies in the workspace, or in a folder for tests."""
        if self._is_fine(path, keeps=False):
            return True
        return file_deeds.where(with_holes(path), Command(()), self.place) in ("here", "generated")

    def _moves(self, action: str, call: Called) -> Iterator[Act]:
        """Files, by a program that does the same."""
        *words, count = action.removesuffix(" back").split()
        named = call.keyword("src", "dst", "path", "filename", "target", "database")
        taken = [*call.given, *([named] if named is not None else [])][: int(count)]
        values = [self.part(one) for one in taken]
        told = _TOLD.get(words[0], "changes")
        if not values or any(one is None for one in values):
            yield Act(f"{told} what nobody can tell", grave=words[0] in _LOSING)
            return
        for texts in islice(product(*[one or () for one in values]), MOST_VALUES):
            every = list(reversed(texts)) if action.endswith("back") else list(texts)
            yield from self._moved(words, every, f"{told} `{shown(every[-1])}`")

    def _moved(self, words: list[str], every: list[str], told: str) -> Iterator[Act]:
        keeps = words[0] in _KEEPING
        if words[0] == "cp" and every[0].startswith((UNKNOWN, GIVEN, self.temporary)):
            words, every = [">>"], every[1:]
        if all(self._is_fine(one, keeps=keeps) for one in every):
            return
        if words[0] == "ln" and not self._is_near(every[0]):
            yield Act(f"links to `{shown(every[0])}`", grave=True)
        if words[0] in (">>", "<"):
            yield self._act(told, every, words[0])
        else:
            yield self._act(told, [*words, *every])

    def _extracts(self, call: Called) -> Iterator[Act]:
        path = call.given[1] if call.given[1:] else call.keyword("path")
        if path is not None:
            yield from self._moves(">> 1", replace(call, given=[path]))

    def _kills(self, call: Called) -> Iterator[Act]:
        found = self.values(call.given[0]) if call.given else None
        for one in (UNKNOWN,) if found is None else found:
            yield self._act("stops a process", ["kill", one])

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
            if not self._is_fine(one, keeps=True):
                told, sign = ("reads", "<") if reads else ("writes", ">>")
                yield self._act(f"{told} `{shown(one)}`", [one], sign)

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
        return "" if not given or within(given, self.temporary) else f"cd {quoted(given)} && "

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
                if not stays(text) and (strict or "://" in text):
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
            if not self._is_near(one) and not within(one, self.around_temporary):
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
                    yield self._act(f"writes `{shown(text)}`", [text], ">>")


def shown(text: str) -> str:
    plain = re.sub(r"\s+", " ", with_holes(text).replace(HOLE, "…").replace("`", "'"))
    return plain if len(plain) <= LONGEST_SHOWN else f"{plain[:LONGEST_SHOWN]}…"


def quoted(word: str) -> str:
    """As a shell reads it."""
    parts = with_holes(word).split(HOLE)
    return UNKNOWN_WORD.join(shlex.quote(one) if one or len(parts) == 1 else "" for one in parts)


def with_holes(text: str) -> str:
    return text.replace(UNKNOWN, HOLE).replace(GIVEN, HOLE)


def stays(text: str) -> bool:
    """Whether an address is one of this machine, one that stands for any in a test, or given."""
    if text.startswith((UNKNOWN, GIVEN, "/")) or text in ("", "::") or text.isdigit():
        return True
    host = host_of(with_holes(text))
    return is_here(host) or _P.nowhere.fullmatch(host) is not None or not host
