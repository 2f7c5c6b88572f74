"""The daemon, as the doctor sees it: a real one, none, and others in its place."""

import fcntl
import os
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from automode.daemon.lifecycle import start_detached
from automode.doctor.daemon import RESTART, check_daemon
from automode.doctor.finding import Finding, Level
from tests.doctor.conftest import Machine

PATIENCE_SECONDS = 60.0


def levels(found: Sequence[Finding]) -> list[tuple[str, Level]]:
    return [(one.check, one.level) for one in found]


@pytest.fixture
def foreign_port() -> Iterator[int]:
    """A program of somebody else's that takes connections."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_one_that_runs_is_in_order(machine: Machine) -> None:
    status = start_detached(machine.case().placement, seconds=PATIENCE_SECONDS)

    found = {one.check: one for one in check_daemon(machine.case())}

    assert found["daemon"].level is Level.OK
    assert f"process {status.pid}" in found["daemon"].says
    assert found["port"].level is Level.OK
    assert found["log"].level is Level.OK


def test_without_one_nothing_is_called_fine(machine: Machine) -> None:
    (found,) = check_daemon(machine.case())

    assert (found.level, found.fix) == (Level.WARNING, "automode daemon start")
    assert "neither its release nor its port could be looked at" in found.says


def test_one_that_holds_its_place_and_says_nothing_is_a_problem(machine: Machine) -> None:
    folder = machine.state.prepared()
    with open(folder.daemon_lock, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        (found,) = check_daemon(machine.case())

    assert (found.level, found.fix) == (Level.PROBLEM, "automode daemon restart")


def test_somebody_else_on_its_port_is_a_problem(machine: Machine, foreign_port: int) -> None:
    Path(machine.state.prepared().http_port).write_text(f"{foreign_port}\n")

    found = check_daemon(machine.case())

    assert levels(found) == [("daemon", Level.WARNING), ("port", Level.PROBLEM)]
    assert str(foreign_port) in found[1].fix


def test_hooks_that_name_another_port_have_to_be_installed_again(machine: Machine) -> None:
    start_detached(machine.case().placement, seconds=PATIENCE_SECONDS)
    kept = Path(machine.state.http_port)
    kept.unlink(missing_ok=True)
    kept.write_text("1\n")

    found = {one.check: one for one in check_daemon(machine.case())}

    assert found["port"].level is Level.PROBLEM
    assert found["port"].fix == "automode install claude-code"


@pytest.mark.parametrize("text", ["", "no number", "70000", "-1", "\xff"])
def test_a_port_that_is_none_is_not_asked(machine: Machine, text: str) -> None:
    Path(machine.state.prepared().http_port).write_text(text, encoding="latin-1")

    assert levels(check_daemon(machine.case())) == [("daemon", Level.WARNING)]


LOGS = {
    "nothing": ("", None),
    "a start": ("2026-11-01 10:00:00,123 INFO automode.daemon: started\n", None),
    "an error": (
        "2026-11-01 10:00:00,123 ERROR automode.daemon.service: a request failed: KeyError\n"
        "KeyError at\n  /x.py:1 in f\n",
        "1 error, the last one: a request failed: KeyError",
    ),
    "two": (
        "2026-11-01 10:00:00,1 ERROR a.b: first\n2026-11-01 10:00:01,1 CRITICAL a.b: second\n",
        "2 errors, the last one: second",
    ),
    "rubbish": ("\x00\xff\n" * 50, None),
}


@pytest.mark.parametrize(("text", "says"), LOGS.values(), ids=LOGS.keys())
def test_errors_in_the_log_are_counted(machine: Machine, text: str, says: str | None) -> None:
    Path(machine.state.prepared().log).write_text(text, encoding="latin-1")

    told = [one.says for one in check_daemon(machine.case()) if one.check == "log"]

    assert told == ([] if says is None else [says])


def test_errors_of_an_earlier_daemon_are_not_this_ones(machine: Machine) -> None:
    log = Path(machine.state.prepared().log)
    log.write_text("2020-01-01 10:00:00,1 ERROR a.b: long ago\n")
    start_detached(machine.case().placement, seconds=PATIENCE_SECONDS)
    before = {one.check: one.level for one in check_daemon(machine.case())}
    with log.open("a") as file:
        file.write(
            time.strftime("%Y-%m-%d %H:%M:%S,1 ERROR a.b: now\n", time.localtime(time.time() + 5))
        )

    after = {one.check: one.level for one in check_daemon(machine.case())}

    assert (before["log"], after["log"]) == (Level.OK, Level.WARNING)


def test_a_folder_that_is_not_there_is_no_error(machine: Machine) -> None:
    case = machine.case()
    elsewhere = replace(case.placement.state, path=str(machine.folder / "nowhere"))

    found = check_daemon(replace(case, placement=replace(case.placement, state=elsewhere)))

    assert levels(found) == [("daemon", Level.WARNING)]


def test_one_that_hangs_still_has_its_own_port(machine: Machine) -> None:
    pid = start_detached(machine.case().placement, seconds=PATIENCE_SECONDS).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        found = {one.check: one for one in check_daemon(machine.case())}
    finally:
        os.kill(pid, signal.SIGKILL)

    assert "port" not in found
    assert (found["daemon"].level, found["daemon"].fix) == (Level.PROBLEM, RESTART)
    assert f"process {pid} holds" in found["daemon"].says


def test_one_that_serves_other_settings_is_a_problem(machine: Machine) -> None:
    start_detached(machine.case().placement, seconds=PATIENCE_SECONDS)
    case = machine.case()
    placed = replace(case.placement, config_folder=str(machine.folder / "another"))

    found = [one for one in check_daemon(replace(case, placement=placed)) if one.fix == RESTART]

    assert [one.level for one in found] == [Level.PROBLEM]
    assert "serves other settings" in found[0].says
