"""The daemon as a process, started by the program itself: start, stop, status, run."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import automode
from automode.agents.catalog import ADAPTERS
from automode.daemon.agents import AgentList, refusal
from automode.daemon.lifecycle import NotStarted, Placement, start_detached, status, stop
from automode.daemon.placement import NotStopped
from automode.facts.processes import this_system
from automode.store.folder import BadFolder, StateFolder
from tests.daemon.conftest import PATIENCE, SERVED, Running, until

pytestmark = pytest.mark.slow

linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="NO /proc: another system")


@pytest.fixture
def placement(base: Path) -> Iterator[Placement]:
    placed = Placement(StateFolder(str(base / "state")), str(base / "config"))
    yield placed
    found = status(placed)
    if found is not None:
        os.kill(found.pid, signal.SIGKILL)


def test_started_asked_and_stopped(placement: Placement) -> None:
    before = status(placement)
    started = start_detached(placement, seconds=PATIENCE)
    again = start_detached(placement, seconds=PATIENCE)
    during = status(placement)

    assert before is None
    assert started == again == during
    assert stop(placement, seconds=PATIENCE)
    assert status(placement) is None
    assert not stop(placement)


@linux
def test_in_the_background_it_has_let_go_of_its_starter(placement: Placement) -> None:
    with open(os.devnull, "rb") as held:
        os.set_inheritable(held.fileno(), True)
        pid = start_detached(placement, seconds=PATIENCE).pid
    process = Path(f"/proc/{pid}")

    names = {line.partition("=")[0] for line in (process / "environ").read_text().split("\0")}
    targets = {os.readlink(link) for link in (process / "fd").iterdir()}
    assert names - {"LANG", "LC_ALL", "LC_CTYPE", "XDG_RUNTIME_DIR"} == {"PATH", "HOME", ""}
    assert os.readlink(process / "cwd") == "/"
    assert os.getsid(pid) == pid
    assert [os.readlink(process / "fd" / number) for number in "012"] == [os.devnull] * 3
    own = (placement.state.path, "socket:", "pipe:", "anon_inode:", "/dev/")
    assert {one for one in targets if not one.startswith(own)} == set()


STARTING = """
import sys
from automode.daemon.lifecycle import Placement, start_detached
from automode.store.folder import StateFolder
print(start_detached(Placement(StateFolder(sys.argv[1]), sys.argv[2]), seconds=60).pid)
"""


@linux
@pytest.mark.parametrize("marked", [True, False])
def test_keys_are_handed_on_by_a_person_and_not_by_an_agent(
    placement: Placement, base: Path, marked: bool
) -> None:
    person = refusal(placement.state, os.getpid(), ADAPTERS) is None and not marked
    environment = {
        "PATH": os.environ["PATH"],
        "OPENAI_API_KEY": "k",
        "MINE": "m",
        "OTHER": "o",
        **({"CLAUDECODE": "1"} if marked else {}),
    }
    own = {"mine": {"api": "openai", "baseUrl": "http://127.0.0.1:9/v1", "apiKeyEnv": "MINE"}}
    settings = {"autoMode": {"providers": own}}
    (base / "config" / "config.json").write_text(json.dumps(settings))

    done = subprocess.run(
        [sys.executable, "-c", STARTING, placement.state.path, str(base / "config")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    left = Path(f"/proc/{done.stdout.strip()}/environ").read_text()
    assert ("OPENAI_API_KEY=k" in left) is person
    assert ("MINE=m" in left) is person
    assert "OTHER" not in left


def test_what_keeps_it_from_starting_is_said(placement: Placement, tmp_path: Path) -> None:
    os.mkdir(placement.state.socket)
    (tmp_path / "file").touch()

    with pytest.raises(NotStarted, match="no socket can be made"):
        start_detached(placement, seconds=PATIENCE)
    with pytest.raises(BadFolder, match="cannot be made"):
        start_detached(Placement(StateFolder(str(tmp_path / "file" / "state"))))


def test_one_that_hangs_is_stopped_by_force(placement: Placement) -> None:
    pid = start_detached(placement, seconds=PATIENCE).pid
    os.kill(pid, signal.SIGSTOP)

    assert stop(placement, seconds=0.2)
    assert status(placement) is None


def test_one_that_is_only_a_lock_cannot_be_stopped(placement: Placement) -> None:
    holding = (
        "import fcntl, sys; lock = open(sys.argv[1], 'w'); fcntl.flock(lock, fcntl.LOCK_EX);"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holding, placement.state.daemon_lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(NotStopped, match="not known"):
            stop(placement, seconds=0.1)
        holder.communicate()


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_in_the_foreground_it_ends_in_good_order(
    placement: Placement, base: Path, name: signal.Signals
) -> None:
    with foreground(base) as process:
        until(lambda: status(placement) is not None, "it does not answer")
        process.send_signal(name)
        _, said = process.communicate(timeout=PATIENCE)

    assert process.returncode == 0
    assert f"stopping: signal {name.name}" in said
    assert not os.path.exists(placement.state.socket)


def test_a_second_one_says_that_there_is_one(placement: Placement, base: Path) -> None:
    start_detached(placement, seconds=PATIENCE)

    with foreground(base) as process:
        _, said = process.communicate(timeout=PATIENCE)

    assert process.returncode == 2
    assert "a daemon runs already" in said


@linux
def test_below_an_agent_none_runs_in_the_foreground(placement: Placement, base: Path) -> None:
    own = this_system().process(os.getpid())
    assert own is not None
    AgentList(frozenset({own.identity})).save(placement.state.prepared())

    with foreground(base) as process:
        _, said = process.communicate(timeout=PATIENCE)

    assert process.returncode == 2
    assert f"only a person may run a daemon of their own, and process {os.getpid()}" in said
    assert status(placement) is None


def foreground(base: Path) -> subprocess.Popen[str]:
    words = ["daemon", "run", "--state-folder", str(base / "state")]
    words += ["--config-folder", str(base / "config")]
    return subprocess.Popen(
        [sys.executable, "-m", "automode", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_program_that_is_replaced_on_disk_retires_it(base: Path) -> None:
    package = base / "site" / "automode"
    shutil.copytree(Path(automode.__file__).parent, package)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(package.parent)}
    process = subprocess.Popen(
        [sys.executable, SERVED, base / "state", base / "config"], env=environment
    )
    daemon = Running(base, process)
    until(lambda: status(Placement(daemon.folder)) is not None, "it does not answer")
    (package / "new").write_text("")
    os.replace(package / "new", package / "__init__.py")

    assert process.wait(PATIENCE) == 0
