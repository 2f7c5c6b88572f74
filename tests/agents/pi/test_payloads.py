"""What the extension says inside the real Pi, recorded there, and what it is answered."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.catalog import ADAPTERS
from automode.agents.events import (
    CallFinished,
    CallProposed,
    Moment,
    PromptTyped,
    SessionStarted,
    Speaker,
    TurnEnded,
)
from automode.agents.pi.payloads import INSPECTING, Pi
from automode.agents.shared.wording import GUIDANCE
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall
from automode.core.transcript import Outcome
from tests.agents.recordings import decisions
from tests.rows import each_row

CALL: Mapping[str, object] = {
    "event": "tool_call",
    "session": "s1",
    "cwd": "/home/dev/shop",
    "record": "",
    "model": "anthropic/claude-sonnet-4-5",
    "toolName": "bash",
    "toolCallId": "c1",
    "input": {"command": "ls"},
}


UNREADABLE: dict[str, Mapping[str, object]] = {
    "nothing": {},
    "no event": {**CALL, "event": ""},
    "no session": {**CALL, "session": ""},
    "no folder": {**CALL, "cwd": None},
    "a folder from nowhere": {**CALL, "cwd": "shop"},
    "no tool": {**CALL, "toolName": ""},
    "an input that is text": {**CALL, "input": "ls"},
    "an input that is a list": {**CALL, "input": ["ls"]},
    "no input": {key: value for key, value in CALL.items() if key != "input"},
    "a tool that is no text": {**CALL, "toolName": ["bash"]},
    "a tool with a NUL": {**CALL, "toolName": "bash\0"},
    "a session that is a number": {**CALL, "session": 7},
    "a prompt that is no text": {**CALL, "event": "input", "text": 7},
    "context files that are no list": {**CALL, "event": "before_agent_start", "contextFiles": {}},
    "a context file without content": {
        **CALL,
        "event": "before_agent_start",
        "contextFiles": [{"path": "AGENTS.md"}],
    },
    "calls that are no ids": {**CALL, "event": "agent_end", "calls": [1]},
}


@each_row("name", UNREADABLE)
def test_what_cannot_be_read_is_said_to_be_so(name: str) -> None:
    with pytest.raises(BadCall) as caught:
        Pi().parse(UNREADABLE[name])

    assert "automode install pi" in caught.value.hint
    assert "`" in str(caught.value)


SOURCES = {"interactive": False, "rpc": False, "extension": True, "": True, "user": True}


@pytest.mark.parametrize("source", SOURCES)
def test_only_what_pi_calls_typed_may_be_a_persons(source: str) -> None:
    event = Pi().parse({**CALL, "event": "input", "text": "delete it", "source": source})

    assert isinstance(event, PromptTyped)
    assert event.machine is SOURCES[source]


def test_a_prompt_that_says_no_source_is_a_machines() -> None:
    event = Pi().parse({**CALL, "event": "input", "text": "delete it"})

    assert isinstance(event, PromptTyped)
    assert event.machine


def test_a_payload_cannot_say_that_somebody_is_there() -> None:
    event = ADAPTERS["pi+unattended"].parse({**CALL, "attended": True, "hasUI": True})

    assert isinstance(event, CallProposed)
    assert not event.speaker.attended


OUTCOMES: dict[str, tuple[Mapping[str, object], Outcome]] = {
    "well": ({"event": "tool_result", "isError": False}, Outcome.OK),
    "badly": ({"event": "tool_result", "isError": True}, Outcome.ERROR),
    "nobody knows": ({"event": "tool_result"}, Outcome.ERROR),
    "not at all": ({"event": "refused", "isError": False}, Outcome.REJECTED),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_how_a_call_ended_is_never_guessed_well(name: str) -> None:
    fields, outcome = OUTCOMES[name]

    event = Pi().parse({**CALL, **fields, "text": "out\0put"})

    assert isinstance(event, CallFinished)
    assert (event.outcome, event.result) == (outcome, "out\0put")


def test_what_pi_does_not_say_is_left_open() -> None:
    began = Pi().parse({**CALL, "event": "before_agent_start"})
    ended = Pi().parse({**CALL, "event": "agent_end"})

    assert isinstance(began, SessionStarted)
    assert isinstance(ended, TurnEnded)
    assert (began.instructions, ended.calls) == (None, None)


MODELS = {"anthropic/claude-sonnet-4-5": True, "no-slash": False, "": False, "a b/c": False}


@pytest.mark.parametrize("name", MODELS)
def test_the_agents_model_is_a_provider_and_an_id(name: str) -> None:
    event = Pi().parse({**CALL, "model": name})

    assert isinstance(event, CallProposed)
    assert event.speaker.model == (name if MODELS[name] else None)


def test_the_guidance_says_where_to_look() -> None:
    event = SessionStarted(Speaker("s1", "/"))

    answer = json.loads(Pi().render(event, None).stdout)

    assert answer["guidance"] == f"{GUIDANCE} {INSPECTING}"


@given(decision=decisions, attended=st.booleans())
def test_an_answer_never_loosens_a_decision(decision: Decision, attended: bool) -> None:
    event = CallProposed(Speaker("s1", "/", attended=attended), "bash", {})

    answer = Pi().render(event, decision)
    said = json.loads(answer.stdout)["verdict"]

    runs = said in (None, "allow")
    assert runs == (not decision.enforced or decision.verdict is Verdict.ALLOW)
    assert (said == "ask") == (decision.enforced and decision.verdict is Verdict.ASK and attended)
    assert (answer.exit == 0) == (runs or said == "ask")
    assert (said == "halt") == (decision.enforced and decision.verdict is Verdict.HALT)


def test_the_agent_is_told_of_a_result_that_nobody_looked_at() -> None:
    answer = Pi().closed(Moment.FINISHED, "too large")

    assert answer.exit == 0
    assert "was not looked at" in json.loads(answer.stdout)["warning"]
    assert Pi().closed(Moment.SESSION, "too large").stdout == ""
