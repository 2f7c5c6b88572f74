"""The gate of each project: built from its settings, and anew when one of their files changes.

Files are looked at a few times a second at most, so a change counts within half a second.
"""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from automode.agents.events import Variables
from automode.classifier.layer import Classifier
from automode.config.load import Loaded
from automode.config.places import Places
from automode.config.settings import Settings
from automode.core.call import ToolCall
from automode.core.recent import Recent
from automode.core.workspace import Workspace
from automode.facts.place import live_workspace
from automode.gate.breaker import Limits
from automode.gate.gate import USUAL_LIMITS, Gate
from automode.guards.session_files import WHOLE, WrittenPaths, written_by
from automode.llm.endpoints import Missing
from automode.llm.model import Model
from automode.llm.registry import NO_MODEL
from automode.llm.session_keys import SessionKeys
from automode.programs.call_facts import CallFacts
from automode.shell.script import Reader
from automode.store import tables
from automode.store.database import Database
from automode.store.writer import Writer

MOST_PROJECTS = 64
MOST_FOLDERS = 256
FRESH_SECONDS = 0.5

_Stamp: TypeAlias = tuple[int, int, int, int, int] | None


@dataclass(frozen=True, slots=True)
class Project:
    root: str
    loaded: Loaded
    gate: Gate
    reviewer: Classifier | None = None  # looks over what sub-agents did

    @property
    def settings(self) -> Settings:
        return self.loaded.settings


@dataclass(slots=True)
class _Read:
    loaded: Loaded
    files: tuple[str, ...]
    stamps: tuple[_Stamp, ...]
    looked: float


@dataclass(slots=True)
class Projects:
    """`places` says where the settings of a root are, `load` reads them, `build` makes the gate and
    its classifier for the agent's model and the session that lends keys; `model` says which model
    judges there. They may raise."""

    places: Callable[[str], Places]
    load: Callable[[Places], Loaded]
    build: Callable[[Settings, str | None, str], tuple[Gate, Classifier | None]]
    clock: Callable[[], float] = time.monotonic
    session_keys: SessionKeys = field(default_factory=SessionKeys)
    model: Callable[[Settings, str | None, str], Model | Missing] = lambda *_: NO_MODEL
    _read: Recent[tuple[str, Variables], _Read] = field(
        default_factory=lambda: Recent(MOST_FOLDERS)
    )
    _gates: Recent[tuple[str, str | None, str, Variables], Project] = field(
        default_factory=lambda: Recent(MOST_PROJECTS)
    )
    _folders: Recent[str, tuple[float, Workspace]] = field(
        default_factory=lambda: Recent(MOST_FOLDERS)
    )

    def at(
        self, root: str, model: str | None, session: str = "", variables: Variables = ()
    ) -> Project:
        """`variables` are those of the agent's environment that hold settings."""
        lender = self.session_keys.lender(session)
        loaded = self.loaded(root, variables)
        known = self._gates.get((root, model, lender, variables))
        if known is None or known.loaded is not loaded:
            known = Project(root, loaded, *self.build(loaded.settings, model, lender))
            self._gates[root, model, lender, variables] = known
        return known

    def loaded(self, root: str, variables: Variables = (), *, at_once: bool = False) -> Loaded:
        """The settings of a project; a changed file counts within half a second, or `at_once`."""
        known, now = self._read.get((root, variables)), self.clock()
        if known is not None and not at_once and now - known.looked < FRESH_SECONDS:
            return known.loaded
        if known is not None and _stamps(known.files) == known.stamps:
            known.looked = now
            return known.loaded
        places = self.places(root)
        if variables:
            places = replace(places, environment=dict(variables))
        # Before they are read: what changes meanwhile is then found out.
        stamps = _stamps(places.files)
        loaded = self.load(places)
        self._read[root, variables] = _Read(loaded, places.files, stamps, now)
        return loaded

    def limits(self, root: str, model: str | None) -> Limits:
        """The breaker's limits in a project; the usual ones where the project is not known."""
        return self.at(root, model).gate.limits if root else USUAL_LIMITS

    def workspace(self, folder: str) -> Workspace:
        """The workspace around a folder. Raises BadCall when there is no such folder."""
        now = self.clock()
        looked, known = self._folders.get(folder, (0.0, None))
        if known is not None and now - looked < FRESH_SECONDS:
            return known
        found = live_workspace(folder)
        self._folders[folder] = (now, found)
        return found

    def roots(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(root for root, *_ in self._gates))

    def forget(self) -> None:
        """Reads everything anew when it is next needed."""
        self._read.clear()
        self._gates.clear()
        self._folders.clear()


def _stamps(files: tuple[str, ...]) -> tuple[_Stamp, ...]:
    return tuple(_stamp(file) for file in files)


def _stamp(file: str) -> _Stamp:
    """Which file it is and when it changed, links followed; None when there is none to be seen."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


MOST_PATHS = 10_000  # per project, the newest
MOST_PER_CALL = 500
MOST_SESSIONS_READ = 256
MOST_EVENTS_READ = 20_000
_FIELD = '"wrote":'


@dataclass(slots=True)
class WrittenFiles:
    """Per project root: what its sessions wrote, and others below it. Filled from stored
    transcripts when a project is first seen."""

    store: Writer
    reader: Reader
    clean: Callable[[str], str]
    _projects: Recent[str, WrittenPaths] = field(default_factory=lambda: Recent(MOST_PROJECTS))

    async def around(self, root: str) -> Mapping[str, str]:
        """What was written in a project. Raises what the store raises."""
        if root not in self._projects:
            stored = await self.store.read(
                lambda db: list(_stored_paths(db, root, self.clean(root)))
            )
            if root not in self._projects:  # another session may have been quicker
                self._open(root, stored)
        self._projects.move_to_end(root)
        return self._projects[root]

    def note(
        self,
        call: ToolCall,
        workspace: Workspace,
        roots: Iterable[str],
        facts: CallFacts | None = None,
    ) -> tuple[str, ...]:
        """A call that may run has these paths from now on; `roots` are the projects of the session
        and of those above. `facts` count if of this workspace and reader. Returns the paths to
        keep."""
        if facts is None or (facts.workspace, facts.reader) != (workspace, self.reader):
            facts = CallFacts(call, workspace, self.reader)
        paths = written_by(facts)
        if paths:
            wanted = set(roots)
            for root, known in self._projects.items():
                known.update(paths if root in wanted else _paths_below(root, paths))
        return tuple(paths)[:MOST_PER_CALL]

    def add(self, root: str, paths: Mapping[str, str]) -> list[str]:
        """Files that were written without a call that names them. Returns the paths to keep."""
        for known_root, known in self._projects.items():
            known.update(paths if known_root == root else _paths_below(known_root, paths))
        return [self.clean(path) for path in list(paths.values())[:MOST_PER_CALL]]

    def _open(self, root: str, stored: Iterable[Mapping[str, str]]) -> None:
        known = WrittenPaths(MOST_PATHS)
        for paths in (*stored, *(_paths_below(root, one) for one in self._projects.values())):
            known.update(paths)
        self._projects[root] = known


def _paths_below(root: str, paths: Mapping[str, str]) -> dict[str, str]:
    """A workspace of which any file may have been written counts for those inside it and around
    it."""
    folder = f"{root.rstrip('/')}/".casefold()
    found = {folded: path for folded, path in paths.items() if folded.startswith(folder)}
    wholes = [one.removesuffix("**") for one in paths if one.endswith(WHOLE)]
    if any(folder.startswith(one) or one.startswith(folder) for one in wholes):
        found[f"{folder}**"] = f"{root.rstrip('/')}{WHOLE}"
    return found


def _stored_paths(db: Database, root: str, kept_root: str) -> Iterator[Mapping[str, str]]:
    """The oldest first, as far as sessions and their transcripts are still kept."""
    left = MOST_EVENTS_READ
    found: list[Mapping[str, str]] = []
    for row in tables.sessions(db, limit=MOST_SESSIONS_READ):
        events = tables.events(db, row.key, newest=left) if left else []
        left -= len(events)
        for one in reversed(events):
            if _FIELD in one:
                paths = _paths(one)
                found.append(paths if row.root == kept_root else _paths_below(root, paths))
    return reversed(found)


def _paths(text: str) -> dict[str, str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    wrote = value.get("wrote") if isinstance(value, dict) else None
    paths = [one for one in wrote if isinstance(one, str)] if isinstance(wrote, list) else []
    return {path.casefold(): path for path in paths}
