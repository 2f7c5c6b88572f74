"""Without a daemon the hook starts one for all, or has the call decided without one."""

import os
import pwd
import shlex
import signal
from pathlib import Path

import pytest

from automode.hook import client, starting
from tests.hook.conftest import PAYLOAD, Place, Ran, alive, closed, ended
from tests.hook.scripted_daemon import ALLOW, framed

ALONE = b'{"verdict":"ask"}\n'
NOBODY = "no daemon answers, and deciding without one failed; see daemon.log in the state folder"


def deciding_alone(place: Place, daemon: str, reply: bytes = framed(ALONE, b"why\n", b"2")) -> str:
    """A stand-in that does `daemon` to start one, and prints `reply` when it is to decide."""
    (place.state / "reply").write_bytes(reply)
    folder = shlex.quote(str(place.state))
    return place.python(
        f'case "$*" in *hook-alone*) echo "$@" > {folder}/alone; cat > {folder}/given;'
        f" cat {folder}/reply;; *) {daemon};; esac"
    )


def test_a_hook_without_a_daemon_starts_one(place: Place) -> None:
    done = place.hook("--python", place.starting("answer"), "--config", "/etc/some config")

    assert done == Ran(0, ALLOW.decode(), "")
    assert (place.state / "starts").read_text().splitlines() == [
        f"-I -m automode daemon run --detached --state-folder {place.state}"
        " --config-folder /etc/some config"
    ]


def test_the_daemon_gets_nothing_of_the_agents_surroundings(place: Place, tmp_path: Path) -> None:
    seen = place.state / "seen"
    body = f"{{ pwd; env; ls /proc/self/fd | wc -l; cut -d' ' -f5,6,8 /proc/$$/stat; }} > {seen}"
    hostile = {"HOME": "/evil", "LANG": "$(evil)", "PATH": "/evil:/usr/bin", "SECRET": "x"}

    place.hook("--python", place.python(f"{body}\nexit 1"), environment=hostile, cwd=tmp_path)

    folder, *variables, descriptors, process = seen.read_text().splitlines()
    assert folder == "/"
    assert {
        one for one in variables if not one.startswith(("PWD=", "OLDPWD=", "SHLVL=", "_="))
    } == {
        f"HOME={pwd.getpwuid(os.geteuid()).pw_dir}",
        "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "LANG=C.UTF-8",
    }
    assert int(descriptors) == 4  # the three standard ones, and the folder that `ls` looks at
    group, session, _ = process.split()
    assert group == session  # it leads a session of its own


def test_a_hook_that_dies_while_it_starts_a_daemon_holds_nobody_up(place: Place) -> None:
    stuck = place.waiting_hook("--python", place.python(f"echo $$ > {place.state}/pid; sleep 9"))
    place.until((place.state / "pid").exists)

    stuck.kill()
    done = place.hook("--python", place.starting("answer"))

    assert done == Ran(0, ALLOW.decode(), "")


@pytest.mark.parametrize("daemon", ["exit 1", "exit 2", "kill -9 $$"])
def test_where_no_daemon_will_start_the_call_is_decided_without_one(
    place: Place, daemon: str
) -> None:
    done = place.hook("--python", deciding_alone(place, daemon), "--config", "/etc", "--unattended")

    assert done == Ran(2, ALONE.decode(), "why\n")
    assert (place.state / "given").read_bytes() == PAYLOAD
    assert (place.state / "alone").read_text() == (
        f"-I -m automode hook-alone plain+unattended proposed --state-folder {place.state}"
        " --config-folder /etc\n"
    )


@pytest.mark.parametrize("refuses", [False, True])
def test_a_daemon_that_refuses_or_does_not_come_up_in_time_is_done_without(
    place: Place, refuses: bool
) -> None:
    start, options = ("exit 1", ()) if refuses else ("exec sleep 30", ("--deadline-ms", "3000"))
    if refuses:
        place.daemon("refuses")

    done = place.hook("--python", deciding_alone(place, start), *options)

    assert done == Ran(2, ALONE.decode(), "why\n")


def test_a_state_folder_that_takes_no_lock_is_done_without_a_daemon(place: Place) -> None:
    (place.state / "start.lock").mkdir()

    done = place.hook("--python", deciding_alone(place, f"touch {place.state}/daemon"))

    assert done == Ran(2, ALONE.decode(), "why\n")
    assert not (place.state / "daemon").exists()


UNSOUND = {
    "nothing": b"",
    "prose": b"allow\n",
    "half an answer": framed(ALLOW)[:-3],
    "a refusal": b"AM1 refused no\n",
}


@pytest.mark.parametrize("name", UNSOUND)
def test_deciding_without_a_daemon_can_fail_too(place: Place, name: str) -> None:
    done = place.hook("--python", deciding_alone(place, "exit 1", UNSOUND[name]))

    assert done == closed(done.reason)
    assert done.reason in (
        NOBODY,
        "the daemon's answer cannot be read; run: automode daemon restart",
    )


@pytest.mark.parametrize("python", ["/nonexistent/python", "/", "relative", "/dev/null"])
def test_an_interpreter_that_does_not_run_closes(place: Place, python: str) -> None:
    done = place.hook("--python", python)

    log = (place.state / "daemon.log").read_text()
    assert done == closed(NOBODY)
    assert f"automode: `{python}` cannot be started (" in log
    assert "install the hooks again: automode install AGENT\n" in log


def test_what_cannot_be_started_does_not_fill_the_disk_with_complaints(place: Place) -> None:
    full = "x" * starting.LONGEST_LOG
    (place.state / "daemon.log").write_text(full)

    place.hook("--python", "/nonexistent/python")

    assert (place.state / "daemon.log").read_text() == full


def test_whoever_decides_too_long_is_ended_with_the_hook(place: Place) -> None:
    body = (
        f'case "$*" in *hook-alone*) echo $$ > {place.state}/pid; exec sleep 60;; *) exit 1;; esac'
    )

    done = place.hook("--python", place.python(body), "--deadline-ms", "3000")

    assert done == closed("no answer came in time")
    place.until(lambda: not alive(int((place.state / "pid").read_text())))


@pytest.mark.parametrize("moment", client.HARMLESS)
def test_where_no_call_waits_nothing_is_decided_without_a_daemon(place: Place, moment: str) -> None:
    done = place.hook("--python", deciding_alone(place, "exit 1"), moment=moment)

    note = "automode: no daemon runs, and none could be started; see daemon.log\n"
    assert done == Ran(0, "", note)
    assert not (place.state / "alone").exists()


def test_a_signal_while_a_daemon_starts_closes_once(place: Place) -> None:
    waiting = place.waiting_hook("--python", place.python(f"touch {place.state}/up; sleep 3"))
    place.until((place.state / "up").exists)

    waiting.send_signal(signal.SIGTERM)

    assert ended(waiting) == closed(f"signal {signal.SIGTERM} ended the hook")
