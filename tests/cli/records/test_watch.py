"""`automode watch`: what it shows at every size, in a real terminal, and where there is none."""

import asyncio
import json
import os
import re
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
from hypothesis import given
from hypothesis import strategies as st

from automode.cli.records.watch import (
    KEPT,
    NewRecord,
    Tally,
    View,
    cells_of,
    fit,
    pad,
    plain_line,
)
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.daemon.client import running
from automode.store.changes import Decided
from automode.store.folder import StateFolder
from automode.store.writer import Writer
from tests.cli.daemons import Place
from tests.cli.stored import record, spent
from tests.cli.terminal import Terminal
from tests.rows import each_row

texts = st.text(max_size=300)


def cells(line: str) -> int:
    return sum(map(cells_of, click.unstyle(line)))


def view_of(*records_shown: Record) -> View:
    found = View(since=1_800_000_000.0, daemon="daemon 1.0, pid 7")
    for one in records_shown:
        found.take(NewRecord(one))
    return found


def shown(found: View, columns: int = 80, rows: int = 24) -> str:
    return "\n".join(click.unstyle(line) for line in found.lines(columns, rows))


def test_a_decision_is_a_row_and_what_was_not_allowed_has_its_reason_under_it() -> None:
    denied = record(verdict=Verdict.DENY, action="rm -rf /", source="floor.x", reason="too much")

    lines = shown(view_of(record(), denied)).splitlines()

    (row,) = [line for line in lines if "git status" in line]
    assert re.fullmatch(r"\d\d:\d\d:\d\d  allow  Bash +git status +read-only", row)
    (at,) = [number for number, line in enumerate(lines) if "rm -rf /" in line]
    assert "deny" in lines[at]
    assert lines[at + 1].strip() == "claude-code/01234567: too much"


def test_a_wide_terminal_shows_the_session_and_a_narrow_one_leaves_the_source_out() -> None:
    narrow = shown(view_of(record()), columns=50)

    assert "claude-code/01234567" in shown(view_of(record()), columns=120)
    assert "git status" in narrow
    assert "read-only" not in narrow
    assert "no decision yet" in shown(view_of())


def test_counters_and_cost_are_added_up_except_of_earlier_records_and_a_persons_doing() -> None:
    found = view_of(
        record(1, stages=(spent("0.01"),)),
        record(2, verdict=Verdict.DENY, stages=(spent("0.002"), spent(None))),
        record(3, verdict=Verdict.HALT),
        record(4, action="automode off s", source="person.off"),
    )
    found.take(NewRecord(record(action="earlier"), earlier=True))

    text = shown(found, columns=100)

    counters = text.splitlines()[1]
    assert counters.startswith("allow 1  ask 0  deny 1  halt 1")
    assert "model 3 requests, 0.0120 USD + 1 unknown" in counters
    assert "automode off s" in text
    assert "earlier" in text


def test_the_counters_fit_into_eighty_columns() -> None:
    tally = Tally()
    for number in range(2000):
        tally.add(record(number, verdict=Verdict(number % 3), stages=(spent("0.0001"),)))

    assert cells(str(tally)) <= 80


def test_the_newest_is_the_last_row_and_what_is_kept_is_bounded() -> None:
    found = view_of(*(record(number, action=f"call-{number}") for number in range(2 * KEPT)))

    actions = re.findall(r"call-\d+", shown(found, rows=12))

    assert actions == [f"call-{number}" for number in range(2 * KEPT - 8, 2 * KEPT)]
    assert len(found.records) == KEPT
    assert found.tally.verdicts["allow"] == 2 * KEPT


@given(
    texts,
    texts,
    texts,
    st.sampled_from(Verdict),
    st.integers(min_value=1, max_value=200),
    st.integers(min_value=1, max_value=60),
)
def test_whatever_a_call_holds_no_line_is_wider_and_no_screen_taller_than_the_terminal(
    tool: str, action: str, reason: str, verdict: Verdict, columns: int, rows: int
) -> None:
    found = view_of(record(tool=tool, action=action, reason=reason, verdict=verdict))

    lines = found.lines(columns, rows)

    assert len(lines) <= rows
    assert [line for line in lines if cells(line) > columns] == []


@given(texts, texts, texts, texts)
def test_whatever_a_call_holds_it_cannot_steer_the_terminal(
    tool: str, action: str, reason: str, session: str
) -> None:
    one = record(
        tool=tool,
        action=action,
        reason=reason,
        verdict=Verdict.ASK,
        session=SessionKey("host", session),
    )

    lines = [click.unstyle(line) for line in view_of(one).lines(120, 24)] + [plain_line(one)]

    assert [line for line in lines if not line.isprintable()] == []


@each_row(
    "text, room, expected",
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("a\nb", 10, "a\\nb"),
    ],
)
def test_a_text_is_cut_where_its_cells_end(text: str, room: int, expected: str) -> None:
    assert fit(text, room) == expected
    assert cells(pad(text, room)) == room


def test_a_plain_line_says_it_all() -> None:
    line = plain_line(record(verdict=Verdict.DENY, action="rm -rf /", source="floor.x"))

    assert " deny  claude-code/0123456789abcdef Bash: rm -rf / (floor.x: it only reads)" in line


AUTOMODE = str(Path(sys.executable).parent / "automode")
LEAVE = b"\x1b[?25h\x1b[?1049l"


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
    with Terminal(words(folder), environment) as terminal:
        terminal.wait_for(lambda text: "q quits" in text)
        yield terminal


def words(folder: StateFolder, *more: str) -> list[str]:
    return [AUTOMODE, "--state-folder", folder.path, "watch", *more]


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

    watching.wait_for(lambda text: "no daemon runs; waiting for one" in text)
    watching.type("xyz\x1b[A ")  # other keys change nothing
    keep(
        folder,
        made_now(1, action="make test", stages=(spent("0.0125"),)),
        denied,
        made_now(3, action="a\x1b[2Jb\x07c\nd"),
    )

    text = watching.wait_for(lambda text: "a\\x1b[2Jb\\x07c\\nd" in text)
    for part in ("rm -rf /", "make test", "everything would be gone", "1 request, 0.0125 USD"):
        assert part in text
    assert "allow 2  ask 0  deny 1" in text
    assert "xyz" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_what_was_decided_before_is_shown_for_a_start(
    folder: StateFolder, environment: dict[str, str]
) -> None:
    keep(folder, *(record(number, action=f"earlier-{number}") for number in range(5)))

    with Terminal(words(folder), environment) as terminal:
        text = terminal.wait_for(lambda text: "earlier-4" in text)

    assert "earlier-0" in text
    assert "allow 0" in text


@pytest.mark.parametrize("keys", ["q", "Q", "\x03"])
def test_a_key_ends_it_and_the_terminal_is_as_it_was(watching: Terminal, keys: str) -> None:
    during = watching.settings
    watching.type(keys)

    assert watching.ended() == 0
    assert during != watching.before
    assert watching.settings == watching.before
    _, left, after = watching.raw.partition(LEAVE)
    assert left
    assert b"allow 0  ask 0  deny 0" in after
    assert b"Traceback" not in watching.raw


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was_too(
    watching: Terminal, number: signal.Signals
) -> None:
    watching.process.send_signal(number)

    assert watching.ended() == 128 + number
    assert watching.settings == watching.before
    assert LEAVE in watching.raw


def test_it_takes_the_size_that_the_window_gets(watching: Terminal, folder: StateFolder) -> None:
    keep(folder, made_now(1, action="make test", source="some.source"))
    watching.wait_for(lambda text: "some.source" in text)

    watching.resize(50, 10)
    narrow = watching.wait_for(lambda text: "make test" in text and "some.source" not in text)
    watching.resize(120, 30)
    wide = watching.wait_for(lambda text: "claude-code/01234567" in text)

    assert "q quits" in narrow
    assert "some.source" in wide


@pytest.mark.parametrize("plain", [True, False])
def test_it_is_coloured_unless_one_wants_no_colour(
    folder: StateFolder, environment: dict[str, str], plain: bool
) -> None:
    keep(folder, record(action="make test"))
    variables = environment | {"NO_COLOR": "1" if plain else ""}

    with Terminal(words(folder), variables) as terminal:
        terminal.wait_for(lambda text: "make test" in text)

        assert (b"\x1b[32m" in terminal.raw) is not plain


def test_a_terminal_that_cannot_draw_gets_lines(
    folder: StateFolder, environment: dict[str, str]
) -> None:
    with Terminal(words(folder), environment | {"TERM": "dumb"}) as terminal:
        terminal.wait_for(lambda text: "no daemon runs" in text)
        keep(folder, made_now(1, action="make test"))
        terminal.wait_for(lambda text: "make test" in text)

        assert b"\x1b" not in terminal.raw


def printed(folder: StateFolder, environment: dict[str, str], *more: str) -> list[str]:
    """The first two lines that a pipe gets."""
    process = subprocess.Popen(
        words(folder, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None
    try:
        assert process.stderr is not None
        assert b"no daemon" in process.stderr.readline()
        keep(folder, made_now(1, action="one"), made_now(2, action="two", verdict=Verdict.ASK))
        return [process.stdout.readline().decode() for _ in range(2)]
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        process.communicate()


def test_into_a_pipe_each_decision_is_a_line_of_text_or_json(
    folder: StateFolder, environment: dict[str, str]
) -> None:
    first, second = printed(folder, environment)
    other = StateFolder(f"{folder.path}/json").prepared()
    found = [json.loads(line) for line in printed(other, environment, "--json")]

    assert " allow claude-code/0123456789abcdef Bash: one (read-only: it only reads)" in first
    assert " ask " in second
    assert "\x1b" not in first + second
    assert [(one["action"], one["verdict"]) for one in found] == [("one", "allow"), ("two", "ask")]
    assert found[0]["host"] == "claude-code"


def test_a_reader_that_goes_away_ends_it(folder: StateFolder, environment: dict[str, str]) -> None:
    script = f"{' '.join(words(folder, '--json'))} | head -1; exit ${{PIPESTATUS[0]}}"
    process = subprocess.Popen(
        ["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None
    number = 0
    while process.poll() is None:
        number += 1
        keep(folder, made_now(number))
        time.sleep(0.2)

    out, err = process.communicate()
    assert (out.count(b"\n"), err.count(b"\n")) == (1, 1)
    assert process.returncode == 141


def test_it_goes_on_when_another_daemon_takes_over(
    served: Place, environment: dict[str, str]
) -> None:
    first = running(served.state)
    assert first is not None
    with Terminal(words(served.state), environment) as terminal:
        terminal.wait_for(lambda text: f"pid {first.pid}" in text)
        served.proposed("echo with-the-first")
        terminal.wait_for(lambda text: "with-the-first" in text)

        os.kill(first.pid, signal.SIGKILL)
        terminal.wait_for(lambda text: "no daemon runs" in text)
        served.run("check", "bash", "echo with-none")
        terminal.wait_for(lambda text: "with-none" in text)

        served.run("daemon", "start")
        second = running(served.state)
        assert second is not None
        terminal.wait_for(lambda text: f"pid {second.pid}" in text)
        served.proposed("rm -rf /")
        text = terminal.wait_for(lambda text: "rm -rf /" in text)
        served.run("off", "--session", "s1")
        terminal.wait_for(lambda text: "automode off plain/s1" in text)

        terminal.type("q")
        assert terminal.ended() == 0
    assert text.count("with-the-first") == text.count("with-none") == 1
    assert "deny 1" in text
