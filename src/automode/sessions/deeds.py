"""What a person did to automode, and what ran around it, as audit records of their own: they stand
in the chain, and touch no counter and no breaker."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.sessions.ids import Ids
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import LiveSession
from automode.sessions.retries import canonical
from automode.store.changes import Decided, SessionRow

TOOL = "automode"
NO_SESSION = SessionKey(TOOL, "person")
"""Stands in the record of what was done to no one session."""


@dataclass(frozen=True, slots=True)
class Place:
    """The session that it was done to, and where that works."""

    key: SessionKey = NO_SESSION
    parent: str | None = None
    root: str = ""
    cwd: str = ""
    attended: bool = True

    @staticmethod
    def of(known: LiveSession | SessionRow) -> "Place":
        if isinstance(known, SessionRow):
            return Place(known.key, known.parent, known.root, known.cwd, known.attended)
        session = known.session
        parent = None if known.parent is None else known.parent.id
        root, cwd = known.root or session.workspace.root, session.workspace.cwd
        return Place(known.key, parent, root, cwd, session.attended)


@dataclass(frozen=True, slots=True)
class Deeds:
    builder: RecordBuilder
    ids: Ids
    clock: Callable[[], float]

    def done(self, verb: str, told: str, place: Place, words: Sequence[str] = ()) -> Decided:
        """A person ran `automode VERB WORDS`; `told` says what that did."""
        return self._kept(verb, f"{self.builder.account} {told}", place, words)

    def noticed(self, kind: str, told: str, place: Place) -> Decided:
        """Something happened about which nobody decided, and a person is needed."""
        known = self._kept(kind, told, place).record
        return Decided(replace(known, verdict=Verdict.ASK, source=f"gate.{kind}"))

    def _kept(self, verb: str, told: str, place: Place, words: Sequence[str] = ()) -> Decided:
        clean = self.builder.brief
        record = Record(
            id=self.ids.new(),
            at=self.clock(),
            session=place.key,
            parent=place.parent,
            account=self.builder.account,
            root=clean(place.root),
            cwd=clean(place.cwd),
            tool=TOOL,
            action=clean(" ".join((TOOL, verb, *words))),
            input=canonical({"verb": verb, "words": [clean(word) for word in words]}),
            digest="",
            verdict=Verdict.ALLOW,
            source=f"person.{verb}",
            reason=clean(told),
            advice="",
            clearable=False,
            error=None,
            enforced=True,
            attended=place.attended,
            micros=0,
        )
        return Decided(record)
