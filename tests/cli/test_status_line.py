"""`automode status-line`: one short line."""

import json

import pytest

from automode.cli.status_line import line_for
from tests.cli.daemons import Place


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


@pytest.mark.parametrize("stdin", ["", "no json", "[]", "{}", '{"session_id": 7}'])
def test_without_an_id_on_standard_input_it_is_an_error(place: Place, stdin: str) -> None:
    result = place.run("status-line", "--session", "-", stdin=stdin)

    assert result.returncode == 2
    assert "no `session_id`" in result.stderr


def test_colour_comes_only_when_it_is_asked_for(place: Place) -> None:
    assert "\x1b" not in place.run("status-line").stdout
    assert "\x1b[31mAM!\x1b[0m" in place.run("status-line", "--colour").stdout
