"""What a status bar shows, by the command and by the quick way that hosts take."""

import json
import subprocess
import sys
import time
from pathlib import Path

from automode.cli import bar
from automode.cli.bar import SILENT, STANDS_IN, line_for, read_host
from automode.core.record import OWN_HOST
from tests.cli.daemons import Place
from tests.daemon.test_client import stranger
from tests.rows import each_row

PATIENCE_SECONDS = 60.0
NO_ID = ("", "no json", "[]", "{}", '{"session_id": 7}', "[" * 99_999)


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


ALONE, TWICE = "a:12 d:2 ca:5 cd:1", "a:24 d:4 ca:10 cd:2"
NOTHING = "a:0 d:0 ca:0 cd:0"


@each_row(
    "known, wanted, line",
    [
        (None, None, "AM!"),
        ([], None, f"AM● {NOTHING}"),
        ([session()], None, f"AM● {ALONE}"),
        ([session(), session("s2")], None, f"AM● {TWICE}"),
        ([session(), session("s2", checkedActions=3)], "s2", "AM● a:1 d:2 ca:5 cd:1"),
        ([session()], "pi/s1", f"AM● {ALONE}"),
        ([session()], "codex/s1", "AM?"),
        ([session(), session("s1/a7")], "s1", f"AM● {TWICE}"),  # with its sub-agents
        ([session(), session("s1/a7")], "pi/s1", f"AM● {TWICE}"),
        ([session(), session("s1/a7")], "s1/a7", f"AM● {ALONE}"),
        ([session()], "", "AM?"),
        ([session("s11")], "s1", "AM?"),
        ([session(ended=1.0)], None, f"AM● {NOTHING}"),
        ([session(ended=1.0)], "s1", f"AM● {ALONE}"),
        ([session(host="cli")], None, f"AM● {NOTHING}"),  # trials do not count
        ([session(mode="off")], None, f"AM○ {ALONE}"),
        ([session(mode="off"), session("s2")], None, f"AM● {TWICE}"),
        ([session(mode="shadow")], None, f"AM◐ {ALONE}"),
        ([session(halted=True)], None, f"AM■ {ALONE}"),
        ([session(standsIn=True)], None, f"AM● {ALONE} {STANDS_IN}"),
        ([session(usd="0.0123")], None, f"AM● {ALONE} judge $0.0123"),
        ([session(usd="0"), session("s2", usd="x")], None, f"AM● {TWICE}"),
        # The sum of a session has its sub-agents' in it.
        (
            [session(usd="0.5"), session("s1/a", usd="0.2", parent="s1")],
            "s1",
            f"AM● {TWICE} judge $0.5000",
        ),
        ([session(standsIn=False, standIns=3)], None, f"AM● {ALONE}"),
        ([session(checkedActions="many")], None, "AM● a:0 d:2 ca:5 cd:1"),  # of a newer daemon
    ],
)
def test_a_line_says_mode_and_counters(
    known: list[dict[str, object]] | None, wanted: str | None, line: str
) -> None:
    assert str(line_for(known, wanted)) == line


def test_the_cost_of_the_judge_stands_beside_the_agents_own() -> None:
    told = b'{"session_id": "s1", "cost": {"total_cost_usd": 0.417, "total_api_duration_ms": 9}}'

    name, worked, usd = read_host(told)
    line = line_for([session(usd="0.0123")], name, worked=worked, agent_usd=usd)

    assert str(line) == f"AM● {ALONE} judge $0.0123 agent $0.42"
    assert str(line_for([session()], name, agent_usd=usd)) == f"AM● {ALONE}"
    assert read_host(b'{"cost": {"total_cost_usd": NaN}}')[2] == 0.0


def test_a_session_that_worked_and_whose_hooks_never_came_is_told_of() -> None:
    told = b'{"session_id": "s1", "cost": {"total_api_duration_ms": 3}}'
    fresh = b'{"session_id": "s1", "cost": {"total_api_duration_ms": 0}}'

    assert [read_host(one)[1] for one in (told, fresh, b"{}", b"[", b"")] == [True] + [False] * 4
    assert str(line_for([], "s1", worked=True)) == f"AM? {SILENT}"
    assert str(line_for([], "s1")) == "AM?"
    assert SILENT not in str(line_for([session()], "s1", worked=True))
    assert str(line_for(None, "s1", worked=True)) == "AM!"


def shown(*words: str, stdin: str = "{}") -> tuple[int, str, str]:
    """By its path, as a host starts it."""
    command = (sys.executable, "-I", "-S", bar.__file__, "--state", *words)
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def answered(state: str, stdin: str) -> tuple[int, str, str]:
    """A daemon has a second, which is for a bar and not for a busy machine that runs the tests."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (done := shown(state, stdin=stdin)) == (0, "AM!\n", ""):
        assert time.monotonic() < deadline, "it never found its daemon"
    return done


def test_the_quick_way_prints_what_the_command_does(served: Place) -> None:
    served.proposed("ls")
    served.proposed("rm -rf /")
    served.proposed("ls", "other")
    told = json.dumps({"session_id": "s1", "cwd": served.project})

    quick = answered(served.state.path, told)
    command = served.run("status-line", "--session", "-", stdin=told).stdout
    unknown = [answered(served.state.path, one) for one in NO_ID]
    unnamed = [served.run("status-line", "--session", "-", stdin=one) for one in NO_ID]

    assert quick == (0, command, "") == (0, "AM● a:1 d:1 ca:0 cd:0\n", "")
    assert served.run("status-line").stdout == "AM● a:2 d:1 ca:0 cd:0\n"
    assert served.run("status-line", "--session", "nobody").stdout == "AM?\n"
    assert set(unknown) == {(0, "AM?\n", "")}
    assert {(one.returncode, one.stdout, one.stderr) for one in unnamed} == {(0, "AM?\n", "")}


def test_a_folder_without_a_daemon_is_no_daemon() -> None:
    for words in (["/nowhere"], [""], ["state"], ["/dev/null"], []):
        assert shown(*words) == (0, "AM!\n", ""), words


@each_row(
    "answer",
    [
        b"",
        b"\x00\xff\n",
        b"AM1 refused no\n",
        b"AM1 1 2 0\n{}",
        b"AM1 0 x 0\n{}",
        b"AM1 heard\nAM1 0 99 0\n{}",  # less than promised
        b"AM1 0 2 0\n}{",
        b"AM1 0 2 0\n[]",
    ],
)
def test_a_daemon_that_answers_badly_is_none(place: Place, answer: bytes) -> None:
    folder = place.state.prepared()
    token = Path(folder.token("decide"))
    token.write_text("ab" * 32)
    token.chmod(0o600)
    Path(folder.socket).unlink(missing_ok=True)
    with stranger(folder, answer):
        done = shown(folder.path, stdin='{"session_id": "s1"}')

    assert done == (0, "AM!\n", "")


def test_it_loads_nothing_that_takes_time() -> None:
    package = str(Path(bar.__file__).parents[2])
    code = f"import sys; sys.path.append({package!r})"
    code += "; import automode.cli.bar, automode.hook.asking; print(*sys.modules)"
    words = (sys.executable, "-I", "-S", "-c", code)

    loaded = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()

    slow = {"click", "dataclasses", "typing", "socket", "asyncio", "subprocess", "logging"}
    assert slow & set(loaded) == set()
    assert bar.OWN_HOST == OWN_HOST


def test_without_a_daemon_it_still_ends_well(place: Place) -> None:
    result = place.run("status-line")
    json_told = place.json("status-line")
    coloured = place.run("status-line", "--colour").stdout
    Path(place.state.prepared().socket).write_text("a file")

    for one in (result, place.run("status-line")):
        assert (one.returncode, one.stdout, one.stderr) == (0, "AM!\n", "")
    assert json_told == {"line": "AM!", "mark": "!"}
    assert "\x1b[31mAM!\x1b[0m" in coloured
