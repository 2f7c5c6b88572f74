"""`automode daemon`: a real one, started, looked at and ended."""

import fcntl
import os
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from automode.cli.daemon import note_ignored, placement_of
from automode.cli.options import Surroundings
from automode.daemon.client import Status, running
from automode.facts.place import home_folder
from tests.cli.daemons import Place

PATIENCE_SECONDS = 60.0


def known(place: Place) -> Status:
    found = running(place.state)
    assert found is not None
    return found


def test_without_one_status_says_so_and_how_to_start_it(place: Place) -> None:
    result = place.run("daemon", "status")

    assert result.returncode == 1
    assert "not running" in result.stdout
    assert "automode daemon start" in result.stdout
    assert place.json("daemon", "status")["running"] is False
    assert "nothing has been logged" in place.run("daemon", "logs").stdout


def test_one_that_was_started_is_described_stays_and_can_be_stopped(served: Place) -> None:
    text = served.run("daemon", "status")
    data = served.json("daemon", "status")
    again = served.run("daemon", "start")
    same = known(served).pid
    stops = [served.run("daemon", "stop").stdout for _ in range(2)]

    assert (text.returncode, again.returncode) == (0, 0)
    assert (data["running"], data["pid"], data["notices"]) == (True, same, [])
    assert f"pid {data['pid']}" in text.stdout
    assert data["state_folder"] == served.state.path
    assert "runs already" in again.stdout
    assert stops == ["stopped\n", "no daemon was running\n"]
    assert running(served.state) is None


def test_a_restart_gives_another_one_beside_which_none_can_run(served: Place) -> None:
    before = known(served).pid

    result = served.run("daemon", "restart")
    second = served.process("daemon", "run")  # it replaces the environment of its process

    assert result.returncode == 0, result.stderr
    assert known(served).pid != before
    assert second.returncode == 2
    assert "runs already" in second.stderr


def test_its_log_can_be_read_and_holds_no_call(served: Place) -> None:
    served.proposed("echo a-very-private-word")

    lines = served.run("daemon", "logs").stdout
    data = served.json("daemon", "logs", "--lines", "1")

    assert "serving" in lines
    assert "private" not in lines
    assert data["file"] == served.state.log
    assert isinstance(data["lines"], list)
    assert len(data["lines"]) == 1


def test_a_wedged_one_is_named_by_every_command_and_only_a_stop_ends_it(served: Place) -> None:
    served.proposed("ls")
    pid = known(served).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        looks = [served.run(*words) for words in (("daemon", "status"), ("status",))]
        data = served.json("status")
        words = (("daemon", "start"), ("reload",), ("off", "--session", "s1"))
        acts = [served.run(*one) for one in words]
        stopped = served.run("daemon", "stop")
        left = running(served.state)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    assert [one.returncode for one in looks] == [1, 0]
    for one in looks:
        assert f"hangs: pid {pid} does not answer; run `automode daemon restart`" in one.stdout
    match data:
        case {"daemon": {"running": False, "hangs": True, "pid": found}, "sessions": [_]}:
            assert found == pid
        case _:
            pytest.fail(str(data))
    for one in acts:
        assert one.returncode == 2
        assert f"pid {pid}, does not answer" in one.stderr
        assert "hint: run `automode daemon restart`" in one.stderr
    assert (stopped.returncode, left) == (0, None)
    assert f"note: the daemon, pid {pid}, does not answer" in stopped.stderr


def test_one_that_serves_other_settings_is_not_called_healthy(served: Place) -> None:
    other = replace(served, config=served.project)

    said, data = other.run("daemon", "status").stdout, other.json("status")["daemon"]

    assert f"it serves other settings than yours in {served.project}" in " ".join(said.split())
    assert isinstance(data, dict)
    assert "other settings" in data["trouble"]
    assert served.json("daemon", "status")["trouble"] is None


def test_one_that_has_only_just_begun_is_not_said_to_hang(place: Place) -> None:
    with open(place.state.prepared().daemon_lock, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        data = place.json("daemon", "status")

    assert (data["running"], data["hangs"]) == (False, False)
    assert "starts or ends just now" in str(data["trouble"])


def test_no_variable_moves_a_daemon_and_that_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = os.path.join(home_folder(), ".local", "state", "automode")
    nothing, named = Surroundings(), Surroundings(config_folder="/c", state_folder="/s")
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, "/elsewhere")

    note_ignored(nothing)
    told = capsys.readouterr().err.splitlines()
    note_ignored(named)

    assert [line.split()[1] for line in told] == ["XDG_CONFIG_HOME", "XDG_STATE_HOME"]
    assert capsys.readouterr().err == ""
    assert placement_of(nothing).state.path == usual
    assert (placement_of(named).state.path, placement_of(named).config) == ("/s", "/c")


def test_a_person_is_told_that_a_variable_shows_them_another_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    Surroundings().known_state()

    assert f"XDG_STATE_HOME leads to {tmp_path}" in capsys.readouterr().err
