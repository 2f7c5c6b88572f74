"""A session's history as JSON, and back; written with every decision, so made of ready parts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

from automode.core.decision import Verdict
from automode.core.history import MOST_DENIALS, NOTHING_YET, Denial, History
from automode.sessions.event_text import Clean, encode


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is kept in a session's row besides its own columns. `asked` are calls that the
    breaker asked about, by the host's id of the call. The others: see `book.Live`."""

    history: History = NOTHING_YET
    asked: Mapping[str, str] | None = None
    unattended: bool = False
    switched: str = ""
    suspect: str = ""
    silent: str = ""


def remembered_text(remembered: Remembered, clean: Clean) -> str:
    """`clean` takes secrets out of the reasons; denials are without them already."""
    history = remembered.history
    return (
        f'{{"checked":{history.checked:d},"blocked":{history.blocked:d},'
        f'"classifier_allowed":{history.classifier_allowed:d},'
        f'"classifier_denied":{history.classifier_denied:d},'
        f'"last_verdict":{_WORDS[history.last_verdict]},'
        f'"last_reason":{encode(clean(history.last_reason))},'
        f'"last_source":{encode(history.last_source)},'
        f'"last_denial":{encode(clean(history.last_denial))},'
        f'"row":{history.row:d},"total":{history.total:d},"unavailable":{history.unavailable:d},'
        f"{_lasting(remembered, clean)},"
        f'"denials":{_denials(history.denials) if history.denials else "[]"}}}'
    )


def remembered(text: str) -> Remembered:
    """What cannot be read counts as nothing: the store is for its owner alone, and `audit verify`
    is what looks for changes."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Remembered()
    if not isinstance(value, Mapping):
        return Remembered()
    asked = value.get("asked")
    pairs = asked.items() if isinstance(asked, Mapping) else ()
    return Remembered(
        _history(value),
        {str(call): record for call, record in pairs if isinstance(record, str)},
        value.get("unattended") is True,
        _text(value.get("switched")),
        _text(value.get("suspect")),
        _text(value.get("silent")),
    )


def _lasting(remembered: Remembered, clean: Clean) -> str:
    """What most decisions leave as it was."""
    return _lasting_text(
        tuple(remembered.asked.items()) if remembered.asked else (),
        remembered.unattended,
        clean(remembered.switched) if remembered.switched else "",
        clean(remembered.suspect) if remembered.suspect else "",
        clean(remembered.silent) if remembered.silent else "",
    )


@lru_cache(maxsize=256)
def _lasting_text(
    asked: tuple[tuple[str, str], ...],
    unattended: bool,  # noqa: FBT001 - a cache compares its arguments by their places
    switched: str,
    suspect: str,
    silent: str,
) -> str:
    """As they stand inside the braces. Of what holds until something ends it, most sessions have
    nothing to be written."""
    standing = {
        "unattended": unattended,
        "switched": switched,
        "suspect": suspect,
        "silent": silent,
    }
    said = {name: value for name, value in standing.items() if value}
    return encode({"asked": dict(asked), **said})[1:-1]


_WORDS: Mapping[Verdict | None, str] = {
    None: encode(None),
    **{verdict: encode(verdict.word) for verdict in Verdict},
}


def _history(value: Mapping[str, object]) -> History:
    words = {verdict.word: verdict for verdict in Verdict}
    given = value.get("denials")
    denials = [_denial(one) for one in given] if isinstance(given, list) else []
    return History(
        checked=_count(value.get("checked")),
        blocked=_count(value.get("blocked")),
        classifier_allowed=_count(value.get("classifier_allowed")),
        classifier_denied=_count(value.get("classifier_denied")),
        last_verdict=words.get(_text(value.get("last_verdict"))),
        last_reason=_text(value.get("last_reason")),
        last_source=_text(value.get("last_source")),
        last_denial=_text(value.get("last_denial")),
        row=_count(value.get("row")),
        total=_count(value.get("total")),
        unavailable=_count(value.get("unavailable")),
        denials=tuple(one for one in denials if one is not None)[-MOST_DENIALS:],
    )


def _count(value: object) -> int:
    return max(0, value) if isinstance(value, int) else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


# They change with a denial only, and are by far the longest part.
@lru_cache(maxsize=256)
def _denials(denials: tuple[Denial, ...]) -> str:
    names = [field.name for field in fields(Denial)]
    return encode([{name: getattr(one, name) for name in names} for one in denials])


def _denial(value: object) -> Denial | None:
    match value:
        case {
            "at": float() | int() as at,
            "tool": str(tool),
            "reason": str(reason),
            "action": str(action),
            "kind": str(kind),
            "record": str(record),
        }:
            return Denial(float(at), tool, reason, action, kind, record)
        case _:
            return None
