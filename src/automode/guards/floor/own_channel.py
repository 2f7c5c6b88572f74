"""The daemon's socket and tokens: who uses them speaks in the person's name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from automode.agents.catalog import ADAPTERS
from automode.core.paths import LONGEST, may_match, parents, within, written_out
from automode.core.tool_input import canonical
from automode.guards.guard import Sight, followed, known_folder, shown, through_links, wild, words
from automode.guards.own_files import channel_of
from automode.shell.script import HOLE

SOCKETS = ("/run/user/", "/tmp/automode")  # noqa: S108 - names, not uses


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Without regard to case. Whatever a closer look at a path could find is among these."""

    holders: frozenset[str]  # the folders that hold them, from their own upwards
    exact: frozenset[str]
    below: tuple[str, ...]
    lines: str  # all that a pattern may stand for, each behind a line break

    def near(self, path: str) -> bool:
        """Whether a path that is no pattern is worth a closer look."""
        low = path.casefold()
        return low in self.exact or low.startswith(self.below)

    def may_mean(self, path: str) -> bool:
        """The same for a path that may be a pattern."""
        return self.near(path) or f"\n{written_out(path.casefold())}" in self.lines


@lru_cache(maxsize=256)
def whereabouts(
    secrets: tuple[str, ...],
    states: tuple[str, ...],
    needed: tuple[str, ...],
    widely: bool,  # noqa: FBT001 - part of what is remembered
) -> Whereabouts:
    """Folders that hold one of the `needed` count with `widely` alone."""
    folders = (folder for state in states for folder in (f"{state}/tokens", state, *parents(state)))
    holders = frozenset(
        folder.casefold()
        for folder in folders
        if widely or not any(within(one, folder) for one in needed)
    )
    folded = [path.casefold() for path in secrets]
    channel = (path.casefold() for path in channel_of(states))
    return Whereabouts(
        holders,
        exact=holders.union(folded),
        below=(*(f"{one}/" for one in folded), *SOCKETS),
        lines="".join(f"\n{one}" for one in (*holders, *channel)),
    )


_HOSTS = "|".join(sorted({re.escape(adapter.name) for adapter in ADAPTERS.values()}))
_HOOK = re.compile(
    rf"/hook/(?:{_HOSTS})(?:(?:\+|%2b)unattended)?/(?:proposed|finished|prompt|session)\b",
    re.IGNORECASE,
)
_LOOPBACK = re.compile(
    r"\b127(?:\.\d{1,3}){1,3}\b|\blocalhost\b|\bip6-loopback\b|::1\b|\b0\.0\.0\.0\b|::ffff:7f"
    r"|\b0x7f[0-9a-f]{6}\b|\b2130706433\b|\bloopback\b|/dev/tcp/",
    re.IGNORECASE,
)
_MARKS = (
    *("127", "localhost", "loopback", "::1", "0.0.0", "::ffff:7f", "0x7f", "2130706433"),
    "/dev/tcp/",
)
"""One of them is in whatever `_LOOPBACK` finds; looking for them is quicker."""

_NUMBER = re.compile(r"(?<![\w.])\d{3,5}(?![\w.]*\w)")
_PORT = re.compile(r"(?:(?<=:)|(?<!\S))\d{3,5}(?=[/?#\s]|$)")
_CONNECTS = words(
    "curl wget wget2 nc ncat netcat nc.openbsd nc.traditional socat telnet http https xh"
)
_PORT_BYTES = 16


def talks_to_hooks(sight: Sight) -> str | None:
    """By the path that only hooks use, or by the port that this installation has."""
    redirected = (one.target.text for one in sight.command.redirects)
    text = " ".join((sight.name, *sight.texts, *redirected))
    low = text.casefold()
    here = _marked(low) and _LOOPBACK.search(text) is not None
    if here and _HOOK.search(text):
        return "it calls the address at which automode hears hooks"
    if here or sight.name in _CONNECTS:
        # This machine has more names than loopback's, but elsewhere not every number is a port.
        numbers = frozenset((_NUMBER if here else _PORT).findall(text))
        if numbers and not numbers.isdisjoint(_ports(sight)):
            return "it connects to the port at which automode hears hooks"
    return None


def _marked(low: str) -> bool:
    for mark in _MARKS:  # noqa: SIM110 - asked for every command, and a generator takes twice as long
        if mark in low:
            return True
    return False


def _ports(sight: Sight) -> frozenset[str]:
    """Read anew each time: the port is chosen once, but perhaps only after this process began."""
    read = sight.workspace.files.text
    found = (read(f"{state}/http.port", _PORT_BYTES) for state in sight.own.states)
    return frozenset(text.strip() for text in found if text)


_LISTERS = words("ls stat du find tree file cd test [ echo realpath readlink basename dirname wc")
_SPEAKS = re.compile(
    r"\.sock(?:et)?$|/[^/]*token[^/]*(?:/|$)|/signing\.key$|(?<!/automode)/socket$"
)
_JOINTS = re.compile("[=:,]")
_CARRIES = re.compile("[=:,/~*?\\[\0]")  # what an option holds where a path is in it
_CHANNEL = ("/daemon.sock", "/tokens", "/signing.key")
_NAMES_CHANNEL = re.compile("|".join(map(re.escape, _CHANNEL)))
_SEARCHERS = words("rg ag ack ugrep")
_GREPS = words("grep egrep fgrep zgrep ggrep")
_SEARCHING = _SEARCHERS | _GREPS
_TREE_READERS = _SEARCHERS | words("zip 7z 7za cpio pax docker podman nerdctl")
_COPIERS = words("cp gcp scp rsync")
_ARCHIVERS = words("tar gtar bsdtar")
_WITH_FLAG = _GREPS | _COPIERS | words("diff git")
_RECURSIVE = words(
    "--recursive --dereference-recursive --archive --no-index --directories=recurse recurse"
)
_RECURSIVE_LETTERS = frozenset("rRa")


_Named: TypeAlias = tuple[str, str, bool]
"""A part of a word, the absolute path it may be, and whether that is a pattern."""


def sees_channel(sight: Sight) -> str | None:
    """Talking to the daemon's socket, or reading its tokens, is speaking in the person's name."""
    part = reaching(sight)
    if part is not None:
        return f"`{shown(part)}` is automode's own, or leads to it"
    texts = _texts(sight)
    # All of them at once first: nearly no command names one.
    if _NAMES_CHANNEL.search("\n".join(texts)) and any(_spelled(text, sight) for text in texts):
        return "it names automode's tokens or its socket"
    return talks_to_hooks(sight)


def reaching(sight: Sight, *, widely: bool = False) -> str | None:
    """The part of a word by which the command may reach them. With `widely`, a home or a workspace
    that holds them counts as well: too much to forbid, and not proved to be harmless either."""
    place = sight.workspace
    own = sight.own
    there = whereabouts(own.secrets, own.states, (place.home, *place.folders), widely)
    trees = _reads_trees(sight)
    resolve = place.files.resolve
    for part, path, pattern in _read(sight):
        if not pattern:
            real = resolve(path) if len(path) <= LONGEST else None
            if not (there.near(path) or (real is not None and real != path and there.near(real))):
                continue  # most words are no path at all, or lead elsewhere
        # Only a content reader makes it worth while to look for links behind a pattern.
        for one in dict.fromkeys((path, *_behind(path, sight))):
            if there.may_mean(one) and (
                _speaks(one, sight, there.holders) or (trees and _is_any(one, there.holders))
            ):
                return part
    here = sight.command.cwd
    searches = trees and sight.name in _SEARCHING and _few_operands(sight)
    return here if searches and here is not None and _is_any(here, there.holders) else None


def reader_like(tool: str) -> str:
    """The program that reads as a host's reading tool does: one file, or all below a folder."""
    return "rg" if canonical(tool) == "grep" else "cat"


def _behind(path: str, sight: Sight) -> Iterator[str]:
    files = sight.workspace.files
    yield followed(path, files)
    if wild(path) and sight.name not in _LISTERS:
        yield from through_links(path, files) or ()


def _read(sight: Sight) -> list[_Named]:
    """The parts of words that may be a path the command reads. Where it copies to is not one."""
    texts = _texts(sight)
    if sight.name in _COPIERS and len(sight.args) > 1:
        texts = [*texts]
        texts.remove(sight.texts[-1])
    found: list[_Named] = []
    for text in texts:
        for part in _parts(text, sight.workspace.home) if len(text) <= LONGEST else ():
            path = sight.path(part)
            if path is not None:
                found.append((part, path, wild(path)))
    return found


def _parts(text: str, home: str) -> tuple[str, ...]:
    if text.startswith("-") and not _CARRIES.search(text):
        return ()
    return tuple(dict.fromkeys(_split(text, home)))


def _split(text: str, home: str) -> Iterator[str]:
    parts = _JOINTS.split(text)
    for part in (text, *parts) if len(parts) > 1 else (text,):
        bare = part.removeprefix("@")
        yield home + bare[1:] if bare.startswith("~/") else bare
    if text.startswith("-") and "/" in text:
        yield text[text.index("/") :]  # a value right behind its option's letter


def _texts(sight: Sight) -> list[str]:
    """The words, and the files that are fed in."""
    redirects = sight.command.redirects
    fed = [one.target.text for one in redirects if one.op in ("<", "<>")] if redirects else []
    return [*sight.texts, *fed] if fed else sight.texts


def _speaks(path: str, sight: Sight, holders: frozenset[str]) -> bool:
    if sight.own.secret(path):
        if _SPEAKS.search(path):
            return True
        # The folder as a whole, or what a pattern finds in it, holds them as well.
        whole = wild(path) or path.casefold() in map(str.casefold, sight.own.secrets)
        return whole and sight.name not in _LISTERS
    if path.startswith(SOCKETS) and "/automode" in path and _SPEAKS.search(path):
        return True
    if not wild(path) or sight.name in _LISTERS:
        return False
    if HOLE in path and not _is_any(known_folder(path), holders):
        return False  # it may be anything, which says nothing
    return any(may_match(path, one) for one in sight.own.channel)


def _is_any(path: str, folders: frozenset[str]) -> bool:
    if wild(path):
        return HOLE not in path and any(may_match(path, folder) for folder in folders)
    return path.casefold() in folders


def _reads_trees(sight: Sight) -> bool:
    name, texts = sight.name, sight.texts
    if name in _WITH_FLAG:
        return any(map(_recursive, texts))
    if name in _ARCHIVERS:
        creates = texts[:1] and not texts[0].startswith("--") and "c" in texts[0]
        return bool(creates) or "--create" in texts or any(t[:2] == "-c" for t in texts)
    return name in _TREE_READERS


def _recursive(text: str) -> bool:
    if text[:1] == "-" and text[1:2] != "-" and not _RECURSIVE_LETTERS.isdisjoint(text[1:]):
        return True
    return text in _RECURSIVE


def _few_operands(sight: Sight) -> bool:
    """A search that names no folder searches where it is."""
    plain = [text for text in sight.texts if not text.startswith("-")]
    values = [text for text in sight.texts if text in ("-e", "-f", "-A", "-B", "-C", "-m", "-t")]
    return len(plain) - len(values) <= 1


def _spelled(text: str, sight: Sight) -> bool:
    """Inside code: the path as a program would write it."""
    if _NAMES_CHANNEL.search(text) is None:
        return False
    home = sight.workspace.home
    for folder in sight.own.secrets:
        below = folder.removeprefix(f"{home}/")
        for place in {folder, below} if below != folder else {folder}:
            if any(f"{place}{one}" in text for one in _CHANNEL):
                return True
    return False
