"""Where a call would run: the workspace, on this disk or by name alone, and its instructions."""

import json
import os
import pwd
import re
from collections.abc import Iterator

from automode.agents.events import Instructions
from automode.core.errors import BadCall
from automode.core.paths import normal, parents
from automode.core.workspace import Workspace
from automode.facts.agent_settings import file_bytes
from automode.facts.files import Disk, Names
from automode.store.folder import StateFolder

_MARKERS = (".git", ".automode")
_HOME = re.compile(r"^(/home/[^/]+|/Users/[^/]+|/[a-z]/Users/[^/]+|/root)(?:/|$)", re.IGNORECASE)


def home_folder() -> str:
    """The account's home, from the account database: `HOME` may be anybody's."""
    try:
        return normal(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return normal(os.path.expanduser("~"))


def account_name() -> str:
    """Who is recorded as having asked."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return "unknown"


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
    found = (
        folder
        for folder in (cwd, *parents(cwd))
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in _MARKERS)
    )
    return next(found, cwd)


MOST_RECEIPTS = 256


def installed_files(state: str | None) -> tuple[str, ...]:
    """Never raises. A receipt that cannot be read tells of no file; the usual places are guarded
    without any."""
    if state is None:
        return ()
    folder = StateFolder(state).install
    try:
        receipts = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except (OSError, ValueError):
        return ()
    found = (
        path for name in receipts[:MOST_RECEIPTS] for path in _paths_in(os.path.join(folder, name))
    )
    return tuple(dict.fromkeys(found))


def all_names(*paths: str | None) -> tuple[str, ...]:
    """Absolute, each also with links followed."""
    found = [os.path.abspath(path) for path in paths if path]
    return tuple(dict.fromkeys((*found, *(Disk().resolve(path) or path for path in found))))


def _paths_in(receipt: str) -> Iterator[str]:
    try:
        found: object = json.loads(file_bytes(receipt))
    except (OSError, ValueError, RecursionError):
        return
    fields = found if isinstance(found, dict) else {}
    for path in (fields.get("path"), fields.get("named")):
        if isinstance(path, str) and os.path.isabs(path) and "\0" not in path:
            yield path


NAMES = (
    "CLAUDE.md",
    "AGENTS.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "QWEN.md",
)
LONGEST_READ = 65_536  # bytes


def instruction_files(root: str) -> tuple[Instructions, ...]:
    """Never raises: what is not there, is no file or cannot be read is left out. So is what a link
    leads to outside the project: it may be anything, and what is found here goes to a model."""
    disk = Disk()
    real = disk.resolve(root)
    found: dict[str, Instructions] = {}
    for name in NAMES if real else ():
        path = os.path.join(root, name)
        target = disk.resolve(path) or ""
        inside = target.startswith(f"{(real or '').rstrip('/')}/") and target not in found
        text = disk.text(target, LONGEST_READ) if inside else None
        if text is not None and text.strip():
            found[target] = Instructions(path, text)
    return tuple(found.values())
