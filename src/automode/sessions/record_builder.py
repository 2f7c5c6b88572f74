"""Writes down what was decided, without secrets: from a call and its decision to a record."""

import hashlib
import hmac
import os
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from automode.agents.events import SessionRef
from automode.classifier.hygiene import cut_in_the_middle
from automode.classifier.redaction import Redactor
from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.decision import Decision, Remark, Verdict
from automode.core.recent import Recent
from automode.core.record import (
    LONGEST_ACTION,
    LONGEST_INPUT,
    Record,
    SessionKey,
)
from automode.core.session import Session
from automode.llm.ledger import Request
from automode.programs.call_facts import CallFacts
from automode.sessions.retries import Retries, canonical_json
from automode.sessions.usage import spent
from automode.shell.script import Reader

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # without i, l, o and u, which look like others
_TIME_LETTERS = 9  # milliseconds, until the year 3084
_RANDOM_LETTERS = 5
_RANDOM_BITS = 5 * _RANDOM_LETTERS
_RANDOM_BYTES = 4
_SPARE_BITS = 8 * _RANDOM_BYTES - _RANDOM_BITS
LENGTH = _TIME_LETTERS + _RANDOM_LETTERS
_PAIRS = [first + second for first in _LETTERS for second in _LETTERS]
_PAIR_SHIFTS = range(5 * (LENGTH - 2), -1, -10)


@dataclass(slots=True)
class Ids:
    """Each id is larger than the ones before it, also within a millisecond and when the clock is
    set back. Two processes at the same millisecond meet once in 33 million times."""

    clock: Callable[[], float] = time.time
    _last: int = 0

    def new(self) -> str:
        now = max(0, int(self.clock() * 1000))
        drawn = int.from_bytes(os.urandom(_RANDOM_BYTES), "big") >> _SPARE_BITS
        number = now << _RANDOM_BITS | drawn
        self._last = max(number, self._last + 1)
        return _written(self._last)


def _written(number: int) -> str:
    return "".join([_PAIRS[number >> shift & 1023] for shift in _PAIR_SHIFTS])


LONGEST_ID = 256
_KEPT_OF_LONG = 64


def session_key(host: str, ref: SessionRef) -> SessionKey:
    """Hosts name a sub-agent `session/agent`: a session of its own that is called so is another."""
    name, parent = ref.session, ref.parent
    below = parent is not None and name.startswith(f"{parent}/")
    return SessionKey(host, shorten_name(name if below else _own(name)))


def parent_id(ref: SessionRef) -> str | None:
    """Of the session that started the ref's, at the same host."""
    name, parent = ref.session, ref.parent
    if parent is None:
        return None
    return shorten_name(parent if name.startswith(f"{parent}/") else _own(parent))


def shorten_name(name: str) -> str:
    """A name of any length as one that is short; different ones stay different."""
    if len(name) <= LONGEST_ID:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[:_KEPT_OF_LONG]}~{digest}"


def _own(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")


REWRITTEN = "rewritten"
"""The mark of the remark that holds the command which ran in the place of the proposed one."""
MARK_ROOM = 64  # characters for saying that something was cut
CUT_STRING = 8000  # characters of one string, in an input that is too long
MOST_WRITTEN = 8192
LONGEST_REMEMBERED = 2_048  # characters
LONGEST_CLEAN = 4096
MOST_CLEAN = 4096  # texts
_PLAIN = (str, int)


@dataclass(frozen=True, slots=True)
class Written:
    """A call as it may be kept."""

    own: str  # a digest of tool and input
    tool: str
    action: str
    input: str  # JSON
    given: Mapping[str, object]  # the input itself, of the first of all calls that share this


@dataclass(frozen=True, slots=True)
class Circumstances:
    """When and where a decision was made. `parent` is the id at the same host."""

    id: str
    at: float
    key: SessionKey
    parent: str | None
    session: Session
    micros: int = 0
    requests: Sequence[Request] = ()


class _Remembering(Redactor):
    """The same text comes again and again: what a call does is also part of its input."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.short = lru_cache(maxsize=MOST_CLEAN)(super().text)

    def text(self, text: str) -> str:
        return self.short(text) if len(text) <= LONGEST_CLEAN else super().text(text)


class RecordBuilder:
    """Looking for secrets takes longer than deciding most calls, and most calls come again: what
    was written down once is remembered for a while."""

    def __init__(self, key: bytes, account: str, reader: Reader) -> None:
        """`key` is the installation's own."""
        self.account = account
        self.reader = reader
        self.retries = Retries(hmac.digest(key, b"exact retries", "sha256"))
        self._redactor = _Remembering(hmac.digest(key, b"redaction", "sha256"))
        self._written: Recent[Hashable, Written] = Recent(MOST_WRITTEN)

    def clean(self, text: str) -> str:
        """`text` without secrets."""
        return self._redactor.text(text)

    def brief(self, text: str) -> str:
        """`text` without secrets, cut where it is long: reasons may quote what was asked."""
        if len(text) <= LONGEST_CLEAN:
            return self._redactor.short(text)
        return self._redactor.excerpt(text, LONGEST_CLEAN)

    def excerpt(self, text: str, limit: int) -> str:
        """At most `limit` characters of `text`, and a mark where it was cut, without secrets."""
        return self._redactor.excerpt(text, limit)

    def written(self, call: ToolCall) -> Written:
        plain = _same(call)
        raw = canonical_json(call.input) if plain is None else ""
        own = self._own(call, raw) if plain is None else ""
        # The same input may once have been understood, and once not.
        same = type(call.action), plain or own
        known = self._written.get(same)
        if known is not None:
            self._written.move_to_end(same)
            return known
        raw = raw or canonical_json(call.input)
        own = own or self._own(call, raw)
        texts = (self.brief(call.tool), self._action(call), self._input(call, raw))
        found = Written(own, *texts, call.input)
        if len(raw) <= LONGEST_REMEMBERED:
            self._written[same] = found
        return found

    def record(
        self,
        call: ToolCall,
        written: Written,
        decision: Decision,
        made: Circumstances,
        facts: CallFacts | None = None,
    ) -> Record:
        """`facts`: what a gate read the call as."""
        place = made.session.workspace
        facts = facts or CallFacts(call, place, self.reader)
        # Only what a yes may lift can be approved, and reading the files takes its time.
        retried = decision.verdict is not Verdict.ALLOW and decision.clearable
        raw = canonical_json(call.input) if retried else ""
        rewritten = decision.runs_instead
        instead = [Remark("confine", REWRITTEN, rewritten)] if rewritten else []
        return Record(
            id=made.id,
            at=made.at,
            session=made.key,
            parent=made.parent,
            account=self.account,
            root=self.brief(place.root),
            cwd=self.brief(place.cwd),
            tool=written.tool,
            action=written.action,
            input=written.input,
            digest=self.retries.exact(facts, made.session, raw) if retried else "",
            verdict=decision.verdict,
            source=decision.source,
            reason=self.brief(decision.reason),
            advice=self.brief(decision.way_out),
            clearable=decision.clearable,
            error=decision.error,
            enforced=decision.enforced,
            attended=made.session.attended,
            micros=made.micros,
            trail=tuple(
                [Remark(r.layer, r.mark, self.brief(r.text)) for r in (*decision.trail, *instead)]
            ),
            stages=tuple([spent(request) for request in made.requests]),
        )

    def _own(self, call: ToolCall, raw: str) -> str:
        name = f"{call.tool}\0{raw}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(name, key=self.retries.key, digest_size=12).hexdigest()

    def _action(self, call: ToolCall) -> str:
        return self._redactor.excerpt(self._done(call), LONGEST_ACTION - MARK_ROOM)

    def _done(self, call: ToolCall) -> str:
        """What the call does, for people."""
        match call.action:
            case Shell(command):
                return command
            case Read(paths) | Write(paths):
                return ", ".join(paths) or canonical_json(self._redactor.value(call.input))
            case Fetch(url):
                return url
            case Delegate(prompt):
                return prompt
            case Other():
                # By the names of the fields: a bare value does not show that it is a secret.
                return canonical_json(self._redactor.value(call.input, limit=LONGEST_ACTION))

    def _input(self, call: ToolCall, raw: str) -> str:
        if len(raw) <= LONGEST_INPUT:
            text = canonical_json(self._redactor.value(call.input))
        else:
            text = canonical_json(self._redactor.value(call.input, limit=CUT_STRING))
        if len(text) <= LONGEST_INPUT:
            return text
        # As JSON still: a text that says what it is.
        half = cut_in_the_middle(text, LONGEST_INPUT // 2 - MARK_ROOM)
        return canonical_json({"cut": half})


def _same(call: ToolCall) -> tuple[object, ...] | None:
    """What two calls share only if tool and input are the same; None where the input has to be
    written out for that, because it holds more than texts and whole numbers: `True` equals `1`."""
    for value in call.input.values():
        if type(value) not in _PLAIN:
            return None
    return call.tool, *sorted(call.input.items())
