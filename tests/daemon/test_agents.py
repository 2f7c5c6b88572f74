"""Agents are learnt from their hooks, remembered while they live, and kept from person's verbs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from automode.agents.catalog import ADAPTERS
from automode.daemon.agent_list import known_agents, known_speakers
from automode.daemon.agents import MOST, TOO_MANY, Agents, Voice, markers_of, refusal
from automode.facts.process_table import Process, this_system
from automode.store.folder import StateFolder

linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="NO /proc: another system")
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


def test_whoever_starts_a_hook_is_an_agent_and_what_is_below_it_is_refused(
    folder: StateFolder,
) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (agent, hook):
        agents.learn(Voice(hook, "s"))

        assert agents.refusal(hook) == f"process {agent} (`{name_of(agent)}`) is an agent"
        assert agents.refusal(os.getpid()) is None


def name_of(pid: int) -> str:
    found = this_system().process(pid)
    assert found is not None
    return found.name


def test_a_process_that_speaks_for_itself_is_an_agent(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (agent, hook):
        agents.learn(Voice(agent, "s", itself=True))

        assert agents.refusal(hook) is not None


def test_a_new_daemon_and_a_command_without_one_know_what_the_old_one_learnt(
    folder: StateFolder,
) -> None:
    with agent_with_a_hook() as (_, hook):
        Agents(folder, markers=()).learn(Voice(hook, "s"))

        assert Agents(folder, markers=()).refusal(hook) is not None
        assert refusal(folder, hook, {}) is not None
        assert refusal(folder, os.getpid(), {}) is None


def test_who_speaks_for_a_session_is_an_agent_also_without_the_list(folder: StateFolder) -> None:
    with agent_with_a_hook() as (_, hook):
        Agents(folder, markers=()).learn(Voice(hook, "s"))
        (Path(folder.path) / "agents.json").unlink()

        assert refusal(folder, hook, {}) is not None
        assert Agents(folder, markers=()).refusal(hook) is not None
        assert refusal(folder, os.getpid(), {}) is None


def test_the_dead_are_forgotten(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())
    with agent_with_a_hook() as (_, hook):
        agents.learn(Voice(hook, "s"))
    before = known_agents(folder)

    with agent_with_a_hook() as (agent, hook):
        agents.learn(Voice(hook, "another"))
        after = known_agents(folder)

    assert len(before) == 1
    assert [pid for pid, _ in after] == [agent]


LET_GO = """
import os, pty, sys, time
if os.fork():
    os._exit(0)
os.setsid()
above = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == above:
    time.sleep(0.001)
pid, _ = pty.fork() if sys.argv[1] else (os.fork(), None)
if pid:
    os.write(int(sys.argv[2]), b"%d\\n" % pid)
    os.waitpid(pid, 0)
else:
    import signal
    signal.pause()
"""
"""Forked twice, and below that one who asks: in a terminal of its own, where that is said."""


@contextmanager
def let_go_of(*, terminal: bool = False) -> Iterator[int]:
    reading, writing = os.pipe()
    words = [sys.executable, "-c", LET_GO, "yes" if terminal else "", str(writing)]
    subprocess.run(words, pass_fds=[writing], check=True, env={})
    os.close(writing)
    with open(reading, "rb") as told:
        pid = int(told.readline())
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)


@linux
@pytest.mark.parametrize("terminal", [False, True])
def test_what_was_let_go_of_while_an_agent_lived_is_no_person_after_its_end(
    folder: StateFolder, terminal: bool
) -> None:
    agents = Agents(folder, markers=())
    with agent_with_a_hook() as (agent, hook):
        agents.learn(Voice(hook, "s"))
        left = let_go_of(terminal=terminal)
        pid = left.__enter__()
        agents.note_ended()  # as the daemon does once in a while
        beside = agents.refusal(pid)

    try:
        after = [agents.refusal(pid), Agents(folder, ()).refusal(pid), refusal(folder, pid, {})]
    finally:
        left.__exit__(None, None, None)

    assert f"younger than agent {agent} beside it" in (beside or "")
    assert all(f"agent {agent}, which has ended" in (why or "") for why in after)
    assert agents.refusal(os.getpid()) is None
    assert refusal(folder, os.getpid(), {}) is None


@linux
def test_a_window_that_is_opened_after_an_agents_end_is_a_persons(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())
    with agent_with_a_hook() as (_, hook):
        agents.learn(Voice(hook, "s"))
    agents.note_ended()

    with let_go_of(terminal=True) as window, let_go_of() as service:
        assert agents.refusal(window) is None
        assert refusal(folder, window, {}) is None
        assert "which has ended" in (agents.refusal(service) or "")


@linux
def test_an_end_that_nobody_saw_speaks_against_what_has_no_terminal_alone(
    folder: StateFolder,
) -> None:
    with agent_with_a_hook() as (_, hook):
        Agents(folder, markers=()).learn(Voice(hook, "s"))

    with let_go_of(terminal=True) as window, let_go_of() as service:
        for why in (refusal(folder, window, {}), Agents(folder, ()).refusal(window)):
            assert why is None
        for why in (refusal(folder, service, {}), Agents(folder, ()).refusal(service)):
            assert "which has ended" in (why or "")


def test_who_is_an_agent_in_another_folder_is_one(folder: StateFolder, tmp_path: Path) -> None:
    other = StateFolder(str(tmp_path / "other"))
    with agent_with_a_hook() as (_, hook):
        Agents(folder, markers=()).learn(Voice(hook, "s"))

        assert refusal(other, hook, {}) is None
        assert refusal(other, hook, {}, besides=[folder]) is not None
        assert refusal(other, os.getpid(), {}, besides=[folder]) is None


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
        agents.learn(Voice(hook, "s"))

    assert len(known_agents(folder)) == 1


@dataclass(frozen=True)
class Crowd:
    """Processes that all live, besides the real ones."""

    first: int = 10**7
    blind: set[int] = field(default_factory=set)  # that cannot be looked at now
    gone: frozenset[int] = frozenset()

    def process(self, pid: int) -> Process | None:
        if pid in self.blind:
            return None
        if pid < self.first:
            return this_system().process(pid)
        return Process(pid, os.getpid(), "1", os.getuid(), "busy", terminal=False, leader=False)

    def variables(self, pid: int) -> frozenset[str] | None:
        return frozenset()

    def started_with(self, pid: int) -> frozenset[str] | None:
        return None

    def prints_to(self, pid: int, reader: int) -> bool | None:
        return False

    def group(self, pid: int) -> str | None:
        return None

    def hidden(self, pid: int) -> bool:
        return False

    def there(self, pid: int) -> bool:
        return pid not in self.gone and this_system().there(pid)

    def now(self) -> str:
        return this_system().now()


def test_an_agent_that_cannot_be_looked_at_for_a_moment_is_not_forgotten(
    folder: StateFolder,
) -> None:
    table = Crowd()
    agents = Agents(folder, markers=(), table=table)

    with agent_with_a_hook() as (agent, hook):
        agents.learn(Voice(hook, "s"))
        table.blind.add(agent)
        agents.note_ended()
        table.blind.clear()

        assert agents.refusal(hook) == f"process {agent} (`{name_of(agent)}`) is an agent"


def test_a_process_that_has_the_id_of_a_dead_speaker_is_no_agent(folder: StateFolder) -> None:
    dead = {"claude-code/s": [os.getppid(), "1"]}
    (Path(folder.path) / "speakers.json").write_text(json.dumps(dead))

    assert refusal(folder, os.getpid(), {}) is None


def test_a_crowd_of_living_agents_pushes_nobody_off_the_list(folder: StateFolder) -> None:
    agents = Agents(folder, markers=(), table=Crowd())

    with agent_with_a_hook() as (agent, hook):
        agents.learn(Voice(hook, "s"))
        for number in range(MOST + 8):
            agents.learn(Voice(10**7 + number, "crowd", itself=True))
        first = agents.refusal(hook)

    assert first is not None
    assert len(known_agents(folder)) == MOST
    assert agent in {pid for pid, _ in known_agents(folder)}
    assert agents.refusal(os.getpid()) == TOO_MANY


def test_another_process_that_speaks_for_a_session_does_not_hide_its_agent(
    folder: StateFolder,
) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (_, orphan), agent_with_a_hook() as (agent, hook):
        agents.learn(Voice(orphan, "s"))
        agents.learn(Voice(hook, "s"))

        assert agents.refusal(hook) == f"process {agent} (`{name_of(agent)}`) is an agent"


def test_a_persons_words_come_from_the_sessions_own_agent(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (_, hook), agent_with_a_hook() as (_, other):
        own = agents.brings_a_persons_words(Voice(hook, "s"))
        foreign = agents.brings_a_persons_words(Voice(other, "s"))
        again = agents.brings_a_persons_words(Voice(hook, "s"))

    assert (own, foreign, again) == (True, False, True)


def test_a_session_that_is_taken_up_again_has_another_agent(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())
    with agent_with_a_hook() as (_, hook):
        agents.learn(Voice(hook, "s"))

    with agent_with_a_hook() as (_, hook):
        assert agents.brings_a_persons_words(Voice(hook, "s"))


def test_what_an_agent_tells_an_agent_below_it_is_no_persons_word(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {AGENT!r}])"

    with subprocess.Popen(
        [sys.executable, "-c", nested], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}
    ) as outer:
        assert outer.stdout is not None
        hook = int(outer.stdout.readline())
        before = agents.brings_a_persons_words(Voice(hook, "before"))
        agents.learn(Voice(outer.pid, "outer", itself=True))
        after = agents.brings_a_persons_words(Voice(hook, "after"))
        outer.communicate()

    assert (before, after) == (True, False)


@linux
def test_an_agent_that_was_started_with_another_ones_marker_is_below_it(
    folder: StateFolder,
) -> None:
    with agent_with_a_hook({"SOME_AGENT": "1"}) as (_, hook):
        assert Agents(folder, markers=()).brings_a_persons_words(Voice(hook, "s"))
        assert not Agents(folder, markers=("SOME_AGENT",)).brings_a_persons_words(Voice(hook, "s"))


def test_a_process_that_nobody_sees_brings_no_persons_words(folder: StateFolder) -> None:
    assert not Agents(folder, markers=()).brings_a_persons_words(Voice(10**7, "s", itself=True))


def test_the_markers_of_all_hosts_count() -> None:
    assert "CLAUDECODE" in markers_of(ADAPTERS.values())


def test_a_person_speaks_through_the_very_process_of_their_session(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (agent, below):
        agents.learn(Voice(agent, "pi s", itself=True))
        itself = agents.refusal_inside(agent, "pi s")
        other = agents.refusal_inside(agent, "pi other")
        descendant = agents.refusal_inside(below, "pi s")
        speaker = agents.speaker("pi s")

    assert (itself, speaker) == (None, agent)
    assert other is not None
    assert "is not the one that speaks for this session" in other
    assert descendant is not None


def test_what_an_agent_starts_stays_below_it_whatever_session_it_claims(
    folder: StateFolder,
) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (agent, below):
        agents.learn(Voice(agent, "pi s", itself=True))
        agents.learn(Voice(below, "pi made-up", itself=True))

        assert agents.refusal_inside(below, "pi made-up") is not None
        assert agents.speaker("pi s") == agent

    assert agents.speaker("pi s") is None


@linux
def test_an_agent_with_anothers_marker_has_no_person_inside(folder: StateFolder) -> None:
    agents = Agents(folder, markers=("SOME_AGENT",))

    with agent_with_a_hook({"SOME_AGENT": "1"}) as (agent, _):
        agents.learn(Voice(agent, "pi s", itself=True))

        assert "SOME_AGENT" in (agents.refusal_inside(agent, "pi s") or "")


@pytest.mark.parametrize("pid", [0, -1, 10**7])
def test_a_process_that_nobody_sees_has_no_person_inside(folder: StateFolder, pid: int) -> None:
    assert Agents(folder, markers=()).refusal_inside(pid, "pi s") is not None


def test_who_speaks_for_a_session_is_known_to_a_new_daemon(folder: StateFolder) -> None:
    with agent_with_a_hook() as (agent, hook), agent_with_a_hook() as (_, other):
        Agents(folder, markers=()).learn(Voice(hook, "s"))
        again = Agents(folder, markers=())

        assert not again.speaks(Voice(other, "s"))
        assert again.speaks(Voice(hook, "s"))
        assert again.speaker("s") == agent

    assert "s" in known_speakers(folder)
    assert Agents(folder, markers=()).speaker("s") is None


def test_a_sub_agent_has_the_process_of_the_session_above_it(folder: StateFolder) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (agent, hook), agent_with_a_hook() as (_, other):
        agents.learn(Voice(hook, "s"))

        assert agents.speaks(Voice(hook, "s/a", parent="s"))
        assert not agents.speaks(Voice(other, "s/b", parent="s"))
        assert agents.speaker("s/a", "s") == agent


def test_nobody_speaks_for_another_session_by_calling_it_their_own_child(
    folder: StateFolder,
) -> None:
    agents = Agents(folder, markers=())

    with agent_with_a_hook() as (_, hook), agent_with_a_hook() as (_, other):
        agents.learn(Voice(hook, "s"))
        agents.learn(Voice(other, "mine"))

        assert not agents.speaks(Voice(other, "s", parent="mine"))


SPEAKERS = {"no JSON": "{", "no object": "[1]", "no pairs": '{"s": 1, "t": [1], "u": ["1", "2"]}'}


@pytest.mark.parametrize("text", SPEAKERS.values(), ids=SPEAKERS.keys())
def test_a_list_of_speakers_that_cannot_be_read_is_empty(folder: StateFolder, text: str) -> None:
    (Path(folder.path) / "speakers.json").write_text(text)

    assert known_speakers(folder) == {}
    assert Agents(folder, markers=()).speaker("s") is None
