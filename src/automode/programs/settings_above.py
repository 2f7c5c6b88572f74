"""Settings that a program picks up from the folder it runs in or from a folder above it.

Such a file can name the code the program starts, so a command that would only read no longer does.
The person's own settings in the home folder are trusted; what lies in a checkout is not.
"""

import posixpath
from collections.abc import Callable, Iterator

from automode.core.files import Kind
from automode.core.paths import normal, parents, within
from automode.core.workspace import Workspace
from automode.programs.development import develops
from automode.programs.use import Effect, Invocation, Use

LEVELS = 64
FILE_BYTES = 64 * 1024


def has_settings(
    invocation: Invocation,
    names: tuple[str, ...],
    harmless: Callable[[str], bool] | None = None,
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
            for name in names:
                if not _plain(workspace, posixpath.join(folder, name), harmless):
                    return True
    return False


def _levels(workspace: Workspace, start: str) -> Iterator[str]:
    """The folder and those above it, without the home folder unless that is the workspace."""
    home = normal(workspace.home)
    own = not any(within(home, root) for root in workspace.folders)
    yield from (folder for folder in (start, *parents(start)[:LEVELS]) if not own or folder != home)


def _plain(workspace: Workspace, path: str, harmless: Callable[[str], bool] | None) -> bool:
    kind = workspace.files.kind(path)
    if kind is Kind.MISSING:
        return True
    if harmless is None or kind is not Kind.FILE:
        return False
    text = workspace.files.text(path, FILE_BYTES + 1)
    return text is not None and len(text) <= FILE_BYTES and harmless(text)


def project_code(invocation: Invocation, use: Use, why: str) -> Use:
    """A read that turns out to start code of the project: as ordinary as running its tests."""
    if use.effect & ~Effect.REMOTE_READ:
        return use
    return Use(use.effect | develops()(invocation).effect, why)
