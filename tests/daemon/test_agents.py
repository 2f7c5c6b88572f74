"""Agents are learnt from their hooks, remembered while they live, and kept from person's verbs."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from automode.core.record import SessionKey
from automode.daemon.agents import AgentList, Agents, Sender, refusal
from automode.daemon.peers import Peer
from automode.facts.processes import Process, ProcessTable, this_system
from automode.store.folder import StateFolder
from tests.rows import each_row

linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="NO /proc: another system")
AGENT = """
import subprocess, sys
hook = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=sys.stdin)
print(hook.pid, flush=True)
hook.wait()
"""
"""A process with a hook below it, and so an agent."""


def sender(pid: int, session: str = "s", *, parent: str = "", itself: bool = False) -> Sender:
    return Sender(Peer(os.getuid(), pid), SessionKey("pi", session), parent, itself)


@pytest.fixture
def agents(folder: StateFolder) -> Agents:
    return Agents(folder, markers=())


def known(folder: StateFolder) -> AgentList:
    return AgentList.of(folder, this_system())


@contextmanager
def agent_with_a_hook(
    variables: Mapping[str, str] | None = None,
) -> Iterator[tuple[int, int]]:
    with subprocess.Popen(
        [sys.executable, "-c", AGENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=variables or {},
    ) as agent:
        assert agent.stdout is not None
        yield agent.pid, int(agent.stdout.readline())
        agent.communicate()


def is_an_agent(pid: int) -> str:
    found = this_system().process(pid)
    assert found is not None
    return f"process {pid} (`{found.name}`) is an agent"


@pytest.mark.parametrize("itself", [True, False])
def test_whoever_sends_or_starts_a_hook_is_an_agent_and_what_is_below_it_is_refused(
    folder: StateFolder, agents: Agents, itself: bool
) -> None:
    with agent_with_a_hook() as (agent, hook):
        agents.learn(sender(agent if itself else hook, itself=itself))
        anew = Agents(folder, markers=())

        assert agents.refusal(hook) == anew.refusal(hook) == is_an_agent(agent)
        assert refusal(folder, hook, {}) == is_an_agent(agent)
        assert agents.refusal(os.getpid()) is None
        assert refusal(folder, os.getpid(), {}) is None
        assert agents.any_lives()

    assert not agents.any_lives()


def test_an_agents_environment_is_what_a_person_started_it_with(
    folder: StateFolder, agents: Agents
) -> None:
    """What its hook was started with does not count, and an agent below another has no person."""
    with agent_with_a_hook({"SOME_KEY": "own"}) as (agent, hook):
        agents.learn(sender(hook))
        found = agents.environment("pi/s")
        above = agents.table.process(os.getpid())
        assert above is not None
        AgentList(frozenset({above.identity}), {"pi/s": agent_identity(agent)}).save(folder)
        below_another = Agents(folder, markers=()).environment("pi/s")

    assert (found or {}).get("SOME_KEY") == "own"
    assert below_another is None
    assert agents.environment("pi/s") is None  # it has ended


def agent_identity(pid: int) -> tuple[int, str]:
    found = this_system().process(pid)
    assert found is not None
    return found.identity


def test_the_dead_are_forgotten(folder: StateFolder, agents: Agents) -> None:
    with agent_with_a_hook() as (_, hook):
        agents.learn(sender(hook))
        before = known(folder).agents

    with agent_with_a_hook() as (agent, hook):
        agents.learn(sender(hook, "another"))
        after = json.loads((Path(folder.path) / "agents.json").read_text())["agents"]

    assert len(before) == 1
    assert [pid for pid, _ in after] == [agent]


def test_who_is_an_agent_in_another_folder_is_one(
    folder: StateFolder, agents: Agents, tmp_path: Path
) -> None:
    other = StateFolder(str(tmp_path / "other"))
    with agent_with_a_hook() as (_, hook):
        agents.learn(sender(hook))

        assert refusal(other, hook, {}) is None
        assert refusal(other, hook, {}, besides=[folder]) is not None
        assert refusal(other, os.getpid(), {}, besides=[folder]) is None


@each_row("pid", [0, -1, 10**7])
def test_a_process_that_nobody_sees_is_no_person(agents: Agents, pid: int) -> None:
    agents.learn(sender(pid, itself=True))

    assert agents.refusal(pid) is not None
    assert agents.refusal_inside(pid, "pi/s") is not None
    assert not agents.brings_a_persons_words(sender(pid, itself=True))


LISTS = {
    "none": None,
    "no JSON": "{",
    "of an earlier release": '[[1, "2"]]',
    "no pairs": '{"agents": [1, "2", [3], [4, 5], ["6", "7"]], "speakers": {"s": 1, "t": [1]}}',
    "the dead": '{"agents": [[10000000, "1"]], "speakers": {"pi/s": [10000000, "1"]}}',
    "an id used again": f'{{"agents": [], "speakers": {{"s": [{os.getppid()}, "1"]}}}}',
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS.keys())
def test_a_list_that_says_nothing_of_today_is_empty(folder: StateFolder, text: str | None) -> None:
    if text is not None:
        (Path(folder.path) / "agents.json").write_text(text)

    assert known(folder) == AgentList()
    assert Agents(folder, markers=()).refusal(os.getpid()) is None
    assert Agents(folder, markers=()).speaker("pi/s") is None
    assert refusal(folder, os.getpid(), {}) is None


def test_a_folder_that_takes_no_list_is_no_fault(tmp_path: Path) -> None:
    nowhere = StateFolder(str(tmp_path / "nowhere"))
    AgentList(frozenset({(1, "2")})).save(nowhere)

    assert known(nowhere) == AgentList()


@dataclass(frozen=True)
class Blinking(ProcessTable):
    """Some processes cannot be looked at now."""

    blind: set[int] = field(default_factory=set)

    def process(self, pid: int) -> Process | None:
        return None if pid in self.blind else this_system().process(pid)


def test_an_agent_that_cannot_be_looked_at_for_a_moment_is_not_forgotten(
    folder: StateFolder,
) -> None:
    table = Blinking()
    agents = Agents(folder, markers=(), table=table)

    with agent_with_a_hook() as (agent, hook), agent_with_a_hook() as (_, other):
        agents.learn(sender(hook))
        table.blind.add(agent)
        agents.learn(sender(other, "another"))
        table.blind.clear()

        assert agents.refusal(hook) == is_an_agent(agent)


def test_another_process_that_speaks_for_a_session_does_not_hide_its_agent(agents: Agents) -> None:
    with agent_with_a_hook() as (_, orphan), agent_with_a_hook() as (agent, hook):
        agents.learn(sender(orphan))
        agents.learn(sender(hook))

        assert agents.refusal(hook) == is_an_agent(agent)


def test_a_persons_words_come_from_the_sessions_own_agent(agents: Agents) -> None:
    with agent_with_a_hook() as (_, hook), agent_with_a_hook() as (_, other):
        own = agents.brings_a_persons_words(sender(hook))
        foreign = agents.brings_a_persons_words(sender(other))
        again = agents.brings_a_persons_words(sender(hook))
    with agent_with_a_hook() as (_, hook):
        taken_up = agents.brings_a_persons_words(sender(hook))

    assert (own, foreign, again, taken_up) == (True, False, True, True)


def test_what_an_agent_tells_an_agent_below_it_is_no_persons_word(agents: Agents) -> None:
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {AGENT!r}])"

    with subprocess.Popen(
        [sys.executable, "-c", nested], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}
    ) as outer:
        assert outer.stdout is not None
        hook = int(outer.stdout.readline())
        before = agents.brings_a_persons_words(sender(hook, "before"))
        agents.learn(sender(outer.pid, "outer", itself=True))
        after = agents.brings_a_persons_words(sender(hook, "after"))
        outer.communicate()

    assert (before, after) == (True, False)


@linux
def test_an_agent_that_was_started_with_another_ones_marker_is_below_it(
    folder: StateFolder, agents: Agents
) -> None:
    marked = Agents(folder, markers=("SOME_AGENT",))

    with agent_with_a_hook({"SOME_AGENT": "1"}) as (agent, hook):
        assert agents.brings_a_persons_words(sender(hook, "t"))
        assert not marked.brings_a_persons_words(sender(hook, "t"))
        marked.learn(sender(agent, itself=True))
        assert "SOME_AGENT" in (marked.refusal_inside(agent, "pi/s") or "")


def test_a_person_speaks_through_the_very_process_of_their_session(agents: Agents) -> None:
    with agent_with_a_hook() as (agent, below):
        agents.learn(sender(agent, itself=True))
        agents.learn(sender(below, "made-up", itself=True))

        assert agents.refusal_inside(agent, "pi/s") is None
        assert agents.speaker("pi/s") == agent
        other = agents.refusal_inside(agent, "pi/other") or ""
        assert "is not the one that speaks for this session" in other
        assert agents.refusal_inside(below, "pi/s") is not None
        assert agents.refusal_inside(below, "pi/made-up") is not None

    assert agents.speaker("pi/s") is None


def test_who_speaks_for_a_session_is_known_to_a_new_daemon(
    folder: StateFolder, agents: Agents
) -> None:
    with agent_with_a_hook() as (agent, hook), agent_with_a_hook() as (_, other):
        agents.learn(sender(hook))
        again = Agents(folder, markers=())

        assert not again.speaks(sender(other))
        assert again.speaks(sender(hook))
        assert again.speaker("pi/s") == agent


def test_a_sub_agent_has_the_process_of_the_session_above_it(agents: Agents) -> None:
    with agent_with_a_hook() as (agent, hook), agent_with_a_hook() as (_, other):
        agents.learn(sender(hook))
        agents.learn(sender(other, "mine"))

        assert agents.speaks(sender(hook, "s/a", parent="pi/s"))
        assert not agents.speaks(sender(other, "s/b", parent="pi/s"))
        assert agents.speaker("pi/s/a", "pi/s") == agent
        # Nobody speaks for another session by calling it their own child.
        assert not agents.speaks(sender(other, "s", parent="pi/mine"))
