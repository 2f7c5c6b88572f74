"""Tests that this session wrote: whether they call only the project and what is listed."""

import ast
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from automode.core.paths import absolute, within
from automode.core.workspace import Kind, Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge.artefacts import LONGEST_FILE
from automode.judge.edited_tests import (
    go_names_known,
    lines_with,
    python_names_known,
    python_parts,
    script_names_known,
)
from automode.judge.javascript_texts import without_texts
from automode.judge.words import patterns, word_lists, word_table
from automode.programs.python_values import modules

_P = patterns("written_tests")
_W = word_lists("written_tests")
LONGEST_SETTINGS = 20_000
_READING = frozenset("rb rt r".split())
_TEMPORARY_MAKERS = frozenset({"TemporaryDirectory", "NamedTemporaryFile"})
LONGEST = 20_000
_JS_OWN = re.compile(r"(?:[@~#]|\$lib|src)/[\w./@-]+")
_GO_WRITES = re.compile(r"\bos\.(?:WriteFile|Mkdir|Create|Remove)")
_GO_ALIASED = re.compile(r"(?m)^\s*(?:import\s+)?(?!import\b)[\w.]+\s+\"(?:os|net/http)\"")
_GO_TEXT = re.compile(r"[\"`]([^\s\"`]+)[\"`]")
_GO_MADE = re.compile(r"(\w+)\s*:?=\s*((?:t|b|tb)\.TempDir|filepath\.Join\(\w+)\b")
_RUST_PATH = re.compile(r"(?<![\w:])([a-z_]\w*)::(\w+|\{)")


@cache
def _python_modules() -> Mapping[str, frozenset[str]]:
    return {**modules(), **word_table("written_tests", "python_modules")}


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

    def is_there(self) -> bool:
        """Whether the project can be looked at. Of one on another machine, whose calls were
        recorded, no file is there."""
        return bool(self.workspace.files.names(self.workspace.root, 1))

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


def only_edited(pieces: Sequence[str] | None, whole: str, own: Own) -> bool:
    """Of a test that was there, and of which all is known that this session put into it."""
    if pieces is None or len(whole) >= LONGEST_FILE or sum(map(len, pieces)) > LONGEST:
        return False
    if not all(piece in whole for piece in pieces):
        return False
    suffix = own.path.rpartition(".")[2]
    if suffix == "py":
        return _only_edited_python(pieces, whole, own)
    # What stands beside a piece on its line may have got another meaning by it.
    lines = lines_with(pieces, whole)
    if suffix == "go":
        known = partial(_go_module, own=own)
        return (
            not _GO_ALIASED.search(whole)
            and _go("\n".join(lines), own, whole)
            and go_names_known(lines, whole, known, None if own.is_there() else _W.go_far)
        )
    if _LANGUAGES.get(suffix) is not _javascript:
        return False
    folder = own.path.rpartition("/")[0]
    known = partial(_javascript_module, folder=folder, own=own)
    return all(_javascript(line, own) for line in lines) and script_names_known(lines, whole, known)


def _only_edited_python(pieces: Sequence[str], whole: str, own: Own) -> bool:
    parts = python_parts(pieces, whole)
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
    bare = without_texts(text, texts)
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
    if module or own.is_there():
        ours = f"{name}/".startswith(f"{module}/")
    else:
        ours = own.workspace.root.rpartition("/")[2] in name.split("/")[1:3]
    return ours or _P.go_listed.fullmatch(name) is not None


def _go(text: str, own: Own, around: str = "") -> bool:
    """`around`: the file that the text was put into."""
    given = " ".join(part for found in _P.go_imports.findall(text) for part in found)
    git = "go-git/" in (around or given)
    acts = git or _GO_WRITES.search(text) is not None
    return (
        not (acts and "TempDir()" not in (around or text))
        and not (git and _P.go_remote.search(text))
        and _go_writes_near(text)
        and not _GO_ALIASED.search(text)
        and not any(may_be_credential(one, own.workspace.home) for one in _GO_TEXT.findall(text))
        and all(_go_module(one, own) for one in re.findall(r"\"([^\"]+)\"", given))
    )


def _go_writes_near(text: str) -> bool:
    """Whether all that it does to files may stay in folders of the test's own."""
    body = _of_temporary(text)
    return not _P.go_barred.search(body) and not any(
        re.search(rf"\b{name}\b\s*(?:,\s*\w+\s*)?:?=\s*{_P.go_elsewhere.pattern}", body)
        for name in set(_P.go_target.findall(body))
    )


def _of_temporary(text: str) -> str:
    """The same with `tmp` for every name that stands for a path in a folder for the test alone."""
    names = {"tmp"}
    for name, made in _GO_MADE.findall(text):
        if made.startswith(("t.TempDir", "b.TempDir", "tb.TempDir")) or made[14:] in names:
            names.add(name)
    assigned = re.findall(r"(\w+)\s*(?:,\s*\w+\s*)?:?=(?!=)", text)
    own = {one for one in names if assigned.count(one) == 1}
    return re.sub(r"\b(?:" + "|".join(map(re.escape, own | {"tmp"})) + r")\b", "tmp", text)


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
