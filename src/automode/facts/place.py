"""Where a call would run: the workspace, found on this disk or taken from a name."""

import os
import pwd
import re

from automode.core.errors import BadCall
from automode.core.paths import normal
from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names

_MARKERS = (".git", ".automode")
_HOME = re.compile(r"^(/home/[^/]+|/Users/[^/]+|/[a-z]/Users/[^/]+|/root)(?:/|$)", re.IGNORECASE)


def home_folder() -> str:
    """The account's home, from the account database: `HOME` may be anybody's."""
    try:
        return normal(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return normal(os.path.expanduser("~"))


def _other_home(home: str) -> str:
    """What `HOME` says, where that differs: `~` leads there, so it is guarded as well. It can only
    add a home, never replace one."""
    named = os.environ.get("HOME", "")
    return normal(named) if named.startswith("/") and normal(named) != home else ""


def live_workspace(folder: str, home: str | None = None) -> Workspace:
    """The workspace around an existing folder. Raises BadCall when there is none."""
    if not os.path.isdir(folder):
        raise BadCall(f"no such folder: `{folder}`", "name an existing folder")
    cwd = normal(os.path.abspath(folder))
    place = home or home_folder()
    return Workspace(_project(cwd), cwd, place, Disk(), other_home=_other_home(place))


def recorded_workspace(folder: str, home: str | None = None) -> Workspace:
    """The workspace of a call recorded elsewhere: an existing, empty project of that name."""
    cwd = normal(folder) if folder else "/workspace"
    if not cwd.startswith("/"):
        cwd = normal(f"/{cwd}")
    found = _HOME.match(cwd)
    place = home or (found[1] if found else home_folder())
    return Workspace(cwd, cwd, normal(place), Names(cwd))


def workspace_for(folder: str, home: str | None = None) -> Workspace:
    """The live workspace where the folder exists here, else the recorded one."""
    return (
        live_workspace(folder, home) if os.path.isdir(folder) else recorded_workspace(folder, home)
    )


def _project(cwd: str) -> str:
    """The nearest folder above that is a project; the folder itself when there is none."""
    folder = cwd
    while True:
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in _MARKERS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return cwd
        folder = parent
