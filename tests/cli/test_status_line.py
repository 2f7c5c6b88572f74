"""What a status bar shows, by the command and by the quick way that hosts take."""

import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from automode.cli import bar
from automode.cli.bar import SILENT, has_worked, line_for
from automode.cli.options import OWN_HOST
from tests.cli.daemons import Place

PATIENCE_SECONDS = 60.0


def session(name: str = "s1", **more: object) -> dict[str, object]:
    return {
        "host": "pi",
        "session": name,
        "mode": "enforce",
        "ended": None,
        "halted": False,
        "checkedActions": 14,
        "blockedActions": 2,
        "classifierAllowed": 5,
        "classifierDenied": 1,
    } | more


LINES = {
    "no daemon": (None, None, "AM!"),
    "no session yet": ([], None, "AM● a:0 d:0 ca:0 cd:0"),
    "one": ([session()], None, "AM● a:12 d:2 ca:5 cd:1"),
    "the sum of two": ([session(), session("s2")], None, "AM● a:24 d:4 ca:10 cd:2"),
    "one of two": ([session(), session("s2", checkedActions=3)], "s2", "AM● a:1 d:2 ca:5 cd:1"),
    "by its whole name": ([session()], "pi/s1", "AM● a:12 d:2 ca:5 cd:1"),
    "of another host": ([session()], "codex/s1", "AM?"),
    "with its sub-agents": ([session(), session("s1/a7")], "s1", "AM● a:24 d:4 ca:10 cd:2"),
    "with its sub-agents, by its whole name": (
        [session(), session("s1/a7")],
        "pi/s1",
        "AM● a:24 d:4 ca:10 cd:2",
    ),
    "a sub-agent alone": ([session(), session("s1/a7")], "s1/a7", "AM● a:12 d:2 ca:5 cd:1"),
    "nobody is meant": ([session()], "", "AM?"),
    "not by how it begins": ([session("s11")], "s1", "AM?"),
    "ended ones do not count": ([session(ended=1.0)], None, "AM● a:0 d:0 ca:0 cd:0"),
    "unless they are named": ([session(ended=1.0)], "s1", "AM● a:12 d:2 ca:5 cd:1"),
    "trials do not count": ([session(host="cli")], None, "AM● a:0 d:0 ca:0 cd:0"),
    "off": ([session(mode="off")], None, "AM○ a:12 d:2 ca:5 cd:1"),
    "one of two is off": ([session(mode="off"), session("s2")], None, "AM● a:24 d:4 ca:10 cd:2"),
    "shadow": ([session(mode="shadow")], None, "AM◐ a:12 d:2 ca:5 cd:1"),
    "halted": ([session(halted=True)], None, "AM■ a:12 d:2 ca:5 cd:1"),
    "of a newer daemon": ([session(checkedActions="many")], None, "AM● a:0 d:2 ca:5 cd:1"),
}


@pytest.mark.parametrize(("known", "wanted", "line"), LINES.values(), ids=LINES.keys())
def test_a_line_says_mode_and_counters(
    known: list[dict[str, object]] | None, wanted: str | None, line: str
) -> None:
    assert str(line_for(known, wanted)) == line


def test_a_session_that_worked_and_whose_hooks_never_came_is_told_of() -> None:
    told = b'{"session_id": "s1", "cost": {"total_api_duration_ms": 3}}'
    fresh = b'{"session_id": "s1", "cost": {"total_api_duration_ms": 0}}'

    assert [has_worked(one) for one in (told, fresh, b"{}", b"[", b"")] == [True] + [False] * 4
    assert str(line_for([], "s1", worked=True)) == f"AM? {SILENT}"
    assert str(line_for([], "s1")) == "AM?"
    assert SILENT not in str(line_for([session()], "s1", worked=True))
    assert str(line_for(None, "s1", worked=True)) == "AM!"


def answered(state: str, stdin: str) -> "subprocess.CompletedProcess[str]":
    """A daemon has a second, which is for a bar and not for a busy machine that runs the tests."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (done := shown(state, stdin)).stdout == "AM!\n":
        assert time.monotonic() < deadline, "it never found its daemon"
    return done


def shown(state: str, stdin: str) -> "subprocess.CompletedProcess[str]":
    """By its path, as a host starts it."""
    return subprocess.run(
        (sys.executable, "-I", "-S", bar.__file__, "--state", state),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_it_prints_what_the_command_does(served: Place) -> None:
    served.proposed("ls")
    served.proposed("rm -rf /")
    told = json.dumps({"session_id": "s1", "cwd": served.project})

    quick = answered(served.state.path, told)
    command = served.run("status-line", "--session", "-", stdin=told)

    assert (quick.returncode, quick.stderr) == (0, "")
    assert quick.stdout == command.stdout == "AM● a:1 d:1 ca:0 cd:0\n"


def test_without_an_id_nothing_is_known(served: Place) -> None:
    served.proposed("ls")

    for stdin in ("", "no json", "[]", "{}", '{"session_id": 7}', "[" * 99_999):
        done = answered(served.state.path, stdin)

        assert (done.returncode, done.stdout, done.stderr) == (0, "AM?\n", ""), stdin[:20]


FOLDERS = {
    "not there": "/nowhere",
    "not said": "",
    "relative": "state",
    "no folder": "/dev/null",
}


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS.keys())
def test_a_folder_without_a_daemon_is_no_daemon(folder: str) -> None:
    done = shown(folder, "{}")

    assert (done.returncode, done.stdout, done.stderr) == (0, "AM!\n", "")


def test_without_a_folder_in_its_words_it_is_no_daemon() -> None:
    words = (sys.executable, "-I", "-S", bar.__file__, "--state")

    done = subprocess.run(words, input=b"{}", capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"AM!\n", b"")


ANSWERS = {
    "nothing": b"",
    "rubbish": b"\x00\xff\n",
    "a refusal": b"AM1 refused no\n",
    "an error": b"AM1 1 2 0\n{}",
    "no number": b"AM1 0 x 0\n{}",
    "less than promised": b"AM1 heard\nAM1 0 99 0\n{}",
    "no JSON": b"AM1 0 2 0\n}{",
    "another shape": b"AM1 0 2 0\n[]",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_a_daemon_that_answers_badly_is_none(place: Place, answer: bytes) -> None:
    folder = place.state.prepared()
    token = Path(folder.token("decide"))
    token.write_text("ab" * 32)
    token.chmod(0o600)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(folder.socket)
        listening.listen()

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        done = shown(folder.path, '{"session_id": "s1"}')
        thread.join()

    assert (done.returncode, done.stdout, done.stderr) == (0, "AM!\n", "")


def test_it_loads_nothing_that_takes_time() -> None:
    package = str(Path(bar.__file__).parents[2])
    code = f"import sys; sys.path.append({package!r})"
    code += "; import automode.cli.bar, automode.hook.asking; print(*sys.modules)"
    words = (sys.executable, "-I", "-S", "-c", code)

    loaded = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()

    slow = {"click", "dataclasses", "typing", "socket", "asyncio", "subprocess", "logging"}
    assert slow & set(loaded) == set()


def test_what_a_person_tries_belongs_to_no_agent() -> None:
    assert bar.OWN_HOST == OWN_HOST


def test_without_a_daemon_it_still_ends_well(place: Place) -> None:
    result = place.run("status-line")

    assert (result.returncode, result.stdout, result.stderr) == (0, "AM!\n", "")
    assert place.json("status-line") == {"line": "AM!", "mark": "!"}


def test_a_host_can_pipe_in_which_session_it_is_about(served: Place) -> None:
    served.proposed("ls")
    served.proposed("rm -rf /")
    served.proposed("ls", "other")
    told = json.dumps({"session_id": "s1", "model": {"id": "x"}})

    one = served.run("status-line", "--session", "-", stdin=told).stdout
    every = served.run("status-line").stdout
    unknown = served.run("status-line", "--session", "nobody").stdout

    assert one == "AM● a:1 d:1 ca:0 cd:0\n"
    assert every == "AM● a:2 d:1 ca:0 cd:0\n"
    assert unknown == "AM?\n"


def test_without_an_id_on_standard_input_nothing_is_known(served: Place) -> None:
    served.proposed("ls")

    for stdin in ("", "no json", "[]", "{}", '{"session_id": 7}', "{" * 9999):
        result = served.run("status-line", "--session", "-", stdin=stdin)

        assert (result.returncode, result.stdout, result.stderr) == (0, "AM?\n", ""), stdin[:20]


def test_a_socket_that_is_none_is_no_daemon(place: Place) -> None:
    Path(place.state.prepared().socket).write_text("a file")

    result = place.run("status-line")

    assert (result.returncode, result.stdout, result.stderr) == (0, "AM!\n", "")


def test_colour_comes_only_when_it_is_asked_for(place: Place) -> None:
    assert "\x1b" not in place.run("status-line").stdout
    assert "\x1b[31mAM!\x1b[0m" in place.run("status-line", "--colour").stdout


def test_the_mark_follows_what_a_person_says_without_another_call(served: Place) -> None:
    served.proposed("ls")
    marks = []
    for mode in ("off", "on"):
        assert served.run(mode, "--session", "s1").returncode == 0
        marks.append(served.json("status-line", "--session", "s1")["mark"])
        assert served.json("status", "--session", "s1")["mode"] == SWITCHED[mode]

    assert marks == ["○", "●"]


SWITCHED = {"off": "off", "on": "enforce"}


def test_a_call_that_was_asked_about_is_not_denied(served: Place) -> None:
    served.proposed("git push --force", "another")  # so that the judge is loaded
    asked = served.proposed("git push --force")

    assert asked["verdict"] == "ask"
    assert served.run("status-line", "--session", "s1").stdout == "AM● a:1 d:0 ca:0 cd:0\n"
