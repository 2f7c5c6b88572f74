"""What a person should know about sessions, for `status` and the log: few, one sentence each."""

import logging
from collections import OrderedDict
from dataclasses import dataclass, field

from automode.core.record import SessionKey

log = logging.getLogger(__name__)

MOST_NOTICES = 20


@dataclass(slots=True)
class Notices:
    """One of a kind for each session: a newer one takes the place of the older."""

    _all: OrderedDict[tuple[SessionKey, str], str] = field(default_factory=OrderedDict)

    def tell(self, key: SessionKey, kind: str, sentence: str) -> None:
        """`sentence` quotes no call: it goes into the log as well."""
        log.warning("session %s: %s", key, sentence)
        self._all[key, kind] = f"{key}: {sentence}"
        self._all.move_to_end((key, kind))
        while len(self._all) > MOST_NOTICES:
            self._all.popitem(last=False)

    def drop(self, key: SessionKey | None, kind: str = "") -> None:
        """Of one session or of all, of one kind or of every kind."""
        for known in list(self._all):
            if key in (None, known[0]) and kind in ("", known[1]):
                del self._all[known]

    def all(self) -> tuple[str, ...]:
        return tuple(self._all.values())
