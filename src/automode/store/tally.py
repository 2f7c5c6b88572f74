"""What was decided beside the store, counted into the history of its session when it arrives there.

Who has no store to write cannot know what others decide meanwhile, so its rows say nothing of
counts: those are made here, of the records, as `gate.breaker` makes them. A record that comes late
counts as in its time: what a later reset or allow has ended, it does not begin again, and it ends
nothing that came after it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from automode.core.decision import Verdict
from automode.core.record import Record
from automode.store.beside import (
    COUNTS,
    UNCOUNTED,
    History,
    added,
    count,
    mapping,
    marked,
    newest_denials,
    read,
    row_ended,
    written,
)
from automode.store.changes import SessionRow
from automode.store.effects import allowed, counts, denied, judged, of_a_person, walked

USUAL_LIMIT = 3
"""Denials in a row that usually stop a session. The project's own limit is not known here."""

_TOLD = ("last_verdict", "last_reason", "last_source", "last_denial", "unavailable", "denials")
_ENDED_BY_A_YES = ("row", "total")
_MOST_ASKED = 32


@dataclass(frozen=True, slots=True)
class Since:
    """What the store has of a session from after some moment."""

    anything: bool = False
    allowed: bool = False
    reset: bool = False


NOTHING_SINCE = Since()


def uncounted(row: SessionRow, before: str | None = None) -> SessionRow:
    """The row as it may wait beside the store. `before` is its history as the same process kept it
    last, where no decision came since: then a row of denials that has ended was ended by a person.
    """
    now = read(row.history)
    counted_here = (*COUNTS, *_TOLD, "beside")
    said = {name: value for name, value in now.items() if name not in counted_here}
    if before is not None:
        past = read(before)
        fewer = [name for name in _ENDED_BY_A_YES if count(now, name) < count(past, name)]
        said |= {name: count(now, name) for name in fewer}
    return replace(row, history=written({"uncounted": True, **said}))


def is_uncounted(history: str) -> bool:
    return history.startswith(UNCOUNTED)


def begun(history: str) -> str:
    """The history of a session that nobody had written down yet."""
    said = read(history)
    return written(marked({name: said[name] for name in said if name != "uncounted"}))


def joined(stored: str, given: str, *, newer: bool) -> str:
    """The stored history with what a row without counts says besides. `newer`: nothing is known
    that came after it."""
    kept, said = read(stored), read(given)
    if newer:
        kept |= _standing(kept, said)
        ended = [name for name in _ENDED_BY_A_YES if name in said]
        fewer = {name: min(count(kept, name), count(said, name)) for name in ended}
        kept = {**(row_ended(kept) if "row" in ended else kept), **fewer}
    return written(marked(kept))


def counted(stored: str, records: Iterable[tuple[Record, Since]], *, below: bool = False) -> str:
    """The stored history with more records, of a session `below` it or its own, each with what is
    known from after it."""
    kept = marked(read(stored))
    for record, since in records:
        if not (since.reset or of_a_person(record)):
            kept = _counted(kept, record, since, below=below)
    return written(kept)


def _counted(kept: History, record: Record, since: Since, *, below: bool) -> History:
    if record.enforced and record.denied and not below:
        kept["denials"] = newest_denials(kept, {"denials": [_denial(record)]})
    if not counts(record):
        return kept
    stopped = denied(record)
    passed = allowed(record) and not stopped
    # While a session is stopped nothing is allowed: who allowed this did not know of it.
    ends = passed and not since.anything and count(kept, "row") < USUAL_LIMIT
    if not since.anything and (ends or not passed):
        kept |= {} if below else _last(kept, record)
        kept |= {"last_denial": walked(record)[2]} if stopped else {}
    more = {"row": int(stopped and not since.allowed), "total": int(stopped)}
    kept = added(kept, more if below else more | _checked(record))
    return row_ended(kept) if ends else kept


def _checked(record: Record) -> dict[str, int]:
    verdict = walked(record)[0]
    by_classifier = judged(record)
    return {
        "checked": 1,
        "blocked": int(record.enforced and record.denied),
        "classifier_allowed": int(by_classifier and verdict is Verdict.ALLOW),
        "classifier_denied": int(by_classifier and verdict >= Verdict.DENY),
    }


def _last(kept: History, record: Record) -> History:
    outages = 0 if judged(record) else count(kept, "unavailable")
    return {
        "last_verdict": record.verdict.word,
        "last_reason": record.reason,
        "last_source": record.source,
        "unavailable": outages + (record.error is not None),
    }


def _denial(record: Record) -> History:
    return {
        "at": record.at,
        "tool": record.tool,
        "reason": record.reason,
        "action": record.action,
        "kind": record.kind,
        "record": record.id,
    }


def _standing(kept: History, said: History) -> History:
    """What holds until something ends it. Who could not read the latest may not end it."""
    asked = [*(mapping(kept.get("asked")) | mapping(said.get("asked"))).items()]
    standing: History = {
        "asked": dict(asked[-_MOST_ASKED:]),
        "unattended": said.get("unattended") is True or kept.get("unattended") is True,
        "switched": said.get("switched") or kept.get("switched"),
        "suspect": said.get("suspect") or kept.get("suspect"),
        "silent": said.get("silent") or kept.get("silent"),
    }
    return {name: value for name, value in standing.items() if value or name in kept}
