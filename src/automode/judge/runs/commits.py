"""Commits that nobody asked for: what else they are, and whose files they take."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from automode.core.paths import absolute, parents, within
from automode.core.session import Session
from automode.core.workspace import AskChanges, Changes, Kind, Workspace, not_known
from automode.guards.session_files import written_before
from automode.judge.runs.artefacts import MOST_CALLS, artefacts, git_parts, latest
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts
from automode.shell.script import HOLE, Command

_P = patterns("artefacts")
_W = word_lists("artefacts")
UNASKED, OTHERS = "commits-unasked", "commits-others"
_MESSAGE = re.compile(r"-[a-zA-Z]*[mFCct]")


@dataclass(frozen=True, slots=True)
class UnaskedCommits:
    """`cleared`: what the settings say. `changes`: who asks git, where anybody does."""

    cleared: bool = True
    changes: AskChanges = not_known

    def deeds_of(self, facts: CallFacts, session: Session) -> Iterator[str]:
        """What else an unasked commit is."""
        if not self.cleared:
            yield UNASKED
        elif self._takes_others(facts, session):
            yield OTHERS

    def _takes_others(self, facts: CallFacts, session: Session) -> bool:
        place = session.workspace
        git = [one for one in facts.script.commands if one.program == "git"]
        folders = {git_parts(one, place.cwd)[0] for one in git}
        asked = {one: self.changes(one, place) for one in sorted(folders)}
        found = [changes for changes in asked.values() if changes is not None]
        if any(asked[one] is None and _is_repository(one, place) for one in folders):
            return True
        taken = {
            path
            for one in git
            for changes in found
            for path in _taken_files(one, changes, place.cwd)
        }
        if not taken:
            return False
        around = session.written_around
        written = set(written_before(session, facts.reader) if around is None else around)
        written |= {path.casefold() for path in artefacts(facts, session).touched}
        commands = (one.input.get("command") for one in islice(latest(session), MOST_CALLS))
        installs = any(isinstance(one, str) and _P.managers.search(one) for one in commands)
        return any(
            not _is_ours(path.casefold(), written)
            and not (installs and _P.lists.search(path.casefold()))
            for path in taken
        )


def _is_repository(folder: str, place: Workspace) -> bool:
    """Whether there is one on the disk. A call that was recorded elsewhere has none, so that nobody
    can know what is changed there."""
    if HOLE in folder:
        folder = place.cwd
    around = (f"{one}/.git" for one in (folder, *parents(folder)))
    return any(place.files.kind(one) is not Kind.MISSING for one in around)


def _is_ours(path: str, written: set[str]) -> bool:
    if path.endswith("/"):
        return any(within(one, path.rstrip("/")) for one in written)
    return path in written


def _taken_files(command: Command, changes: Changes, here: str) -> Iterator[str]:
    """The changed files that a command of git's takes into a commit."""
    at, verb, rest = git_parts(command, here)
    if verb not in ("add", "stage", "commit"):
        return
    every = changes.tracked | changes.untracked
    paths = [absolute(one, at) for one in _plain_paths(rest)]
    if verb == "commit" and not paths:
        unclear = any(map(_P.commits_all.fullmatch, rest))
        yield from changes.tracked if unclear else changes.staged
    elif not paths or any(HOLE in one or set("*?[:") & set(one) for one in paths):
        yield from every  # `add -A`, `add -p`, or a pattern
    for path in paths:
        yield from (one for one in every if within(one.rstrip("/"), path))


def _plain_paths(rest: list[str]) -> Iterator[str]:
    skipped = False
    for text in rest:
        if skipped:
            skipped = False
        elif text.startswith("-") and len(text) > 1:
            skipped = text in _W.valued or _MESSAGE.fullmatch(text) is not None
        else:
            yield text
