"""Calls that a person said no to in an agent's own dialog, by the record that the agent keeps.

The hooks of these agents do not tell it. A no only tightens, so the record is believed.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from automode.facts.claude_record import declined_ids
from automode.facts.record_file import Row, record_rows


@dataclass(frozen=True, slots=True)
class Declined:
    """`id` is the agent's own id of the call. Where it is empty, the call is the one with this tool
    and input, and `at` is when the person said no."""

    id: str = ""
    tool: str = ""
    input: Mapping[str, object] = field(default_factory=dict)
    at: float = 0.0


def recorded_declines(agent: str, record: str) -> tuple[Declined, ...]:
    """The newest, as far as the end of the record goes. Never raises."""
    if agent == "claude-code":
        return tuple(map(Declined, declined_ids(record)))
    known = _RECORDS.get(agent)
    rows = None if known is None else record_rows(record, known[0])
    return () if known is None or rows is None else tuple(known[1](rows))


def _gemini(rows: Sequence[Row]) -> Iterator[Declined]:
    for row in rows:
        match row:
            case {"type": "gemini", "toolCalls": [*calls]}:
                yield from (one for call in calls if (one := _gemini_call(call)))
            case _:
                pass


def _gemini_call(call: object) -> Declined | None:
    match call:
        case {
            "status": "cancelled",
            "name": str(tool),
            "args": {**given},
            "timestamp": str(at),
            "result": [{"functionResponse": {"response": {"error": str(why)}}}, *_],
        } if "User denied" in why:  # a turn that was stopped is cancelled too
            return Declined("", tool, _by_name(given), _seconds(at))
        case _:
            return None


def _qwen(rows: Sequence[Row]) -> Iterator[Declined]:
    for row in rows:
        match row:
            case {
                "subtype": "ui_telemetry",
                "systemPayload": {
                    "uiEvent": {
                        "event.name": "qwen-code.tool_call",
                        "decision": "reject",
                        "function_name": str(tool),
                        "function_args": {**given},
                        "event.timestamp": str(at),
                    }
                },
            }:
                yield Declined("", tool, _by_name(given), _seconds(at))
            case _:
                pass


def _copilot(rows: Sequence[Row]) -> Iterator[Declined]:
    begun: dict[str, tuple[str, Mapping[str, object]]] = {}
    for row in rows:
        match row:
            case {
                "type": "tool.execution_start",
                "data": {"toolCallId": str(call), "toolName": str(tool), "arguments": {**given}},
            }:
                begun[call] = tool, _by_name(given)
            case {
                "type": "permission.completed",
                "timestamp": str(at),
                "data": {
                    "toolCallId": str(call),
                    "result": {"kind": "denied-interactively-by-user"},
                },
            } if call in begun:
                yield Declined("", *begun[call], _seconds(at))
            case _:
                pass


def _by_name(given: Mapping[object, object]) -> Mapping[str, object]:
    return {str(name): value for name, value in given.items()}


def _seconds(written: str) -> float:
    """0 for what is no time: then it was before every call."""
    try:
        return datetime.fromisoformat(written).timestamp()
    except (ValueError, OverflowError):
        return 0.0


_RECORDS: dict[str, tuple[re.Pattern[str], Callable[[Sequence[Row]], Iterator[Declined]]]] = {
    "gemini-cli": (re.compile(r"/.+/\.gemini/tmp/[^/]+/chats/[^/]+\.jsonl", re.DOTALL), _gemini),
    "qwen-code": (re.compile(r"/.+/projects/[^/]+/chats/[^/]+\.jsonl", re.DOTALL), _qwen),
    "copilot-cli": (re.compile(r"/.+/session-state/[^/]+/events\.jsonl", re.DOTALL), _copilot),
}
