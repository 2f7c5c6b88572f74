"""What git knows of a repository: its index, its status asked of git itself, its remotes as text.

Asking git runs git, so the repository's configuration must have been proved harmless first.
"""

import os
import posixpath
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TypeAlias

from automode.core.paths import parents
from automode.core.workspace import Changes, Kind, Search, Workspace
from automode.facts.child import run_bounded
from automode.programs.git_config import (
    FILE_BYTES,
    BadConfig,
    Family,
    Place,
    Setting,
    configuration_use,
    parse,
)

_MODE_AT, _FLAGS_AT, _HEADER, _CHECKSUM = 24, 60, 12, 20
_LONG_NAME = 0xFFF  # and more: the name ends at the first zero
_EXTENDED = 0x4000
_FOLDER_MODE = 0o040000
_LINK_MODE = 0o160000  # another repository's commit
_LINK_BYTES = _LINK_MODE.to_bytes(4, "big")
_MOST_ENTRIES = 1_000_000
# Owner, group, size, object name (two lengths) and flags (two lengths) stand before the name.
_BEFORE_NAME = (34, 36, 46, 48)
_LONGEST_PATH = 4_096
_LONGEST_NAME = 255
_ELSEWHERE = (b"link", b"sdir")  # extensions: names stand in another file, or as a whole folder


class _Unreadable(Exception):
    """No index, or one whose names are not all written down in it."""


def gitlinks(index: bytes) -> tuple[str, ...] | None:
    """The names that stand for other repositories; None when they cannot be read."""
    if not index.startswith(b"DIRC"):
        return None
    if _LINK_BYTES not in index:
        return ()  # nearly always, and much quicker than reading every entry
    found = _names(name for mode, name in _entries(index, _MOST_ENTRIES) if mode == _LINK_MODE)
    return tuple(_guess_links(index)) if found is None and index[7:8] <= b"\3" else found


def _guess_links(index: bytes) -> Iterator[str]:
    """Every name that may be one, for an index that cannot be read entry by entry, such as one
    with SHA-256 object names. A name too many does no harm: nothing is found there."""
    at = index.find(_LINK_BYTES)
    while at >= 0:
        for skipped in _BEFORE_NAME:
            start = at + len(_LINK_BYTES) + skipped
            name = index[start : start + _LONGEST_PATH].partition(b"\0")[0]
            if name and all(len(part) <= _LONGEST_NAME for part in name.split(b"/")):
                yield name.decode("utf-8", "surrogateescape")
        at = index.find(_LINK_BYTES, at + 1)


def tracked(index: bytes, search: Search) -> tuple[str, ...] | None:
    """The names with a part that begins or ends as it is looked for; None when that is not sure."""
    return _names(_sought(index, search))


def _names(found: Iterator[bytes]) -> tuple[str, ...] | None:
    try:
        return tuple(name.decode("utf-8", "surrogateescape") for name in found)
    except (_Unreadable, IndexError, ValueError):
        return None


def _sought(index: bytes, search: Search) -> Iterator[bytes]:
    starts = tuple(one.encode() for one in search.starts)
    ends = tuple(one.encode() for one in search.ends)
    folders: dict[bytes, bool] = {b"": False}
    # Two letters settle nearly all.
    heads = {one[:2] for one in starts}
    tails = {one[-2:] for one in ends}
    short = any(len(one) < 2 for one in (*starts, *ends))

    def fits(part: bytes) -> bool:
        begins = (short or part[:2] in heads) and part.startswith(starts)
        return begins or ((short or part[-2:] in tails) and part.endswith(ends))

    def folder_fits(folder: bytes) -> bool:
        if folder not in folders:
            above, _, part = folder.rpartition(b"/")
            folders[folder] = fits(part) or folder_fits(above)
        return folders[folder]

    for _, name in _entries(index, search.limit):
        folder, _, last = name.lower().rpartition(b"/")
        if fits(last) or folder_fits(folder):
            yield name


def _entries(index: bytes, limit: int) -> Iterator[tuple[int, bytes]]:
    """Mode and name of each."""
    version, count = int.from_bytes(index[4:8], "big"), int.from_bytes(index[8:12], "big")
    if not index.startswith(b"DIRC") or version not in (2, 3, 4) or count > limit:
        raise _Unreadable
    at, name = _HEADER, b""
    for _ in repeat(None, count):
        flags = index[at + _FLAGS_AT] << 8 | index[at + _FLAGS_AT + 1]
        mode = int.from_bytes(index[at + _MODE_AT : at + _MODE_AT + 4], "big")
        if mode == _FOLDER_MODE:
            raise _Unreadable
        start = at + _FLAGS_AT + (4 if flags & _EXTENDED else 2)
        if version == 4:
            cut, start = _number(index, start)
            end = index.index(b"\0", start)
            name, at = name[: len(name) - cut] + index[start:end], end + 1
        else:
            length = flags & _LONG_NAME
            end = start + length if length < _LONG_NAME else index.find(b"\0", start)
            if index[end] or b"\0" in index[start:end]:
                raise _Unreadable  # another length of object names, for example
            name, at = index[start:end], at + (end - at + 8) // 8 * 8
        yield mode, name
    while at < len(index) - _CHECKSUM:
        if index[at : at + 4] in _ELSEWHERE:
            raise _Unreadable
        at += 8 + int.from_bytes(index[at + 4 : at + 8], "big")


def _number(index: bytes, at: int) -> tuple[int, int]:
    """A number of git's variable length, and where it ends."""
    value = index[at] & 127
    while index[at] & 128:
        at += 1
        value = (value + 1 << 7) + (index[at] & 127)
    return value, at + 1


STATUS_SECONDS = 0.3
MOST_PRINTED = 64 * 1024 * 1024  # bytes
PATHS_SHOWN = 20
REMOTES_SHOWN = 8
ADDRESS_CHARACTERS = 160
_NAME_CHARACTERS = 70

_SYSTEM_FOLDERS = ("/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin")
SAFELY = (
    *("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.pager=cat"),
    *("-c", "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit"),
)
_STATUS = (
    *SAFELY,
    *("status", "--porcelain=v1", "-b", "-z", "--no-renames", "--untracked-files=normal"),
    # git would run in a submodule under its own configuration, which was not checked.
    "--ignore-submodules=all",
)
STATUS_FAMILIES = Family.DATA | Family.PAGER | Family.WORKTREE
_AHEAD = re.compile(r"(?P<branch>.*?)(?:\.\.\.(?P<upstream>\S+)(?: \[(?P<apart>[^\]]*)\])?)?")


class NotKnown(Exception):
    """The text says why."""


Ask: TypeAlias = Callable[[str, str], str]
"""What `git status` prints in a folder, with a home; raises NotKnown."""


@dataclass(frozen=True, slots=True)
class GitProcess:
    """Runs `git status`, or other `words`, with an environment of its own, for a bounded time. It
    starts no other process: the configuration has been proved harmless."""

    program: str | None = None
    seconds: float = STATUS_SECONDS
    words: tuple[str, ...] = _STATUS

    def __call__(self, folder: str, home: str) -> str:
        # Never from PATH: an agent's environment may shadow it.
        names = (posixpath.join(one, "git") for one in _SYSTEM_FOLDERS)
        program = self.program or next((one for one in names if os.access(one, os.X_OK)), None)
        if program is None:
            raise NotKnown("git is not installed")
        environment = {
            "PATH": ":".join(_SYSTEM_FOLDERS),
            "HOME": home,
            "LC_ALL": "C.UTF-8",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
        }
        deadline = time.monotonic() + self.seconds
        command = (program, "-C", folder, *self.words)
        try:
            printed = run_bounded(command, environment, b"", deadline=deadline, most=MOST_PRINTED)
        except (OSError, ValueError):
            raise NotKnown("git could not be run") from None
        if printed is None:
            raise NotKnown("git took too long")
        if not printed:  # the branch is always told
            raise NotKnown("git reported an error")
        return printed.decode("utf-8", "replace")


_GIT = GitProcess()


def repository_above(folder: str, workspace: Workspace) -> str | None:
    """The nearest folder with a `.git`; None without one, and where nothing can be seen."""
    levels = (folder, *parents(folder))
    files = workspace.files
    return next((one for one in levels if files.kind(f"{one}/.git") is not Kind.MISSING), None)


def status_text(folder: str, workspace: Workspace, ask: Ask) -> str:
    """A summary of `git status` in a folder of a repository, or why it is not known."""
    proved = configuration_use(workspace, Place(folder), STATUS_FAMILIES, "status")
    if proved.effect:
        return f"not known: {line(proved.why, ADDRESS_CHARACTERS)}"
    try:
        return _summary(ask(folder, workspace.home))
    except NotKnown as error:
        return f"not known: {error}"


def changed_files(folder: str, workspace: Workspace, ask: Ask = _GIT) -> Changes | None:
    """What git says is changed in the repository around a folder; None where it is not known."""
    top = repository_above(folder, workspace)
    if top is None or configuration_use(workspace, Place(top), STATUS_FAMILIES, "status").effect:
        return None
    try:
        printed = ask(top, workspace.home)
    except NotKnown:
        return None
    entries = [one for one in printed.split("\0") if one and not one.startswith("## ")]
    untracked = {f"{top}/{one[3:]}" for one in entries if one.startswith("??")}
    tracked = {f"{top}/{one[3:]}" for one in entries if not one.startswith("??")}
    staged = {f"{top}/{one[3:]}" for one in entries if one[0] not in " ?"}
    return Changes(frozenset(tracked), frozenset(untracked), frozenset(staged))


def _summary(printed: str) -> str:
    records = [record for record in printed.split("\0") if record]
    head = records[0].removeprefix("## ") if records and records[0].startswith("## ") else ""
    entries = records[1:] if head else records
    untracked = sum(entry.startswith("??") for entry in entries)
    changed = len(entries) - untracked
    counts = f"{changed} tracked changed, {untracked} untracked"
    if not entries:
        counts = "nothing changed, nothing untracked"
    return f"{_branch(head)}; {counts}{_list_entries(entries)}"


def _branch(head: str) -> str:
    found = _AHEAD.fullmatch(head)
    if not found or not head:
        return "branch not known"
    if head.startswith("HEAD (no branch)"):
        return "no branch checked out"
    if head.startswith("No commits yet on "):
        return f"branch {quote_name(head.removeprefix('No commits yet on '))} without commits"
    branch = f"branch {quote_name(found['branch'])}"
    if not found["upstream"]:
        return f"{branch} without upstream"
    return f"{branch}, {found['apart'] or 'level'} with upstream {quote_name(found['upstream'])}"


def _list_entries(entries: Sequence[str]) -> str:
    if not entries:
        return ""
    shown = [f"{entry[:2].strip()} {quote_name(entry[3:])}" for entry in entries[:PATHS_SHOWN]]
    more = len(entries) - len(shown)
    return ": " + ", ".join(shown) + (f" and {more} more" if more else "")


def remotes_text(folder: str, workspace: Workspace) -> str:
    """The remotes of a repository from the text of its configuration; no process is run."""
    try:
        settings = parse(config_text(folder, workspace))
    except (NotKnown, BadConfig) as error:
        return f"not known: {line(str(error), ADDRESS_CHARACTERS)}"
    remotes = [one for one in settings if one.section == "remote" and one.subsection]
    shown = [_remote(name, remotes) for name in dict.fromkeys(one.subsection for one in remotes)]
    notes = [note for one in settings if (note := _detour(one))]
    more = [f"{len(shown) - REMOTES_SHOWN} more remotes"] if len(shown) > REMOTES_SHOWN else []
    return "; ".join([*shown[:REMOTES_SHOWN], *more, *notes[:REMOTES_SHOWN]]) or "no remote"


def _remote(name: str, settings: Sequence[Setting]) -> str:
    own = [one for one in settings if one.subsection == name]
    text = f"{quote_name(name)} is " + (
        ", ".join(address(one.value) for one in own if one.name == "url") or "without address"
    )
    for key, words in (("pushurl", "pushes to"), ("push", "pushes the refs")):
        values = [address(one.value) for one in own if one.name == key]
        text += f", {words} {', '.join(values[:3])}" if values else ""
    mirrors = any(one.name == "mirror" and one.switch is not False for one in own)
    return f"{text}, mirrors" if mirrors else text


def _detour(setting: Setting) -> str:
    """Settings that lead a push or a fetch elsewhere than the remote's own address says."""
    if setting.section == "url" and setting.name in ("insteadof", "pushinsteadof"):
        return f"addresses with {address(setting.value)} become {address(setting.subsection)}"
    if setting.key == "remote.pushdefault":
        return f"pushes go to {quote_name(setting.value)} by default"
    if setting.section == "branch" and setting.name == "pushremote":
        return f"{quote_name(setting.subsection)} is pushed to {quote_name(setting.value)}"
    if setting.section in ("include", "includeif"):
        return "more is configured in an included file, which was not looked at"
    return ""


def git_folders(folder: str, workspace: Workspace) -> tuple[str, str]:
    """git's own folder of a working tree, and the one that linked worktrees share."""
    git_dir = f"{folder}/.git"
    if workspace.files.kind(git_dir) is Kind.FILE:
        pointer = _text(git_dir, workspace)
        if not pointer.startswith("gitdir: "):
            raise NotKnown("`.git` is no proper repository")
        git_dir = posixpath.join(folder, pointer.removeprefix("gitdir: ").strip())
    shared = f"{git_dir}/commondir"
    if workspace.files.kind(shared) is Kind.FILE:
        return git_dir, posixpath.join(git_dir, _text(shared, workspace).strip())
    return git_dir, git_dir


def config_text(folder: str, workspace: Workspace) -> str:
    """The text of the configuration that a repository shares with its linked worktrees."""
    return _text(f"{git_folders(folder, workspace)[1]}/config", workspace)


def _text(path: str, workspace: Workspace) -> str:
    text = workspace.files.text(path, FILE_BYTES + 1)
    if text is None or len(text.encode("utf-8", "replace")) > FILE_BYTES:
        raise NotKnown(f"{quote_name(path)} cannot be read")
    return text


def address(url: str) -> str:
    """An address without what may be a credential: user, password, query."""
    plain = re.split(r"[?#]", url, maxsplit=1)[0]
    scheme, separator, rest = plain.rpartition("://")
    host, slash, path = rest.partition("/")
    if separator and ":" in host and "@" in path:
        host, slash, path = f"{host}{slash}{path}".rpartition("@")[2], "", ""  # `/` in a password
    user, at, host = host.rpartition("@")
    if at and (user == "git" or (not separator and ":" not in user)):
        host = f"{user}@{host}"
    return quote_name(f"{scheme}{separator}{host}{slash}{path}", ADDRESS_CHARACTERS)


def quote_name(name: str, limit: int = _NAME_CHARACTERS) -> str:
    """Names come from whoever made the repository: marked as a name, short, on one line."""
    return f"`{line(name, limit).replace('`', '?')}`"


def line(text: str, limit: int) -> str:
    clean = "".join(char if char.isprintable() else "?" for char in text)
    return clean if len(clean) <= limit else f"{clean[: limit - 1]}…"
