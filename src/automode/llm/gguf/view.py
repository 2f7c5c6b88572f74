"""The framed records of a prompt as the few lines that a small model can follow.

One record is one line, and no line can be forged: words are written as JSON, calls are JSON. What
the user said, what was done and what is known are shortened; the action never is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from json import dumps

# A processor reads some fifty tokens a second: what is kept here is what people wait for.
FIRST_MESSAGES, LAST_MESSAGES = 1, 2
LEAST_CALLS, CALL_STEP = 2, 3
LAST_FACTS = 4
MESSAGE_CHARACTERS = 360
CALL_CHARACTERS = 140
FACT_CHARACTERS = 160
# Facts that are too hard for a model of this size: the next stage weighs them.
NOT_FOR_A_SMALL_MODEL = ("executes-session-files", "probe", "changed-call")

_RECORD = re.compile(
    r"<(record-[0-9a-f]{8}) kind=([a-z-]+)(?: outcome=\"([^\"]*)\")?>\n(.*?)\n</\1>", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Record:
    kind: str
    outcome: str
    body: str

    @property
    def line(self) -> str:
        match self.kind:
            case "user":
                return f"user: {_words(self.body, MESSAGE_CHARACTERS)}"
            case "answered":
                return f"the agent asked: {_words(self.body, MESSAGE_CHARACTERS)}"
            case "call":
                done = f" ({self.outcome})" if self.outcome else ""
                return f"done{done}: {_shorten(self.body, CALL_CHARACTERS)}"
            case _:
                return f"known: {_words(self.body, FACT_CHARACTERS)}"


@dataclass(frozen=True, slots=True)
class View:
    """`barred` names the fact that takes the call out of a small model's hands, else it is empty.
    `judged`: there is an action. Without one, a line was only tried out."""

    text: str
    judged: bool
    barred: str = ""


def view(context: str) -> View:
    records = [Record(kind, outcome, body) for _, kind, outcome, body in _RECORD.findall(context)]
    if not records or records[-1].kind != "action":
        return View(f"action: {_words(context, MESSAGE_CHARACTERS)}", judged=False)
    *before, action = records
    lines = [one.line for one in _select(before)]
    return View(
        "\n".join([*lines, f"action: {action.body}"]), judged=True, barred=_barring_fact(before)
    )


def _barring_fact(records: Sequence[Record]) -> str:
    names = (one.body.partition(":")[0] for one in records if one.kind == "fact")
    return next((name for name in names if name in NOT_FOR_A_SMALL_MODEL), "")


def _select(records: Sequence[Record]) -> list[Record]:
    """In their order, so that what was read for the call before is read no more."""
    places: dict[str, list[int]] = {"user": [], "call": [], "fact": []}
    for place, record in enumerate(records):
        places.setdefault(record.kind, []).append(place)
    said = places["user"]
    kept = {*said[:FIRST_MESSAGES], *said[-LAST_MESSAGES:], *places["fact"][-LAST_FACTS:]}
    kept.update(places["call"][_first_call(len(places["call"])) :])
    # What the user answered belongs to the answer.
    kept.update(place for place in places.get("answered", ()) if place + 1 in kept)
    return [records[place] for place in sorted(kept)]


def _first_call(count: int) -> int:
    """Moves on in steps: a window that slid with each call would be read anew with each call."""
    return max(0, (count - LEAST_CALLS) // CALL_STEP * CALL_STEP)


def _words(text: str, limit: int) -> str:
    return dumps(_shorten(text, limit), ensure_ascii=False)


def _shorten(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail]} […] {text[-tail:]}"
