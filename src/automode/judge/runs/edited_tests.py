"""Tests that were there and that this session edited: what it put in is read, with what names mean
in the rest of the file. The rest was there before, and is the project's."""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from typing import TypeAlias

from automode.judge.runs.javascript_texts import without_texts

Known: TypeAlias = Callable[[str], bool]
"""Whether a module is listed, or the project's own."""
_GO_IMPORT = re.compile(r"(?m)^\s*(?:import\s+)?(?:([\w.]+)\s+)?\"([\w./~-]+)\"\s*$")
_GO_IMPORTS = re.compile(r"(?m)^import\s*(?:\(([^)]*)\)|([^\n]*))")
_GO_PACKAGE = re.compile(r"(?<![\w.)\]])([A-Za-z_]\w*)\s*\.\s*[A-Z]")
_VERSION = re.compile(r"v\d+")
_SCRIPT_IMPORT = re.compile(
    r"\bimport\s+(?:type\s+)?([\w$\s{},*]+?)\s+from\s+@(\d+)@"
    r"|\b(?:const|let|var)\s+([\w$\s{},:]+?)\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*@(\d+)@"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


# In a file that starts programs or reaches others, what a text may make of them.
_FAR = re.compile(
    r"(?i)[a-z][a-z0-9+.-]*://|[~`$]|\.\./|/(?:etc|home|users|root|dev|usr|bin)\b"
    r"|setenv|putenv|environ|process\s*\.\s*env"
    r"|\b(?:curl|wget|nc|ncat|ssh|scp|rsync|bash|sh|zsh|dash|python\d?|perl|ruby|node|npx|uvx|eval|base64"
    r"|rm|dd|mkfs|chmod|chown|sudo|kill|crontab|launchctl|systemctl|docker|kubectl|push|env|secret\w*"
    r"|token\w*|password\w*|credential\w*|powershell|cmd)\b"
)


def lines_with(pieces: Sequence[str], whole: str) -> list[str]:
    """Every place of a piece, with the whole of its first and its last line."""
    found: dict[str, None] = {}
    for piece in pieces:
        at = whole.find(piece)
        while at >= 0:
            end = whole.find("\n", at + len(piece))
            end = len(whole) if end < 0 else end
            found[whole[whole.rfind("\n", 0, at) + 1 : end]] = None
            at = whole.find(piece, end)
    return list(found)


def _stay_near(pieces: Sequence[str], strange: Container[str] | None) -> bool:
    return not strange or not any(map(_FAR.search, pieces))


def go_names_known(
    pieces: Sequence[str], whole: str, known: Known, far: Container[str] | None = None
) -> bool:
    """Whether each package that the pieces use is known. A name that is no package has to be
    declared in the file, and like no package that is not known. `far`: nobody can look at the rest
    of the file, and only these names may be packages that reach out."""
    given = "\n".join(part for found in _GO_IMPORTS.findall(whole) for part in found)
    imports = _GO_IMPORT.findall(given)
    if len(imports) != given.count('"') // 2 or any(alias == "." for alias, _ in imports):
        return False
    fine: set[str] = set()
    strange: set[str] = set()
    for alias, path in imports:
        (fine if known(path) else strange).update([alias] if alias else _go_names(path))
    used = {name for piece in pieces for name in _GO_PACKAGE.findall(piece)}
    return (
        used.isdisjoint(strange)
        and all(known(path) for piece in pieces for _, path in _GO_IMPORT.findall(piece))
        and all(
            name in fine or (_is_declared(name, whole) if far is None else name not in far)
            for name in used
        )
        and _stay_near(pieces, strange)
    )


def _go_names(path: str) -> Iterator[str]:
    """What a package may be called in the text."""
    parts = [part for part in path.split("/") if not _VERSION.fullmatch(part)]
    yield from (parts[-1], *re.split(r"[-.]", parts[-1]), re.sub(r"\W", "", parts[-1]))


def _is_declared(name: str, whole: str) -> bool:
    one = re.escape(name)
    return (
        re.search(
            rf"\b{one}\b\s*(?:,\s*\w+\s*)*:?=[^=]|\bvar\s+{one}\b|[(,]\s*{one}\s+[*\[\]\w]", whole
        )
        is not None
    )


def script_names_known(pieces: Sequence[str], whole: str, known: Known) -> bool:
    """Of JavaScript and TypeScript."""
    texts: list[str] = []
    bare = without_texts(whole, texts)
    if bare is None:
        return False
    strange: set[str] = set()
    found = list(_SCRIPT_IMPORT.finditer(bare))
    for one in found:
        if not known(texts[int(one[2] or one[4])]):
            strange.update(_NAME.findall(one[1] or one[3]))
    # Whatever else is required or imported has no name that could be looked for.
    if len(re.findall(r"\brequire\s*\(|\bimport\s*\(", bare)) > sum(bool(one[4]) for one in found):
        return False
    used = {name for piece in pieces for name in _NAME.findall(piece)}
    return strange.isdisjoint(used) and _stay_near(pieces, strange)
