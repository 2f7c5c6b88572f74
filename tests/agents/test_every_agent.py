"""Every agent's own payloads: recorded from the real program, or made up from its documentation
where it could not be run. A folder here is an agent."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.catalog import ADAPTERS, INSTALLED, adapter_for
from automode.agents.events import Moment
from automode.agents.installing.installer import installer_of
from automode.agents.scripted.driver import driven
from automode.assemble import build_gate
from automode.config.settings import Settings
from automode.core.call import Shell, ToolCall
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from tests.agents.recording_checks import wrong_with
from tests.rows import each_row

ROOT = Path(__file__).parents[2]
PAYLOADS = sorted(Path(__file__).parent.glob("*/recorded/*.json"))

NEVER_RUN = {"antigravity", "cursor"}
"""Known by their documentation alone."""

COMMON = {"CallProposed", "CallFinished", "SessionStarted", "SessionEnded", "TurnEnded"}
CALLS_ALONE = {"antigravity"}
"""Whose hooks hear of nothing but calls that are proposed."""
KINDS = {
    # agent           kinds of events, beside the common ones
    "antigravity": {"CallProposed"},
    "claude-code": {"PermissionSought", "PromptTyped", "PersonSaid", "Ignored"},
    "cline": {"Ignored"},
    "codex": {"PermissionSought", "PromptTyped", "PersonSaid", "Ignored"},
    "copilot-cli": {"PermissionSought", "PromptTyped"},
    "cursor": {"PromptTyped", "Ignored"},
    "gemini-cli": {"PromptTyped"},
    "opencode": {"PromptTyped", "Ignored"},
    "pi": {"PromptTyped", "Ignored"},
    "qwen-code": {"PromptTyped", "TurnContinues", "Ignored"},
}


def agent_of(path: Path) -> str:
    return path.parents[1].name.replace("_", "-")


def read(path: Path) -> Mapping[str, object]:
    found = json.loads(path.read_text())
    assert isinstance(found, dict)
    return found


@each_row("path", PAYLOADS)
def test_a_payload_gets_its_answer_and_nothing_stricter_is_answered_like_a_yes(path: Path) -> None:
    row = read(path)
    host, payload = row["host"], row["payload"]
    assert isinstance(host, str)
    assert isinstance(payload, dict)

    assert wrong_with(adapter_for(ADAPTERS[host], host, payload), row) == []


@each_row("agent", KINDS)
def test_every_kind_of_event_was_recorded(agent: str) -> None:
    events = [read(path)["event"] for path in PAYLOADS if agent_of(path) == agent]

    common = set() if agent in CALLS_ALONE else COMMON
    assert {event["is"] for event in events if isinstance(event, dict)} == common | KINDS[agent]


def test_no_call_passes_for_the_hook_of_any_agent(tmp_path: Path) -> None:
    """Over HTTP: the guard knows the addresses of all hooks by their names."""
    place = Workspace(str(tmp_path), str(tmp_path), str(tmp_path), Disk())
    calls = [Shell(f"curl -d @x localhost:9/hook/{host}/proposed") for host in ADAPTERS]

    async def sources() -> set[str]:
        gate, session = build_gate(Settings()), Session("s", place)
        found = [await gate.decide(ToolCall("bash", call), session) for call in calls]
        return {"" if decision is None else decision.source for decision in found}

    assert asyncio.run(sources()) == {"floor.own-channel"}


AGENTS = sorted(INSTALLED)


def test_every_agent_has_recordings() -> None:
    assert {agent_of(path) for path in PAYLOADS} == {*AGENTS, "plain"}


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_has_what_its_folder_should_hold(agent: str) -> None:
    installer, described = installer_of(agent), INSTALLED[agent]

    assert (installer.agent, installer.title) == (agent, described.title)
    assert described.update
    assert (agent not in driven()) is (agent in NEVER_RUN)


DENIED: Mapping[str, Mapping[str, object]] = {
    "antigravity": {"decision": "deny"},
    "claude-code": {"hookSpecificOutput": {"permissionDecision": "deny"}},
    "cline": {"cancel": True},
    "codex": {"hookSpecificOutput": {"permissionDecision": "deny"}},
    "copilot-cli": {"permissionDecision": "deny", "behavior": "deny"},
    "cursor": {"permission": "deny"},
    "gemini-cli": {"decision": "deny"},
    "opencode": {"verdict": "deny"},
    "pi": {"verdict": "deny"},
    "qwen-code": {"hookSpecificOutput": {"permissionDecision": "deny"}},
}
"""How each agent is told no: measured, or in its documentation."""


def says(answer: object, expected: object) -> bool:
    match answer, expected:
        case {**said}, {**wanted}:
            return all(says(said.get(name), value) for name, value in wanted.items())
        case _:
            return answer == expected


@pytest.mark.parametrize("agent", AGENTS)
@given(moment=..., reason=st.text(max_size=60))
def test_a_closing_answer_closes_where_a_call_waits(
    agent: str, moment: Moment, reason: str
) -> None:
    answer = ADAPTERS[agent].closing_answer(moment, reason)

    assert answer.stderr.strip()  # without a word there, some take the status 2 for a yes
    assert answer.exit == (2 if moment is Moment.PROPOSED else 0)
    if moment is Moment.PROPOSED:
        assert says(json.loads(answer.stdout), DENIED[agent])
    else:
        notes = moment is Moment.FINISHED and agent not in CALLS_ALONE
        assert bool(answer.stdout) is notes
