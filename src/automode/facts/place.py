"""Where a call would run: the workspace, on this disk or by name alone, and its instructions."""

import json
import os
import pwd
import re
import stat
from collections.abc import Iterator

from automode.agents.events import Instructions
from automode.core.errors import BadCall
from automode.core.paths import normal
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


MOST_RECEIPTS = 256
_KIND = ".json"


def installed_files(state: str | None) -> tuple[str, ...]:
    """Never raises. A receipt that cannot be read tells of no file; the usual places are guarded
    without any."""
    if state is None:
        return ()
    folder = StateFolder(state).install
    try:
        with os.scandir(folder) as entries:
            receipts = sorted(one.name for one in entries if one.name.endswith(_KIND))
    except (OSError, ValueError):
        return ()
    found = (
        path for name in receipts[:MOST_RECEIPTS] for path in _named(os.path.join(folder, name))
    )
    return tuple(dict.fromkeys(found))


def all_names(*paths: str | None) -> tuple[str, ...]:
    """Absolute, each also with links followed."""
    found = [os.path.abspath(path) for path in paths if path]
    return tuple(dict.fromkeys((*found, *(Disk().resolve(path) or path for path in found))))


def _named(receipt: str) -> Iterator[str]:
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
    real = _real(root)
    found: dict[str, Instructions] = {}
    for name in NAMES if real else ():
        path = os.path.join(root, name)
        target = _real(path)
        inside = target.startswith(f"{real.rstrip('/')}/")
        text = _text(target) if inside and target not in found else None
        if text is not None and text.strip():
            found[target] = Instructions(path, text)
    return tuple(found.values())


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return ""


def _text(path: str) -> str | None:
    try:
        # What is a file now may be a pipe in a moment: opening it must not wait.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            return file.read(LONGEST_READ).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
