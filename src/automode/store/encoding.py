"""Changes as lines of text and back, and text as any database can hold it."""

import json
import re

from automode.core.errors import AutomodeError
from automode.core.record import SessionKey
from automode.store.changes import (
    Approved,
    Change,
    Decided,
    Heard,
    SessionForgotten,
    SessionKept,
    SessionRow,
    Used,
)
from automode.store.record_text import Fields, canonical, record_fields, record_from

_UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(\\|u[0-9a-f]{4})")


class UnreadableLine(AutomodeError):
    """A line of the spool that says no change."""


def storable(text: str) -> str:
    """`text` without NUL and halves of surrogate pairs, which databases refuse; different texts
    stay different. What people usually write is not changed, except that a backslash is doubled."""
    if text.isascii() and "\x00" not in text:  # nearly all of it, and then a copy is all it takes
        return text.replace("\\", "\\\\")
    return _UNSTORABLE.sub(_escaped, text)


def restored(text: str) -> str:
    """The text that `storable` was given."""
    return _ESCAPED.sub(_unescaped, text)


def _escaped(found: re.Match[str]) -> str:
    return "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}"


def _unescaped(found: re.Match[str]) -> str:
    return "\\" if found[1] == "\\" else chr(int(found[1][1:], 16))


def encoded(change: Change) -> str:
    """One line, ASCII alone. Raises ValueError for a number that is none."""
    return canonical(_fields(change))


def _fields(change: Change) -> Fields:
    match change:
        case Decided(record):
            return {"change": "decided", "record": record_fields(record)}
        case SessionKept(row):
            return {"change": "session-kept", **_session_fields(row)}
        case Heard(session, position, event):
            return {"change": "heard", **_key(session), "position": position, "event": event}
        case Used():
            return {"change": "used", **_used_fields(change)}
        case Approved():
            return {"change": "approved", **_approved_fields(change)}
        case SessionForgotten(session, history, mode):
            return {
                "change": "session-forgotten",
                **_key(session),
                "history": history,
                "mode": mode,
            }


def _key(key: SessionKey) -> Fields:
    return {"host": key.host, "session": key.id}


def _session_fields(row: SessionRow) -> Fields:
    return {
        **_key(row.key),
        "parent": row.parent,
        "root": row.root,
        "cwd": row.cwd,
        "attended": row.attended,
        "mode": row.mode,
        "created": row.created,
        "seen": row.seen,
        "ended": row.ended,
        "history": row.history,
    }


def _used_fields(used: Used) -> Fields:
    return {
        **_key(used.session),
        "id": used.id,
        "at": used.at,
        "parent": used.parent,
        "stage": used.stage,
        "model": used.model,
        "input": used.input,
        "output": used.output,
        "cache_read": used.cache_read,
        "cache_write": used.cache_write,
        "millis": used.millis,
        "usd": used.usd,
    }


def _approved_fields(approved: Approved) -> Fields:
    return {
        **_key(approved.session),
        "id": approved.id,
        "at": approved.at,
        "record": approved.record,
        "digest": approved.digest,
        "once": approved.once,
        "expires": approved.expires,
    }


def decoded(line: str | bytes) -> Change:
    """The change that `encoded` was given. Raises UnreadableLine."""
    try:
        change = _change(_object(json.loads(line)))
    except (ValueError, RecursionError) as error:
        raise UnreadableLine(f"a line of the spool cannot be read: {error}") from error
    if change is None:
        raise UnreadableLine(f"a line of the spool is no change: `{line[:80]!r}`")
    return change


def _object(value: object) -> Fields:
    if not isinstance(value, dict):
        raise ValueError("no JSON object")  # noqa: TRY004 - bad data, not a bad caller
    return value


def _change(value: Fields) -> Change | None:
    match value:
        case {"change": "decided", "record": record}:
            return Decided(record_from(_object(record)))
        case {"change": "session-kept", **fields}:
            row = _session_row(fields)
            return None if row is None else SessionKept(row)
        case {
            "change": "heard",
            "host": str(host),
            "session": str(session),
            "position": int(position),
            "event": str(event),
        }:
            return Heard(SessionKey(host, session), position, event)
        case {"change": "used", **fields}:
            return _used(fields)
        case {"change": "approved", **fields}:
            return _approved(fields)
        case {
            "change": "session-forgotten",
            "host": str(host),
            "session": str(session),
            "history": str(history),
            "mode": str(mode),
        }:
            return SessionForgotten(SessionKey(host, session), history, mode)
        case _:
            return None


def _session_row(fields: Fields) -> SessionRow | None:
    match fields:
        case {
            "host": str(host),
            "session": str(session),
            "parent": str() | None as parent,
            "root": str(root),
            "cwd": str(cwd),
            "attended": bool(attended),
            "mode": str(mode),
            "created": float() | int() as created,
            "seen": float() | int() as seen,
            "ended": float() | int() | None as ended,
            "history": str(history),
        }:
            key = SessionKey(host, session)
            return SessionRow(key, parent, root, cwd, attended, mode, created, seen, ended, history)
        case _:
            return None


def _used(fields: Fields) -> Used | None:
    match fields:
        case {
            "host": str(host),
            "session": str(session),
            "id": str(own),
            "at": float() | int() as at,
            "parent": str() | None as parent,
            "stage": str(stage),
            "model": str(model),
            "input": int(given),
            "output": int(answered),
            "cache_read": int(reused),
            "cache_write": int(cached),
            "millis": int(millis),
            "usd": str() | None as usd,
        }:
            key = SessionKey(host, session)
            counts = (given, answered, reused, cached, millis)
            return Used(own, at, key, parent, stage, model, *counts, usd)
        case _:
            return None


def _approved(fields: Fields) -> Approved | None:
    match fields:
        case {
            "host": str(host),
            "session": str(session),
            "id": str(own),
            "at": float() | int() as at,
            "record": str(record),
            "digest": str(digest),
            "once": bool(once),
            "expires": float() | int() | None as expires,
        }:
            key = SessionKey(host, session)
            return Approved(own, at, key, record, digest, once, expires)
        case _:
            return None
