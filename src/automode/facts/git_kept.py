"""What git keeps whatever is done to a checkout: what was committed of changed files, and how the
commit that is checked out came about, where nobody else has it."""

import posixpath
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise

from automode.core.paths import within
from automode.core.workspace import Kind, Wanted, Workspace
from automode.facts.git import SAFELY, STATUS_FAMILIES, GitProcess, NotKnown
from automode.programs.git_config import Family, Repository, Setting, configured

MOVES = 20
MOST_FILES = 20
_FAMILIES = STATUS_FAMILIES | Family.LOG
_PLAINLY = (*SAFELY, "--no-replace-objects", "--literal-pathspecs")
_STATUS = (
    *(*_PLAINLY, "status", "--porcelain=v2", "--branch", "-z", "--no-renames"),
    *("--untracked-files=no", "--ignore-submodules=all"),
)
_LISTED = (*_PLAINLY, "ls-files", "-v", "-z", "--full-name", "--")
_MOVES = (*_PLAINLY, "log", "-g", "-z", "-n", f"{MOVES}", "--format=%H %gs", "HEAD", "--")
# A prefetch knows what a remote has before its branches say so.
_UNSHARED = (
    *(*_PLAINLY, "rev-list", "-n", "1", "HEAD", "--not", "--remotes", "--tags"),
    *("--glob=refs/prefetch", "--"),
)
# They make history look like another one.
_ALTERED = ("info/grafts", "shallow")
_GIT = GitProcess()
# While one is there, both sides of a conflict are commits.
_JOINED = ("MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_REGULAR = frozenset({"100644", "100755"})


def unshared_moves(folder: str, place: Workspace, git: GitProcess = _GIT) -> tuple[str, ...] | None:
    """`AskMoves`: see there."""
    found = _repository(folder, place)
    if found is None:
        return None
    repository, settings = found
    altered = (f"{repository.common_dir}/{name}" for name in _ALTERED)
    if not _tracks_all(settings) or any(
        place.files.kind(path) is not Kind.MISSING for path in altered
    ):
        return None
    ask = partial(_ask, git, repository, place)
    try:
        moves = [one.partition(" ") for one in ask(_MOVES).split("\0") if one]
        if ask(_UNSHARED).strip() != moves[0][0]:
            return None
    except (NotKnown, IndexError):
        return None
    # To make a branch, or to stash, moves it from a commit to the same one.
    steps = pairwise([*moves, ("", "", "")])
    return tuple(what for (commit, _, what), (before, _, _) in steps if commit != before)


def _tracks_all(settings: tuple[Setting, ...]) -> bool:
    """Whether git writes down each branch that it pushes to a remote by its name, and pushes
    nowhere else by itself."""
    remotes = {one.subsection for one in settings if one.section == "remote" and one.subsection}
    fetched = {one.subsection for one in settings if one.name == "fetch" and _is_usual(one)}
    pushed = {
        one.value
        for one in settings
        if (one.section == "branch" and one.name in ("remote", "pushremote"))
        or one.key == "remote.pushdefault"
    }
    # Some branches left out, or pushed to where no branches are.
    odd = any(
        one.section == "remote" and (one.name in ("push", "mirror") or one.value[:1] == "^")
        for one in settings
    )
    return remotes <= fetched and pushed <= remotes | {"."} and not odd


def _is_usual(one: Setting) -> bool:
    return one.section == "remote" and one.value == (
        f"+refs/heads/*:refs/remotes/{one.subsection}/*"
    )


def kept_texts(
    wanted: Wanted, place: Workspace, git: GitProcess = _GIT
) -> Mapping[str, str | None] | None:
    """`AskTexts`: see there."""
    found = _repository(wanted.folder, place)
    if found is None:
        return None
    top = found[0].top
    names = [posixpath.relpath(path, top) for path in wanted.paths]
    if not all(within(path, top) for path in wanted.paths):
        return None
    ask = partial(_ask, git, found[0], place)
    try:
        listed = [one for one in ask((*_LISTED, *names)).split("\0") if one]
        # Of what is not looked at, nobody knows whether it is changed.
        if any(one[0] == "S" or one[0].islower() for one in listed):
            return None
        if wanted.foreign and not {one[2:] for one in listed} >= set(names):
            return None
        heads = (f"{found[0].git_dir}/{name}" for name in _JOINED)
        joins = any(place.files.kind(path) is Kind.FILE for path in heads)
        changed = list(_changed(ask(_STATUS), names, joins=joins))
        if len(changed) > MOST_FILES:
            return None
        return {f"{top}/{name}": ask(words) if words else None for name, words in changed}
    except NotKnown:
        return None


def _changed(
    printed: str, names: list[str], *, joins: bool
) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """The changed files among `names`, each with the words that print what git has of it."""
    entries = [one.split(" ") for one in printed.split("\0") if one]
    if not printed.startswith("# branch.") or any(one[0] not in ("#", "1", "u") for one in entries):
        raise NotKnown("git's status is not understood")
    for kind, *rest in entries:
        if kind == "#":
            continue
        count = 7 if kind == "1" else 9
        state, modes, name = rest[0], rest[2 : 5 if kind == "1" else 6], " ".join(rest[count:])
        if names and not any(one == "." or within(f"/{name}", f"/{one}") for one in names):
            continue
        text = rest[5] if kind == "1" else f"AUTO_MERGE:{name}"
        plain = len(set(modes)) == 1 and modes[0] in _REGULAR
        known = plain and (joins if kind == "u" else state[0] == ".")
        yield name, (*_PLAINLY, "cat-file", "blob", text) if known else None


def _repository(folder: str, place: Workspace) -> tuple[Repository, tuple[Setting, ...]] | None:
    real = place.files.resolve(folder)
    found = None if real is None else configured(place, real, _FAMILIES, "status")
    # Repositories inside this one were not looked at, and would change with it.
    follows = found and any(
        one.key == "submodule.recurse" and one.switch is not False for one in found[1]
    )
    return None if follows else found


def _ask(git: GitProcess, repository: Repository, place: Workspace, words: tuple[str, ...]) -> str:
    asked = GitProcess(git.program, git.seconds, words)
    return asked(repository.top, place.home)
