"""Layers that depend on the session: approvals, and walls for what was found out in it."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from automode.core.call import Other, Read, ToolCall
from automode.core.decision import Decision, Verdict, allow, ask
from automode.core.errors import BadCall
from automode.core.record import Record, SessionKey, clearance
from automode.core.session import Session
from automode.core.tool_input import canonical, harmless, squash
from automode.gate.breaker import APPROVAL
from automode.gate.layer import Answer, Layer, Trail
from automode.judge.embedded import SUSPECTED
from automode.programs.call_facts import CallFacts
from automode.sessions.retries import Retries, canonical_json
from automode.store.changes import Approved
from automode.store.writer import Writer

SUSPECT_RESULT = "probe.suspect-result"


def asked_as_suspect(decision: Decision | None) -> bool:
    """Whether a person is asked, and told that a result was suspect."""
    return (
        decision is not None
        and decision.enforced
        and decision.verdict is Verdict.ASK
        and (decision.source == SUSPECT_RESULT or SUSPECTED in decision.reason)
    )


ONCE_SECONDS = 600.0


def approval_of(record: Record, identity: str, now: float, *, session_long: bool) -> Approved:
    """A yes to an exact retry of the recorded call. BadCall for what no person's yes lifts."""
    found = clearance(record)
    if not found.possible:
        refusal = f"record `{record.id}` cannot be approved: {found.refusal}"
        raise BadCall(refusal, found.instead)
    expires = None if session_long else now + ONCE_SECONDS
    once = not session_long
    return Approved(identity, now, record.session, record.id, record.digest, once, expires)


@dataclass(slots=True)
class Approvals:
    """An approval for the rest of a session counts also when the session has ended and is taken up
    again. Most sessions have none, and then a call costs nothing here."""

    name: ClassVar[str] = APPROVAL

    store: Writer
    retries: Retries
    clock: Callable[[], float] = time.time

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Decision | None:
        if not session.approvable:
            return None
        digest = self.retries.exact(facts, session, canonical_json(facts.call.input))
        if digest not in session.approvable:
            return None
        own = session.id.removeprefix(f"{session.host}/")
        found = await self.store.consume(SessionKey(session.host, own), digest, self.clock())
        if found is None:
            return None
        if found.once:
            session.approvable.pop(digest, None)
        return allow(APPROVAL, f"a person approved exactly this call (`{found.record}`)")


def open_digests(approvals: Iterable[Approved], now: float) -> list[str]:
    """Of approvals that may still count."""
    return [
        one.digest
        for one in approvals
        if one.consumed is None and (one.expires is None or one.expires > now)
    ]


@dataclass(frozen=True, slots=True)
class FoundOut:
    """Wall: asks about every call of a session for which `found` returns a reason."""

    name: str
    found: Callable[[Session], str]
    reason: str
    remedy: str

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        found = self.found(session)
        if not found:
            return None
        reason = self.reason.format(found)
        return ask(f"gate.{self.name}", reason, clearable=False, remedy=self.remedy)


RAN_AROUND = FoundOut(
    "gate-silent",
    lambda session: session.ran_around,
    "calls of this session ran around automode ({})",
    "look for the cause with `automode doctor`, and let the session go on with `automode reset`",
)
NOT_LOOKED_AT = FoundOut(
    "project-not-looked-at",
    lambda session: session.not_looked_at,
    "no person has looked at what the project tells the agent: {}",
    "end these questions with `automode trust --project`",
)


@dataclass(frozen=True, slots=True)
class SuspectResult:
    """Wall: with `probe: ask`, whatever does more than read needs a person's yes after a suspect
    result. `reads` is the door that knows what only reads."""

    name: ClassVar[str] = "suspect-result"

    reads: Layer

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if not session.suspect:
            return None
        found = await self.reads(facts, session, trail)
        if isinstance(found, Decision) and found.verdict is Verdict.ALLOW:
            return None
        return ask(
            SUSPECT_RESULT,
            "a result that the agent has read looks like an attempt to steer it"
            f" ({session.suspect})",
            "go on with reading",
        )


_TEXTS = frozenset(
    (
        "filepath path absolutepath notebookpath filename file targetfile targetnotebook dirpath"
        " directory relativepath relativeworkspacepath targetdirectory dir folder cwd workdir"
        " workingdirectory basepath basedir root rootpath paths filepaths files"
        " pattern patterns glob globs globpattern include includes includepattern exclude excludes"
        " excludepattern ignore filepattern fileglob query regex name"
    ).split()
)
_NUMBERS = frozenset(
    (
        "offset limit start end startline endline lines viewrange recursive depth maxdepth"
        " maxresults headlimit context casesensitive caseinsensitive ignorecase hidden showhidden"
        " multiline linenumbers i n a b c"
    ).split()
)


@dataclass(frozen=True, slots=True)
class NamedOnly:
    """Around a layer that goes by what a call does: in `session` it is shown a call that only its
    name calls a reading one as a call of which nothing is known. Walls and the person's own rules
    see every call as it is."""

    layer: Layer
    session: str

    @property
    def name(self) -> str:
        return self.layer.name

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        call = facts.call
        if session.id == self.session and isinstance(call.action, Read) and not proved(call):
            facts = replace(facts, call=replace(call, action=Other()))
        return await self.layer(facts, session, trail)


def proved(call: ToolCall) -> bool:
    """Whether a reading call says in every field of its input which files it looks at, or how
    many."""
    if harmless(call.tool):
        return False
    if canonical(call.tool) == "edit":
        return True  # an editor's view: its fields were looked at to tell it from an edit
    return all(_known(squash(field), value) for field, value in call.input.items())


def _known(field: str, value: object) -> bool:
    values = value if isinstance(value, list) else [value]
    if field in _TEXTS:
        return all(isinstance(one, str) or one is None for one in values)
    return field in _NUMBERS and all(isinstance(one, int | float) or one is None for one in values)
