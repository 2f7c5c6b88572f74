"""Adds requests to models up, by session, stage and model: for `automode usage` and `status`.

A bill is made of all requests at once and read; the running gate keeps a `Ledger` instead.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from automode.llm.ledger import Request, Total, total_of


@dataclass(slots=True)
class Bill:
    """Sessions are known by their names, `host/id`; a session counts with its sub-sessions."""

    _requests: dict[str, list[Request]] = field(default_factory=dict)
    _parents: dict[str, str] = field(default_factory=dict)
    _children: dict[str, list[str]] = field(default_factory=dict)
    _totals: dict[str, Total] = field(default_factory=dict)

    @classmethod
    def of(cls, requests: Iterable[Request]) -> "Bill":
        bill = cls()
        for request in requests:
            bill.take(request)
        return bill

    def take(self, request: Request) -> None:
        self._requests.setdefault(request.session, []).append(request)
        if request.parent is not None and request.parent != request.session:
            self._link(request.session, request.parent)
        before = self._totals.get(request.session, Total())
        self._totals[request.session] = before + total_of(request)

    def sessions(self) -> tuple[str, ...]:
        """Every session with a request, the latest last."""
        return tuple(sorted(self._requests, key=lambda one: self._requests[one][-1].at))

    def parent(self, session: str) -> str | None:
        return self._parents.get(session)

    def root(self, session: str) -> str:
        """The session that started it all. A circle of parents has none: then any one of it."""
        seen = [session]
        while (above := self._parents.get(seen[-1])) is not None:
            if above in seen:
                return min(seen[seen.index(above) :])  # the same one whoever asks
            seen.append(above)
        return seen[-1]

    def family(self, session: str) -> tuple[str, ...]:
        """The session and its sub-sessions, theirs too; each once, also where links go round."""
        found = {session: None}
        waiting = [session]
        while waiting:
            below = [one for one in self._children.get(waiting.pop(), ()) if one not in found]
            found.update(dict.fromkeys(below))
            waiting += below
        return tuple(found)

    def spent(self, session: str) -> Total:
        """By the session and all its sub-sessions."""
        return self.total(self.family(session))

    def total(self, sessions: Iterable[str]) -> Total:
        return sum((self._totals.get(one, Total()) for one in sessions), start=Total())

    def lines(self, sessions: Iterable[str]) -> Mapping[tuple[str, str], Total]:
        """The sums of `sessions` by stage and model, in the order in which those first occur."""
        found: dict[tuple[str, str], Total] = {}
        for session in sessions:
            for request in self._requests.get(session, ()):
                key = (request.stage, request.model)
                found[key] = found.get(key, Total()) + total_of(request)
        return found

    def last_request(self, session: str) -> Request | None:
        known = self._requests.get(session)
        return known[-1] if known else None

    def _link(self, session: str, parent: str) -> None:
        """The first word counts: a session does not change its parent."""
        if session not in self._parents:
            self._parents[session] = parent
            self._children.setdefault(parent, []).append(session)
