"""Scripts that share a run of shfmt are read as if each stood alone."""

import asyncio
import json
import os
import signal
import time
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from automode.facts import ahead, parsers
from automode.facts.ahead import Batches, joined, parted
from automode.facts.parsers import by_shfmt
from automode.facts.place import recorded_workspace
from automode.facts.reader import ShellReader
from automode.shell.syntax import Unread

WORKSPACE = recorded_workspace("/srv/project", "/home/user")
CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("*.jsonl"))
NEIGHBOURS = [
    *(
        "\\",
        "ls; \\",
        "cat <<''\nline\n",
        "ls \\",
        "echo 'open",
        'echo "open',
        "cat <<EOF\nx",
        "cat <<EOF\nx\nEOF",
        "if true",
        "ls &&",
    ),
    *("f()", "f() {", "}", "{ ls;", "(ls", ")", "ls |", "!", "# comment", "", " ", "\n\n", "ls #x"),
    *("case x in a)", "esac", "done", "fi", ";;", "&", "ls &", "`ls", "$(ls", "${x", "$((1", "a=("),
    *("cat <<'E' | sh\nrm x\nE", "coproc ls", "[[ a", "((", "<(", "#!/bin/zsh\nls", "ls;", "ls\r"),
    *(
        "echo é",
        "time",
        "function f",
        "for x in",
        "select x in",
        "while",
        "until",
        "then",
        "x=$'\\",
    ),
]


def commands() -> list[str]:
    rows = [json.loads(line) for file in CORPUS for line in file.read_text().splitlines() if line]
    return [row["command"] for row in rows if isinstance(row.get("command"), str)]


SCRIPTS = sorted({one for one in (*commands(), *NEIGHBOURS) if len(one) < 1000})


def alone(source: bytes) -> object:
    return by_shfmt(source, time.monotonic() + 5)


async def together(sources: list[bytes]) -> dict[bytes, object]:
    batches = Batches()
    found = await asyncio.gather(*(batches.parsed([source]) for source in sources))
    return {source: node for one in found for source, node in one.items()}


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "BATCH_SECONDS", 5.0)


@given(st.lists(st.sampled_from(SCRIPTS), min_size=1, max_size=12, unique=True))
def test_what_is_read_together_is_read_as_if_alone(scripts: list[str]) -> None:
    sources = [script.encode() for script in scripts]

    found = asyncio.run(together(sources))

    for source, node in found.items():
        assert node == alone(source), source


@given(st.sampled_from(SCRIPTS), st.data())
def test_a_broken_neighbour_hides_no_command(script: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(script)))
    sources = [script[:cut].encode(), b"rm -rf /", script[cut:].encode()]

    assume(all(ahead._fit(source) for source in sources))
    text, places = joined(sources)
    reply = parsers._ask_shfmt(text, time.monotonic() + 5)
    nodes = parted(reply or b"", text, places)

    if nodes is not None:
        assert nodes == [alone(source) for source in sources]


def test_many_scripts_share_few_runs() -> None:
    batches = Batches()

    async def all_at_once() -> list[int]:
        asked = [batches.parsed([f"git show {n}".encode()]) for n in range(40)]
        return [len(one) for one in await asyncio.gather(*asked)]

    assert asyncio.run(all_at_once()) == [1] * 40
    assert batches.runs < 10


def test_one_broken_script_does_not_spoil_the_others() -> None:
    sources = [b"ls", b"echo 'open", b"git status"]

    found = asyncio.run(together(sources))

    assert set(found) == {b"ls", b"git status"}


def test_without_shfmt_nothing_is_parsed_and_nothing_raises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing() -> str:
        raise parsers.ShfmtMissing

    monkeypatch.setattr(parsers, "_shfmt", missing)

    assert asyncio.run(together([b"ls"])) == {}


def test_a_run_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "BATCH_SECONDS", 0.0)

    assert asyncio.run(together([b"ls"])) == {}


@pytest.mark.parametrize(
    "reply", [b"", b"[]", b"{}", b'{"Stmts": 1}', b'{"Stmts": [1]}', b"nonsense"]
)
def test_an_unexpected_reply_is_no_reading(reply: bytes) -> None:
    text, places = joined([b"ls"])

    assert parted(reply, text, places) is None


@given(st.sampled_from(SCRIPTS))
def test_a_reading_made_ready_is_the_reading_both_parsers_give(script: str) -> None:
    ready, plain = ShellReader(), ShellReader()

    asyncio.run(ready.ready(script, WORKSPACE))

    assert ready.full(script, WORKSPACE) == plain.full(script, WORKSPACE)


@given(st.sampled_from([*SCRIPTS, *(f"bash -c {json.dumps(one)}" for one in SCRIPTS)]))
def test_a_full_reading_is_the_same_whether_a_quick_one_came_before(script: str) -> None:
    quick, plain = ShellReader(), ShellReader()
    quick.first(script, WORKSPACE)

    assert quick.full(script, WORKSPACE) == plain.full(script, WORKSPACE)


def test_what_the_second_parser_rejects_is_not_complete_either_way() -> None:
    reader = ShellReader()
    asyncio.run(reader.ready("ls 'x", WORKSPACE))

    assert isinstance(alone(b"ls 'x"), Unread)
    assert not reader.full("ls 'x", WORKSPACE).complete


async def _with_a_spare() -> Batches:
    batches = Batches()
    await batches.parsed([b"ls"])
    deadline = time.monotonic() + 60
    while batches._spare is None and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
    return batches


def test_a_started_shfmt_reads_the_next_script() -> None:
    async def run() -> object:
        batches = await _with_a_spare()
        assert batches._spare is not None
        process = batches._spare[0]
        found = await batches.parsed([b"git status | head"])
        with pytest.raises(ChildProcessError):  # it was used, and waited for
            os.waitpid(process, os.WNOHANG)
        return found[b"git status | head"]

    assert asyncio.run(run()) == alone(b"git status | head")


def test_a_started_shfmt_that_is_gone_costs_time_and_nothing_else() -> None:
    async def run() -> tuple[object, object]:
        batches = await _with_a_spare()
        assert batches._spare is not None
        os.kill(batches._spare[0], signal.SIGKILL)
        lost = await batches.parsed([b"git status"])
        again = await batches.parsed([b"git status"])
        return lost, again

    lost, again = asyncio.run(run())

    assert lost == {}  # to be parsed alone
    assert again == {b"git status": alone(b"git status")}
