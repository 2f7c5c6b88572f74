"""A JSON request, read with an error for what does not fit; and answers as JSON objects."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from automode.agents.shared.adapter import Fields
from automode.core.decision import decision_fields
from automode.core.errors import BadCall
from automode.core.record import Record, SessionKey
from automode.core.session import Denial, History
from automode.core.strict_json import Ambiguous, decode
from automode.daemon.frames import Right
from automode.daemon.peers import Peer
from automode.sessions.decision_service import Ruling, ServiceStatus, SessionState
from automode.sessions.rule_offers import Offer
from automode.sessions.status import is_halted
from automode.sessions.waiting import Taken, WaitingAsk

T = TypeVar("T", bound=StrEnum)
_FIELDS = Fields("the request", "the request", "see docs/reference/wire.md")
LONGEST_INPUT = 8000  # characters of a call's input that a person is shown at once
MOST_VALUES = 10_000
"""Each is looked through for secrets while all other sessions wait; a second at most."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`peer` None: came over the network, unseen. `inside`: a person speaks through the agent of
    this session, and about it alone."""

    fields: Mapping[str, object]
    rights: frozenset[Right]
    peer: Peer | None
    seconds: float
    inside: SessionKey | None = None

    @property
    def verb(self) -> str:
        return self.text("do")

    def text(self, name: str) -> str:
        return _FIELDS.text(self.fields, name)

    def optional(self, name: str) -> str:
        return _FIELDS.optional(self.fields, name)

    def object(self, name: str) -> Mapping[str, object]:
        return _FIELDS.object_at(self.fields, name)

    def flag(self, name: str) -> bool:
        match self.fields.get(name, False):
            case bool(flag):
                return flag
            case _:
                raise BadCall(f"`{name}` of the request is neither true nor false")

    def word(self, name: str, words: type[T], default: T | None = None) -> T:
        """One of the words of an enumeration."""
        given = self.optional(name)
        if not given and default is not None:
            return default
        known = {one.value: one for one in words}
        if given not in known:
            raise BadCall(f"no such `{name}`: `{given[:40]}`", "it is one of " + ", ".join(known))
        return known[given]

    def whole(self, name: str, default: int) -> int:
        match self.fields.get(name, default):
            case int(number) if number > 0 and not isinstance(number, bool):
                return number
            case _:
                raise BadCall(f"`{name}` of the request is no whole number above 0")


def json_object(payload: bytes) -> Mapping[str, object]:
    """BadCall for anything but a JSON object in UTF-8 with unique keys: another reader might see
    another call. The payload is never quoted."""
    try:
        found = decode(payload.decode("utf-8"))
    except Ambiguous as error:
        raise BadCall(f"the payload {error}", "send every key once") from None
    except (ValueError, RecursionError) as error:
        kind = type(error).__name__
        raise BadCall(f"the payload of {len(payload)} bytes is not JSON ({kind})") from None
    if not isinstance(found, dict):
        raise BadCall("the payload is not a JSON object")
    # Each takes a byte at least, and another one to be told from the next.
    if len(payload) > 2 * MOST_VALUES and _values(found) > MOST_VALUES:
        raise BadCall(
            f"the payload holds more than {MOST_VALUES} values", "make several smaller calls"
        )
    return found


def _values(whole: object) -> int:
    """How many there are, counted as far as it matters."""
    waiting, count = [whole], 0
    while waiting and count <= MOST_VALUES:
        one = waiting.pop()
        count += 1
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return count


def ruling_shape(ruling: Ruling) -> dict[str, object]:
    """`verdict` null: auto mode is off, and the host's own flow goes on."""
    shape: dict[str, object] = {"verdict": None, "record": ruling.record}
    return shape if ruling.decision is None else shape | decision_fields(ruling.decision)


def status_shape(status: ServiceStatus) -> dict[str, object]:
    return {
        "decided": status.decided,
        "projects": list(status.projects),
        "notices": list(status.notices),
        "sessions": [session_shape(one) for one in status.sessions],
    }


def session_shape(state: SessionState) -> dict[str, object]:
    row = state.row
    plain = ("parent", "root", "cwd", "attended", "created", "seen", "ended")
    return {
        "host": row.key.host,
        "session": row.key.id,
        **{name: getattr(row, name) for name in plain},
        "mode": state.mode,
        **_totals(state),
    }


def _totals(state: SessionState) -> dict[str, object]:
    return {
        "enabledOverride": state.override.value or None,
        "halted": is_halted(state.history),
        "usd": state.usd,
        "environment": list(state.environment),
        "run": state.run or None,
        **_history(state.history),
    }


def _history(history: History) -> dict[str, object]:
    last = history.last_verdict
    return {
        "checkedActions": history.checked,
        "blockedActions": history.blocked,
        "classifierAllowed": history.classifier_allowed,
        "classifierDenied": history.classifier_denied,
        "standIns": history.stood_in,
        "standsIn": history.stands_in,
        "lastDecision": None if last is None else last.word,
        "lastReason": history.last_reason,
        "lastSource": history.last_source,
        "deniedInARow": history.row,
        "deniedInAll": history.total,
        "recentDenials": [denial_shape(one) for one in history.denials],
    }


def denial_shape(denial: Denial) -> dict[str, object]:
    return {
        "timestamp": denial.at,
        "tool": denial.tool,
        "reason": denial.reason,
        "action": denial.action,
        "kind": denial.kind,
        "record": denial.record,
    }


def inbox_shape(waiting: Iterable[WaitingAsk], recent: Iterable[Record]) -> dict[str, object]:
    return {
        "waiting": [
            {**stopped_shape(one.record), "since": one.since, "until": one.until} for one in waiting
        ],
        "recent": [stopped_shape(one) for one in recent],
    }


def stopped_shape(record: Record) -> dict[str, object]:
    """A call that a person can answer. `kind` says who asks, as in a session's recent denials.
    `replaced`: a placeholder stands for a part of it."""
    plain = ("root", "cwd", "tool", "action", "source", "reason", "advice", "kind", "attended")
    return {
        "record": record.id,
        "timestamp": record.at,
        "session": str(record.session),
        "verdict": record.verdict.word,
        **{name: getattr(record, name) for name in plain},
        "input": _cut(record.input),
        "replaced": record.replaced,
    }


def _cut(text: str) -> str:
    more = len(text) - LONGEST_INPUT
    return text if more <= 0 else f"{text[:LONGEST_INPUT]}… [{more} more characters]"


def taken_shape(taken: Taken) -> dict[str, object]:
    return {
        "record": taken.record,
        "in_time": taken.in_time,
        "expires": taken.expires,
        "saved": taken.saved or None,
    }


def offer_shape(made: Offer) -> dict[str, object]:
    plain = ("key", "note", "exact", "beyond", "void", "covered")
    return {
        "record": made.record.id,
        "proposals": [
            {"entries": list(one.entries), **{name: getattr(one, name) for name in plain}}
            for one in made.options
        ],
        "remarks": [remark for remark in made.remarks if remark],
    }


_CLEARED_BY = {
    "permissions.deny": "nothing here: a rule of the person's settings forbids it",
    "permissions.ask": "the person's yes when they are asked",
    "hard-deny": "nothing: nobody may permit it",
    "classifier": "the person's own words that name this very action and its target,"
    " or their `/automode approve {record}`",
    "setup": "automode working again: the reason says what is amiss",
}


def inspected_shape(state: SessionState) -> dict[str, object]:
    """What an agent may know of its own session, and what would clear each denial."""
    return {
        "session": str(state.key),
        "attended": state.row.attended,
        **_totals(state),
        "recentDenials": [
            denial_shape(one) | {"cleared_by": _cleared_by(one)}
            for one in reversed(state.history.denials)
        ],
    }


def _cleared_by(denial: Denial) -> str:
    return _CLEARED_BY.get(denial.kind, _CLEARED_BY["setup"]).format(record=denial.record)


def keys_shape(keys: tuple[SessionKey, ...]) -> dict[str, object]:
    return {"sessions": [str(key) for key in keys]}
