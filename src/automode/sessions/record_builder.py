"""Writes down what was decided, without secrets: from a call and its decision to a record."""

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from automode.classifier.cutting import cut_in_the_middle
from automode.classifier.redaction import Redactor
from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.decision import Decision, Remark, Verdict
from automode.core.record import (
    LONGEST_ACTION,
    LONGEST_INPUT,
    Record,
    SessionKey,
)
from automode.core.session import Session
from automode.llm.ledger import Request
from automode.sessions.retries import Retries, canonical
from automode.sessions.usage import spent
from automode.shell.reader import Reader

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

    own: str  # stands for tool and input: the same for the same call
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
        self.retries = Retries(hmac.digest(key, b"exact retries", "sha256"), reader)
        self._redactor = _Remembering(hmac.digest(key, b"redaction", "sha256"))
        self._written: OrderedDict[Hashable, Written] = OrderedDict()

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
        raw = canonical(call.input) if plain is None else ""
        own = self._own(call, raw) if plain is None else ""
        # The same input may once have been understood, and once not.
        same = type(call.action), plain or own
        known = self._written.get(same)
        if known is not None:
            self._written.move_to_end(same)
            return known
        raw = raw or canonical(call.input)
        own = own or self._own(call, raw)
        texts = (self.brief(call.tool), self._action(call), self._input(call, raw))
        found = Written(own, *texts, call.input)
        if len(raw) <= LONGEST_REMEMBERED:
            self._written[same] = found
            if len(self._written) > MOST_WRITTEN:
                self._written.popitem(last=False)
        return found

    def record(
        self, call: ToolCall, written: Written, decision: Decision, made: Circumstances
    ) -> Record:
        place = made.session.workspace
        # Only what a yes may lift can be approved, and reading the files takes its time.
        retried = decision.verdict is not Verdict.ALLOW and decision.clearable
        raw = canonical(call.input) if retried else ""
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
            digest=self.retries.exact(call, made.session, raw) if retried else "",
            verdict=decision.verdict,
            source=decision.source,
            reason=self.brief(decision.reason),
            advice=self.brief(decision.advice),
            clearable=decision.clearable,
            error=decision.error,
            enforced=decision.enforced,
            attended=made.session.attended,
            micros=made.micros,
            trail=tuple([Remark(r.layer, r.mark, self.brief(r.text)) for r in decision.trail]),
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
                return ", ".join(paths) or canonical(self._redactor.value(call.input))
            case Fetch(url):
                return url
            case Delegate(prompt):
                return prompt
            case Other():
                # By the names of the fields: a bare value does not show that it is a secret.
                return canonical(self._redactor.value(call.input, limit=LONGEST_ACTION))

    def _input(self, call: ToolCall, raw: str) -> str:
        if len(raw) <= LONGEST_INPUT:
            text = canonical(self._redactor.value(call.input))
        else:
            text = canonical(self._redactor.value(call.input, limit=CUT_STRING))
        if len(text) <= LONGEST_INPUT:
            return text
        # As JSON still: a text that says what it is.
        half = cut_in_the_middle(text, LONGEST_INPUT // 2 - MARK_ROOM)
        return canonical({"cut": half})


def _same(call: ToolCall) -> tuple[object, ...] | None:
    """What two calls share only if tool and input are the same; None where the input has to be
    written out for that, because it holds more than texts and whole numbers: `True` equals `1`."""
    for value in call.input.values():
        if type(value) not in _PLAIN:
            return None
    return call.tool, *sorted(call.input.items())
