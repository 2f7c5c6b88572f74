"""What was added to a history in the store that somebody has in memory and writes from there.

A session that a daemon has in memory is written whole, by a memory that may not know what was
counted in the store. So a history says for a while what was added to it `beside`, step by step, and
to what: a memory knows the first steps, those from before it was read.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from automode.core.history import MOST_DENIALS
from automode.core.record import Record, SessionKey
from automode.store.effects import allowed, counts, denied

History: TypeAlias = dict[str, object]

COUNTS = ("checked", "blocked", "classifier_allowed", "classifier_denied", "row", "total")
MARK = '{"beside":'  # how a history begins to which something was added
UNCOUNTED = '{"uncounted":'  # how one begins that says nothing of counts
MOST_STEPS = 64
_NOT_COUNTED = "gate.not-recorded"  # the second record of a call: see `sessions.recording`


def rejoined(stored: str, given: str, key: SessionKey, decided: Sequence[Record]) -> str:
    """A history as a memory has it, together with what was added to the stored one and that memory
    does not know. `decided` are the records of the session, and of those that it started, which
    are written with it."""
    kept, now = read(stored), read(given)
    if now.pop("beside", None) is not None:  # a copy of what is stored: nobody has it in memory
        return written(now)
    new = [one for one in decided if counts(one) and one.source != _NOT_COUNTED]
    own = [one for one in new if one.session == key]
    base, steps = _beside(kept)
    missing = steps[_known(base, steps, now, own=len(own), stopped=sum(map(denied, new))) :]
    if not missing:
        return given
    ended = any(map(allowed, own)) or count(now, "row") < base["row"]
    resumed = count(now, "total") < base["total"]
    now["denials"] = newest_denials(now, kept)
    now = marked(now)
    for step in missing:
        row, total = (0 if ended else step["row"]), (0 if resumed else step["total"])
        now = added(now, {**step, "row": row, "total": total})
    return written(now)


def added(kept: History, more: Mapping[str, int]) -> History:
    """With one more step. What more than the most have come after is taken to be known."""
    beside = mapping(kept.get("beside"))
    steps = beside.get("steps")
    told = steps if isinstance(steps, list) else []
    step = [more.get(name, 0) for name in COUNTS]
    if any(step):
        beside = {**beside, "steps": [*told, step][-MOST_STEPS:]}
    sums = {name: count(kept, name) + number for name, number in more.items()}
    return {**kept, **sums, "beside": beside}


def row_ended(kept: History) -> History:
    """Also for a memory that does not know of the steps so far."""
    if not count(kept, "row"):
        return kept
    base, steps = _beside(kept)
    told = [[0 if name == "row" else one[name] for name in COUNTS] for one in steps]
    return {**kept, "row": 0, "beside": {"from": base, "steps": told}}


def marked(kept: History) -> History:
    """From now on what is added to it is told."""
    if isinstance(kept.get("beside"), dict):
        return kept
    base = {name: count(kept, name) for name in COUNTS}
    return {**kept, "beside": {"from": base, "steps": []}}


def newest_denials(*histories: History) -> list[object]:
    """Their denials in the order of time, each once."""
    found: dict[str, tuple[float, object]] = {}
    for history in histories:
        given = history.get("denials")
        for one in given if isinstance(given, list) else []:
            match one:
                case {"at": float() | int() as at, "record": str(record)}:
                    found[record] = (at, one)
                case _:
                    pass
    ordered = sorted(found.values(), key=lambda one: one[0])
    return [one for _, one in ordered[-MOST_DENIALS:]]


def _beside(kept: History) -> tuple[dict[str, int], list[dict[str, int]]]:
    """To what something was added, and what, step by step."""
    said = mapping(kept.get("beside"))
    base, steps = mapping(said.get("from")), said.get("steps")
    rows = [one for one in steps if isinstance(one, list)] if isinstance(steps, list) else []
    named = [dict(zip(COUNTS, one, strict=False)) for one in rows]
    return {name: count(base, name) for name in COUNTS}, [
        {name: count(one, name) for name in COUNTS} for one in named
    ]


def _known(
    base: Mapping[str, int],
    steps: Sequence[Mapping[str, int]],
    now: History,
    *,
    own: int,
    stopped: int,
) -> int:
    """How many of the steps a memory knows, by how far its counts are from where they began. What
    it decided by itself just now it has counted as well."""
    checked = count(now, "checked") - own - base["checked"]
    total = count(now, "total") - stopped - base["total"]
    for number, step in enumerate(steps):
        checked -= step["checked"]
        total -= step["total"]
        # Denials in all may begin anew. Where nothing was checked, only they tell.
        if checked < 0 or (total < 0 and not step["checked"]):
            return number
    return len(steps)


def count(kept: Mapping[str, object], name: str) -> int:
    value = kept.get(name)
    return max(0, value) if isinstance(value, int) else 0


def mapping(value: object) -> History:
    return value if isinstance(value, dict) else {}


def read(text: str) -> History:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def written(history: History) -> str:
    first = {name: history[name] for name in ("uncounted", "beside") if name in history}
    return json.dumps({**first, **history}, separators=(",", ":"))
