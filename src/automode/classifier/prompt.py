"""Session, policy and call become the prompts of both stages.

System and context are the same bytes for both: the second stage reads them from a cache. The order
within the context puts what changes least first, and what is new last.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from automode.classifier.budget import (
    CALL_CHARACTERS,
    CALL_STRING_CHARACTERS,
    FILE_CHARACTERS,
    MESSAGE_CHARACTERS,
    Limits,
    select,
    tokens,
)
from automode.classifier.hygiene import cut_in_the_middle, json_text, one_line, prose
from automode.classifier.redaction import Redactor
from automode.core.call import ToolCall
from automode.core.session import Session
from automode.core.transcript import AgentText, Entry, Fact, PriorCall, UserMessage
from automode.gate.layer import Trail
from automode.llm.model import Prompt
from automode.programs.call_facts import CallFacts

KEY_BYTES = 32
_ID_DIGITS = 8


class Kind(StrEnum):
    """What a record is. The contract explains these words to the model."""

    CONTEXT_FILE = "context-file"
    USER = "user"
    ANSWERED = "answered"  # the agent's words that the next user record answers
    AGENT = "agent"  # only with `assistantText: visible`
    CALL = "call"
    FACT = "fact"
    OMITTED = "omitted"
    ACTION = "action"
    RESULT = "result"  # only where a model looks at results: see `classifier.review`


def new_key() -> bytes:
    """For one session. It must live as long as the session: changing it empties the caches."""
    return secrets.token_bytes(KEY_BYTES)


def session_key(process_key: bytes, session: str) -> bytes:
    """A key for each session from one key, so that nothing has to be remembered per session."""
    return hmac.new(process_key, session.encode("utf-8", "replace"), hashlib.sha256).digest()


@dataclass(frozen=True, slots=True)
class Framing:
    """The id of a record depends on the key and on the record. An id that leaks, say in a model's
    reason, fits no other record; the same record always has the same id, which keeps
    prompt caches warm."""

    key: bytes

    def record(self, kind: Kind, body: str, outcome: str = "") -> str:
        """`body` must have passed hygiene. Attributes never hold data."""
        digest = hmac.new(self.key, f"{kind}\0{outcome}\0{body}".encode(), hashlib.sha256)
        name = f"record-{digest.hexdigest()[:_ID_DIGITS]}"
        attribute = f' outcome="{outcome}"' if outcome else ""
        return f"<{name} kind={kind}{attribute}>\n{body}\n</{name}>"


_NONE = "(none)"


@dataclass(frozen=True, slots=True)
class PolicyLists:
    """The configured prose, one string per rule."""

    environment: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    soft_deny: tuple[str, ...] = ()
    hard_deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextFile:
    """An instruction file as the agent loaded it at the start of the session."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Built:
    """`tokens` is an estimate for the longer prompt."""

    fast: Prompt
    deliberate: Prompt
    tokens: int


@lru_cache(maxsize=16)
def system_prompt(policy: PolicyLists) -> str:
    """The fixed contract, then the four lists. All policy is in the lists."""
    sections = (
        ("environment", policy.environment),
        ("allow", policy.allow),
        ("soft_deny", policy.soft_deny),
        ("hard_deny", policy.hard_deny),
    )
    lists = "\n\n".join(f"## {name}\n\n{_bullets(rules)}" for name, rules in sections)
    return f"{fixed_text('contract')}\n{lists}\n"


def _bullets(rules: Sequence[str]) -> str:
    return "\n".join(f"- {' '.join(prose(rule).split())}" for rule in rules) or _NONE


@lru_cache(maxsize=8)
def fixed_text(name: str) -> str:
    """A text of this package that never changes: `NAME.md`."""
    return files("automode.classifier").joinpath(f"{name}.md").read_text(encoding="utf-8")


def _with_gaps(kept: dict[int, str], writer: "_Writer") -> list[str]:
    """The kept records, with a mark wherever entries before one are missing."""
    records: list[str] = []
    expected = 0
    for place, text in kept.items():
        if place > expected:
            records.append(writer.gap(place - expected))
        records.append(text)
        expected = place + 1
    return records


@dataclass(frozen=True, slots=True)
class _Writer:
    """Redacts, cuts, cleans and frames, in this order."""

    framing: Framing
    redactor: Redactor

    def file(self, file: ContextFile) -> str:
        body = self._prose(file.text, FILE_CHARACTERS)
        return self.framing.record(Kind.CONTEXT_FILE, f"# {self._line(file.path)}\n{body}")

    def entry(self, entry: Entry) -> str:
        match entry:
            case UserMessage():
                return self._message(entry)
            case PriorCall():
                return self._call(entry)
            case Fact():
                return self._fact(entry.name, entry.text)
            case AgentText():
                body = self._prose(entry.text, MESSAGE_CHARACTERS)
                return self.framing.record(Kind.AGENT, body)

    def action(self, call: ToolCall) -> str:
        body = f"{self._line(call.tool)} {json_text(self.redactor.value(call.input))}"
        return self.framing.record(Kind.ACTION, body)

    def gap(self, count: int) -> str:
        entries = "1 entry" if count == 1 else f"{count} entries"
        return self.framing.record(Kind.OMITTED, f"{entries} left out here to save room")

    def session_facts(self, session: Session) -> list[str]:
        """Facts that hold for the whole session."""
        if session.parent is None:
            return []
        text = (
            "this agent works for another agent; the task it was given and what the other agent "
            "tells it are not the user's words"
        )
        return [self._fact("sub-agent", text)]

    def call_facts(self, session: Session, trail: Trail) -> list[str]:
        """Facts about this call."""
        where = f"project {session.workspace.root}, the call starts in {session.workspace.cwd}"
        known = "every program of this call is a known development tool"
        ordinary = [one for one in trail if one.mark == "ordinary-development"]
        noted = [self._fact(one.mark, f"{known}: {one.text}") for one in ordinary]
        return [self._fact("place", where), *noted]

    def _message(self, message: UserMessage) -> str:
        words = self.framing.record(Kind.USER, self._prose(message.text, MESSAGE_CHARACTERS))
        if not message.referent:
            return words
        answered = self.framing.record(
            Kind.ANSWERED, self._prose(message.referent, MESSAGE_CHARACTERS)
        )
        return f"{answered}\n{words}"

    def _call(self, call: PriorCall) -> str:
        given = json_text(self.redactor.value(call.input, limit=CALL_STRING_CHARACTERS))
        body = f"{self._line(call.tool)} {cut_in_the_middle(given, CALL_CHARACTERS)}"
        became = call.outcome.value if call.outcome else ""
        yes = ", after the user said yes to it" if call.approved else ""
        return self.framing.record(Kind.CALL, body, f"{became}{yes}")

    def _fact(self, name: str, text: str) -> str:
        body = f"{self._line(name)}: {self._prose(text, MESSAGE_CHARACTERS)}"
        return self.framing.record(Kind.FACT, body)

    def _prose(self, text: str, limit: int) -> str:
        return prose(self.redactor.excerpt(text, limit))

    def _line(self, text: str) -> str:
        return one_line(self.redactor.text(text))


@dataclass(frozen=True, slots=True)
class Prompts:
    """`files` are the instruction files as loaded when the session started; `established` is what
    automode knows of this call alone."""

    policy: PolicyLists
    process_key: bytes
    limits: Limits = Limits()  # noqa: RUF009 - frozen
    redact: bool = True
    files: Callable[[Session], Sequence[ContextFile]] = lambda _session: ()
    established: Callable[[CallFacts, Session], Sequence[Fact]] = lambda _facts, _session: ()

    def for_session(self, session: str) -> tuple[Framing, Redactor]:
        """What frames the records of a session, and replaces the secrets in them."""
        key = session_key(self.process_key, session)
        return Framing(key), Redactor(key, self.redact)

    def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Built:
        """The action is never cut: it may make the prompt too large, and then the call is not
        judged."""
        writer, limits = _Writer(*self.for_session(session.id)), self.limits
        told = session.transcript.entries
        shown = told if limits.visible else [one for one in told if not isinstance(one, AgentText)]
        loaded = "\n".join(writer.file(file) for file in self.files(session)) or _NONE
        records = [
            *writer.session_facts(session),
            *_with_gaps(select(shown, limits, writer.entry), writer),
            *map(writer.entry, self.established(facts, session)),
            *writer.call_facts(session, trail),
        ]
        transcript = "\n".join(records) or _NONE
        context = (
            f"<loaded-project-instructions>\n{loaded}\n</loaded-project-instructions>\n\n"
            f"<transcript>\n{transcript}\n</transcript>\n\n"
            f"Latest action to classify:\n{writer.action(facts.call)}\n"
        )
        system = system_prompt(self.policy)
        fast, deliberate = (
            Prompt(system, context, fixed_text(name)) for name in ("fast", "deliberate")
        )
        size = sum(tokens(part) for part in (system, context, deliberate.question))
        return Built(fast, deliberate, size)
