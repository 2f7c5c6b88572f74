"""The real agents as the judge, on a scripted model: what they send, and that nothing runs."""

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from conformance.programs import pinned

from automode.agents.scripted.driver import NoProgram
from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import ModelRequest, ToolUse, Turn, saying, using
from automode.llm.endpoints import Missing, Sources
from automode.llm.hosted import Wire
from automode.llm.model import Ask, ModelError, Prompt, Reply
from automode.llm.providers import Api, OwnServer
from automode.llm.registry import resolve

pytestmark = pytest.mark.real
AGENTS_FOLDER = Path(__file__).parents[2] / ".venv" / "agents"
ANSWER = '{"decision": "block", "tier": "soft_deny", "reason": "scripted"}'
PROMPT = Prompt("THE POLICY", "THE CONTEXT", "THE QUESTION")
SECONDS = 60.0
AGENTS = {"claude-cli": "claude-code", "codex-cli": "codex", "gemini-cli": "gemini-cli"}
MODELS = {"claude-cli": "haiku", "codex-cli": "gpt-5.4", "gemini-cli": "gemini-2.5-flash"}


def _moved(name: str, home: Path, address: str) -> dict[str, str]:
    """An environment, to be trusted, that leads the agent to the scripted server."""
    key = "sk-ant-a-key-that-opens-nothing-at-all"
    return {"HOME": str(home)} | {
        "claude-cli": {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": key},
        "codex-cli": {"OPENAI_BASE_URL": f"{address}/v1", "CODEX_API_KEY": key},
        "gemini-cli": {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": key},
    }[name]


def _plant(home: Path) -> Path:
    """Hooks, servers and memory of the person's own, each of which leaves a mark when it runs."""
    mark = home / "RAN"
    touch = {"type": "command", "command": f"touch {mark}"}
    events = ("SessionStart", "UserPromptSubmit", "BeforeAgent", "Stop")
    hooks = {event: [{"hooks": [touch]}] for event in events}
    server = {"mcpServers": {"planted": {"command": "touch", "args": [str(mark)]}}}
    for folder, memory in (
        (".claude", "CLAUDE.md"), (".gemini", "GEMINI.md"), (".codex", "AGENTS.md")
    ):  # fmt: skip
        (home / folder).mkdir()
        (home / folder / "settings.json").write_text(json.dumps({"hooks": hooks, **server}))
        (home / folder / "hooks.json").write_text(json.dumps({"hooks": hooks}))
        (home / folder / memory).write_text("A PLANTED MEMORY")
    (home / ".codex" / "config.toml").write_text(
        f'[mcp_servers.planted]\ncommand = "touch"\nargs = ["{mark}"]\n'
    )
    return mark


@pytest.fixture
def server() -> Iterator[ModelServer]:
    class Speaking(ModelServer):
        """Answers also a request without tools by its script."""

        def next_turn(self, asked: ModelRequest, *, judge: bool) -> Turn:
            self.asked.append(asked)
            turns = self.scripts[0].turns
            return turns[min(len(self.asked), len(turns)) - 1]

    with Speaking() as found:
        found.plays(saying(ANSWER))
        yield found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def ask(name: str, home: Path, address: str) -> Reply:
    try:
        driver = pinned(AGENTS[name], str(AGENTS_FOLDER))
    except NoProgram as missing:
        pytest.skip(f"NO {AGENTS[name].upper()}: {missing}")
    command = home / "program"
    command.write_text(f'#!/bin/sh\nPATH="{driver.node}:$PATH" exec {driver.program} "$@"\n')
    command.chmod(0o755)
    own = (OwnServer(name, Api.OPENAI, "", None, str(command)),)
    environment: Mapping[str, str] = _moved(name, home, address)
    wire = Wire(trust_environment=True)
    sources = Sources(environment, own=own, trust_environment=True)
    model = resolve(f"{name}/{MODELS[name]}", sources, wire=wire)
    assert not isinstance(model, Missing)
    return asyncio.run(model.complete(PROMPT, Ask(700, SECONDS)))


@pytest.mark.parametrize("name", AGENTS)
def test_it_judges_with_our_policy_and_nothing_of_the_persons_own_runs(
    name: str, home: Path, server: ModelServer
) -> None:
    mark = _plant(home)
    before = set(os.listdir(home))

    reply = ask(name, home, server.url)

    assert (reply.text, reply.complete) == (ANSWER, True)
    (asked,) = server.asked
    assert asked.tools <= {"request_user_input"}  # nobody is there to be asked
    assert all(part in asked.whole for part in ("THE POLICY", "THE CONTEXT", "THE QUESTION"))
    assert "A PLANTED MEMORY" not in asked.whole
    assert not mark.exists()
    assert set(os.listdir(home)) - before <= {"program", ".claude.json", ".cache", ".config"}


@pytest.mark.parametrize("name", AGENTS)
def test_a_judge_that_is_talked_into_a_tool_runs_none_and_gives_no_answer(
    name: str, home: Path, server: ModelServer
) -> None:
    mark = home / "RAN"
    tools = {"claude-cli": "Bash", "codex-cli": "exec_command", "gemini-cli": "run_shell_command"}
    use = ToolUse(tools[name], {"command": f"touch {mark}", "cmd": f"touch {mark}"})
    server.plays(using(use), saying(ANSWER.replace("block", "allow")))

    if name == "codex-cli":  # it tells its model that there is no such tool, and tells us nothing
        assert "allow" in ask(name, home, server.url).text
    else:
        with pytest.raises(ModelError):
            ask(name, home, server.url)

    assert not mark.exists()
