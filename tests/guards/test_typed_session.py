"""Where an agent types without a hook, nothing is started that waits for typing."""

import asyncio

import pytest

from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.gate.layer import Answer
from automode.guards.typed_session import HOSTS, SOURCE, TypedSession
from tests.reading import facts_of
from tests.rows import each_row, texts

LAYER = TypedSession()
WORK = Workspace("/w/project", "/w/project", "/home/u", Names("/w/project"))


def answer(command: str, host: str = "codex") -> Answer:
    session = Session("s", WORK, host=host)
    return asyncio.run(
        LAYER(facts_of(tool_call("Bash", {"command": command}), session), session, ())
    )


@each_row("command", texts("guards", "typed-session-waits"))
def test_what_waits_for_typing_is_asked_about(command: str) -> None:
    found = answer(command)

    assert isinstance(found, Decision)
    assert (found.verdict, found.source, found.clearable) == (Verdict.ASK, SOURCE, False)
    assert found.advice


@each_row("command", texts("guards", "typed-session-passes"))
def test_what_brings_its_work_along_is_none_of_its_business(command: str) -> None:
    assert answer(command) is None


@pytest.mark.parametrize("host", ["claude-code", "pi", "cli"])
def test_agents_that_cannot_type_are_left_alone(host: str) -> None:
    assert host not in HOSTS
    assert answer("bash", host) is None


def test_other_tools_are_left_alone() -> None:
    call = tool_call("Write", {"file_path": "bash", "content": "bash"})

    assert asyncio.run(LAYER(facts_of(call, WORK), Session("s", WORK, host="codex"), ())) is None
