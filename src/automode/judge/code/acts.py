"""What code in JavaScript, TypeScript, Go, Rust and Java does outside of itself: what its calls do
to files, programs, addresses, and code that is made."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from automode.core.recent import Recent
from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge.code.act import (
    GIVEN,
    Act,
    is_chosen,
    shown,
    stays,
    with_holes,
)
from automode.judge.code.shapes import tree_of
from automode.judge.code.starts import Called, CodeStarts
from automode.judge.code.tree import LANGUAGES, Code
from automode.judge.words import patterns
from automode.programs.inline_python import UNKNOWN
from automode.programs.table import programs

MOST_KEPT = 512
NESTING = 2
_NUMBERS = re.compile(r"\d+(?:\.\d+){3}")
_LIKE_CODE = re.compile(r"\breturn\b|[;()]")
_MODE = re.compile(r"(0o?)?([0-7]{0,4})")
_MAKERS = ("Function", ".constructor")
_EVERYBODYS = re.compile(r"\b(?:this|process|require|global\w*)\b")
_METHODS = (
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "tcp",
    "tcp4",
    "udp",
    "unix",
)
_PIDS = (".pid", ".Process.Pid")
_PROCESSES = ("process", "shell")
_KNOWN = Recent[tuple[object, ...], tuple[Act, ...]](MOST_KEPT)
ENDINGS = tuple(f".{one}" for one in LANGUAGES)


def script_acts(
    code: str,
    path: str,
    place: Workspace,
    made: frozenset[str] = frozenset(),
    put: Sequence[str] | None = None,
    *,
    parts: bool = False,
) -> tuple[Act, ...]:
    """`made`: modules that this session wrote. `put`: what was put into code that was there: only
    that counts, with what its names mean there. `parts`: nobody can look at the rest."""
    put = None if put is None else [one for one in put if one]
    if put is not None and not all(one in code for one in put):
        put = None
    given = None if put is None else tuple(put)
    key = (code, path, made, given, parts, place.root, place.cwd, place.home)
    if key not in _KNOWN:
        lines = None if put is None or parts else _lines_with(put, code)
        ending = path.rpartition(".")[2].casefold()
        ending = ending if ending in LANGUAGES else "ts"
        reader = _Reader(code, ending, path, place, made, lines, parts=parts)
        _KNOWN[key] = tuple(dict.fromkeys(reader.acts(0)))
    return _KNOWN[key]


def loaded_modules(code: str, path: str, place: Workspace) -> tuple[str, ...]:
    """The modules and files that it loads, as it names them, and what it calls of files."""
    reader = _Reader(code, "js", path, place, frozenset())
    found = dict.fromkeys(one.text for one in reader.tree.loaded)
    calls = (one for one in reader.tree.nodes if one.kind == "call" and one.parts)
    for node in calls:
        full = reader.full(node.parts[0])
        loads = len(node.parts) > 1 and reader.actions.get(full) == "import"
        found.update(dict.fromkeys(reader.values(node.parts[1]) or () if loads else ()))
        if full[:1] == ".":
            found[full] = None
    return tuple(found)


def texts_in(code: str, ending: str) -> tuple[str, ...]:
    """The texts that are written in it."""
    return tuple(one.text for one in tree_of(code, ending).nodes if one.kind == "text")


def _lines_with(pieces: Sequence[str], code: str) -> frozenset[int]:
    found: set[int] = set()
    for piece in pieces:
        at = code.find(piece)
        while at >= 0:
            first = code.count("\n", 0, at) + 1
            found.update(
                range(first, first + piece.strip("\n").count("\n") + 1 + (piece[:1] == "\n"))
            )
            at = code.find(piece, at + 1)
    return frozenset(found)


Read: TypeAlias = Callable[[Called], Iterator[Act]]


class _Reader(CodeStarts):
    def __init__(
        self,
        code: str,
        ending: str,
        path: str,
        place: Workspace,
        made: frozenset[str],
        lines: frozenset[int] | None = None,
        *,
        parts: bool = False,
    ) -> None:
        super().__init__(tree_of(code, ending, parts=parts), path, place, made)
        self.code, self.ending, self.lines, self.parts = code, ending, lines, parts
        self.patterns = patterns(f"{self.tree.language}_acts")

    def _counts(self, node: Code) -> bool:
        return self.lines is None or not self.lines.isdisjoint(node.lines)

    def acts(self, depth: int) -> Iterator[Act]:
        if any(self.lines is None or not self.lines.isdisjoint(one) for one in self.tree.broken):
            yield Act("holds what nobody can read", grave=True)
        every = {id(one): one for one in self.tree.nodes}
        for node in self.tree.nodes:
            self.seen.clear()
            found = list(self._of_node(node, depth))
            if not found:
                continue
            looked = (every[one] for one in self.seen if one in every)
            called = node.parts[0].walk() if node.kind == "call" and node.parts else ()
            if any(map(self._counts, (node, *called, *looked))):
                yield from found
        if self.is_spent():
            yield Act("is too long to be read", grave=True)
        for one in self.tree.loaded:
            if one.text.removeprefix("node:") in self.words.barred and self._counts(one):
                yield Act(f"brings in `{one.text}`", grave=True)
        remark = self.patterns.remark.search(self.code)
        if remark is not None and (self.lines is None or remark[0] in self.code):
            at = self.code.count("\n", 0, remark.start()) + 1
            if self.lines is None or at in self.lines:
                yield Act("starts a command", text=remark[1], guess=True)

    def _of_node(self, node: Code, depth: int) -> Iterator[Act]:
        match node.kind:
            case "call" if node.parts:
                yield from self._called(node, depth)
            case "text":
                yield from self._of_constant(node.text)
            case "name" | "member" if self._is_handed(node):
                yield from self._mentioned(node)
            case "index" if len(node.parts) > 1:
                yield from self._looks_into(node)
            case "other" if node.text == "binds":
                yield from self._assigned(node)

    def _is_handed(self, node: Code) -> bool:
        """Whether it goes on to somewhere that is not looked at."""
        up = node.up
        if up is None or (up.kind == "call" and up.parts and up.parts[0] is node):
            return False
        return self.parts or up.kind in ("call", "list", "pair", "spread")

    def _mentioned(self, node: Code) -> Iterator[Act]:
        full = self.full(node)
        action = self.actions.get(full)
        if action in ("shell", "process", "code") and not self._is_patched(node):
            yield Act(f"hands on `{full}`", grave=True)

    def _is_patched(self, node: Code) -> bool:
        """`vi.mocked(execSync)`, `promisify(exec)`: it is only looked at, or called later."""
        up = node.up
        if up is None or up.kind != "call" or not up.parts:
            return up is not None and up.kind == "pair"
        called = self.full(up.parts[0])
        return called in self.words.same or self.patterns.patching.search(called) is not None

    def _of_constant(self, text: str) -> Iterator[Act]:
        if text[:1] in ("/", "~", "$") and " " not in text and len(text) < 300:
            if may_be_credential(text, self.place.home):
                yield Act("names a file that may hold credentials", grave=True)
        elif text[:2] == "#!" and "sh" in text.partition("\n")[0]:
            yield Act("writes a script for a shell", text=text, guess=True)

    def _looks_into(self, node: Code) -> Iterator[Act]:
        for outer in self.fulls(node.parts[0]):
            if outer in self.words.hidden:
                found = self.values(node.parts[1])
                told = found is not None and all(map(is_chosen, found)) and found
                if not told:
                    hint = found is None or self.is_brought(node.parts[1])
                    yield Act(f"takes of `{outer}` what nobody can tell", hint=hint, grave=True)

    def _assigned(self, node: Code) -> Iterator[Act]:
        for one in node.parts[:1]:
            full = self.full(one) if one.kind in ("member", "index") else ""
            if full == "process.env.PATH" and len(node.parts) > 1:
                yield from self.leads(node.parts[-1])
            elif full.rpartition(".")[2] in self.words.steering and full.startswith("process.env."):
                yield Act(f"sets `{full}`", grave=True)

    # Calls.

    def _of_call_acts(self, node: Code, full: str, depth: int) -> Iterator[Act]:
        action = self.actions.get(full)
        if action is not None:
            yield from self._done(action, Called(node, list(node.parts[1:]), full, depth))

    def _done(self, action: str, call: Called) -> Iterator[Act]:
        readers: Mapping[str, Read] = {
            "never": lambda one: iter((Act(f"uses `{one.full}`", grave=True),)),
            "hidden": lambda one: iter((Act(f"uses `{one.full}`", hint=True),)),
            "shell": self.runs_text,
            "process": self.starts,
            "builds": self.builds,
            "code": self._makes_code,
            "import": self._imports,
            "address": self._reaches,
            "kill": self._kills,
            "path": lambda one: self.leads(one.given[-1]) if one.given else iter(()),
            "variable": self._sets,
            "open": self._opens,
            "rights": self._sets_rights,
        }
        if action[:2] == "$ ":
            yield Act(f"does what `{action[2:]}` does", None, action[2:])
            return
        reader = readers.get(action)
        yield from reader(call) if reader else self._moves(action, call)

    def _called(self, node: Code, depth: int) -> Iterator[Act]:
        function = node.parts[0]
        fulls = [one for one in self.fulls(function) if one in self.actions]
        for full in self.fulls(function):
            yield from self._called_by_method(node, full, depth)
            if full.endswith(".constructor") and function.text != "constructor":
                texts = (text for one in node.parts[1:] for text in self.values(one) or ())
                if any(map(_LIKE_CODE.search, texts)):
                    yield Act("makes a function of a text", hint=True)
        for full in fulls:
            yield from self._of_call_acts(node, full, depth)
        if not fulls:
            yield from self._of_method_acts(node, depth)
            yield from self._told_to_own(node)

    def _called_by_method(self, node: Code, full: str, depth: int) -> Iterator[Act]:
        """`execSync.call(null, "x")`, `execSync.apply(null, ["x"])`."""
        base, _, name = full.rpartition(".")
        if base in self.actions and name in ("call", "apply") and len(node.parts) > 2:
            given = node.parts[2:]
            lists = self.lists(given[0]) if name == "apply" else [given]
            for words in lists or [given]:
                yield from self._done(self.actions[base], Called(node, list(words), base, depth))

    def _of_method_acts(self, node: Code, depth: int) -> Iterator[Act]:
        """Methods of anything, and of what is known to be a client."""
        function = node.parts[0]
        if function.kind != "member":
            return
        action = self.actions.get(f".{function.text}")
        if action is not None and not self.own_functions(function):
            call = Called(node, [function.parts[0], *node.parts[1:]], f".{function.text}", depth)
            yield from self._done(action, call)
            return
        outer = self.full(function.parts[0])
        if function.text == "open" and outer.startswith(tuple(self.words.opening)):
            told = _shown_code(function.parts[0])
            writes = self.patterns.writing.search(told) is not None
            call = Called(node, list(node.parts[1:]), outer, depth)
            yield from self._moves(">> 1" if writes else "< 1", call)
        first = re.split(r"[.(/]", outer)[0]
        client = outer in self.words.clients or first in self.words.clients
        if client and self.patterns.verbs.fullmatch(function.text):
            yield from self._reaches(Called(node, list(node.parts[1:]), outer, depth))

    def _told_to_own(self, node: Code) -> Iterator[Act]:
        """Commands for a function that this session wrote, which may start what it is told."""
        full = self.full(node.parts[0])
        if not full or not self.is_made(full):
            return
        for one in node.parts[1:]:
            for words in self.lists(one) or ():
                texts = [self.one_text(each) for each in words]
                if all(texts):
                    yield from self._maybe_command(full, shlex.join(texts))
            for text in self.values(one) or () if one.kind != "list" else ():
                yield from self._maybe_command(full, text)

    def _maybe_command(self, full: str, text: str) -> Iterator[Act]:
        name = text.split(" ")[0]
        if " " in text and name in programs() and with_holes(text) == text:
            yield Act(f"has `{full}` start `{shown(name)}`", None, text, guess=True)

    # Files.

    def _moves(self, action: str, call: Called) -> Iterator[Act]:
        words, count = action.removesuffix(" back").rsplit(" ", 1)
        if words == ">>" and call.given[1:2] and _is_empty(call.given[1]):
            words = "truncate"  # nothing is put in
        back = " back" if action.endswith(" back") else ""
        if words == "rm" and self._is_deep(call):
            words = "rm -rf"
        taken = call.given[: int(count)]
        values = [self._paths_of(one) for one in taken]
        yield from self.moves(f"{words} {count}{back}", values)

    def _paths_of(self, node: Code) -> tuple[str, ...] | None:
        found = self.part(node)
        if found is None:
            return None
        return tuple(one.removeprefix("file://") for one in found)

    def _is_deep(self, call: Called) -> bool:
        option = call.option("recursive", "force")
        return option is not None

    def _sets_rights(self, call: Called) -> Iterator[Act]:
        mode = call.given[1].text if call.given[1:] else ""
        bits = _MODE.fullmatch(mode)
        octal = bits is not None and (bool(bits[1]) or call.given[1].kind == "text")
        number = int(bits[2] or "0", 8 if octal else 10) if bits is not None else 0o755
        yield from self._moves(f"chmod {number:03o} 1", call)

    def _opens(self, call: Called) -> Iterator[Act]:
        """It reads, unless what it is told beside the path says that it writes."""
        told = " ".join(_shown_code(one) for one in call.given[1:])
        writes = self.patterns.writing.search(told) is not None
        yield from self._moves(">> 1" if writes else "< 1", call)

    # Programs.

    def _sets(self, call: Called) -> Iterator[Act]:
        given = [one for one in call.given if one.kind != "member" or len(call.given) < 3]
        name = self.one_text(given[-2]) if len(given) > 1 else ""
        if name == "PATH":
            yield from self.leads(given[-1])
        elif name in self.words.steering:
            yield Act(f"sets `{name}`", grave=True)

    def _kills(self, call: Called) -> Iterator[Act]:
        if any(map(self._is_started, call.given[0].walk() if call.given else ())):
            return
        found = self.values(call.given[0]) if call.given else None
        for one in (UNKNOWN,) if found is None else found:
            yield self.act("stops a process", ["kill", one])

    def _is_started(self, node: Code) -> bool:
        """`child.pid`, of what the code started itself, and its own."""
        full = self.full(node) if node.kind in ("member", "call") else ""
        made_by, _, name = full.rpartition("()")
        own = full in self.words.itself
        return own or (name in _PIDS and self.actions.get(made_by) in _PROCESSES)

    # Code that is made.

    def _makes_code(self, call: Called) -> Iterator[Act]:
        given = call.given[-1:] if call.full.endswith(_MAKERS) else call.given[:1]
        for code in given if len(call.given) > (call.full[:1] == ".") else ():
            if code.kind == "function":
                continue
            found, brought = self.values(code), self.is_brought(code)
            if found is None or brought or any(one.startswith((UNKNOWN, GIVEN)) for one in found):
                late = call.full.startswith("set") and not brought
                if not late:
                    yield Act("runs code that it makes", hint=brought, grave=True)
                continue
            for one in found:
                if call.full.endswith(_MAKERS) and _EVERYBODYS.search(one):
                    yield Act("looks for what is everybody's", hint=True)
                if is_chosen(one) and call.depth < NESTING:
                    yield from self._inner(one, call.depth)

    def _inner(self, code: str, depth: int) -> Iterator[Act]:
        inner = _Reader(code, self.ending, self.path, self.place, self.made)
        for name, bound in self.tree.top.bound.items():
            inner.tree.top.bound.setdefault(name, []).extend(bound)
        yield from inner.acts(depth + 1)

    def _imports(self, call: Called) -> Iterator[Act]:
        found = self.values(call.given[0]) if call.given else ()
        for one in found or ():
            if one.startswith(("data:", "http:", "https:", "blob:")):
                yield Act(f"runs code of `{shown(one)}`", hint=True)
        if call.given and (found is None or self.is_brought(call.given[0])):
            brought = self.is_brought(call.given[0])
            yield Act("imports what nobody can tell", hint=brought)

    # Other machines.

    def _reaches(self, call: Called) -> Iterator[Act]:
        later = [one for each in self.methods_of(call.node) for one in each.parts[1:]]
        if any(self._has_environment(one) for one in (*call.given, *later)):
            told = f"tells another machine the environment with `{call.full}`"
            yield Act(told, hint=True)
        if self.patterns.mocks.search(self.code):
            return
        every = [one for one in call.given if self.one_text(one) not in _METHODS]
        if call.full in self.words.behind and len(every) == len(call.given):
            every = every[1:]
        hosts = [
            one for name in ("url", "baseURL", "host", "hostname") if (one := call.option(name))
        ]
        port = bool(every) and every[0].text.isdigit()
        for one in [*every[: 2 if port else 1], *hosts]:
            if one.kind in ("pairs", "function"):
                continue
            yield from self._reaches_host(one)

    def _reaches_host(self, node: Code) -> Iterator[Act]:
        found = self.values(node)
        if found is None:
            yield Act("reaches a machine that nobody can tell", grave=True)
        for text in found or ():
            if not stays(text):
                numbers = _NUMBERS.fullmatch(text.partition(":")[0]) is not None
                yield Act(f"reaches `{shown(text)}`", hint=numbers, grave=True)

    def _has_environment(self, node: Code, far: int = 2) -> bool:
        for one in node.walk():
            if one.kind not in ("name", "member", "call") or self.is_spent():
                continue
            up = one.up
            taken = up is not None and up.kind in ("member", "index") and up.parts[0] is one
            taken = taken and not (up is not None and _is_called(up))
            if not taken and self.full(one) in self.words.environment:
                return True
            bound = list(self.bound(one))[:4] if one.kind == "name" and far and not taken else []
            if any(self._has_environment(each, far - 1) for each in bound):
                return True
        return False


def _is_called(node: Code) -> bool:
    up = node.up
    return up is not None and up.kind == "call" and up.parts[0] is node


def _is_empty(node: Code) -> bool:
    return node.kind == "text" and not node.text


def _shown_code(node: Code) -> str:
    return " ".join(one.text for one in node.walk() if one.text)
