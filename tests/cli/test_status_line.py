"""`automode status-line`: one short line."""

import json
from pathlib import Path

from tests.cli.daemons import Place


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
        assert served.here(mode, "--session", "s1").returncode == 0
        marks.append(served.json_here("status-line", "--session", "s1")["mark"])
        assert served.json_here("status", "--session", "s1")["mode"] == MODES[mode]

    assert marks == ["○", "●"]


MODES = {"off": "off", "on": "enforce"}


def test_a_call_that_was_asked_about_is_not_denied(served: Place) -> None:
    asked = served.proposed("git push --force")

    assert asked["verdict"] == "ask"
    assert served.here("status-line", "--session", "s1").stdout == "AM● a:1 d:0 ca:0 cd:0\n"
