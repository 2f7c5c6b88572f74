"""Agents are learnt from their hooks, remembered while they live, and kept from person's verbs."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from automode.adapters.catalog import ADAPTERS
from automode.daemon.agents import MOST, Agents, known_agents, markers_of, refusal
from automode.facts.ancestry import this_system
from automode.store.folder import StateFolder

AGENT = """
import subprocess, sys
hook = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=sys.stdin)
print(hook.pid, flush=True)
hook.wait()
"""
"""A process with a hook below it, and so an agent."""


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(str(tmp_path / "state")).prepared()


@contextmanager
def agent_with_a_hook() -> Iterator[tuple[int, int]]:
    with subprocess.Popen(
        [sys.executable, "-c", AGENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}
    ) as agent:
        assert agent.stdout is not None
        yield agent.pid, int(agent.stdout.readline())
        agent.communicate()


def test_whoever_starts_a_hook_is_an_agent_and_what_is_below_it_is_refused(
    folder: StateFolder,
) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (agent, hook):
        agents.hook_came_from(hook, "s")

        assert agents.refusal(hook) == f"process {agent} (`{name_of(agent)}`) is an agent"
        assert agents.refusal(os.getpid()) is None


def name_of(pid: int) -> str:
    found = this_system().process(pid)
    assert found is not None
    return found.name


def test_a_process_that_speaks_for_itself_is_an_agent(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (agent, hook):
        agents.speaks_itself(agent, "s")

        assert agents.refusal(hook) is not None


def test_a_new_daemon_and_a_command_without_one_know_what_the_old_one_learnt(
    folder: StateFolder,
) -> None:
    with agent_with_a_hook() as (_, hook):
        Agents(folder, markers=()).hook_came_from(hook, "s")

        assert Agents(folder, markers=()).refusal(hook) is not None
        assert refusal(folder, hook, {}) is not None
        assert refusal(folder, os.getpid(), {}) is None


def test_the_dead_are_forgotten(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())
    with agent_with_a_hook() as (_, hook):
        agents.hook_came_from(hook, "s")
    before = known_agents(folder)

    with agent_with_a_hook() as (agent, hook):
        agents.hook_came_from(hook, "another")
        after = known_agents(folder)

    assert len(before) == 1
    assert [pid for pid, _ in after] == [agent]


def test_a_caller_that_cannot_be_seen_is_refused(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())

    assert agents.refusal(0) is not None
    assert agents.refusal(-1) is not None


LISTS = {
    "none": None,
    "no JSON": "{",
    "no list": '{"1": 2}',
    "no pairs": '[1, "2", [3], [4, 5], ["6", "7"]]',
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS.keys())
def test_a_list_that_cannot_be_read_is_empty(folder: StateFolder, text: str | None) -> None:
    if text is not None:
        (Path(folder.path) / "agents.json").write_text(text)

    assert known_agents(folder) == frozenset()
    assert Agents(folder, markers=()).refusal(os.getpid()) is None


def test_the_list_does_not_grow_without_end(folder: StateFolder) -> None:
    gone = [[10**7 + number, "1"] for number in range(3 * MOST)]
    (Path(folder.path) / "agents.json").write_text(json.dumps(gone))

    agents = Agents(folder, markers=())
    with agent_with_a_hook() as (_, hook):
        agents.hook_came_from(hook, "s")

    assert len(known_agents(folder)) == 1


def test_the_markers_of_all_hosts_count() -> None:
    assert "CLAUDECODE" in markers_of(ADAPTERS.values())
