"""Patterns against paths, URLs and the inputs of tools nobody described: canonical JSON."""

import ipaddress
import json
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias
from urllib.parse import unquote

from automode.core.call import Delegate, ToolCall
from automode.core.paths import absolute, exactly_within, normal
from automode.core.tool_input import input_texts
from automode.core.tools import meant_paths
from automode.core.workspace import Kind as FileKind
from automode.core.workspace import Workspace
from automode.programs.row import STREAMS, Kind, TouchedFile
from automode.rules.pattern import Match, Pattern, could_match, matches, matches_path
from automode.shell.script import HOLE, Origin

Protected: TypeAlias = Callable[[str], bool]
"""Whether an absolute path is one that no allow rule may open for writing."""

PATH_LIMIT = 16_384  # characters; no system takes a longer path


def path_match(glob: str, path: str, workspace: Workspace) -> Match:
    """For deny and ask: the typed or the resolved path is enough, upper and lower case are one,
    a folder stands for what is in it, and a bare name for that name anywhere in the workspace."""
    if len(path) > PATH_LIMIT:
        return Match.COULD
    typed = meant_paths(path, workspace)
    resolved = [workspace.files.resolve(one) for one in typed]
    found = {fold_text(one) for one in (*typed, *resolved) if one is not None}
    for pattern in wide_globs(glob, workspace):
        wanted = fold_text(pattern)
        if any(matches_path(wanted, one) or matches_path(f"{wanted}/**", one) for one in found):
            return Match.YES
    return Match.COULD if None in resolved else Match.NO


def path_covered(glob: str | None, path: str, workspace: Workspace) -> bool:
    """For allow: everything the path may mean must match, as typed and as resolved, to the letter.
    A `glob` of None covers every path that can be resolved."""
    if len(path) > PATH_LIMIT:
        return False
    typed = meant_paths(path, workspace)
    resolved = [workspace.files.resolve(one) for one in typed]
    globs = _strict_globs(glob, workspace) if glob is not None else ("/**",)
    return all(
        one is not None and any(matches_path(pattern, one) for pattern in globs)
        for one in (*typed, *resolved)
    )


def unprotected(path: str, workspace: Workspace, protected: Protected) -> bool:
    """Whether neither the typed path nor what it leads to is protected."""
    for typed in meant_paths(path, workspace):
        resolved = workspace.files.resolve(typed)
        if resolved is None or protected(typed) or protected(resolved):
            return False
    return True


def fold_text(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def _place(glob: str, root: str, home: str) -> str:
    """The pattern as an absolute one: from the project's root, from home, or absolute as it is."""
    if glob == "~" or glob.startswith("~/"):
        placed = absolute(home + glob[1:], root)
    elif glob.startswith("//"):
        placed = normal(glob[1:])
    else:
        placed = absolute(glob, root)
    return f"{placed}/**" if glob.endswith("/") and placed != "/" else placed


def _strict_globs(glob: str, workspace: Workspace) -> tuple[str, ...]:
    """The pattern under the names and under the real places of project and home. Links below those
    are not followed here: a link inside the project must not widen a rule."""
    root = workspace.files.resolve(workspace.root) or workspace.root
    home = workspace.files.resolve(workspace.home) or workspace.home
    placed = (_place(glob, workspace.root, workspace.home), _place(glob, root, home))
    return tuple(dict.fromkeys(placed))


def wide_globs(glob: str, workspace: Workspace) -> Iterator[str]:
    placed = _place(glob, workspace.root, workspace.home)
    yield placed
    fixed = placed.replace("?", "*").partition("*")[0].rpartition("/")[0]
    real = workspace.files.resolve(fixed) if fixed else None
    if real is not None and real != fixed:
        yield real.rstrip("/") + placed[len(fixed) :]
    if "*" not in placed and "?" not in placed:
        whole = workspace.files.resolve(placed)
        if whole is not None:
            yield whole
    if "/" not in glob.rstrip("/") and not glob.startswith("~"):
        for folder in workspace.folders:
            yield posixpath.join(folder, "**", glob.rstrip("/"))


def inside(path: str, workspace: Workspace) -> bool:
    """Whether an absolute path, with links followed, lies in the workspace."""
    resolved = workspace.files.resolve(path)
    if resolved is None:
        return False
    roots = (*workspace.folders, *(workspace.files.resolve(one) for one in workspace.folders))
    return any(root is not None and exactly_within(resolved, root) for root in roots)


_READING, _WRITING, _DELETING = ("read",), ("write", "edit"), ("write", "edit", "delete")
_TOOLS = {
    Kind.READS: _READING,
    Kind.TREE: _READING,
    Kind.LISTS: _READING,
    Kind.RUNS: _READING,
    Kind.WRITES: _WRITING,
    Kind.DELETES: _DELETING,
    Kind.MOVES: _DELETING,
    None: (*_READING, *_DELETING),
}
_WHOLE_FOLDERS = (Kind.TREE, Kind.DELETES, Kind.MOVES, None)
_GLOB_CHARACTERS = "*?["


def file_rules(patterns: Iterable[Pattern]) -> tuple[Pattern, ...]:
    """Those that speak of file tools by name. `*` speaks of the shell by itself."""
    tools = {tool for tools in _TOOLS.values() for tool in tools}
    return tuple(one for one in patterns if one.tool in tools)


def file_match(
    patterns: Sequence[Pattern], files: Iterable[TouchedFile], workspace: Workspace
) -> tuple[Match, Pattern | None]:
    """The surest match of any pattern with any file, and which pattern it is."""
    best: tuple[Match, Pattern | None] = (Match.NO, None)
    for file in dict.fromkeys(files):
        for pattern in patterns:
            if not any(matches(pattern.tool, tool) for tool in _TOOLS.get(file.kind, ())):
                continue
            found = _match(pattern.argument, file, workspace)
            if found > best[0]:
                best = (found, pattern)
            if found is Match.YES:
                return best
    return best


def _match(glob: str | None, file: TouchedFile, workspace: Workspace) -> Match:
    text = file.word.text
    if text in STREAMS:
        return Match.NO
    if glob is None:
        return Match.NO if file.kind is None else Match.YES
    if file.word.origin is Origin.GLOB:
        text = "".join(HOLE if letter in _GLOB_CHARACTERS else letter for letter in text)
    if text.startswith(HOLE) or (file.cwd is None and not text.startswith("/")):
        return Match.COULD if file.kind is not None else Match.NO
    path = absolute(text, file.cwd or "/")
    if HOLE in path:
        return _could(glob, path, workspace)
    found = path_match(glob, path, workspace)
    if found is Match.NO and file.kind in _WHOLE_FOLDERS:
        return _match_below(glob, path, workspace)
    return min(found, Match.COULD) if file.kind is None else found


def _could(glob: str, path: str, workspace: Workspace) -> Match:
    text = fold_text(path)
    fits = any(could_match(fold_text(one), text) for one in wide_globs(glob, workspace))
    return Match.COULD if fits else Match.NO


def _match_below(glob: str, path: str, workspace: Workspace) -> Match:
    """A folder that is read or removed as a whole may hold what the rule is about."""
    if workspace.files.kind(path) is not FileKind.FOLDER:
        return Match.NO
    return _could(glob, f"{path.rstrip('/')}/{HOLE}", workspace)


INPUT_LIMIT = 1_048_576  # characters of JSON past which nothing is matched for sure
_STRINGS_LIMIT = 1000
_DOMAIN = "domain:"
_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_SCHEME = re.compile(r"(https?|wss?|ftp|file)(?=:)|[a-z][a-z0-9+.-]*(?=://)", re.IGNORECASE)
_ORDINARY = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(?:[/?#]|$)")


@dataclass(frozen=True, slots=True)
class Url:
    """A URL in one spelling. `plain` when every reader of URLs would read it the same way."""

    text: str
    host: str
    plain: bool


def url(typed: str) -> Url:
    """Readers of URLs disagree about backslashes, blanks and what stands before `@`. This follows
    browsers, and says so in `plain` when others may not."""
    clean = "".join(letter for letter in typed.strip() if letter not in "\t\r\n").replace("\\", "/")
    scheme, rest = _split_scheme(clean)
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    path = rest[len(authority) :]
    place = authority.rpartition("@")[2]
    parts = re.match(r"(\[[^\]]*\]?|[^:]*)(:?)(.*)", place, re.DOTALL)
    name, colon, port = parts.groups() if parts else (place, "", "")
    host = _host(name)
    kept = f":{port}" if colon and port not in ("", _DEFAULT_PORTS.get(scheme)) else ""
    segments = unquote(path).replace("\\", "/").split("/")
    ordinary = clean == typed and typed.isprintable() and " " not in typed
    plain = ordinary and ".." not in segments and bool(_ORDINARY.match(typed))
    return Url(f"{scheme}://{host}{kept}{path or '/'}", host, plain)


def _split_scheme(text: str) -> tuple[str, str]:
    found = _SCHEME.match(text)
    if found:
        return found[0].lower(), text[found.end() + 1 :].lstrip("/")
    return "https", text.lstrip("/")


def _host(name: str) -> str:
    """Lower case, decoded, punycode, without the final dot; numbers as the address they mean."""
    text = unquote(name).casefold().rstrip(".")
    if text.startswith("["):
        try:
            address = ipaddress.IPv6Address(text.strip("[]").partition("%")[0])
        except ValueError:
            return text
        return str(address.ipv4_mapped or f"[{address}]")
    number = _ipv4(text)
    if number is not None:
        return number
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        return text


def _ipv4(text: str) -> str | None:
    """`0x7f.1`, `2130706433` and `017700000001` are all 127.0.0.1."""
    parts = text.split(".")
    if len(parts) > 4:
        return None
    try:
        numbers = [int(part, 0 if not re.match(r"0\d", part) else 8) for part in parts]
        *high, low = numbers
        value = sum(number << (24 - 8 * index) for index, number in enumerate(high)) + low
        return str(ipaddress.IPv4Address(value))
    except ValueError:
        return None


def url_match(glob: str, typed: str) -> Match:
    """For deny and ask: any way of reading the URL is enough."""
    forms = {url(typed), url(typed.replace("\\", ""))}
    if "@" in typed:  # what one reader takes for credentials another takes for the host
        forms |= {url("https://" + part) for part in re.split(r"[/\\@]+", typed) if part}
    forms |= {replace(form, text=unquote(form.text)) for form in forms}
    if any(_url_fits(glob, form) for form in forms) or matches(glob, typed):
        return Match.YES
    return Match.NO


def url_covered(glob: str | None, typed: str) -> bool:
    """For allow: one reading only, and it must match."""
    form = url(typed)
    return form.plain and (glob is None or _url_fits(glob, form))


def _url_fits(glob: str, form: Url) -> bool:
    if glob.casefold().startswith(_DOMAIN):
        wanted = glob[len(_DOMAIN) :].strip().removeprefix("*.")
        domain = _host(wanted) if "*" not in wanted else wanted.casefold()
        if not domain:
            return False
        return matches(domain, form.host) or matches(f"*.{domain}", form.host)
    scheme, separator, rest = glob.partition("://")
    host, slash, path = rest.partition("/")
    lowered = f"{scheme.casefold()}{separator}{host.casefold()}{slash}{path}" if separator else glob
    globs = (lowered, f"{lowered}/") if separator and not slash and "*" not in host else (lowered,)
    texts = (form.text, form.text.partition("://")[2])
    return any(matches(one, text) for one in globs for text in texts)


def canonical_json(value: object) -> str | None:
    """`value` with sorted keys and no blanks; None when it cannot be written so."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return text if len(text) <= INPUT_LIMIT else None


def input_match(glob: str, call: ToolCall) -> Match:
    """For deny and ask on any other tool: its canonical JSON; for delegation also the prompt."""
    text = canonical_json(dict(call.input))
    if text is None:
        return Match.COULD
    loose = json.dumps(dict(call.input), sort_keys=True, ensure_ascii=False)  # as people write it
    prompt = call.action.prompt if isinstance(call.action, Delegate) else text
    return Match.YES if any(matches(glob, one) for one in (text, loose, prompt)) else Match.NO


def input_covered(
    glob: str | None, call: ToolCall, workspace: Workspace, protected: Protected
) -> bool:
    """For allow: the canonical JSON, and no text in it that names a protected path."""
    text = canonical_json(dict(call.input))
    if text is None or (glob is not None and not matches(glob, text)):
        return False
    strings = list(input_texts(call.input))
    if len(strings) > _STRINGS_LIMIT:
        return False
    paths = (one for one in strings if 0 < len(one) < 4096 and "\n" not in one and "\0" not in one)
    return all(unprotected(one, workspace, protected) for one in paths)
