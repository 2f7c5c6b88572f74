"""`automode inbox`, and `approve` for what waits: a person answers, and the call goes on."""

import json
import os
import pty
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from automode.cli.options import Surroundings
from automode.cli.records.answering import Stopped, look
from automode.cli.records.inbox import ask_about, show_stopped
from tests.cli.daemons import AUTOMODE, Place

PATIENCE = 60.0
Waiting = Callable[..., "Future[dict[str, object]]"]


@pytest.fixture
def held(served: Place) -> Place:
    settings = {"autoMode": {"asks": {"hold": 50}}, "permissions": {"ask": ["bash(make *)"]}}
    (Path(served.config) / "config.json").write_text(json.dumps(settings))
    served.run("reload")
    return served


def surroundings(place: Place) -> Surroundings:
    return Surroundings(config_folder=place.config, state_folder=place.state.path)


@contextmanager
def waiting(place: Place, *commands: str) -> "Iterator[list[Future[dict[str, object]]]]":
    """Calls that an agent proposes with nobody there, once they wait."""
    with ThreadPoolExecutor(len(commands)) as beside:
        calls = []
        for n, one in enumerate(commands):
            calls.append(
                beside.submit(partial(place.proposed, one, f"s{n}", PATIENCE, attended=False))
            )
            deadline = time.monotonic() + PATIENCE
            while len(look(surroundings(place)).waiting) <= n:
                assert time.monotonic() < deadline, "nothing waits"
                time.sleep(0.05)
        yield calls


def answers(place: Place, typed: str) -> str:
    """What a person reads who types this."""

    @click.command()
    def asking() -> None:
        ask_about(surroundings(place), look(surroundings(place)).waiting)

    return CliRunner().invoke(asking, input=typed).output


def verdicts(calls: "list[Future[dict[str, object]]]") -> list[tuple[object, object]]:
    told = [one.result(PATIENCE) for one in calls]
    return [(one["verdict"], one["source"]) for one in told]


def test_each_that_waits_is_asked_about_and_answered(held: Place) -> None:
    with waiting(held, "make once", "make no", "make session") as calls:
        listed = held.json("inbox")
        shown = answers(held, "x\no\nn\nnot on a Friday\ns\n")
        got = verdicts(calls)

    rows = listed["waiting"]
    assert isinstance(rows, list)
    assert [one["action"] for one in rows] == ["make once", "make no", "make session"]
    assert got == [("allow", "approval"), ("deny", "person.decline"), ("allow", "approval")]
    assert calls[1].result()["reason"] == "the person said no to this call: not on a Friday"
    assert "type one of the letters" in shown
    assert "allowed once" in shown
    assert "denied: the agent is told why" in shown
    assert "nothing waits for an answer" in held.run("inbox").stdout


def test_the_whole_call_is_shown_and_what_cannot_be_seen_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    action = "make " + "x" * 700
    given = json.dumps({"command": action, "stdin": "rm src"})
    stopped = Stopped("1", "a/s", "bash", action, "ask", "x", "y", "/", given, 0.0, replaced=True)

    show_stopped(stopped)

    shown = " ".join(capsys.readouterr().out.split())
    assert action in shown
    assert '{"stdin":"rm src"}' in shown
    assert "a part of this call was replaced by" in shown


def test_always_shows_the_rule_which_can_be_changed(held: Place) -> None:
    with waiting(held, "frobnicate --all now") as calls:
        shown = answers(held, "a\n\na\nbash(ls)\na\n1\n")
        got = verdicts(calls)

    file = json.loads((Path(held.config) / "config.json").read_text())
    assert "1. bash(frobnicate --all now)" in shown
    assert "covers 1 call of the last 30 days" in " ".join(shown.split())
    assert "would not let the call through" in shown
    assert got == [("allow", "rules.allow")]
    assert file["permissions"]["allow"] == ["bash(frobnicate --all now)"]


def test_an_approval_by_its_id_lets_a_call_go_on_that_waits(held: Place) -> None:
    with waiting(held, "make all", "frobnicate now") as calls:
        made, frobnicated = look(surroundings(held)).waiting
        approved = held.run("approve", made.record)
        saved = held.run("approve", frobnicated.record, "--always")
        got = verdicts(calls)

    assert approved.returncode == saved.returncode == 0
    assert got == [("allow", "approval"), ("allow", "rules.allow")]
    assert "  bash(frobnicate now)\n" in saved.stdout


def test_what_does_not_wait_is_approved_or_refused_with_a_reason(held: Place) -> None:
    denied = held.proposed("frobnicate $X", attended=False)
    stopped = held.proposed("rm -rf /")
    refused = [held.run("approve", str(one["record"]), "--always") for one in (denied, stopped)]
    both = held.run("approve", str(denied["record"]), "--always", "--session")

    assert [one.returncode for one in (*refused, both)] == [2, 2, 2]
    assert all("no rule" in one.stderr for one in refused)
    assert "two answers" in both.stderr


def test_asks_are_listed_with_their_ids(held: Place) -> None:
    (Path(held.config) / "config.json").write_text('{"permissions": {"ask": ["bash(make *)"]}}')
    held.run("reload")
    asked = str(held.proposed("make all")["record"])

    assert asked in held.run("denials", "--asked").stdout
    assert asked not in held.run("denials").stdout
    assert asked in held.run("inbox").stdout


def test_a_person_at_a_terminal_is_asked(held: Place) -> None:
    """The whole way, with a terminal of its own."""
    with waiting(held, "make all") as calls:
        ours, theirs = pty.openpty()
        folders = ("--state-folder", held.state.path, "--config-folder", held.config)
        with subprocess.Popen(
            (AUTOMODE, *folders, "inbox"), stdin=theirs, stdout=theirs, cwd=held.project
        ) as process:
            os.close(theirs)
            os.write(ours, b"o\n")
            got = verdicts(calls)
            process.wait(PATIENCE)
        os.close(ours)

    assert got == [("allow", "approval")]
