"""Who stands above a process: seen on real processes, and told apart in made-up families."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import HookProcess
from automode.facts.ancestry import (
    DEEPEST,
    Departed,
    agent_above,
    agent_behind,
    agent_beside,
    agent_of_hook,
    ancestors,
)
from automode.facts.process_table import (
    Process,
    ProcessTable,
    ProcFolder,
    PsProgram,
    this_system,
)
from tests.rows import each_row

MARKER = "AUTOMODE_TEST_AGENT"
linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="NO /proc: another system")


@dataclass(frozen=True)
class Family:
    """Processes from the caller upwards, each the parent of the one before."""

    members: Sequence[Process]
    marked: dict[int, str] = field(default_factory=dict)
    apart: frozenset[int] = frozenset()  # in a control group of their own
    given: Mapping[int, frozenset[str]] = field(default_factory=dict)
    heard: frozenset[tuple[int, int]] = frozenset()
    blind: bool = False  # nobody can tell who takes what is printed
    unseen: frozenset[int] = frozenset()  # another account's, which the system does not show
    kept_to_themselves: frozenset[int] = frozenset()  # this account's, which it does not show

    def process(self, pid: int) -> Process | None:
        return next((one for one in self.members if one.pid == pid), None)

    def variables(self, pid: int) -> frozenset[str] | None:
        return frozenset({self.marked[pid]} if pid in self.marked else {"PATH"})

    def started_with(self, pid: int) -> frozenset[str] | None:
        return self.given.get(pid)

    def prints_to(self, pid: int, reader: int) -> bool | None:
        return None if self.blind else (pid, reader) in self.heard

    def group(self, pid: int) -> str | None:
        return f"0::/{pid}" if pid in self.apart else "0::/session"

    def hidden(self, pid: int) -> bool:
        return pid in self.unseen

    def there(self, pid: int) -> bool:
        return pid in self.kept_to_themselves

    def now(self) -> str:
        return "100"


def line(*names: str, terminal: bool = False, leader: str = "") -> list[Process]:
    """The last one is the oldest and has the parent 0; `init` has the id 1."""
    pids = [1 if name == "init" else 100 - index for index, name in enumerate(names)]
    parents = [*pids[1:], 0]
    return [
        Process(pid, parent, "7", os.getuid(), name, terminal, leader=name == leader)
        for name, pid, parent in zip(names, pids, parents, strict=True)
    ]


@dataclass(frozen=True)
class Crowd(Family):
    """So many that they have to be found by their ids."""

    by_id: Mapping[int, Process] = field(default_factory=dict)

    def process(self, pid: int) -> Process | None:
        return self.by_id.get(pid)


# From the caller up: who is in the line, whether there is a terminal; which agent it is.
BEHIND = {
    "the agent itself": (line("hook", "claude", "bash", "sshd"), "claude"),
    "a shell in between": (line("hook", "sh", "claude", "bash", "sshd"), "claude"),
    "several launchers": (line("hook", "timeout", "env", "bash", "node", "zsh"), "node"),
    "typed in a terminal": (
        line("hook", "bash", "gnome-terminal", terminal=True, leader="bash"),
        None,
    ),
    "an agent that owns its terminal": (
        line("hook", "sh", "claude", "tmux", terminal=True, leader="claude"),
        "claude",
    ),
    "the agent is gone": (line("hook", "sh", "systemd", "init"), None),
    "only init": (line("hook", "init"), None),
    "a login shell of its own": (line("hook", "-bash", "claude"), "claude"),
}


@each_row("members, agent", BEHIND.values())
def test_the_agent_behind_a_hook(members: list[Process], agent: str | None) -> None:
    found = agent_behind(members[0].pid, Family(members))

    assert (found.name if found else None) == agent


HOOKS = HookProcess(has=("PROJECT",), lacks=("TOOL",), heard=True)
# What stands right below the agent was started with, who hears it; whether it is a hook.
STARTED = {
    "a hook": ({"PROJECT", "PATH"}, True, True),
    "a tool call": ({"TOOL", "PATH"}, True, False),
    "a tool call in a project that sets the hooks' variable": ({"PROJECT", "TOOL"}, True, False),
    "neither": ({"PATH"}, True, False),
    "what chose its variables itself": ({"PROJECT"}, False, False),
    "a hook, where nobody can tell who hears it": ({"PROJECT", "PATH"}, None, True),
    "a tool call, where nobody can tell": ({"PROJECT", "TOOL"}, None, False),
    "what cannot be seen": (None, True, False),
}


@each_row("given, heard, hook", STARTED.values())
def test_a_hook_is_what_the_agent_itself_has_started_as_one(
    given: set[str] | None, heard: bool | None, hook: bool
) -> None:
    """What stands further down was chosen by whoever runs there, and says nothing."""
    forger, script, shell, claude = line("python3", "bash", "sh", "claude")
    family = Family(
        [forger, script, shell, claude],
        given={
            forger.pid: frozenset({"PROJECT"}),
            script.pid: frozenset({"PROJECT"}),
            **({} if given is None else {shell.pid: frozenset(given)}),
        },
        heard=frozenset({(shell.pid, claude.pid)} if heard else ()),
        blind=heard is None,
    )

    found = agent_of_hook(forger.pid, HOOKS, family)

    assert found == (claude if hook else None)
    assert agent_of_hook(forger.pid, None, family) == claude


def test_another_accounts_process_is_not_learnt() -> None:
    hook, sshd = line("hook", "sshd")
    foreign = Process(sshd.pid, 0, "7", os.getuid() + 1, "sshd", terminal=False, leader=True)

    assert agent_behind(hook.pid, Family([hook, foreign])) is None


# From the caller up; marked process; what is said.
ABOVE = {
    "a person in a terminal": (line("automode", "bash", "tmux", terminal=True), None, None),
    "a person's editor": (line("automode", "node", "code", "init"), None, None),
    "the caller carries a marker": (line("automode", "bash", "tmux"), "automode", "started with"),
    "one far above carries it": (line("automode", "make", "sh", "claude"), "claude", "`claude`"),
    "let go of, no terminal": (line("automode", "sh", "init"), None, "detached"),
    "let go of to the user's init": (line("automode", "systemd", "init"), None, "detached"),
    "let go of, in a terminal": (line("automode", "init", terminal=True), None, "detached"),
    "let go of, in a terminal that a program made": (
        line("automode", "sh", "script", "init", terminal=True),
        None,
        "detached",
    ),
    "entered from outside": (line("automode"), None, None),
}


@each_row("members, marked, said", ABOVE.values())
def test_who_is_taken_for_an_agents(
    members: list[Process], marked: str | None, said: str | None
) -> None:
    marks = {one.pid: MARKER for one in members if one.name == marked}

    why = agent_above(members[0].pid, markers=[MARKER], table=Family(members, marks))

    assert (why is None) == (said is None)
    assert (said or "") in (why or "")


def test_a_known_agent_is_found_by_id_and_time_of_start() -> None:
    family = line("automode", "bash", "claude", terminal=True)
    above = family[2]

    known = agent_above(100, markers=[], agents={above.identity}, table=Family(family))
    reused = agent_above(100, markers=[], agents={(above.pid, "8")}, table=Family(family))

    assert known == f"process {above.pid} (`claude`) is an agent"
    assert reused is None


# The oldest of the caller's line, when it started, whether in the agent's control group; what is
# said where the agent started at 50 and stands elsewhere in the tree.
BESIDE = {
    "a terminal that a program below the agent made": ("python3", "60", True, "younger than agent"),
    "at the same moment": ("python3", "50", True, "younger than agent"),
    "of an age that nobody can compare": ("python3", "Mon Nov 15", True, "younger than agent"),
    "a multiplexer from before the agent": ("tmux: server", "40", True, None),
    "a new window of the person's": ("gnome-terminal", "60", False, None),
}


@pytest.mark.parametrize(("name", "started", "same", "said"), BESIDE.values(), ids=BESIDE.keys())
def test_who_stands_beside_an_agent_and_came_after_it_is_taken_for_its_own(
    name: str, started: str, same: bool, said: str | None
) -> None:
    caller, shell, top, first = line("automode", "bash", name, "init", terminal=True)
    caller, shell = replace(caller, started="90"), replace(shell, started="90")
    top = replace(top, started=started)
    agent = Process(200, 1, "50", os.getuid(), "claude", terminal=True, leader=True)
    family = Family([caller, shell, top, first, agent], apart=frozenset(() if same else {top.pid}))

    why = agent_above(caller.pid, markers=[], agents={agent.identity}, table=family)

    assert (why is None) == (said is None)
    assert (said or "") in (why or "")
    assert agent_beside(caller.pid, {agent.identity}, family) == why


def test_everybody_passes_below_a_line_as_deep_as_it_can_be_looked_at() -> None:
    family = Family(line("automode", *("bash",) * (DEEPEST - 1)))

    assert agent_above(100, markers=[MARKER], table=family) is None


@given(st.integers(1, 3 * DEEPEST), st.integers(0, 3 * DEEPEST), st.booleans())
def test_however_far_up_an_agent_stands_nobody_passes_below_it(
    above: int, beyond: int, orphans: bool
) -> None:
    pids = range(10**6, 10**6 - 2 - above - beyond, -1)
    members = {
        pid: Process(pid, pid - 1, "7", os.getuid(), "sh", terminal=True, leader=False)
        for pid in pids
    }
    members[pids[-1]] = replace(members[pids[-1]], parent=0)
    agent = members[pids[above]]

    why = agent_above(
        pids[0],
        markers=[],
        agents={agent.identity},
        orphans=orphans,
        table=Crowd((), by_id=members),
    )

    assert why is not None


# The parent of the last one that is seen; whether another account hides it; whether they pass.
BROKEN_OFF = {
    "nobody stands there any more": (55, False, False),
    "another account's, on a system that hides those": (55, True, True),
    "a circle": (100, False, False),
    "nobody, from outside": (0, False, True),
}


@pytest.mark.parametrize(("parent", "hidden", "passes"), BROKEN_OFF.values(), ids=BROKEN_OFF.keys())
def test_a_line_with_somebody_missing_is_not_trusted(
    parent: int, hidden: bool, passes: bool
) -> None:
    caller, shell = line("automode", "bash", terminal=True)
    family = Family(
        [caller, replace(shell, parent=parent)], unseen=frozenset({parent} if hidden else ())
    )

    why = agent_above(caller.pid, markers=[], table=family)

    assert (why is None) == passes


def test_a_parent_that_is_younger_than_its_child_has_somebody_elses_id() -> None:
    caller, shell, other = line("automode", "bash", "tmux", terminal=True)

    why = agent_above(
        caller.pid, markers=[], table=Family([caller, shell, replace(other, started="8")])
    )

    assert why is not None


@dataclass(frozen=True)
class Changing(Family):
    """Whoever is gone is seen by nobody, and from the second look on has no children."""

    looks: list[int] = field(default_factory=list)

    def process(self, pid: int) -> Process | None:
        self.looks.append(pid)
        found = super().process(pid)
        if found is not None and found.parent == 55 and self.looks.count(pid) > 1:
            return replace(found, parent=0)
        return found


def test_who_loses_its_parent_while_it_is_looked_at_is_looked_at_again() -> None:
    caller, shell = line("automode", "bash", terminal=True)

    why = agent_above(caller.pid, markers=[], table=Changing([caller, replace(shell, parent=55)]))

    assert why is None


def test_a_line_in_which_somebody_is_just_ending_is_not_trusted() -> None:
    caller, shell, init = line("automode", "bash", "init", terminal=True)

    why = agent_above(
        caller.pid, markers=[], table=Family([caller, replace(shell, ending=True), init])
    )

    assert why is not None


@dataclass(frozen=True)
class Passing(Family):
    """Who stands between the caller's parent and init ends as soon as its group was asked for: it
    has lost the group it was in, and then its child."""

    asked: list[int] = field(default_factory=list)

    def process(self, pid: int) -> Process | None:
        found = super().process(pid)
        gone = self.members[2].pid
        if self.asked and pid == gone:
            return None
        if self.asked and found is not None and found.parent == gone:
            return replace(found, parent=1)
        return found

    def group(self, pid: int) -> str | None:
        if pid == self.members[2].pid:
            self.asked.append(pid)
            return "0::/"
        return super().group(pid)


def test_what_an_agent_let_go_of_does_not_pass_while_its_starter_ends() -> None:
    family = line("automode", "python", "python", "init", terminal=True)
    agent = replace(family[1], pid=50, started="6")

    why = agent_above(
        family[0].pid, markers=[], agents={agent.identity}, table=Passing([*family, agent])
    )

    assert why == "process 99 (`python`) is younger than agent 50 beside it"


# The oldest of the caller's line: when it started, whether it has a terminal, whether it is in the
# control group of an agent that lived from 50 to 70; whether it is taken for what that one left.
LEFT_BEHIND = {
    "started while the agent lived": ("60", False, True, True),
    "the same, in a terminal that it made": ("60", True, True, True),
    "let go of once more, after the agent's end": ("80", False, True, True),
    "a window that a person opened after the agent's end": ("80", True, True, False),
    "a window from before the agent": ("40", True, True, False),
    "a service from before the agent": ("40", False, True, False),
    "a program elsewhere": ("60", False, False, False),
}


@pytest.mark.parametrize(
    ("started", "terminal", "same", "taken"), LEFT_BEHIND.values(), ids=LEFT_BEHIND.keys()
)
def test_what_an_agent_left_behind_is_no_person_once_it_has_ended(
    started: str, terminal: bool, same: bool, taken: bool
) -> None:
    caller, top, first = line("automode", "python3", "init", terminal=terminal)
    caller, top = replace(caller, started="90"), replace(top, started=started)
    family = Family([caller, top, first], apart=frozenset(() if same else {top.pid}))
    agent = Departed((200, "50"), "0::/session", "70")
    unnoticed = replace(agent, ended="")

    whys = [
        agent_above(caller.pid, markers=[], departed=[one], table=family)
        for one in (agent, unnoticed)
    ]

    assert [why is not None for why in whys] == [taken, taken and not terminal]
    assert all("agent 200, which has ended" in why for why in whys if why)


def test_a_process_that_cannot_be_seen_is_not_trusted() -> None:
    assert agent_above(12345, markers=[], table=Family([])) == "process 12345 cannot be seen"


def test_a_supervisors_child_may_pass_where_that_is_said() -> None:
    family = Family(line("automode", "systemd", "init"))

    assert agent_above(100, markers=[], orphans=True, table=family) is None


def test_a_circle_of_parents_ends() -> None:
    circle = [
        Process(5, 6, "1", 0, "a", terminal=False, leader=False),
        Process(6, 5, "1", 0, "b", terminal=False, leader=False),
    ]

    assert [one.pid for one in ancestors(5, Family(circle))] == [5, 6]


NAMES = st.sampled_from(["bash", "python3", "node", "make", "init", "systemd", "tmux", "sudo"])


@given(st.lists(NAMES, min_size=1, max_size=12, unique=True), st.integers(0, 11), st.booleans())
def test_below_a_marked_process_nobody_passes(names: list[str], place: int, terminal: bool) -> None:
    family = line("automode", *names, terminal=terminal)
    marked = family[1 + place % len(names)]

    why = agent_above(
        family[0].pid, markers=[MARKER], table=Family(family, {marked.pid: MARKER}), orphans=True
    )

    assert why is not None


SLEEPER = "import sys; print('up', flush=True); sys.stdin.read()"


@pytest.fixture
def marked_child() -> Iterator[int]:
    """A grandchild of this process, below one that carries the marker."""
    code = textwrap.dedent(f"""
        import subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", {SLEEPER!r}], env={{}},
                                 stdin=sys.stdin, stdout=subprocess.DEVNULL)
        print(child.pid, flush=True)
        child.wait()
    """)
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={MARKER: "1"},
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield int(process.stdout.readline())
        process.stdin.close()


TABLES = [pytest.param(ProcFolder(), marks=linux, id="proc"), pytest.param(PsProgram(), id="ps")]


@pytest.mark.parametrize("table", TABLES)
def test_a_real_process_below_a_marked_one_is_found(marked_child: int, table: ProcessTable) -> None:
    why = agent_above(marked_child, markers=[MARKER], table=table, orphans=True)

    assert why is not None
    assert MARKER in why


MADE_A_TERMINAL = """
import os, pty, sys
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
pid, terminal = pty.fork()
if not pid:
    sys.stdin.read()
    os._exit(0)
os.write(int(sys.argv[1]), b"%d\\n" % pid)
os.waitpid(pid, 0)
"""


NESTED = """
deeper() {
    if [ "$1" -gt 0 ]; then ( deeper $(($1 - 1)); : ); else exec sh -c 'echo $$; read -r _'; fi
}
deeper "$0"
"""


@linux
def test_real_processes_that_stand_very_deep_below_an_agent_are_found() -> None:
    agent = this_system().process(os.getpid())
    assert agent is not None
    with subprocess.Popen(
        ["/bin/sh", "-c", NESTED, str(DEEPEST + 5)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={},
    ) as process:
        assert process.stdout is not None
        why = agent_above(int(process.stdout.readline()), markers=[], agents={agent.identity})
        process.communicate()

    assert why == "more processes stand above it than can be looked at"


@linux
def test_a_real_process_that_was_let_go_of_into_a_terminal_of_its_own_is_found() -> None:
    """Twice forked, below a program that holds the terminal: only its age and group tell."""
    agent = this_system().process(os.getpid())
    reading, writing = os.pipe()
    assert agent is not None
    subprocess.run(
        [sys.executable, "-c", MADE_A_TERMINAL, str(writing)],
        pass_fds=[writing],
        check=True,
        env={},
    )
    os.close(writing)
    with open(reading, "rb") as told:
        pid = int(told.readline())

    try:
        orphaned = [one.pid for one in ancestors(pid, this_system())]
        why = agent_above(pid, markers=[], agents={agent.identity})
    finally:
        os.kill(pid, signal.SIGKILL)

    assert os.getpid() not in orphaned
    assert why is not None
