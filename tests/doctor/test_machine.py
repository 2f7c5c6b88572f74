"""automode itself, its settings, its store and its daemon, as the doctor sees them."""

import fcntl
import json
import os
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from automode.confine.guard import Guard, Unavailable
from automode.daemon.lifecycle import start_detached
from automode.doctor import machine as checks
from automode.doctor.daemon_state import RESTART
from automode.doctor.finding import Finding, Level
from automode.doctor.machine import (
    check_daemon,
    check_judge,
    check_own,
    check_settings,
    check_store,
)
from tests.doctor.conftest import Machine
from tests.rows import each_row

PATIENCE_SECONDS = 60.0


def levels(found: Sequence[Finding]) -> list[tuple[str, Level]]:
    return [(one.check, one.level) for one in found]


def by_check(found: Sequence[Finding]) -> dict[str, Finding]:
    return {one.check: one for one in found}


def test_a_whole_installation_is_in_order(machine: Machine) -> None:
    found = check_own(machine.case())

    assert levels(found) == [
        (check, Level.OK) for check in ("automode", "hook", "bash parsers", "probe")
    ]


@each_row(
    "parsers, level",
    [({"tree-sitter": True, "shfmt": False}, Level.PROBLEM), ({}, Level.WARNING)],
)
def test_a_missing_parser_is_told(machine: Machine, parsers: dict[str, bool], level: Level) -> None:
    found = by_check(check_own(replace(machine.case(), parsers=parsers)))["bash parsers"]

    assert found.level is level
    assert found.fix


SETTINGS: list[tuple[object, dict[str, Level]]] = [
    ({}, {"mode": Level.OK, "settings": Level.OK}),
    ({"autoMode": {"enabled": False}}, {"mode": Level.WARNING}),
    ({"autoMode": {"mode": "shadow"}}, {"mode": Level.WARNING}),
    ({"autoMode": {"modus": 1}}, {"mode": Level.OK, "settings": Level.PROBLEM}),
    ({"permissions": {"deny": [7]}}, {"settings": Level.PROBLEM}),
]


@each_row("settings, expected", SETTINGS)
def test_what_is_wrong_with_settings_is_told(
    machine: Machine, settings: object, expected: dict[str, Level]
) -> None:
    machine.file("c/config.json", json.dumps(settings))

    found = check_settings(machine.case())

    assert dict(levels(found)) | expected == dict(levels(found))
    assert all(one.fix for one in found if one.level is not Level.OK)


def test_only_a_file_that_is_there_counts_as_read(machine: Machine) -> None:
    def says() -> str:
        return by_check(check_settings(machine.case()))["settings"].says

    before = says()
    machine.file("c/config.json", "{}")

    assert before == "places with settings: none; the built-in settings are in force"
    assert says() == "places with settings: 1; nothing wrong"


def test_many_faults_do_not_flood(machine: Machine) -> None:
    machine.file("c/config.json", json.dumps({f"key{n}": n for n in range(60)}))

    found = [one for one in check_settings(machine.case()) if one.check == "settings"]

    assert len(found) == 11
    assert found[-1].says == "and 50 more"


CHOSEN = json.dumps({"autoMode": {"classifierModel": "anthropic/x"}})
_JUDGED = {"judge": "anthropic/x", "ok": True, "verdict": "allow", "millis": 1230, "lent": False}
_TOLD = _JUDGED | {"reason": "fine", "advice": "", "through_daemon": True}
_NO_KEY = {"ok": False, "reason": "no model", "advice": "`automode key set anthropic`"}
CANARIES: dict[str, tuple[dict[str, object], Level, str, str]] = {
    "judged": ({}, Level.OK, "by anthropic/x in 1.23 s, through the daemon: allow", ""),
    "no daemon": ({"through_daemon": False}, Level.OK, "by this command: no daemon runs", ""),
    "denied": ({"verdict": "deny"}, Level.WARNING, "deny, because fine", "automode model"),
    "lent": ({"lent": True}, Level.WARNING, "this terminal's", "automode key set anthropic"),
    "no key": (_NO_KEY, Level.PROBLEM, "was not judged by", "automode key set anthropic"),
    "an outage": (
        *({"ok": False, "reason": "overloaded"}, Level.PROBLEM),
        *("was not judged by anthropic/x: overloaded", "automode model anthropic/x --test"),
    ),
}


@each_row("told, level, says, fix", CANARIES.values())
def test_a_harmless_call_shows_who_judges(
    machine: Machine, told: dict[str, object], level: Level, says: str, fix: str
) -> None:
    machine.file("c/config.json", CHOSEN)
    case = replace(machine.case(online=True), canary=lambda: _TOLD | told)

    (found,) = check_judge(case)

    assert (found.check, found.level, found.fix) == ("judge", level, fix)
    assert says in found.says


def test_a_model_is_asked_only_where_that_is_wanted(machine: Machine) -> None:
    machine.variables["ANTHROPIC_API_KEY"] = "k"
    machine.file("c/config.json", CHOSEN)

    (found,) = check_judge(replace(machine.case(), canary=lambda: pytest.fail("asked")))

    assert (found.level, found.fix) == (Level.WARNING, "automode doctor")
    assert "was not tried" in found.says


def test_a_store_that_is_not_there_yet_is_empty(machine: Machine) -> None:
    (found,) = check_store(machine.case())

    assert found.level is Level.OK
    assert "empty so far" in found.says


def test_records_that_release_0_1_left_behind_are_told(machine: Machine) -> None:
    case = machine.case()
    spool = Path(case.placement.state.prepared().spool)
    spool.mkdir()
    (spool / "1").write_text("x")

    (found,) = check_store(case)

    assert "records that release 0.1 had not filed yet" in found.says
    assert "remove the folder" in found.fix


def test_a_store_that_cannot_be_read_is_a_problem(machine: Machine) -> None:
    Path(machine.state.prepared().database).write_bytes(b"no database" * 1000)

    (found,) = check_store(machine.case())

    assert found.level is Level.PROBLEM
    assert found.fix


def test_a_head_file_that_is_gone_is_a_problem(machine: Machine) -> None:
    folder = machine.state.prepared()
    for path, text in ((folder.signing_key, "ab" * 32), (folder.chain, "c1\n")):
        Path(path).write_text(text)
        Path(path).chmod(0o600)

    (found,) = check_store(machine.case())

    assert found.level is Level.PROBLEM
    assert "head file" in found.says


@pytest.fixture
def foreign_port() -> Iterator[int]:
    """A program of somebody else's that takes connections."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_a_daemon_that_runs_is_in_order_and_older_errors_are_not_its_own(machine: Machine) -> None:
    log = Path(machine.state.prepared().log)
    log.write_text("2020-01-01 10:00:00,1 ERROR a.b: long ago\n")
    status = start_detached(machine.case().placement, seconds=PATIENCE_SECONDS)

    found = by_check(check_daemon(machine.case()))
    with log.open("a") as file:
        soon = time.localtime(time.time() + 5)
        file.write(time.strftime("%Y-%m-%d %H:%M:%S,1 ERROR a.b: now\n", soon))
    later = by_check(check_daemon(machine.case()))

    assert {one.level for one in found.values()} == {Level.OK}
    assert set(found) == {"daemon", "port", "log"}
    assert f"process {status.pid}" in found["daemon"].says
    assert later["log"].level is Level.WARNING


def test_without_a_daemon_nothing_is_called_fine(machine: Machine) -> None:
    (found,) = check_daemon(machine.case())

    assert (found.level, found.fix) == (Level.WARNING, "automode daemon start")
    assert "neither its release nor its port could be looked at" in found.says


def test_a_daemon_that_holds_its_place_and_says_nothing_is_a_problem(machine: Machine) -> None:
    with open(machine.state.prepared().daemon_lock, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        (found,) = check_daemon(machine.case())

    assert (found.level, found.fix) == (Level.PROBLEM, RESTART)


def test_somebody_else_on_its_port_is_a_problem(machine: Machine, foreign_port: int) -> None:
    Path(machine.state.prepared().http_port).write_text(f"{foreign_port}\n")

    found = check_daemon(machine.case())

    assert levels(found) == [("daemon", Level.WARNING), ("port", Level.PROBLEM)]
    assert str(foreign_port) in found[1].fix


def test_hooks_that_name_another_port_and_other_settings_are_problems(machine: Machine) -> None:
    start_detached(machine.case().placement, seconds=PATIENCE_SECONDS)
    kept = Path(machine.state.http_port)
    kept.unlink(missing_ok=True)
    kept.write_text("1\n")
    case = machine.case()
    placed = replace(case.placement, config_folder=str(machine.folder / "another"))

    port = by_check(check_daemon(case))["port"]
    others = [one for one in check_daemon(replace(case, placement=placed)) if one.fix == RESTART]

    assert (port.level, port.fix) == (Level.PROBLEM, "automode install claude-code")
    assert [one.level for one in others] == [Level.PROBLEM]
    assert "serves other settings" in others[0].says


@each_row("text", ["", "no number", "70000", "-1", "\xff"])
def test_a_port_that_is_none_is_not_asked(machine: Machine, text: str) -> None:
    Path(machine.state.prepared().http_port).write_text(text, encoding="latin-1")

    assert levels(check_daemon(machine.case())) == [("daemon", Level.WARNING)]


LOGS = [
    ("", None),
    ("2026-11-01 10:00:00,123 INFO automode.daemon: started\n", None),
    (
        "2026-11-01 10:00:00,123 ERROR automode.daemon.service: a request failed: KeyError\n"
        "KeyError at\n  /x.py:1 in f\n",
        "1 error, the last one: a request failed: KeyError",
    ),
    (
        "2026-11-01 10:00:00,1 ERROR a.b: first\n2026-11-01 10:00:01,1 CRITICAL a.b: second\n",
        "2 errors, the last one: second",
    ),
    ("\x00\xff\n" * 50, None),
]


@each_row("text, says", LOGS)
def test_errors_in_the_log_are_counted(machine: Machine, text: str, says: str | None) -> None:
    Path(machine.state.prepared().log).write_text(text, encoding="latin-1")

    told = [one.says for one in check_daemon(machine.case()) if one.check == "log"]

    assert told == ([] if says is None else [says])


def test_a_daemon_that_hangs_still_has_its_own_port(machine: Machine) -> None:
    pid = start_detached(machine.case().placement, seconds=PATIENCE_SECONDS).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        found = by_check(check_daemon(machine.case()))
    finally:
        os.kill(pid, signal.SIGKILL)

    assert "port" not in found
    assert (found["daemon"].level, found["daemon"].fix) == (Level.PROBLEM, RESTART)
    assert f"pid {pid} does not answer" in found["daemon"].says


def test_a_setting_that_is_off_is_one_quiet_line(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.file("c/config.json", json.dumps({"autoMode": {"confine": "off"}}))
    monkeypatch.setattr(checks, "choose", lambda _: pytest.fail("was tried"))
    (found,) = checks.check_confinement(machine.case())
    assert (found.level, "off" in found.says) == (Level.OK, True)


@pytest.mark.parametrize(
    ("guard", "fault", "level", "says"),
    [
        (Guard("bubblewrap", "/b"), "", Level.OK, "bubblewrap holds"),
        (Guard("landlock", ""), "", Level.OK, "no sockets at all"),
        (Guard("bubblewrap", "/b"), "a hidden file was read", Level.PROBLEM, "hidden file"),
        (Unavailable("bubblewrap: not installed"), "", Level.WARNING, "not installed"),
    ],
)
def test_what_the_guard_holds_is_told(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    guard: Guard | Unavailable,
    fault: str,
    level: Level,
    says: str,
) -> None:
    machine.file("c/config.json", json.dumps({"autoMode": {"confine": "unproved"}}))
    monkeypatch.setattr(checks, "choose", lambda _: guard)
    monkeypatch.setattr(checks, "prove", lambda *_: fault)
    (found,) = checks.check_confinement(machine.case())
    assert found.level is level
    assert says in found.says
    assert bool(found.fix) is (level is not Level.OK)
