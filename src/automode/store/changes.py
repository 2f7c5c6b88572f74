"""What can happen to the store, as data. Writing a change again changes nothing, except events."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from automode.core.decision import Failure, Remark, Verdict
from automode.core.record import Record, SessionKey, StageSpent


@dataclass(frozen=True, slots=True)
class SessionRow:
    """What is true of a session now; the last write wins. `standing`: see `sessions.live_session`.
    `mode`: the override that a person typed (`on`, `off` or empty), written by `ModeSet` alone."""

    key: SessionKey
    parent: str | None
    root: str
    cwd: str
    attended: bool
    mode: str
    created: float
    seen: float
    ended: float | None
    standing: str


@dataclass(frozen=True, slots=True)
class Decided:
    """One audit record; it joins the hash chain in the order in which it is written."""

    record: Record


@dataclass(frozen=True, slots=True)
class SessionKept:
    row: SessionRow


@dataclass(frozen=True, slots=True)
class Heard:
    """One event of a session's transcript, redacted, as JSON; numbered as it arrives."""

    session: SessionKey
    event: str


@dataclass(frozen=True, slots=True)
class Used:
    """One request to a model, for `automode usage` and the budget. `id` makes it idempotent."""

    id: str
    at: float
    session: SessionKey
    parent: str | None
    stage: str
    model: str
    input: int
    output: int
    cache_read: int
    cache_write: int
    millis: int
    usd: str | None


@dataclass(frozen=True, slots=True)
class Approved:
    """A person's yes to an exact retry of a denied call. `consumed`: when it was used up."""

    id: str
    at: float
    session: SessionKey
    record: str  # the id of the denied record
    digest: str
    once: bool  # else for the rest of the session
    expires: float | None  # None: with the session
    consumed: float | None = None


@dataclass(frozen=True, slots=True)
class ModeSet:
    """A person switched auto mode for a session that has a row."""

    session: SessionKey
    mode: str


@dataclass(frozen=True, slots=True)
class ApprovalsForgotten:
    """`reset`: what a person approved in this session before counts no longer."""

    session: SessionKey


@dataclass(frozen=True, slots=True)
class Taught:
    """A person's yes to a call of a project, which covers later ones of the same class."""

    id: str
    at: float
    session: SessionKey
    root: str
    covers: str  # the class: see `judge.precedents`
    told: str  # the call, for people


@dataclass(frozen=True, slots=True)
class PrecedentsForgotten:
    """What a person said yes to in a project covers nothing any more. None: every project, every
    class."""

    root: str | None = None
    covers: str | None = None


RowChange: TypeAlias = (
    SessionKept
    | Heard
    | Used
    | Approved
    | ModeSet
    | ApprovalsForgotten
    | Taught
    | PrecedentsForgotten
)
"""Everything but records, which go into the chain."""
Change: TypeAlias = Decided | RowChange


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """Which records, newest first. Empty fields do not narrow."""

    session: SessionKey | None = None
    verdicts: tuple[str, ...] = ()  # words: allow, ask, deny, halt
    source: str = ""  # a whole source, or a room of them: `floor`
    since: float | None = None
    before: int | None = None  # a number of `Stored`, for paging
    after: int | None = None  # the same, for what is new
    host: str = ""
    root: str = ""  # the project's folder
    words: tuple[str, ...] = ()  # each is somewhere in the record, in letters of either case
    limit: int = 100


@dataclass(frozen=True, slots=True)
class Kept:
    """Whether changes are written; `reason` says why not. An allow whose record is lost becomes an
    ask."""

    reason: str = ""

    @property
    def lost(self) -> bool:
        return bool(self.reason)


WRITTEN = Kept()


def usage_of(
    name: str, at: float, session: SessionKey, parent: str | None, stages: Iterable[StageSpent]
) -> Iterator[Used]:
    """Requests to models as the usage table keeps them. `name` makes their ids unique."""
    for number, one in enumerate(stages):
        counts = (one.input, one.output, one.cache_read, one.cache_write, one.millis)
        whose = (session, parent, one.stage, one.model)
        yield Used(f"{name}.{number}", at, *whose, *counts, one.usd)


_UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(\\|u[0-9a-f]{4})")


def storable(text: str) -> str:
    """`text` without NUL and lone surrogates, which databases refuse; a backslash is doubled."""
    if text.isascii() and "\x00" not in text:  # nearly all of it, and then a copy is all it takes
        return text.replace("\\", "\\\\")
    return _UNSTORABLE.sub(_escape, text)


def restore_text(text: str) -> str:
    """The text that `storable` was given."""
    return _ESCAPED.sub(_unescape, text)


def _escape(found: re.Match[str]) -> str:
    return "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}"


def _unescape(found: re.Match[str]) -> str:
    return "\\" if found[1] == "\\" else chr(int(found[1][1:], 16))


Fields: TypeAlias = dict[str, object]
_VERDICTS = {verdict.word: verdict for verdict in Verdict}


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical(value: object) -> str:
    """One ASCII text for one value, sorted and without blanks: nothing can change what was
    hashed."""
    return _encode(value)


_MAYBE_TEXT = (str, type(None))
_KINDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("id", "host", "session", "account", "root", "cwd", "tool", "action"), str),
    **dict.fromkeys(("input", "digest", "verdict", "source", "reason", "advice"), str),
    **dict.fromkeys(("parent", "error"), _MAYBE_TEXT),
    **dict.fromkeys(("clearable", "enforced", "attended"), bool),
    **dict.fromkeys(("trail", "stages"), list),
    "at": (int, float),
    "micros": int,
}
_STAGE_KINDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("stage", "model"), str),
    **dict.fromkeys(("input", "output", "cache_read", "cache_write", "millis"), int),
    "usd": _MAYBE_TEXT,
}
_AS_THEY_ARE = [
    *("id", "parent", "account", "root", "cwd", "tool", "action", "input", "digest", "source"),
    *("reason", "advice", "clearable", "enforced", "attended", "micros"),
]


def record_fields(record: Record) -> Fields:
    fields: Fields = {name: getattr(record, name) for name in _AS_THEY_ARE}
    fields["at"] = float(record.at)
    fields["host"], fields["session"] = record.session.host, record.session.id
    fields["verdict"] = record.verdict.word
    fields["error"] = None if record.error is None else record.error.value
    fields["trail"] = [[one.layer, one.mark, one.text] for one in record.trail]
    fields["stages"] = [
        {name: getattr(one, name) for name in _STAGE_KINDS} for one in record.stages
    ]
    return fields


def record_from(fields: Mapping[str, object]) -> Record:
    """ValueError for what is no record: it names the field."""
    _check(fields, _KINDS)
    match fields:
        case {
            "verdict": str(word),
            "host": str(host),
            "session": str(own),
            "at": float() | int() as at,
            "error": str() | None as error,
            "trail": [*trail],
            "stages": [*stages],
        } if word in _VERDICTS:
            plain: dict[str, object] = {name: fields[name] for name in _AS_THEY_ARE}
            return Record(
                **plain,  # type: ignore[arg-type] # their kinds were checked above
                at=at,
                session=SessionKey(host, own),
                verdict=_VERDICTS[word],
                error=None if error is None else Failure(error),
                trail=tuple([_remark(one) for one in trail]),
                stages=tuple([_stage(one) for one in stages]),
            )
        case _:
            raise ValueError("`verdict` is no verdict")


def _check(fields: Mapping[str, object], kinds: Mapping[str, type | tuple[type, ...]]) -> None:
    for name, kind in kinds.items():
        if name not in fields or not isinstance(fields[name], kind):
            raise ValueError(f"`{name}` is missing or of another kind")


def _remark(value: object) -> Remark:
    match value:
        case ["breaker", str(mark), str(text)]:  # of version 0.1
            source, _, reason = text.partition(": ")
            return Remark(source, mark, reason)
        case [str(layer), str(mark), str(text)]:
            return Remark(layer, mark, text)
        case _:
            raise ValueError("`trail` holds no remark")


def _stage(value: object) -> StageSpent:
    match value:
        case {**fields}:
            plain = {str(name): one for name, one in fields.items() if name in _STAGE_KINDS}
            _check(plain, _STAGE_KINDS)
            return StageSpent(**plain)  # type: ignore[arg-type] # their kinds were checked above
        case _:
            raise ValueError("`stages` holds no stage")
