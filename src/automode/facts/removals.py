"""What lies where a call removes or empties something: whether it is there, whether git has it, and
whether it is in a temporary folder."""

import posixpath
import re
from collections.abc import Iterator, Sequence

from automode.core.paths import within
from automode.core.workspace import Changes, Kind, Search, Workspace
from automode.facts.files import Names
from automode.facts.git import (
    Ask,
    NotKnown,
    changed_files,
    git_folders,
    quote_name,
    repository_above,
)
from automode.shell.script import HOLE

_SHOWN = 6
_MOST_TRACKED = 200_000
_TEMPORARY = re.compile(
    r"(?:/private)?/var/folders/[^/]+/[^/]+/T/.|.*/appdata/local/temp/.", re.IGNORECASE
)
_WORDS = {Kind.FILE: "a file", Kind.FOLDER: "a folder", Kind.MISSING: "not there"}


def removal_text(paths: Sequence[str], workspace: Workspace, ask: Ask) -> str:
    """Of each path what is known; empty where nothing is."""
    known = [path for path in paths if HOLE not in path]
    told = [
        f"{quote_name(path, 120)}: {', '.join(said)}"
        for path in known[:_SHOWN]
        if (said := list(_facts_about(path, workspace, ask)))
    ]
    more = len(known) - _SHOWN
    return "; ".join([*told, *([f"{more} more were not looked at"] if told and more > 0 else [])])


def _facts_about(path: str, workspace: Workspace, ask: Ask) -> Iterator[str]:
    if not isinstance(workspace.files, Names):  # of a recorded call names alone are known
        kind = workspace.files.kind(path)
        yield _WORDS.get(kind, "what it is is not known")
        if kind in (Kind.FILE, Kind.FOLDER):
            yield from _git_facts(path, kind, workspace, ask)
    inside = any(within(path, one) and path != one for one in workspace.temporary)
    if inside or _TEMPORARY.match(path):
        yield "in a temporary folder"


def _git_facts(path: str, kind: Kind, workspace: Workspace, ask: Ask) -> Iterator[str]:
    if kind is Kind.FOLDER and repository_above(path, workspace) == path:
        yield "a repository of its own"
    top = repository_above(posixpath.dirname(path), workspace)
    if top is None:
        return
    name = posixpath.relpath(path, top)
    if name.split("/")[0] == ".git":
        yield "a part of git's own folder"
        return
    tracked, changes = _count_tracked(name, top, workspace), changed_files(top, workspace, ask)
    if tracked is None:
        yield "whether git tracks it is not known"
        return
    if tracked:
        yield "tracked by git" if kind is Kind.FILE else f"{tracked} files in it tracked by git"
    if changes is None:
        yield "whether it holds what is in no commit is not known"
        return
    yield from _uncommitted_facts(path, changes, tracked=tracked > 0)


def _uncommitted_facts(path: str, changes: Changes, *, tracked: bool) -> Iterator[str]:
    changed = any(within(one, path) for one in changes.tracked)
    new = any(
        within(one.rstrip("/"), path) or (one.endswith("/") and within(path, one.rstrip("/")))
        for one in changes.untracked
    )
    if tracked:
        yield "with changes that are in no commit" if changed else "committed as it is"
    if new:
        yield "with files git does not have" if tracked else "untracked, not ignored"
    elif not tracked:
        yield "ignored by git, or empty"


def _count_tracked(name: str, top: str, workspace: Workspace) -> int | None:
    """How many files git tracks there; None where the index cannot be read."""
    try:
        own, _ = git_folders(top, workspace)
    except NotKnown:
        return None
    start = posixpath.basename(name).lower()
    found = workspace.files.tracked(Search(own, _MOST_TRACKED, starts=(start,)))
    if found is None:
        return None
    return sum(one == name or one.startswith(f"{name}/") for one in found)
