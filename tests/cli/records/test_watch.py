"""`automode watch`: lines in a real terminal, and where there is none."""

import asyncio
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import click
import pytest
from conformance.terminal import Terminal
from hypothesis import given
from hypothesis import strategies as st

from automode.cli.records.tally import Tally
from automode.cli.records.watch import plain_line, terminal_lines
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.store.changes import Decided
from automode.store.folder import StateFolder
from automode.store.writer import Writer
from tests.cli.stored import record, spent

texts = st.text(max_size=300)


def test_a_decision_is_a_line_and_what_was_not_allowed_has_its_reason_under_it() -> None:
    denied = record(verdict=Verdict.DENY, action="rm -rf /", source="floor.x", reason="too much")

    (row,) = map(click.unstyle, terminal_lines(record()))
    first, reason = map(click.unstyle, terminal_lines(denied))

    assert re.fullmatch(r"\d\d:\d\d:\d\d  allow  claude-code/01234567  Bash  git status", row)
    assert "deny   claude-code/01234567  Bash  rm -rf /" in first
    assert reason.strip() == f"{denied.id}  floor.x: too much"
    assert plain_line(denied).endswith(
        f" deny  claude-code/0123456789abcdef Bash: rm -rf / (floor.x: too much) {denied.id}"
    )


def test_counters_and_cost_are_added_up_except_of_a_persons_doing() -> None:
    tally = Tally()
    for one in (
        record(1, stages=(spent("0.01"),)),
        record(2, verdict=Verdict.DENY, stages=(spent("0.002"), spent(None))),
        record(3, verdict=Verdict.HALT),
        record(4, action="automode off s", source="person.off"),
    ):
        tally.add(one)

    assert str(tally) == (
        "allow 1  ask 0  deny 1  halt 1  |  model 3 requests, 0.0120 USD + 1 unknown"
    )


@given(texts, texts, texts, texts, st.sampled_from(Verdict))
def test_whatever_a_call_holds_it_cannot_steer_the_terminal(
    tool: str, action: str, reason: str, session: str, verdict: Verdict
) -> None:
    key = SessionKey("host", session)
    one = record(tool=tool, action=action, reason=reason, verdict=verdict, session=key)

    shown = [click.unstyle(line) for line in terminal_lines(one)]

    assert [line for line in (*shown, plain_line(one)) if not line.isprintable()] == []
    assert max(map(len, shown)) <= 100


AUTOMODE = str(Path(sys.executable).parent / "automode")


@pytest.fixture
def folder() -> Iterator[StateFolder]:
    """Where a socket's path is short enough."""
    path = tempfile.mkdtemp(prefix="am-watch-")
    yield StateFolder(path).prepared()
    rmtree(path)


@pytest.fixture
def environment() -> dict[str, str]:
    return dict(os.environ) | {"TERM": "xterm-256color", "NO_COLOR": "1"}


@pytest.fixture
def watching(folder: StateFolder, environment: dict[str, str]) -> Iterator[Terminal]:
    with Terminal(words(folder), environment, ".", columns=80) as terminal:
        terminal.wait_for("allow 0  ask 0")
        yield terminal


def words(folder: StateFolder, *more: str) -> list[str]:
    return [AUTOMODE, "--state-folder", folder.path, "watch", "--plain", *more]


def keep(folder: StateFolder, *records: Record) -> None:
    async def write() -> None:
        async with Writer(folder, patience_seconds=60) as writer:
            await writer.append([Decided(one) for one in records])

    asyncio.run(write())


def made_now(number: int, **fields: object) -> Record:
    return record(number, at=time.time(), **fields)  # type: ignore[arg-type]


def test_decisions_come_by_with_counters_and_cost_and_cannot_steer_the_terminal(
    watching: Terminal, folder: StateFolder
) -> None:
    denied = made_now(2, verdict=Verdict.DENY, action="rm -rf /", reason="everything would be gone")

    keep(
        folder,
        made_now(1, action="make test", stages=(spent("0.0125"),)),
        denied,
        made_now(3, action="a\x1b[2Jb\x07c\nd"),
    )

    watching.wait_for("a\\x1b[2Jb\\x07c\\nd")
    text = watching.wait_for("allow 2")
    for part in ("rm -rf /", "make test", "everything would be gone", "1 request, 0.0125 USD"):
        assert part in text
    assert "allow 2  ask 0  deny 1" in text
    assert max(map(len, text.splitlines())) <= 80


def test_what_was_decided_before_is_shown_for_a_start(
    folder: StateFolder, environment: dict[str, str]
) -> None:
    keep(folder, *(record(number, action=f"earlier-{number}") for number in range(5)))

    with Terminal(words(folder), environment, ".", columns=80) as terminal:
        terminal.wait_for("earlier-4")
        text = terminal.wait_for("allow 0")

    assert "earlier-0" in text


def test_a_terminal_with_textual_shows_a_list_and_one_without_says_how_to_get_it(
    folder: StateFolder, environment: dict[str, str]
) -> None:
    keep(folder, record(1, action="earlier-1"))
    typed = [one for one in words(folder) if one != "--plain"]
    hidden = "import sys; sys.modules['textual'] = None; from automode.cli.main import main; main()"

    with Terminal(typed, environment, ".", columns=80) as terminal:
        terminal.wait_for("earlier-1")
        text = terminal.wait_for("filter")
        terminal.type("q")
        assert terminal.ended() == 0
    with Terminal([sys.executable, "-c", hidden, *typed[1:]], environment, ".") as plain:
        told = plain.wait_for("allow 0")

    assert "action" in text
    assert "with the extra `watch` you can scroll" in told
    assert "earlier-1" in told


def test_ctrl_c_ends_it_with_the_counters(watching: Terminal) -> None:
    watching.type("\x03")

    assert watching.ended() == 0
    assert "allow 0  ask 0  deny 0" in watching.text
    assert "Traceback" not in watching.text


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_into_a_pipe_each_decision_from_then_on_is_a_line_of_text_or_json(
    folder: StateFolder, environment: dict[str, str], more: tuple[str, ...]
) -> None:
    process = subprocess.Popen(words(folder, *more), stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    known = record(0, action="zero", at=1.0)
    keep(folder, known)
    lines: list[str] = []
    try:
        # It has looked once before it prints anything: what comes later is printed.
        for number in range(1, 200):
            keep(folder, made_now(number, action=f"one-{number}", verdict=Verdict.ASK))
            if select.select([process.stdout], [], [], 1.0)[0]:
                lines.append(process.stdout.readline().decode())
                break
    finally:
        process.send_signal(signal.SIGINT)
        status = process.wait(60)
        process.stdout.close()

    assert status == 0
    (line,) = lines
    if more:
        assert (json.loads(line)["host"], json.loads(line)["verdict"]) == ("claude-code", "ask")
    else:
        assert " ask   claude-code/0123456789abcdef Bash: one-" in line
    assert "\x1b" not in line
