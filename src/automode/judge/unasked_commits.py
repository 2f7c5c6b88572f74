"""Commits that nobody asked for: whether the settings let them through, and whose files they take.

They stay on this machine and can be undone. Work that this session did not do is another matter:
somebody may have it lying there for a reason.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from automode.core.paths import absolute, within
from automode.core.session import Session
from automode.core.workspace import AskChanges, Changes, not_known
from automode.guards.session_files import written_before
from automode.judge.artefacts import Read, latest
from automode.judge.file_deeds import redirect_touches, touches
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts
from automode.shell.script import HOLE, Command

_P = patterns("unasked_commits")
_W = word_lists("unasked_commits")

UNASKED, OTHERS = "commits-unasked", "commits-others"
EARLIER_CALLS = 100
_COMMITS_ALL = re.compile(r"-[b-ln-zA-Z]*a[a-zA-Z]*|--all|-a|-p|--patch|-i|--interactive")
_MESSAGE = re.compile(r"-[a-zA-Z]*[mFCct]")
_TOUCHES = re.compile(r">|\b(?:rm|mv|cp|unlink|rmdir|sed|perl|tee|git|touch|truncate|patch)\b")


@dataclass(frozen=True, slots=True)
class UnaskedCommits:
    """`cleared`: what the settings say. `changes`: who asks git, where anybody does."""

    cleared: bool = True
    changes: AskChanges = not_known

    def deeds_of(self, facts: CallFacts, session: Session, read: Read) -> Iterator[str]:
        """What else an unasked commit is."""
        if not self.cleared:
            yield UNASKED
        elif self._takes_others(facts, session, read):
            yield OTHERS

    def _takes_others(self, facts: CallFacts, session: Session, read: Read) -> bool:
        place = session.workspace
        git = [one for one in facts.script.commands if one.program == "git"]
        folders = {_parts(one, place.cwd)[0] for one in git}
        found = [changes for one in sorted(folders) if (changes := self.changes(one, place))]
        if not found:
            return False
        taken = {
            path
            for one in git
            for changes in found
            for path in _taken_files(one, changes, place.cwd)
        }
        around = session.written_around
        written = set(written_before(session, facts.reader) if around is None else around)
        written |= {path.casefold() for path in _touched_files(session, read)}
        installs = any(_P.managers.search(text) for text in _commands(session))
        return any(
            not _is_ours(path.casefold(), written)
            and not (installs and _P.lists.search(path.casefold()))
            for path in taken
        )


def _is_ours(path: str, written: set[str]) -> bool:
    if path.endswith("/"):
        return any(within(one, path.rstrip("/")) for one in written)
    return path in written


def _taken_files(command: Command, changes: Changes, here: str) -> Iterator[str]:
    """The changed files that a command of git's takes into a commit."""
    at, verb, rest = _parts(command, here)
    if verb not in ("add", "stage", "commit"):
        return
    every = changes.tracked | changes.untracked
    paths = [absolute(one, at) for one in _plain(rest)]
    if verb == "commit" and not paths:
        unclear = any(_COMMITS_ALL.fullmatch(one) for one in _options(rest))
        yield from changes.tracked if unclear else changes.staged
    elif not paths or any(HOLE in one or set("*?[:") & set(one) for one in paths):
        yield from every  # `add -A`, `add -p`, or a pattern
    for path in paths:
        yield from (one for one in every if within(one.rstrip("/"), path))


def _parts(command: Command, here: str) -> tuple[str, str, list[str]]:
    """Where git works, its verb, and what follows it."""
    at = command.cwd or here
    words = iter([word.text for word in command.args])
    for text in words:
        if not text.startswith("-"):
            return at, text, list(words)
        if text in ("-C", "-c", "--git-dir", "--work-tree"):
            value = next(words, "")
            at = absolute(value, at) if text == "-C" else at
    return at, "", []


def _plain(rest: list[str]) -> Iterator[str]:
    skipped = False
    for text in rest:
        if skipped:
            skipped = False
        elif text.startswith("-") and len(text) > 1:
            skipped = text in _W.valued or _MESSAGE.fullmatch(text) is not None
        else:
            yield text


def _options(rest: list[str]) -> Iterator[str]:
    yield from (one for one in rest if one.startswith("-"))


def _commands(session: Session) -> Iterator[str]:
    for one in islice(latest(session), EARLIER_CALLS):
        command = one.input.get("command")
        if isinstance(command, str):
            yield command


def _touched_files(session: Session, read: Read) -> Iterator[str]:
    """What earlier commands moved, deleted or changed."""
    here = session.workspace.cwd
    for text in _commands(session):
        for command in read(text).commands if _TOUCHES.search(text) else ():
            at = command.cwd or here
            paths = [one.path for one in (*touches(command), *redirect_touches(command))]
            words = [word.text for word in command.args]
            if command.program == "git" and words[:1] in (["rm"], ["mv"]):
                paths += _plain(words[1:])
            yield from (absolute(path, at) for path in paths if path and HOLE not in path)
