"""Broken adapters do not pass the kit's checks. That real ones do, with every payload that was
recorded, `tests/adapters/test_every_agent.py` shows."""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.claude_code.payloads import ClaudeCode
from automode.agents.events import NO_REMARKS, Answer, HostEvent, Moment, Remarks
from automode.core.decision import Decision
from tests.agents.recording_checks import differences, open_doors, unreadable

PROPOSED: Mapping[str, object] = {
    "session_id": "s1",
    "cwd": "/home/dev/shop",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}


@dataclass(frozen=True, slots=True)
class Agreeable(ClaudeCode):
    """Says the same to everything, and never closes."""

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        return Answer()

    def closed(self, moment: Moment, reason: str) -> Answer:
        return Answer()


@dataclass(frozen=True, slots=True)
class Clumsy(ClaudeCode):
    """Takes the payload apart without looking."""

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        if not isinstance(payload["tool_name"], str):
            raise TypeError("no text")
        return ClaudeCode.parse(self, payload)


def test_an_adapter_that_agrees_to_everything_is_found_out() -> None:
    assert open_doors(Agreeable(), PROPOSED) == [
        "`ask` is answered like `allow`",
        "`deny` is answered like `allow`",
        "`halt` is answered like `allow`",
        "the closing answer does not close",
    ]


def test_an_adapter_that_raises_something_else_is_found_out() -> None:
    found = unreadable(Clumsy(), PROPOSED)

    assert "with no `tool_name` it raises KeyError" in found
    assert "with `tool_name`: 7 it raises TypeError" in found


def test_another_answer_than_the_recorded_one_is_a_difference() -> None:
    recording = {"payload": PROPOSED, "event": None, "decision": None, "answer": None}

    assert [one.split(" is ")[0] for one in differences(ClaudeCode(), recording)] == [
        "the event",
        "the answer",
    ]
