"""What agents wrote in each project, whichever session it was: one may write what another runs.

It is apart from transcripts, so that no number of other calls pushes a path out.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from automode.core.call import ToolCall
from automode.core.workspace import Workspace
from automode.guards.session_files import WrittenPaths, written_by
from automode.programs.call_facts import CallFacts
from automode.sessions.store_access import StoreAccess
from automode.shell.reader import Reader
from automode.store import tables
from automode.store.database import Database

MOST_PATHS = 20_000  # per project, the newest
MOST_PROJECTS = 64
MOST_PER_CALL = 500
MOST_SESSIONS_READ = 256
MOST_EVENTS_READ = 20_000
_FIELD = '"wrote":'


@dataclass(slots=True)
class WrittenFiles:
    """Per project root: what its sessions wrote, and what others wrote below it. A project that is
    seen for the first time is filled from what the store has of transcripts."""

    keeper: StoreAccess
    reader: Reader
    clean: Callable[[str], str]
    _projects: OrderedDict[str, WrittenPaths] = field(default_factory=OrderedDict)

    async def around(self, root: str) -> Mapping[str, str]:
        """What was written in a project. Raises what the store raises."""
        if root not in self._projects:
            stored = await self.keeper.run(lambda db: list(_stored(db, root, self.clean(root))))
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
        and of those above it. `facts` count where they are of this very workspace and reader.
        Returns the paths, to be kept with the call."""
        if facts is None or (facts.workspace, facts.reader) != (workspace, self.reader):
            facts = CallFacts(call, workspace, self.reader)
        paths = written_by(facts)
        if paths:
            wanted = set(roots)
            for root, known in self._projects.items():
                known.add(paths if root in wanted else _below(root, paths))
        return tuple(paths)[:MOST_PER_CALL]

    def _open(self, root: str, stored: Iterable[Mapping[str, str]]) -> None:
        known = WrittenPaths(MOST_PATHS)
        for paths in (*stored, *(_below(root, one) for one in self._projects.values())):
            known.add(paths)
        self._projects[root] = known
        if len(self._projects) > MOST_PROJECTS:
            self._projects.popitem(last=False)


def _below(root: str, paths: Mapping[str, str]) -> dict[str, str]:
    folder = f"{root.rstrip('/')}/".casefold()
    return {folded: path for folded, path in paths.items() if folded.startswith(folder)}


def _stored(db: Database, root: str, kept_root: str) -> Iterator[Mapping[str, str]]:
    """The oldest first, as far as sessions and their transcripts are still kept."""
    left = MOST_EVENTS_READ
    found: list[Mapping[str, str]] = []
    for row in tables.sessions(db, limit=MOST_SESSIONS_READ):
        events = tables.events(db, row.key, newest=left) if left else []
        left -= len(events)
        for one in reversed(events):
            if _FIELD in one.event:
                paths = _paths(one.event)
                found.append(paths if row.root == kept_root else _below(root, paths))
    return reversed(found)


def _paths(text: str) -> dict[str, str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    wrote = value.get("wrote") if isinstance(value, dict) else None
    paths = [one for one in wrote if isinstance(one, str)] if isinstance(wrote, list) else []
    return {path.casefold(): path for path in paths}
