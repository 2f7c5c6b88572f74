"""Which mode holds for a session now: a bar must not show the one of its last call."""

import os
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from automode.config.settings import Settings
from automode.core.errors import AutomodeError
from automode.core.record import SessionKey
from automode.core.session import Mode
from automode.sessions.gate_run import mode
from automode.sessions.projects import Projects
from automode.sessions.registry import MOST_ANCESTORS, Override
from automode.sessions.status import SessionState

MOST_ROOTS = 256

_Stamp: TypeAlias = tuple[int, int, int, int] | None


@dataclass(slots=True)
class Modes:
    """Settings are read again when one of their files has changed: a bar looks after every message,
    at every session that is known."""

    projects: Projects
    _known: OrderedDict[str, tuple[tuple[_Stamp, ...], Settings | None]] = field(
        default_factory=OrderedDict
    )

    def now(self, states: Iterable[SessionState]) -> tuple[SessionState, ...]:
        known = {state.key: state for state in states}
        return tuple(
            replace(state, mode=self._mode(state.root, _override(state, known)).value)
            for state in known.values()
        )

    def forget(self) -> None:
        """Reads everything anew when it is next needed."""
        self._known.clear()

    def _mode(self, root: str, override: Override) -> Mode:
        if override is Override.OFF:
            return Mode.OFF
        settings = self._settings(root)
        # By settings that cannot be read nothing is allowed.
        return Mode.ENFORCE if settings is None else mode(settings, override)

    def _settings(self, root: str) -> Settings | None:
        try:
            places = self.projects.places(root)
            stamps = tuple(_stamp(file) for file in places.files)
            before, settings = self._known.get(root, (None, None))
            if before != stamps:
                settings = self.projects.load(places).settings
        except (AutomodeError, OSError):
            return None
        self._known[root] = (stamps, settings)
        self._known.move_to_end(root)
        if len(self._known) > MOST_ROOTS:
            self._known.popitem(last=False)
        return settings


def _override(state: SessionState, known: Mapping[SessionKey, SessionState]) -> Override:
    """As for its calls: what a person typed for the session, or for the nearest above it."""
    one: SessionState | None = state
    for _ in range(MOST_ANCESTORS):
        if one is None or one.override or one.parent is None:
            break
        one = known.get(SessionKey(one.key.host, one.parent))
    return Override.NONE if one is None else one.override


def _stamp(file: str) -> _Stamp:
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
