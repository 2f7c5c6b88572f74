"""The daemon's socket and tokens: with them a process could act as the person. The database beside
them holds the transcripts and approvals of every session."""

import re
from collections.abc import Iterator
from functools import lru_cache

from automode.agents.catalog import ADAPTERS
from automode.core.paths import LONGEST, may_match, parents, within
from automode.core.word_lists import word_sets
from automode.core.workspace import Kind, Search, Workspace
from automode.guards.guard import (
    CommandContext,
    excerpt,
    follow_links,
    is_pattern,
    known_folder,
    links_behind,
    word_path,
)
from automode.guards.reads.found_names import file_words
from automode.guards.reads.trees import (
    MOST_NAMES,
    follows_links,
    searches,
    searches_here,
)
from automode.shell.script import HOLE

_WORDS = word_sets("automode.guards.floor")
_SOCKETS = ("/run/user/", "/tmp/automode")  # noqa: S108 - names, not uses
_SPEAKS = re.compile(
    r"\.sock(?:et)?$|/[^/]*token[^/]*(?:/|$)|/signing\.key$|/audit\.db[^/]*$|(?<!/automode)/socket$"
    r"|/confined(?:/|$)"
)
_JOINTS = re.compile("[=:,]")
_CARRIES = re.compile("[=:,/~*?\\[\0]")  # what an option holds where a path is in it
_CHANNEL = ("/daemon.sock", "/tokens", "/signing.key", "/audit.db", "/confined")
_NAMES_CHANNEL = re.compile("|".join(map(re.escape, _CHANNEL)))
_FINDERS = ("find", "gfind", "fd", "fdfind")
_RECURSIVE = re.compile(r"-(?!-).*[rRa].*|--recursive|--archive", re.DOTALL)


def sees_channel(context: CommandContext) -> str | None:
    part = _reaching_part(context)
    if part is not None:
        return f"`{excerpt(part)}` is automode's own, or leads to it"
    # All of them at once first: nearly no command names one.
    text = "\n".join(_texts(context))
    if _NAMES_CHANNEL.search(text) and _is_spelled(text, context):
        return "it names automode's tokens, its socket or its database"
    return _talks_to_hooks(context)


def _reaching_part(context: CommandContext) -> str | None:
    """The part of a word by which the command may read them."""
    place, own = context.workspace, context.own
    holders = _holders(own.states, (place.home, *place.folders))
    trees = _reads_trees(context)
    for part in _parts_read(context):
        path = context.path(part)
        if path is None or len(path) > LONGEST:
            continue
        for one in _behind(path, context):
            if _speaks(one, context, holders) or (trees and _is_any(one, holders)):
                return part
    for folder in _followed_folders(context, reads=trees):
        if any(_is_any(one, holders) or own.is_secret(one) for one in _linked_from(folder, place)):
            return folder
    here = context.command.cwd
    below = trees and here is not None and _is_any(here, holders)
    return here if below and searches_here(context.command) else None


def _followed_folders(context: CommandContext, *, reads: bool) -> Iterator[str]:
    """The folders that it reads with all that links below them lead to, or where names were found
    so that it is given. Names that a search leaves out are no matter: a link has another one."""
    sources = [context.command] if reads else []
    if context.name not in _WORDS["listers"] and any(HOLE in text for text in context.texts):
        sources += [one for one in context.script.commands if one.program in _FINDERS]
    files = context.workspace.files
    for one in sources:
        if follows_links(one):
            named = (word_path(word.text, one, context.workspace) for word in file_words(one))
            found = [path for path in named if files.kind(path) is Kind.FOLDER]
            yield from found or [one.cwd or context.workspace.cwd]


def _linked_from(folder: str, workspace: Workspace) -> Iterator[str]:
    files = workspace.files
    for path in files.below(Search(folder, MOST_NAMES)) or ():
        yield files.resolve(path) or path


@lru_cache(maxsize=256)
def _holders(states: tuple[str, ...], needed: tuple[str, ...]) -> frozenset[str]:
    """The folders that hold the channel, in small letters. Not those that hold a home or a
    workspace too: that is too much to forbid, and no such read is proved harmless."""
    folders = (folder for state in states for folder in (f"{state}/tokens", state, *parents(state)))
    return frozenset(
        folder.casefold() for folder in folders if not any(within(one, folder) for one in needed)
    )


def _behind(path: str, context: CommandContext) -> tuple[str, ...]:
    """The path, and where links lead from it."""
    files = context.workspace.files
    real = follow_links(path, files)
    found = (path,) if real == path else (path, real)
    # Only for a reader of contents it is worth while to look for links behind a pattern.
    if is_pattern(path) and context.name not in _WORDS["listers"]:
        return tuple(dict.fromkeys((*found, *(links_behind(path, files) or ()))))
    return found


def _parts_read(context: CommandContext) -> Iterator[str]:
    """The parts of words that may be a path the command reads. Where it copies to is not one."""
    texts = _texts(context)
    if context.name in _WORDS["copiers"] and len(context.args) > 1:
        texts = [*texts]
        texts.remove(context.texts[-1])
    home = context.workspace.home
    for text in texts:
        if len(text) > LONGEST or (text.startswith("-") and not _CARRIES.search(text)):
            continue
        parts = _JOINTS.split(text)
        for part in (text, *parts) if len(parts) > 1 else (text,):
            bare = part.removeprefix("@")
            yield home + bare[1:] if bare.startswith("~/") else bare
        if text.startswith("-") and "/" in text:
            yield text[text.index("/") :]  # a value right behind its option's letter


def _texts(context: CommandContext) -> list[str]:
    """The words, and the files that are fed in."""
    redirects = context.command.redirects
    fed = [one.target.text for one in redirects if one.op in ("<", "<>")] if redirects else []
    return [*context.texts, *fed] if fed else context.texts


def _speaks(path: str, context: CommandContext, holders: frozenset[str]) -> bool:
    if context.own.is_secret(path):
        if _SPEAKS.search(path):
            return True
        # The folder as a whole, or what a pattern finds in it, holds them as well.
        whole = is_pattern(path) or path.casefold() in map(str.casefold, context.own.secrets)
        return whole and context.name not in _WORDS["listers"]
    if path.startswith(_SOCKETS) and "/automode" in path and _SPEAKS.search(path):
        return True
    if not is_pattern(path) or context.name in _WORDS["listers"]:
        return False
    if HOLE in path and not _is_any(known_folder(path), holders):
        return False  # it may be anything, which says nothing
    return any(may_match(path, one) for one in context.own.channel)


def _is_any(path: str, folders: frozenset[str]) -> bool:
    if is_pattern(path):
        return HOLE not in path and any(may_match(path, folder) for folder in folders)
    return path.casefold() in folders


def _reads_trees(context: CommandContext) -> bool:
    name, texts = context.name, context.texts
    if name in _WORDS["copiers"]:
        return any(map(_RECURSIVE.fullmatch, texts))
    if name in _WORDS["archivers"]:
        creates = texts[:1] and not texts[0].startswith("--") and "c" in texts[0]
        return bool(creates) or "--create" in texts or any(t[:2] == "-c" for t in texts)
    return name in _WORDS["tree-readers"] or searches(context.command)


def _is_spelled(text: str, context: CommandContext) -> bool:
    """Inside code: the path as a program would write it."""
    below_home = (one.removeprefix(f"{context.workspace.home}/") for one in context.own.secrets)
    places = {*context.own.secrets, *below_home}
    return any(f"{place}{one}" in text for place in places for one in _CHANNEL)


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
_PORT_BYTES = 16
_PORT_FILES = ("http.port", "ui.port")


def _talks_to_hooks(context: CommandContext) -> str | None:
    """By the path that only hooks use, or by a port that this installation has: that of hooks, and
    that of `automode ui`, where a person answers."""
    redirected = (one.target.text for one in context.command.redirects)
    text = " ".join((context.name, *context.texts, *redirected))
    low = text.casefold()
    here = _holds_mark(low) and _LOOPBACK.search(text) is not None
    if here and _HOOK.search(text):
        return "it calls the address at which automode hears hooks"
    if here or context.name in _WORDS["connects"]:
        # This machine has more names than loopback's, but elsewhere not every number is a port.
        numbers = frozenset((_NUMBER if here else _PORT).findall(text))
        if numbers and not numbers.isdisjoint(_ports(context)):
            return "it connects to a port at which automode listens"
    return None


def _holds_mark(low: str) -> bool:
    for mark in _MARKS:  # noqa: SIM110 - asked for every command, and a generator takes twice as long
        if mark in low:
            return True
    return False


def _ports(context: CommandContext) -> frozenset[str]:
    """Read anew each time: a port is chosen once, but perhaps only after this process began."""
    read = context.workspace.files.text
    files = (f"{state}/{name}" for state in context.own.states for name in _PORT_FILES)
    found = (read(file, _PORT_BYTES) for file in files)
    return frozenset(text.strip() for text in found if text)
