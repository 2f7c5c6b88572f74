"""Tests that this session wrote: whether they call only the project and what is listed."""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from automode.core.paths import absolute, within
from automode.guards.reads.credentials import may_be_credential
from automode.judge.code.act import Act
from automode.judge.python.acts import put_acts, python_acts
from automode.judge.runs.artefacts import LONGEST_FILE
from automode.judge.runs.edited_tests import go_names_known, lines_with, script_names_known
from automode.judge.runs.javascript_texts import without_texts
from automode.judge.runs.own import Own
from automode.judge.words import patterns, word_lists

_P = patterns("written_tests")
_W = word_lists("written_tests")
LONGEST = 20_000
_JS_OWN = re.compile(r"(?:[@~#]|\$lib|src)/[\w./@-]+")
_GO_WRITES = re.compile(r"\bos\.(?:WriteFile|Mkdir|Create|Remove)")
_GO_ALIASED = re.compile(r"(?m)^\s*(?:import\s+)?(?!import\b)[\w.]+\s+\"(?:os|net/http)\"")
_GO_TEXT = re.compile(r"[\"`]([^\s\"`]+)[\"`]")
_GO_MADE = re.compile(r"(\w+)\s*:?=\s*((?:t|b|tb)\.TempDir|filepath\.Join\(\w+)\b")
_RUST_PATH = re.compile(r"(?<![\w:])([a-z_]\w*)::(\w+|\{)")

# Settings of eslint: they are read as tests are, and nothing in them names a file to write.
CONFIG = re.compile(r"/eslint\.config\.[cm]?[jt]s$")
Far: TypeAlias = Callable[[Act], bool]
"""Whether an act is far-reaching."""
UNTOLD = ""
"""Stands for "nobody can tell what is in it"."""


def in_python(
    text: str, put: Sequence[str] | None, own: Own, far: Far, *, direct: bool
) -> str | None:
    """What speaks against Python of this session that runs; None for nothing. `put`: what was put
    into a file that was there. `direct`: it runs by itself, as a test or a script. Of what others
    load, which is written for others to use, a target that is not known tells nothing."""
    if len(text) >= LONGEST_FILE and put is not None:
        text, put = "\n".join(map(textwrap.dedent, put)), None
    if len(text) >= LONGEST_FILE:
        return UNTOLD if direct else None
    acts = None
    if put is not None and all(piece in text for piece in put):
        acts = put_acts(put, text, own.path, own.workspace, own.around, own.made)
    if acts is None:
        acts = python_acts(text, own.path, own.workspace, own.around, own.made)
    if acts is None:
        return UNTOLD if direct else None
    for one in acts:
        if one.package and own.module(one.package):
            continue
        near = not direct and one.command is not None and own.has(one.command)
        known = one.is_told and not near and far(one)
        if one.hint or known or (direct and one.grave):
            return one.told
    return None


def in_tests(text: str, own: Own) -> str | None:
    """The same of a test in another language with this text."""
    read = _LANGUAGES.get(own.path.rpartition(".")[2])
    return None if read is not None and len(text) <= LONGEST and read(text, own) else UNTOLD


def in_edited(pieces: Sequence[str] | None, whole: str, own: Own) -> str | None:
    """The same of a test that was there, and of which all is known that this session put into
    it."""
    if pieces is None or len(whole) >= LONGEST_FILE or sum(map(len, pieces)) > LONGEST:
        return UNTOLD
    if not all(piece in whole for piece in pieces):
        return UNTOLD
    return None if _only_edited(pieces, whole, own) else UNTOLD


def _only_edited(pieces: Sequence[str], whole: str, own: Own) -> bool:
    suffix = own.path.rpartition(".")[2]
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
    settings = CONFIG.search(own.path) is not None and _P.js_settings.fullmatch(name)
    return bool(_P.js_library.fullmatch(name) or _JS_OWN.fullmatch(name) or settings)


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
    **dict.fromkeys("js ts tsx jsx mjs cjs".split(), _javascript),
    "go": _go,
    "rs": _rust,
    "java": _java,
}
_OTHERS = "rb php kt cs swift ex exs scala lua c cc cpp".split()
SOURCES = tuple(f".{one}" for one in ("py", *_LANGUAGES, *_OTHERS))
