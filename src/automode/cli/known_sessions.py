"""The sessions that a person can be shown: from the daemon when one runs, else from the store."""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.cli.surroundings import Surroundings
from automode.daemon.client import NoDaemon, NotAnswering, request

MOST = 1000


@dataclass(frozen=True, slots=True)
class KnownSession:
    """`fields` has the names that hosts read: `checkedActions`, `enabledOverride` and so on."""

    fields: Mapping[str, object]

    @property
    def name(self) -> str:
        return f"{self.text('host')}/{self.text('session')}"

    def text(self, key: str) -> str:
        found = self.fields.get(key)
        return found if isinstance(found, str) else ""

    def number(self, key: str) -> int:
        found = self.fields.get(key)
        return found if isinstance(found, int) else 0

    def seconds(self, key: str) -> float:
        """A time since the epoch; 0 for one that is not known."""
        found = self.fields.get(key)
        return float(found) if isinstance(found, int | float) else 0.0

    @property
    def ended(self) -> bool:
        return self.fields.get("ended") is not None

    @property
    def halted(self) -> bool:
        return self.fields.get("halted") is True


def known_sessions(surroundings: Surroundings) -> list[KnownSession]:
    """The last seen first; none where `--isolated` leaves out the state folder."""
    folder = surroundings.state()
    if folder is None:
        return []
    asked = {"limit": MOST}
    try:
        answer = request(folder, "sessions", asked)
    except (NoDaemon, NotAnswering):  # nothing is changed, so that one which hangs may live on
        from automode.cli.without_daemon import looked_up

        answer = looked_up(surroundings, "sessions", asked)
    return sessions_in(answer)


def sessions_in(answer: Mapping[str, object]) -> list[KnownSession]:
    match answer.get("sessions"):
        case [*found]:
            return [KnownSession(one) for one in found if isinstance(one, Mapping)]
        case _:
            return []
