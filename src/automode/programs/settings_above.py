"""Settings that a program picks up from the folder it runs in or from a folder above it.

Such a file can name the code the program starts, so a command that would only read no longer does.
The person's own settings in the home folder are trusted; what lies in a checkout is not.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from automode.core.files import Kind, Search
from automode.core.paths import normal, parents, within
from automode.core.wildcards import may_match
from automode.core.workspace import Workspace
from automode.programs.development import develops
from automode.programs.use import Effect, Invocation, Use

LEVELS = 64
FILE_BYTES = 64 * 1024
MOST_NAMES = 10_000
MOST_BELOW = 20_000
_NOT_ENTERED = frozenset((".git", "node_modules", ".venv"))

Harmless: TypeAlias = Callable[[str], bool]
"""Says of the text of a file whether all its settings are known to be harmless."""


def anything(text: str) -> bool:
    """Of a file that cannot steer the program: it is opened, and printed where it is not as the
    program wants it."""
    return True


def has_settings(
    invocation: Invocation,
    names: tuple[str, ...],
    harmless: Harmless | None = None,
    folders: tuple[str, ...] = (),
) -> bool:
    """Whether a file with one of `names` is in force, or cannot be ruled out. `harmless` is asked
    about the text of each one that is there; without it none is. `folders` are further ones that
    the command works in."""
    workspace = invocation.workspace
    if invocation.command.cwd is None:
        return True
    # Should a `cd` before it fail, the command runs where the workspace is.
    for start in dict.fromkeys((invocation.command.cwd, workspace.cwd, *folders)):
        real = workspace.files.resolve(start)
        if real is None or len(parents(real)) > LEVELS:
            return True
        for folder in dict.fromkeys(
            (*_levels(workspace, normal(start)), *_levels(workspace, real))
        ):
            if not all(_plain_all(workspace, folder, name, harmless) for name in names):
                return True
    return False


def has_settings_below(
    workspace: Workspace, tree: str, names: Mapping[str, Harmless | None]
) -> bool:
    """The same of each file below a folder that the command goes through. A link there may lead
    out of the workspace."""
    ends = tuple(name.casefold() for name in names)
    found = workspace.files.below(Search(tree, MOST_BELOW, ends=ends, pruned=_NOT_ENTERED))
    if found is None:
        return True
    for folder, name in map(posixpath.split, found):
        if _leads_away(workspace, folder, name):
            return True
        if name in names and not _plain(workspace, folder, name, names[name]):
            return True
    return False


def _levels(workspace: Workspace, start: str) -> Iterator[str]:
    """The folder and those above it, without the home folder unless that is the workspace."""
    home = normal(workspace.home)
    own = not any(within(home, root) for root in workspace.folders)
    yield from (folder for folder in (start, *parents(start)[:LEVELS]) if not own or folder != home)


def _plain_all(workspace: Workspace, folder: str, name: str, harmless: Harmless | None) -> bool:
    """The same of each file that a pattern such as `.env*` stands for."""
    if "*" not in name:
        return _plain(workspace, folder, name, harmless)
    found = workspace.files.names(folder, MOST_NAMES)
    return len(found) < MOST_NAMES and all(
        _plain(workspace, folder, one, harmless) for one in found if may_match(name, one)
    )


def _plain(workspace: Workspace, folder: str, name: str, harmless: Harmless | None) -> bool:
    path = posixpath.join(folder, name)
    kind = workspace.files.kind(path)
    if kind is Kind.MISSING:
        return True
    if harmless is None or kind is not Kind.FILE or _leads_away(workspace, folder, name):
        return False
    if harmless is anything:
        return True
    text = workspace.files.text(path, FILE_BYTES + 1)
    return text is not None and len(text) <= FILE_BYTES and harmless(text)


def _leads_away(workspace: Workspace, folder: str, name: str) -> bool:
    """Whether it is a link to a file of another name, or to one outside the workspace: what it
    leads to may be a credential, which a complaint about the file would print."""
    files = workspace.files
    real, place = files.resolve(posixpath.join(folder, name)), files.resolve(folder)
    if real is None or place is None:
        return True
    if real == posixpath.join(place, name):
        return False
    roots = [files.resolve(root) or root for root in workspace.folders]
    same = posixpath.basename(real) == posixpath.basename(name)
    return not same or not any(within(real, root) for root in roots)


def project_code(invocation: Invocation, use: Use, why: str) -> Use:
    """A read that turns out to start code of the project: as ordinary as running its tests."""
    if use.effect & ~Effect.REMOTE_READ:
        return use
    return Use(use.effect | develops()(invocation).effect, why)
