"""Where a file lies, seen from the work."""

from automode.core.paths import absolute, exactly_within, within
from automode.core.workspace import Workspace
from automode.judge.words import patterns
from automode.shell.script import HOLE, Command

_P = patterns("file_deeds")


def where(path: str, command: Command, workspace: Workspace) -> str:
    """`here`, `scratch`, `generated`, `near` (a project beside it) or `outside`; what cannot be
    known is outside."""
    full = absolute(path, command.cwd or workspace.cwd)
    if HOLE in path and not path.startswith((".", "/")) and path[0] != HOLE:
        return "here"
    # An unknown name may be empty, or lead anywhere: where it is used excuses nothing. What `find`
    # found lies below where it searched.
    found = "find" in command.via and path.startswith("./")
    known = HOLE not in path or path.startswith("/") or found
    if any(exactly_within(full, folder) for folder in workspace.folders):
        sure = full[len(workspace.root) :] if known else path.rpartition(HOLE)[2]
        return "generated" if _P.generated.search(sure) else "here"
    temporary = any(within(full, folder) for folder in workspace.temporary)
    if temporary or _P.scratch.search(full):
        return "scratch" if known else "here"
    return "near" if _beside(full, workspace) else "outside"


def _beside(path: str, workspace: Workspace) -> bool:
    """Whether both lie below one folder of the user's own that is not the home itself."""
    home = workspace.home.rstrip("/")
    if not (within(path, home) and within(workspace.root, home)) or home == "":
        return False
    theirs, ours = (one[len(home) + 1 :].split("/") for one in (path, workspace.root))
    return len(ours) > 1 and theirs[0].casefold() == ours[0].casefold() and theirs[0][:1] != "."
