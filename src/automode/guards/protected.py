"""Paths that no fast path may change: protected and hidden names; edits that add only data."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from functools import cached_property, lru_cache

from automode.agents.catalog import INSTALLED
from automode.core.paths import exactly_within, normal
from automode.core.tools import meant_paths
from automode.core.unseen import IGNORABLE, character_class
from automode.core.word_lists import word_lists
from automode.core.workspace import Kind, Workspace
from automode.shell.variables import plain_name

_LISTS = word_lists("automode.guards", "protected")
PROTECTED_PATHS: tuple[str, ...] = (
    *(name for one in INSTALLED.values() for name in one.paths.protected),
    *_LISTS["protected"],
)

_EXEMPT = (".claude/worktrees",)
"""Whole checkouts that hosts keep in a protected folder; they are judged by their own contents."""


_IGNORABLE = re.compile(f"[{character_class(IGNORABLE)}]")
"""Letters nobody sees; some disks leave them out when they look a name up."""

_SHORT = re.compile(r"([^~]{1,7})~\d+(?:\.[^.]{0,3})?")
_HASHED = re.compile(r"[0-9a-f]{4}")


@dataclass(frozen=True)
class Protected:
    """Matches a name anywhere in a path, so another checkout's `.git/config` counts too."""

    patterns: tuple[tuple[str, ...], ...]

    @cached_property
    def _names(self) -> frozenset[str]:
        """Nearly all are one name."""
        return frozenset(one[0] for one in self.patterns if len(one) == 1 and "*" not in one[0])

    @cached_property
    def _wild(self) -> re.Pattern[str]:
        wild = sorted(one[0] for one in self.patterns if len(one) == 1 and "*" in one[0])
        return re.compile("|".join(map(translate, wild)) or "(?!)")

    @cached_property
    def _longer(self) -> tuple[tuple[str, ...], ...]:
        return tuple(one for one in self.patterns if len(one) > 1)

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Protected":
        return cls(tuple(comparable_parts(path.strip("/")) for path in paths))

    def matches(self, path: str) -> bool:
        """Whether the absolute `path` is protected by its name."""
        plain = normal(path)
        for form in dict.fromkeys((plain, plain.replace("\\", "/"))):
            parts = _without_exempt(comparable_parts(form))
            if not self._names.isdisjoint(parts) or any(map(self._wild.match, parts)):
                return True
            short = any("~" in name for name in parts)  # it may stand for any of the names
            if any(_contains(parts, one) for one in (self.patterns if short else self._longer)):
                return True
        return False

    def covers(self, path: str, workspace: Workspace) -> bool:
        """Whether `path`, in any reading of it and with its links followed, is protected. What
        cannot be resolved counts as protected."""
        for full in meant_paths(path, workspace):
            resolved = workspace.files.resolve(full)
            if resolved is None or self.matches(full) or self.matches(resolved):
                return True
        return False


def comparable_parts(path: str) -> tuple[str, ...]:
    """The names in a path, in the one form that stands for all a disk may take for the same."""
    seen = unicodedata.normalize("NFKC", _IGNORABLE.sub("", path)).casefold()
    same = unicodedata.normalize("NFKC", _IGNORABLE.sub("", seen))
    return tuple(_plain(name) for name in same.split("/"))


def may_be_short(name: str) -> bool:
    """Whether the name may be one that Windows made for any other, a hidden one too."""
    return _SHORT.fullmatch(name) is not None


def _plain(name: str) -> str:
    """Without an NTFS stream (`.git::$INDEX_ALLOCATION`) and the dots and blanks at its end."""
    return name.partition(":")[0].rstrip(". ")


def _without_exempt(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The path without an exempt folder: what is in it is judged by its own names."""
    for exempt in _EXEMPT:
        names = tuple(exempt.split("/"))
        for at in range(len(parts) - len(names)):
            if parts[at : at + len(names)] == names:
                return parts[:at] + parts[at + len(names) :]
    return parts


def _contains(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    width = len(pattern)
    for start in range(len(parts) - width + 1):
        here = parts[start : start + width]
        if here == pattern or all(map(_same, here, pattern)):
            return True
    return False


def _same(name: str, protected: str) -> bool:
    if "*" in protected:
        return fnmatchcase(name, protected)
    return name == protected or ("~" in name and _short_for(name, protected))


@lru_cache(maxsize=4096)
def _short_for(name: str, protected: str) -> bool:
    """Whether `git~1` may be the short name that Windows gives `.git`: its first letters without
    dots and blanks, or two of them and a checksum."""
    short = _SHORT.fullmatch(name)
    if not short:
        return False
    start, letters = short[1], re.sub(r"[. ]", "", protected)
    hashed = start[:2] == letters[:2] and bool(_HASHED.fullmatch(start[2:]))
    return hashed or letters.startswith(start)


_INSTALLED = frozenset("bin lib lib64 scripts include share".split())


def _pattern(entry: str) -> str:
    text = re.escape(entry).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
    return f"{text}.+" if entry.endswith("/") else text


_HARMLESS = re.compile("|".join(map(_pattern, _LISTS["harmless"])), re.DOTALL)


def is_acted_upon(full: str, workspace: Workspace) -> bool:
    """Whether the absolute path has a hidden name in the workspace that is not known to stand for
    data, or lies in an environment that holds programs."""
    real = (workspace.files.resolve(folder) or folder for folder in workspace.folders)
    for folder in dict.fromkeys((*workspace.folders, *real)):
        if exactly_within(full, folder):
            below = full[len(folder) :].strip("/")
            if _is_hidden(below) or _is_installed(folder, below, workspace):
                return True
    return False


def _is_hidden(below: str) -> bool:
    parts = comparable_parts(below.replace("\\", "/"))
    return any(
        may_be_short(name) or (name[:1] == "." and not _HARMLESS.fullmatch("/".join(parts[at:])))
        for at, name in enumerate(parts)
        if not (name == "." or name == "..")
    )


def _is_installed(folder: str, below: str, workspace: Workspace) -> bool:
    """In the root of a workspace that is an environment itself, only its own folders are."""
    names = below.split("/")
    if _is_environment(folder, workspace) and names[0].casefold() in _INSTALLED:
        return True
    above = ("/".join((folder, *names[:end])) for end in range(1, len(names)))
    return any(_is_environment(one, workspace) for one in above)


def _is_environment(folder: str, workspace: Workspace) -> bool:
    files = workspace.files
    return (
        files.kind(f"{folder}/pyvenv.cfg") is Kind.FILE
        or files.kind(f"{folder}/conda-meta") is Kind.FOLDER
    )


_WORDS = r'"[\w -]+"'
_HERE = r'"\./(?:[\w-][\w.-]*/?)*"'
_LINES = {
    r"/\.[\w-]+-plugin/(?:plugin|marketplace)\.json": (
        r'"(?:\$schema|name|displayName|version|description|homepage|repository|license|url|email|'
        r'category)"\s*:\s*"[^"\\]*",?|"(?:author|owner|metadata)"\s*:\s*\{|'
        rf'"(?:keywords|tags|plugins)"\s*:\s*\[|"(?:keywords|tags)"\s*:\s*\[(?:{_WORDS},?\s*)*\],?|'
        rf'"(?:skills|source)"\s*:\s*{_HERE},?|{_WORDS},?|[][{{}}]*,?'
    ),
    r"/\.entire/settings(?:\.local)?\.json": (
        r'"(?:enabled|telemetry|strategy|log_level)"\s*:\s*(?:true|false|"[\w-]+"),?|[{}]?'
    ),
    r"/\.markdownlint-cli2\.ya?ml": r"MD\d{3}:\s*(?:true|false)?|\w+:\s*(?:true|false|\d+)|#.*|",
}
"""By file, the lines that name no program, plug-in, module or address."""

_KINDS = [(re.compile(path), re.compile(line)) for path, line in _LINES.items()]
_VARIABLES = re.compile(r"/\.env(?:\.[\w-]+)?")
_ASSIGNED = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)=([^`$]*)")
_THIS_MACHINE = r"https?://(?:localhost|127\.0\.0\.1)(?::\d+)?(?:/[\w./-]*)?"
_ADDRESSES = re.compile(rf"{_THIS_MACHINE}(?:,{_THIS_MACHINE})*")
# What begins so is meant for the pages of one project: no other program reads it.
_OF_PAGES = ("VITE_", "NEXT_PUBLIC_", "REACT_APP_", "EXPO_PUBLIC_", "NUXT_PUBLIC_", "PUBLIC_")
_FIELDS = frozenset("file_path content old_string new_string replace_all".split())


def adds_only_data(full: str, given: Mapping[str, object], before: str) -> bool:
    """Whether every line that comes into the file is data by the file's kind; `before` is what is
    in it now. A call with fields that are not known may do more."""
    path = full.replace("\\", "/")
    if not given.keys() <= _FIELDS:
        return False
    old, new = (str(given.get(field) or "") for field in ("old_string", "new_string"))
    if old.endswith("\n") != new.endswith("\n"):
        return False  # it would join or cut lines that are there
    known = {*before.splitlines(), *old.splitlines()}
    added = (*str(given.get("content") or "").splitlines(), *new.splitlines())
    lines = [line.strip() for line in added if line not in known]
    if _ends(_VARIABLES, path):
        return all(map(_is_variable, lines))
    allowed = next((line for kind, line in _KINDS if _ends(kind, path)), None)
    return allowed is not None and all(allowed.fullmatch(line) for line in lines)


def _ends(kind: re.Pattern[str], path: str) -> bool:
    return any(found.end() == len(path) for found in kind.finditer(path))


def _is_variable(line: str) -> bool:
    found = _ASSIGNED.fullmatch(line)
    if found is None:
        return not line or line.startswith("#")
    name, value = found[1], found[2]
    return name.startswith(_OF_PAGES) or plain_name(name) or bool(_ADDRESSES.fullmatch(value))
