"""Checks an adapter against payloads that were recorded from the real agent.

A recording is a JSON object: `host`, `payload`, the `event` it stands for, and `answers`: for a
`decision` and `feedback`, where there are any, what the hook prints and its exit status, where that
is not 0. Every check returns sentences: none where all is well.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import get_args

from automode.agents.events import (
    Adapter,
    Answer,
    CallProposed,
    Feedback,
    HostEvent,
    Moment,
    PromptTyped,
)
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall

_STRANGE: tuple[object, ...] = (None, 7, True, [], {}, "", "\0", ["x"], {"x": 1})
_ALL_REMARKS = Feedback("look out", "psst", "no", "well")
_ALLOWED = Decision(Verdict.ALLOW, "rules.allow", "a rule allows it")


def wrong_with(adapter: Adapter, recording: Mapping[str, object]) -> list[str]:
    """All checks of one recording."""
    payload = _object(recording, "payload")
    return [
        *differences(adapter, recording),
        *unreadable(adapter, payload),
        *open_doors(adapter, payload),
    ]


def differences(adapter: Adapter, recording: Mapping[str, object]) -> list[str]:
    """What the adapter makes of the payload today, where that is not what was recorded."""
    event = adapter.parse(_object(recording, "payload"))
    rows = recording["answers"]
    assert isinstance(rows, list)
    pairs = [("event", written(event), recording["event"])]
    for row in rows:
        answer = adapter.render(event, _decision(row), _feedback(row))
        said = {"stdout": None, "stderr": "", "exit": 0, **row}
        pairs.append(("answer", _shown(answer), {name: said[name] for name in _shown(answer)}))
    return [
        f"the {name} is {json.dumps(found)}, recorded was {json.dumps(was)}"
        for name, found, was in pairs
        if found != was
    ]


def unreadable(adapter: Adapter, payload: Mapping[str, object]) -> list[str]:
    """With any field gone or strange, a payload is an event or a BadCall: nothing else is turned
    into an answer that closes."""
    wrong: list[str] = []
    for changed, how in _damaged(payload):
        try:
            answer = adapter.render(adapter.parse(changed), None, _ALL_REMARKS)
        except BadCall:
            continue
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            wrong.append(f"with {how} it raises {type(error).__name__}")
        else:
            if answer.exit or not answer.stdout.isascii():
                wrong.append(f"with {how} it answers {answer}")
    return wrong


def open_doors(adapter: Adapter, payload: Mapping[str, object]) -> list[str]:
    """Where a call is proposed, nothing but an enforced allow is answered like one."""
    event = adapter.parse(payload)
    if not isinstance(event, CallProposed):
        return []
    allowed = adapter.render(event, _ALLOWED)
    stricter = [
        Decision(verdict, "rules.deny", "a rule is against it")
        for verdict in (Verdict.ASK, Verdict.DENY, Verdict.HALT)
    ]
    wrong = [
        f"`{one.verdict.name.lower()}` is answered like `allow`"
        for one in stricter
        if adapter.render(event, one) == allowed
    ]
    closed = adapter.closing_answer(Moment.PROPOSED, "nobody answers")
    if closed == allowed or not (closed.stdout or closed.exit):
        wrong.append("the closing answer does not close")
    return wrong


def written(event: HostEvent) -> object:
    """An event as a recording has it: with the fields that adapters know, and without tuples."""
    kind = next(one for one in get_args(HostEvent) if isinstance(event, one))
    whole = asdict(event)
    for name in ("variables", "run"):  # handed over with the payload, not in it
        whole.get("ref", {}).pop(name, None)
    found = {"is": kind.__name__, **{one.name: whole[one.name] for one in fields(kind)}}
    found.pop("changeable", None)  # what its agent can do, whatever the call is
    if isinstance(event, PromptTyped):
        del found["doubted"]  # no adapter says so
        if not event.returned:
            del found["returned"]
    plain: object = json.loads(json.dumps(found))
    return plain


def _damaged(payload: Mapping[str, object]) -> Iterator[tuple[dict[str, object], str]]:
    for name in payload:
        yield {key: value for key, value in payload.items() if key != name}, f"no `{name}`"
        for strange in _STRANGE:
            yield {**payload, name: strange}, f"`{name}`: {strange!r}"


def _shown(answer: Answer) -> dict[str, object]:
    out: object = json.loads(answer.stdout) if answer.stdout else None
    return {"stdout": out, "stderr": answer.stderr, "exit": answer.exit}


def _decision(recording: Mapping[str, object]) -> Decision | None:
    match recording.get("decision"):
        case {"verdict": str(verdict), "source": str(source), "reason": str(reason), **more}:
            return Decision(
                Verdict[verdict.upper()],
                source,
                reason,
                str(more.get("advice", "")),
                clearable=more.get("clearable") is True,
                enforced=more.get("enforced") is not False,
            )
        case other:
            assert other is None, "a decision has a verdict, a source and a reason"
            return None


def _feedback(recording: Mapping[str, object]) -> Feedback:
    said = recording.get("feedback", {})
    assert isinstance(said, dict)
    return Feedback(*(str(said.get(one.name, "")) for one in fields(Feedback)))


def _object(recording: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = recording[name]
    assert isinstance(found, dict)
    return found
