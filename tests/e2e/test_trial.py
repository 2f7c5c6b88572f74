"""The folders and the daemon of one scenario: ready when it begins, gone when it ends."""

import os
import signal
import subprocess
import sys

import pytest
from conformance.driver import scenario_driver
from conformance.failing import ScenarioFailed
from conformance.trial import PATIENCE_SECONDS, Trial, clear, trial

from automode.daemon.placement import is_held

pytestmark = pytest.mark.slow

AGENT = scenario_driver("pi", "/nonexistent/pi")
DECIDED = {
    "touch allowed-1": 0,
    "touch denied-1": 1,
    "touch asked-1": 1,
    "touch other-1": 0,  # the judge clears it
}


# The second parser has a twelfth of a second in a program of its own, which a busy machine may not
# give it: then nothing is allowed, and it is asked again.
TRIES = 10


def is_allowed(ready: Trial, command: str) -> bool:
    tries = TRIES if DECIDED[command] == 0 else 1
    words = ("check", "--unattended", "bash", command)
    return any(ready.automode(*words).returncode == 0 for _ in range(tries))


def test_names_of_files_say_what_is_decided_about_them() -> None:
    with trial(AGENT, install=False) as ready:
        allowed = {command: is_allowed(ready, command) for command in DECIDED}

    assert allowed == {command: status == 0 for command, status in DECIDED.items()}


def test_whatever_still_runs_at_the_end_is_ended() -> None:
    with trial(AGENT, install=False) as ready:
        first = ready.daemon().pid
        ready.kill_daemon()
        second = ready.daemon().pid
        ready.signal_daemon(signal.SIGSTOP)

    assert first != second
    assert not is_held(ready.state)
    assert not os.path.exists(ready.folder)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="NO /proc: another system")
def test_a_daemon_that_is_just_starting_at_the_end_does_not_make_the_folder_again() -> None:
    with trial(AGENT, install=False) as ready:
        folders = ("--state-folder", ready.state.path, "--config-folder", ready.config)
        words = (sys.executable, "-m", "automode", "daemon", "run", "--detached", *folders)
        late = subprocess.Popen(words, start_new_session=True)
        late.send_signal(signal.SIGSTOP)
    late.send_signal(signal.SIGCONT)

    try:
        assert late.wait(PATIENCE_SECONDS) == -signal.SIGKILL
        assert not os.path.exists(ready.folder)
    finally:
        clear(ready.folder)


def test_a_file_that_nobody_allowed_fails_the_scenario() -> None:
    with trial(AGENT, install=False) as ready:
        for name in ("allowed-1", "asked-1"):
            open(f"{ready.project}/{name}", "w").close()

        with pytest.raises(ScenarioFailed, match="asked-1"):
            ready.nothing_else_ran()
        ready.agreed.add("asked-1")
        ready.nothing_else_ran()
