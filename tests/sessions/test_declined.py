"""A call that the person declines is denied by the person: counted, recorded, among the denials."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.events import CallProposed, HostEvent, SessionEnded, TurnEnded
from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.core.transcript import Outcome
from automode.sessions.decision_service import DecisionService
from automode.store.newcomers import Newcomers
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, records, said, working

CLAUDE = "claude-code"
NO = "person.decline"
RULES = {"permissions": {"ask": ["bash(git push*)"], "allow": ["bash(make ok)"]}}


@pytest.fixture
def setup(setup: Setup) -> Setup:
    setup.settings, setup.layers = RULES, [Judging()]
    return setup


def counts(setup: Setup, key: SessionKey = KEY) -> tuple[int, int, list[str]]:
    history = setup.live(key).session.history
    return history.checked, history.blocked, [one.kind for one in history.denials]


@pytest.mark.parametrize("call", ["c1", ""])
@pytest.mark.parametrize(("command", "word"), [("git push", "ask"), ("make ok", "allow")])
async def test_it_is_counted_recorded_and_listed_once(
    setup: Setup, call: str, command: str, word: str
) -> None:
    """Also one that the gate had allowed, and the agent's own dialog asked about."""
    event = setup.bash(command, call=call)
    async with setup.open() as service:
        assert said(await service.decide(event, HOST))[0] == word
        for _ in range(2):
            await service.hear(setup.ran(event, Outcome.REJECTED), HOST)

        assert counts(setup) == (1, 1, ["permissions.ask"])
        asked, declined = await records(service)
        assert (declined.verdict, declined.source) == (Verdict.DENY, NO)
        assert (declined.tool, declined.action) == (asked.tool, asked.action)
        assert (setup.live().session.history.row, setup.live().session.history.total) == (0, 0)
        watched = Newcomers(setup.folder, "sqlite").look()
        assert [one.source for one in watched][-1] == NO
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        assert counts(setup) == (2, 1, ["permissions.ask"])


@pytest.mark.parametrize("doubted", [True, False])
async def test_a_no_is_believed_of_anybody_because_it_only_tightens(
    setup: Setup, doubted: bool
) -> None:
    event = setup.bash("git push", call="c1")
    async with setup.open() as service:
        await service.decide(event, HOST)
        await service.hear(replace(setup.ran(event, Outcome.REJECTED), doubted=doubted), HOST)
        assert counts(setup)[1] == 1


async def test_the_no_is_known_after_a_restart_and_can_be_taken_back(setup: Setup) -> None:
    event = setup.bash("git push", call="c1")
    async with setup.open() as service:
        await service.decide(event, HOST)
    async with setup.open() as service:
        await service.hear(setup.ran(event, Outcome.REJECTED), HOST)
        declined = (await records(service))[-1]
        await service.person.approve(declined.id)
        again = setup.bash("git push", call="c2")
        assert said(await service.decide(again, HOST)) == ("allow", "approval")


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR, Outcome.DENIED])
async def test_nothing_else_is_a_no(setup: Setup, outcome: Outcome) -> None:
    event = setup.bash("git push", call="c1")
    async with setup.open() as service:
        await service.decide(event, HOST)
        await service.hear(setup.ran(event, outcome), HOST)
        await service.hear(setup.ran(setup.bash("other", call="c9"), Outcome.REJECTED), HOST)
        assert counts(setup)[1] == 0


def test_denied_calls_are_not_counted_twice(setup: Setup) -> None:
    event = setup.bash("rm -rf /", call="c1")

    async def work(service: DecisionService) -> None:
        await service.decide(event, HOST)
        await service.hear(setup.ran(event, Outcome.REJECTED), HOST)
        assert counts(setup) == (1, 1, ["hard-deny"])

    working(setup, work)


SAYS = "The user doesn't want to proceed with this tool use. The tool use was rejected"
ROWS: dict[str, tuple[dict[str, object], bool]] = {
    "a no in its dialog": ({"content": SAYS, "is_error": True}, True),
    "a result that says so": ({"content": SAYS}, False),
    "a failure": ({"content": "exit 1", "is_error": True}, False),
}


def record(folder: Path, call: CallProposed, result: dict[str, object]) -> str:
    path = folder / "projects" / "p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    used = {"type": "tool_use", "id": call.id, "name": "Bash", "input": call.input}
    block = {"type": "tool_result", "tool_use_id": call.id, **result}
    rows = [
        {"type": "assistant", "message": {"content": [used]}},
        {"type": "user", "message": {"content": [block]}},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    path.chmod(0o600)
    return str(path)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("next_event", ["prompt", "turn", "end"])
async def test_claude_code_tells_it_in_its_record_alone(
    setup: Setup, name: str, next_event: str
) -> None:
    result, declined = ROWS[name]
    event = setup.bash("git push", call="c1")
    path = record(setup.home, event, result)
    ref = setup.ref(record=path)
    async with setup.open() as service:
        await service.decide(event, CLAUDE)
        events: dict[str, HostEvent] = {
            "prompt": replace(setup.typed("go on"), ref=ref),
            "turn": TurnEnded(ref, "done", ()),
            "end": SessionEnded(ref),
        }
        for _ in range(2):
            await service.hear(events[next_event], CLAUDE)

        assert counts(setup, SessionKey(CLAUDE, "s"))[1] == int(declined)
        found = [one.source for one in await records(service, SessionKey(CLAUDE, "s"))]
        assert found == ["rules.ask", *([NO] if declined else [])]


LATER, EARLIER = "2100-01-01T00:00:00Z", "2020-01-01T00:00:00Z"
PUSH = {"command": "git push"}


def gemini(at: str, why: str = "User denied execution.") -> list[dict[str, object]]:
    error = {"error": f"[Operation Cancelled] Reason: {why}"}
    call = {"name": "bash", "args": PUSH, "status": "cancelled", "timestamp": at}
    result = [{"functionResponse": {"id": "c1", "name": "bash", "response": error}}]
    return [{"type": "gemini", "toolCalls": [call | {"result": result}]}]


def qwen(at: str, decision: str = "reject") -> list[dict[str, object]]:
    event = {"event.name": "qwen-code.tool_call", "event.timestamp": at, "decision": decision}
    told = event | {"function_name": "bash", "function_args": PUSH, "status": "cancelled"}
    return [{"type": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": told}}]


def copilot(at: str, kind: str = "denied-interactively-by-user") -> list[dict[str, object]]:
    begun = {"toolCallId": "x1", "toolName": "bash", "arguments": PUSH}
    ended = {"toolCallId": "x1", "result": {"kind": kind}}
    return [
        {"type": "tool.execution_start", "timestamp": at, "data": begun},
        {"type": "permission.completed", "timestamp": at, "data": ended},
    ]


PLACES = {
    "gemini-cli": ".gemini/tmp/p/chats/s.jsonl",
    "qwen-code": ".qwen/projects/p/chats/s.jsonl",
    "copilot-cli": ".copilot/session-state/s/events.jsonl",
}
RECORDS: dict[str, tuple[str, list[dict[str, object]], bool]] = {
    "Gemini CLI, no": ("gemini-cli", gemini(LATER), True),
    "Gemini CLI, before the call": ("gemini-cli", gemini(EARLIER), False),
    "Gemini CLI, at no time": ("gemini-cli", gemini("never"), False),
    "Gemini CLI, a stopped turn": ("gemini-cli", gemini(LATER, "User cancelled."), False),
    "Qwen Code, no": ("qwen-code", qwen(LATER), True),
    "Qwen Code, before the call": ("qwen-code", qwen(EARLIER), False),
    "Qwen Code, yes": ("qwen-code", qwen(LATER, "accept"), False),
    "Copilot CLI, no": ("copilot-cli", copilot(LATER), True),
    "Copilot CLI, before the call": ("copilot-cli", copilot(EARLIER), False),
    "Copilot CLI, yes": ("copilot-cli", copilot(LATER, "approved"), False),
    "Copilot CLI, a call nobody knows": ("copilot-cli", copilot(LATER)[1:], False),
}


@pytest.mark.parametrize("call", ["c1", ""])
@pytest.mark.parametrize("name", RECORDS)
async def test_other_agents_tell_it_in_their_records_by_tool_and_input(
    setup: Setup, name: str, call: str
) -> None:
    agent, rows, declined = RECORDS[name]
    path = setup.home / PLACES[agent]
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    path.chmod(0o600)
    ref, key = setup.ref(record=str(path)), SessionKey(agent, "s")
    async with setup.open() as service:
        await service.decide(setup.bash("git push", call=call), agent)
        for _ in range(2):
            await service.hear(replace(setup.typed("go on"), ref=ref), agent)
        found = [one.source for one in await records(service, key)]
        assert found == ["rules.ask", *([NO] if declined else [])]
        if declined:  # the same call once more, and once more a no
            await service.decide(setup.bash("git push", call=call and "c2"), agent)
            await service.hear(TurnEnded(ref, "done"), agent)
            assert counts(setup, key)[1] == 2
