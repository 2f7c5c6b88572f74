"""What a command runs: unnamed scripts and tests that this session wrote are what is in them."""

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeAlias

from automode.core.paths import absolute, within
from automode.core.session import Session
from automode.core.transcript import Outcome
from automode.core.workspace import Kind, Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.guards.session_files import executed_files, may_execute
from automode.judge import javascript_code
from automode.judge.artefacts import LONGEST_FILE, Artefacts, artefacts, latest
from automode.judge.command_deeds import javascript_deeds, python_deeds
from automode.judge.deeds import Weight, deeds
from automode.judge.edited_tests import (
    go_names_known,
    python_names_known,
    python_parts,
    script_names_known,
)
from automode.judge.file_deeds import plain_words, touches
from automode.judge.needs import Named, is_met
from automode.judge.packages import Need
from automode.judge.tasks import RUNS, USUAL, is_test
from automode.judge.tool_deeds import PATH_FIELDS
from automode.judge.words import patterns, word_lists, word_table
from automode.programs.call_facts import CallFacts
from automode.programs.python_code import modules
from automode.shell.script import Command, Script

_P = patterns("running")
_W = word_lists("running")
LONGEST_SETTINGS = 20_000
_READING = frozenset("rb rt r".split())
_TEMPORARY_MAKERS = frozenset({"TemporaryDirectory", "NamedTemporaryFile"})
LONGEST = 20_000
_JS_OWN = re.compile(r"(?:[@~#]|\$lib|src)/[\w./@-]+")
_GO_WRITES = re.compile(r"\bos\.(?:WriteFile|Mkdir|Create|Remove)")
_GO_ALIASED = re.compile(r"(?m)^\s*(?:import\s+)?[\w.]+\s+\"(?:os|net/http)\"")
_RUST_PATH = re.compile(r"(?<![\w:])([a-z_]\w*)::(\w+|\{)")
_NEEDS_W = word_lists("needs")
UNREAD = "runs-unread"
_SHELL = (".sh", ".bash", ".zsh", ".ksh")
_SHEBANGS = ("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash", "#!/usr/bin/env sh")
LONGEST_LINE = 400
# They do what the files of a folder say.
_BUILDERS = _NEEDS_W.project | frozenset(
    "docker docker-compose podman go deno swift zig bazel".split()
)
Within: TypeAlias = Callable[[str, CallFacts], tuple[str, ...] | None]
"""The deeds of a shell script that lies in a file."""
_SOURCE = re.compile(r"(?<![\w./~-])[\w-][\w./-]*\.py\b")


@cache
def _python_modules() -> Mapping[str, frozenset[str]]:
    return {**modules(), **word_table("running", "python_modules")}


@dataclass(frozen=True, slots=True)
class Own:
    """What belongs to the project: its folders, and the files that this session wrote."""

    workspace: Workspace
    path: str  # of the test
    written: frozenset[str] = frozenset()
    # Files that earlier calls read, or that the user names. Nearly nobody asks for them.
    seen: Callable[[], frozenset[str]] = frozenset[str]

    def module(self, name: str) -> bool:
        """Whether a module of Python with this name lies in the project."""
        first = name.partition(".")[0]
        place = self.workspace
        for folder in self._folders():
            if place.files.kind(f"{folder}/{first}") is Kind.FOLDER:
                return True
            if place.files.kind(f"{folder}/{first}.py") is Kind.FILE:
                return True
        inside = f"{place.root}/"
        known = [
            one.removeprefix(place.root)
            for one in self.written | self.seen()
            if one.startswith(inside) and one != self.path
        ]
        return first == place.root.rsplit("/", 1)[-1] or any(
            f"/{first}/" in one or one.endswith(f"/{first}.py") for one in known
        )

    def _folders(self) -> set[str]:
        place = self.workspace
        return {place.root, f"{place.root}/src", place.cwd, self.path.rpartition("/")[0]}

    def lists(self, name: str) -> bool:
        """Whether it is a listed module, and no file of the project takes its place."""
        own = [f"{one}/{name.partition('.')[0]}" for one in self._folders()]
        files = [f"{one}{end}" for one in own for end in (".py", "/__init__.py")]
        kind = self.workspace.files.kind
        taken = any(one in self.written or kind(one) is Kind.FILE for one in files)
        return name in _python_modules() and not taken

    def knows(self, name: str) -> bool:
        return self.lists(name) if name in _python_modules() else self.module(name)

    def read_setting(self, file: str, pattern: str) -> str | None:
        text = self.workspace.files.text(f"{self.workspace.root}/{file}", LONGEST_SETTINGS)
        found = re.search(pattern, text or "", re.MULTILINE)
        return found[1] if found else None


def _only_python_tests(text: str, own: Own) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return _only_harmless_python(nodes, {}, own)


def _only_harmless_python(nodes: list[ast.AST], modules: dict[str, str], own: Own) -> bool:
    if not all(_python_imports(node, modules, own) for node in nodes):
        return False
    temporary = _temporary_names(nodes)
    looked_at = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    looked_at |= {id(one) for n in nodes for one in _patched_modules(n)}
    looked_at |= {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    return all(
        _is_harmless_python(node, modules, temporary, own, handed=id(node) not in looked_at)
        for node in nodes
    )


def _patched_modules(node: ast.AST) -> list[ast.expr]:
    """`monkeypatch.setattr(os, …)`: a module whose names get another meaning."""
    match node:
        case ast.Call(ast.Attribute(_, "setattr" | "delattr" | "object" | "dict"), [first, *_]):
            return [first]
        case _:
            return []


def _python_imports(node: ast.AST, modules: dict[str, str], own: Own) -> bool:
    match node:
        case ast.Import(names):
            for one in names:
                known = one.name if one.asname else one.name.partition(".")[0]
                if own.lists(one.name):
                    modules[one.asname or known] = known
                elif one.name in _python_modules() or not own.module(one.name):
                    return False
        case ast.ImportFrom(module, names, level):
            if level or (module and module not in _python_modules() and own.module(module)):
                return not any(one.name in _W.hidden for one in names)
            listed = _python_modules()[module] if module and own.lists(module) else frozenset()
            for one in names:
                if f"{module}.{one.name}" in _python_modules():
                    modules[one.asname or one.name] = f"{module}.{one.name}"
            return all(one.name in listed for one in names)
        case _:
            pass
    return True


def _temporary_names(nodes: list[ast.AST]) -> frozenset[str]:
    """Names that stand for something in a folder for tests alone."""
    found = set(_W.temporary)
    other: set[str] = set()
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], value):
                (found if _root_name(value) in found else other).add(name)
            case ast.withitem(ast.Call(func=made), ast.Name(name)):
                temporary = ast.unparse(made).rpartition(".")[2] in _TEMPORARY_MAKERS
                temporary = temporary or (_root_name(made) in found)
                (found if temporary else other).add(name)
            case _:
                pass
    return frozenset(found - other)


def _root_name(node: ast.expr) -> str:
    """The name that an expression begins with: `tmp_path / "x"`."""
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value) | ast.Subscript(value):
            return _root_name(value)
        case ast.BinOp(left, ast.Div()):
            return _root_name(left)
        case ast.Call(ast.Name("Path" | "str" | "open"), [first, *_]):
            return _root_name(first)
        case ast.Call(func):
            return _root_name(func)
        case _:
            return ""


def _is_harmless_python(
    node: ast.AST, modules: dict[str, str], temporary: frozenset[str], own: Own, *, handed: bool
) -> bool:
    match node:
        case ast.Attribute(value, name):
            return _is_harmless_attribute(value, name, modules, temporary)
        case ast.Name(name):
            return name not in _W.barred and not (handed and (name in modules or name == "open"))
        case ast.Call(ast.Name("open"), given, keywords):
            return _opens_harmlessly(given, keywords, temporary)
        case ast.Constant(str(text)):
            return " " in text or not may_be_credential(text, own.workspace.home)
        case _:
            return True


def _is_harmless_attribute(
    value: ast.expr, name: str, modules: dict[str, str], temporary: frozenset[str]
) -> bool:
    if (name[:2] == "__" and name not in _W.special) or name in _W.hidden:
        return False
    match value:
        case ast.Name(base) if base in modules:
            return name in _python_modules()[modules[base]]
        case ast.Attribute(ast.Name(base), inner) if base in modules:
            listed = _python_modules().get(f"{modules[base]}.{inner}")
            return listed is None or name in listed
        case _:
            return name not in _W.acting or _root_name(value) in temporary


def _opens_harmlessly(
    given: list[ast.expr], keywords: list[ast.keyword], temporary: frozenset[str]
) -> bool:
    mode = [*given[1:2], *(one.value for one in keywords if one.arg in ("mode", "opener"))]
    reads = all(isinstance(one, ast.Constant) and one.value in _READING for one in mode)
    return bool(given) and (_root_name(given[0]) in temporary or (reads and _is_literal(given[0])))


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def only_tests(text: str, own: Own) -> bool:
    suffix = own.path.rpartition(".")[2]
    read = _LANGUAGES.get(suffix)
    return read is not None and len(text) <= LONGEST and read(text, own)


def _only_edited(pieces: Sequence[str] | None, whole: str, own: Own) -> bool:
    """Of a test that was there, and of which all is known that this session put into it."""
    if not pieces or len(whole) >= LONGEST_FILE or sum(map(len, pieces)) > LONGEST:
        return False
    if not all(piece and piece in whole for piece in pieces):
        return False
    suffix = own.path.rpartition(".")[2]
    if suffix == "go":
        known = partial(_go_module, own=own)
        given = "\n".join(pieces)
        return (
            not _GO_ALIASED.search(whole)
            and _go(given, own)
            and go_names_known(pieces, whole, known)
        )
    if _LANGUAGES.get(suffix) is _javascript:
        folder = own.path.rpartition("/")[0]
        known = partial(_javascript_module, folder=folder, own=own)
        return all(_javascript(piece, own) for piece in pieces) and script_names_known(
            pieces, whole, known
        )
    parts = python_parts(pieces, whole) if suffix == "py" else None
    if parts is None:
        return False
    put, rest = parts
    modules: dict[str, str] = {}
    for node in rest:
        _python_imports(node, modules, own)
    return python_names_known(put, rest, pieces, own.knows) and _only_harmless_python(
        put, modules, own
    )


def _javascript(text: str, own: Own) -> bool:
    texts: list[str] = []
    bare = javascript_code.without_texts(text, texts)
    if bare is None or _P.js_barred.search(bare) or _P.js_any_import.search(bare):
        return False
    if any(may_be_credential(one, own.workspace.home) for one in texts if " " not in one):
        return False
    folder = own.path.rpartition("/")[0]
    return all(
        _javascript_module(texts[int(at)], folder, own) for at in _P.js_import.findall(bare)
    ) and not any("constructor" in one or "__proto__" in one for one in texts if " " not in one)


def _javascript_module(name: str, folder: str, own: Own) -> bool:
    if name.startswith("."):
        return within(absolute(name, folder), own.workspace.root)
    return bool(_P.js_library.fullmatch(name) or _JS_OWN.fullmatch(name))


def _go_module(name: str, own: Own) -> bool:
    module = own.read_setting("go.mod", r"^module\s+(\S+)")
    return bool(_P.go_listed.fullmatch(name) or (module and f"{name}/".startswith(f"{module}/")))


def _go(text: str, own: Own) -> bool:
    given = " ".join(part for found in _P.go_imports.findall(text) for part in found)
    temporary = "os." not in text or "TempDir()" in text or not _GO_WRITES.search(text)
    return (
        temporary
        and not _P.go_barred.search(text)
        and not _GO_ALIASED.search(text)
        and all(_go_module(one, own) for one in re.findall(r"\"([^\"]+)\"", given))
    )


def _rust(text: str, own: Own) -> bool:
    name = (own.read_setting("Cargo.toml", r"^name\s*=\s*\"([\w-]+)\"") or "").replace("-", "_")
    if re.search(r"\b(?:unsafe|extern|include\w*!|asm!|env!)", text):
        return False
    return all(
        inner in _W.rust_standard
        if first in ("std", "core", "alloc")
        else first in _W.rust_roots | {name}
        for first, inner in _RUST_PATH.findall(text)
    )


def _java(text: str, own: Own) -> bool:
    package = re.search(r"^\s*package\s+([\w]+(?:\.\w+)?)", text, re.MULTILINE)
    ours = f"{package[1]}." if package else "\0"
    body = _P.java_import.sub("", text)
    return not _P.java_barred.search(body) and all(
        _P.java_listed.fullmatch(one) or one.startswith(ours)
        for one in _P.java_import.findall(text)
    )


_LANGUAGES: Mapping[str, Callable[[str, Own], bool]] = {
    "py": _only_python_tests,
    **dict.fromkeys("js ts tsx jsx mjs cjs".split(), _javascript),
    "go": _go,
    "rs": _rust,
    "java": _java,
}
_OTHERS = "rb php kt cs swift ex exs scala lua c cc cpp".split()
SOURCES = tuple(f".{one}" for one in (*_LANGUAGES, *_OTHERS))


def running_deeds(
    facts: CallFacts, needs: Sequence[Need], named: Named, session: Session, within: Within
) -> Iterator[str]:
    """What the objects of a script make of it. A script that nobody named is what is in it, and so
    is a file that this session wrote."""
    place, script = session.workspace, facts.script
    for need in needs:
        if need.deed not in (RUNS, USUAL) and not is_met(need, named, place):
            yield need.deed
    run = [need for need in needs if need.deed in (RUNS, USUAL)]
    running = [command for command in script.commands if not _only_compiles(command)]
    tests = any(_P.testing.search(command.text[:LONGEST_LINE]) for command in running)
    edited = _edited_files(script, place.cwd)
    executed = [one for one in executed_files(facts, session) if one not in edited]
    if not any(map(may_execute, running)):
        executed = [one for one in executed if not is_test(one)]
    built = [command for command in script.commands if command.program in _BUILDERS]
    if not run and not executed and not tests and not built:
        return
    written = artefacts(facts, session)
    if built and _builds_foreign(script, written, place.cwd):
        yield "runs-cloned"
    for need in run:
        yield from _of_script(facts, within, need, written, named)
    if tests:
        executed += [one for one in written.texts if is_test(one) and one.endswith(SOURCES)]
    seen = cache(partial(_files_seen, session, named))
    for path in dict.fromkeys(executed):
        if not _seen_harmless(facts, within, path, written, seen):
            yield UNREAD


def _only_compiles(command: Command) -> bool:
    """Whether it compiles or checks, and runs none of the tests that lie there: `go vet ./...`,
    `uv run ruff check`, `go test -c`."""
    texts = [word.text for word in command.args]
    words = [one for one in texts if one[:1] != "-"]
    if command.program == "go" and words[:1] == ["test"]:
        return "-c" in texts and not any(one.startswith(("-exec", "--exec")) for one in texts)
    if f"{command.program}:{words[0] if words else ''}" in _W.compiling:
        return True
    started = (one for one in (command.program, *words) if one not in _W.launching)
    return next(started, "") in _W.looking


def _builds_foreign(script: Script, written: Artefacts, here: str) -> bool:
    """Whether a project is built or run that came from elsewhere, even by the script itself."""
    found = Artefacts(fetched=set(written.fetched))
    for command in script.commands:
        at = command.cwd or here
        folders = [at, *(absolute(one, at) for one in plain_words(command))]
        if command.program in _BUILDERS and any(map(found.builds_foreign, folders)):
            return True
        found.add(command, here)
    return False


def _files_seen(session: Session, named: Named) -> frozenset[str]:
    """Files that are there: an earlier call read or changed them, or the user names them."""
    here = session.workspace.cwd
    found = {absolute(one, here) for one in _SOURCE.findall(named.told)}
    for one in latest(session):
        paths = (
            (one.input.get(name) for name in PATH_FIELDS)
            if one.outcome is not Outcome.ERROR
            else ()
        )
        found |= {absolute(path, here) for path in paths if isinstance(path, str)}
    return frozenset(found)


def _edited_files(script: Script, here: str) -> set[str]:
    """Files that perl edits in place: beside code on the command line they are no scripts."""
    return {
        absolute(touch.path, command.cwd or here)
        for command in script.commands
        if command.program == "perl"
        for touch in touches(command)
    }


def _of_script(
    facts: CallFacts, within: Within, need: Need, written: Artefacts, named: Named
) -> Iterator[str]:
    place = facts.workspace
    full = absolute(need.name, need.cwd)
    before = _before(full, facts.script, place.cwd, written)
    if written.came_from_elsewhere(full) or before.came_from_elsewhere(full):
        yield "runs-fetched"
    elif not is_met(need, named, place) and full not in written.built | before.built:
        yield from _of_file(facts, within, full, written)


def _before(full: str, script: Script, here: str, written: Artefacts) -> Artefacts:
    """What the script itself compiles and fetches before it runs `full`."""
    found = Artefacts(dict(written.texts), set(written.fetched))
    for command in script.commands:
        if command.words and absolute(command.words[0].text, command.cwd or here) == full:
            break
        found.add(command, here)
    return found


def _text(full: str, written: Artefacts, place: Workspace) -> str | None:
    """What is in the file now, or what this session is known to have put there."""
    now = place.files.text(full, LONGEST_FILE)
    return written.texts.get(full) if now is None else now


def _of_file(facts: CallFacts, within: Within, full: str, written: Artefacts) -> Iterator[str]:
    text = _text(full, written, facts.workspace)
    found = None if text is None else _of_text(facts, within, full, text)
    if found is None:
        yield RUNS
    else:
        yield from (name for name in found if deeds()[name].weight is not Weight.LIGHT)


def _of_text(facts: CallFacts, within: Within, full: str, text: str) -> tuple[str, ...] | None:
    place = facts.workspace
    if full.endswith(_SHELL) or text.startswith(_SHEBANGS):
        return within(text, facts)
    if full.endswith(".py"):
        return tuple(python_deeds(text, Command((), cwd=place.cwd), place))
    if full.endswith((".js", ".cjs")):
        found = tuple(javascript_deeds(text, Command((), cwd=place.cwd), place))
        return None if "code-acts" in found else found
    return None


def _seen_harmless(
    facts: CallFacts,
    within: Within,
    full: str,
    written: Artefacts,
    seen: Callable[[], frozenset[str]],
) -> bool:
    """Of a file that this session wrote and that runs now."""
    place = facts.workspace
    text = _text(full, written, place)
    if not text or written.came_from_elsewhere(full):
        return False
    own = Own(place, full, frozenset(written.texts), seen)
    if is_test(full) and (only_tests(text, own) or _only_edited(written.put.get(full), text, own)):
        return True  # it calls the project's own code, as tests do
    found = _of_text(facts, within, full, text)
    return found is not None and all(deeds()[name].weight < Weight.LASTING for name in found)
