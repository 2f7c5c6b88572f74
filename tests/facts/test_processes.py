"""Who is above a process: seen on real processes, and told apart in made-up families."""

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import HookProcess
from automode.facts.processes import (
    DEEPEST,
    Process,
    ProcessTable,
    PsTable,
    agent_above,
    agent_of_hook,
    ancestors,
    this_system,
)
from tests.rows import each_row

MARKER = "AUTOMODE_TEST_AGENT"
linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="NO /proc: another system")
TABLES = [pytest.param(ProcessTable(), marks=linux, id="proc"), pytest.param(PsTable(), id="ps")]


@dataclass(frozen=True)
class Family(ProcessTable):
    """Processes from the caller upwards, each the parent of the one before."""

    members: Sequence[Process]
    given: Mapping[int, frozenset[str]] = field(default_factory=dict)
    unseen: frozenset[int] = frozenset()  # another account's, which the system does not show

    def process(self, pid: int) -> Process | None:
        return next((one for one in self.members if one.pid == pid), None)

    def variables(self, pid: int) -> frozenset[str] | None:
        return self.given.get(pid)

    def hidden(self, pid: int) -> bool:
        return pid in self.unseen

    def there(self, pid: int) -> bool:
        return False


def line(*names: str, terminal: bool = False, leader: str = "") -> list[Process]:
    """The last one is the oldest and has the parent 0; `init` has the id 1."""
    pids = [1 if name == "init" else 1000 - index for index, name in enumerate(names)]
    parents = [*pids[1:], 0]
    return [
        Process(pid, parent, "7", os.getuid(), name, terminal, leader=name == leader)
        for name, pid, parent in zip(names, pids, parents, strict=True)
    ]


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
    "another account's": (
        [line("hook", "sshd")[0], replace(line("hook", "sshd")[1], uid=os.getuid() + 1)],
        None,
    ),
}


@each_row("members, agent", BEHIND.values())
def test_the_agent_behind_a_hook(members: list[Process], agent: str | None) -> None:
    found = agent_of_hook(members[0].pid, Family(members))

    assert (found.name if found else None) == agent


HOOKS = HookProcess(has=("PROJECT",), lacks=("TOOL",))
# The variables of the process right below the agent; whether it is a hook.
STARTED = {
    "a hook": ({"PROJECT", "PATH"}, True),
    "a tool call": ({"TOOL", "PATH"}, False),
    "a tool call in a project that sets the hooks' variable": ({"PROJECT", "TOOL"}, False),
    "neither": ({"PATH"}, False),
    "what cannot be seen": (None, False),
}


@each_row("given, hook", STARTED.values())
def test_a_hook_is_what_the_agent_itself_has_started_as_one(
    given: set[str] | None, hook: bool
) -> None:
    """What is further down was chosen by whoever runs there, and says nothing."""
    forger, script, shell, claude = line("python3", "bash", "sh", "claude")
    family = Family(
        [forger, script, shell, claude],
        given={
            forger.pid: frozenset({"PROJECT"}),
            script.pid: frozenset({"PROJECT"}),
            **({} if given is None else {shell.pid: frozenset(given)}),
        },
    )

    assert agent_of_hook(forger.pid, family, HOOKS) == (claude if hook else None)
    assert agent_of_hook(forger.pid, family) == claude


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
    "as deep as can be looked at": (line("automode", *("bash",) * (DEEPEST - 1)), None, None),
    "cannot be seen": ([], None, "process 1000 cannot be seen"),
}


@each_row("members, marked, said", ABOVE.values())
def test_who_is_taken_for_an_agents(
    members: list[Process], marked: str | None, said: str | None
) -> None:
    marks = {one.pid: frozenset({MARKER}) for one in members if one.name == marked}

    why = agent_above(1000, markers=[MARKER], table=Family(members, marks))

    assert (why is None) == (said is None)
    assert (said or "") in (why or "")


def test_a_known_agent_is_found_by_id_and_time_of_start() -> None:
    family = line("automode", "bash", "claude", terminal=True)
    above = family[2]

    known = agent_above(1000, markers=[], agents={above.identity}, table=Family(family))
    reused = agent_above(1000, markers=[], agents={(above.pid, "8")}, table=Family(family))

    assert known == f"process {above.pid} (`claude`) is an agent"
    assert reused is None


@given(st.integers(1, 3 * DEEPEST), st.integers(0, 3 * DEEPEST), st.booleans())
def test_however_far_up_an_agent_is_nobody_passes_below_it(
    above: int, beyond: int, orphans: bool
) -> None:
    members = line(*("sh",) * (1 + above + beyond))
    agent = members[above]
    table = Family(members)

    why = agent_above(1000, markers=[], agents={agent.identity}, orphans=orphans, table=table)

    assert why is not None


# The parent of the last one that is seen; whether another account hides it; whether they pass.
BROKEN_OFF = {
    "nobody is there any more": (55, False, False),
    "another account's, on a system that hides those": (55, True, True),
    "a circle": (1000, False, False),
    "nobody, from outside": (0, False, True),
}


@each_row("parent, hidden, passes", BROKEN_OFF.values())
def test_a_line_with_somebody_missing_is_not_trusted(
    parent: int, hidden: bool, passes: bool
) -> None:
    caller, shell = line("automode", "bash", terminal=True)
    family = Family(
        [caller, replace(shell, parent=parent)], unseen=frozenset({parent} if hidden else ())
    )

    assert (agent_above(caller.pid, markers=[], table=family) is None) == passes


def test_a_supervisors_child_may_pass_where_that_is_said() -> None:
    family = Family(line("automode", "systemd", "init"))

    assert agent_above(1000, markers=[], orphans=True, table=family) is None


NAMES = st.sampled_from(["bash", "python3", "node", "make", "init", "systemd", "tmux", "sudo"])


@given(st.lists(NAMES, min_size=1, max_size=12, unique=True), st.integers(0, 11), st.booleans())
def test_below_a_marked_process_nobody_passes(names: list[str], place: int, terminal: bool) -> None:
    family = line("automode", *names, terminal=terminal)
    marked = family[1 + place % len(names)]
    table = Family(family, {marked.pid: frozenset({MARKER})})

    assert agent_above(family[0].pid, markers=[MARKER], table=table, orphans=True) is not None


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


@pytest.mark.parametrize("table", TABLES)
def test_a_real_process_below_a_marked_one_is_found(marked_child: int, table: ProcessTable) -> None:
    why = agent_above(marked_child, markers=[MARKER], table=table, orphans=True)

    assert why is not None
    assert MARKER in why


NESTED = """
deeper() {
    if [ "$1" -gt 0 ]; then ( deeper $(($1 - 1)); : ); else exec sh -c 'echo $$; read -r _'; fi
}
deeper "$0"
"""


@linux
def test_real_processes_very_deep_below_an_agent_are_found() -> None:
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

    assert why == "more processes are above it than can be looked at"


@pytest.mark.parametrize("table", TABLES)
def test_this_very_process_is_seen(table: ProcessTable) -> None:
    found = table.process(os.getpid())

    assert found is not None
    assert (found.pid, found.parent, found.uid) == (os.getpid(), os.getppid(), os.getuid())
    assert found == table.process(os.getpid())
    assert table.lives(found.identity)
    assert not table.lives((found.pid, "another start"))
    assert "PATH" in (table.variables(os.getpid()) or ())
    assert not table.hidden(os.getpid())
    assert not table.hidden(10**7)


@pytest.mark.parametrize("table", TABLES)
def test_a_process_that_is_not_there_is_not_seen(table: ProcessTable) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()

    assert table.process(process.pid) is None
    assert not table.variables(process.pid)
    assert [*ancestors(process.pid, table)] == []


@linux
@pytest.mark.parametrize("table", TABLES)
def test_what_a_process_was_started_with_is_told_from_words_of_its_command_line(
    table: ProcessTable,
) -> None:
    words = [sys.executable, "-c", "import sys; sys.stdin.read()", "SOME_KEY=word x"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, env={"SOME_KEY": "own"}) as process:
        while not table.variables(process.pid):  # until it has become the program
            time.sleep(0.01)
        found = table.environment(process.pid)
        process.communicate()

    assert (found or {}).get("SOME_KEY") == "own"


@linux
def test_names_and_words_of_a_command_line_are_told_from_variables() -> None:
    code = "import ctypes, sys; ctypes.CDLL(None).prctl(15, b'a) R (b\\nc'); print(1, flush=True);"
    with subprocess.Popen(
        [sys.executable, "-c", code + "sys.stdin.read()", "PROJECT=1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = this_system().process(process.pid)
        variables = this_system().variables(process.pid)
        process.communicate()

    assert found is not None
    assert (found.name, found.parent) == ("a) R (b?c", os.getpid())
    assert "PROJECT" not in (variables or ())
