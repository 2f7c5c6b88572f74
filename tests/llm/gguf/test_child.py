"""The process of a model file: whatever happens in it, here it is a sentence or an answer."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from automode.llm.gguf.child import Child, UnknownFile, worker
from automode.llm.model import ModelError, ModelFault
from automode.llm.payload import count_at, list_at
from tests.llm.gguf.conftest import PATIENT, process

READY = 'import json, sys, time; print(json.dumps({"ready": "00"}));'
REQUEST = {"system": "Judge.", "view": "action: Bash ls " * 20, "questions": ["Yes?", "No?"]}


@pytest.fixture(scope="module")
def child(loop: asyncio.Runner, weights: Path, checksum: str) -> Iterator[Child]:
    found = Child(worker(str(weights), [checksum]))
    yield found
    loop.run(found.close())


def test_a_file_is_loaded_once_and_what_was_read_is_not_read_again(
    loop: asyncio.Runner, child: Child, checksum: str
) -> None:
    first = loop.run(child.ask(REQUEST, PATIENT))
    pid = child.pid
    second = loop.run(child.ask(REQUEST, PATIENT))

    asked = [list_at(one, "answers") for one in (first, second)]
    prompt = count_at(asked[0][0], "usage", "prompt_tokens")
    read_again = count_at(asked[0][1], "usage", "prompt_tokens_details", "cached_tokens")
    assert child.sha256 == checksum
    assert child.pid == pid
    assert read_again > 0.7 * prompt > 50  # the second question, within the first call
    assert count_at(asked[1][0], "usage", "prompt_tokens_details", "cached_tokens") > 0.7 * prompt


def test_a_process_that_was_killed_is_started_anew(loop: asyncio.Runner, child: Child) -> None:
    loop.run(child.ask(REQUEST, PATIENT))
    killed = child.pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)

    answer = loop.run(child.ask(REQUEST, PATIENT))

    assert len(list_at(answer, "answers")) == 2
    assert child.pid != killed


def test_one_that_hangs_costs_its_caller_no_more_than_the_limit_and_may_come_back(
    loop: asyncio.Runner, child: Child
) -> None:
    loop.run(child.ask(REQUEST, PATIENT))
    assert child.pid is not None
    os.kill(child.pid, signal.SIGSTOP)
    with pytest.raises(ModelError) as raised:
        loop.run(child.ask(REQUEST, 0.2))
    os.kill(child.pid, signal.SIGCONT)

    answer = loop.run(child.ask(REQUEST, PATIENT))

    assert raised.value.kind is ModelFault.TIMEOUT
    assert "0.2 s" in str(raised.value)
    assert list_at(answer, "answers")


def failure(child: Child, seconds: float = PATIENT) -> ModelError:
    async def asked() -> ModelError:
        try:
            with pytest.raises(ModelError) as raised:
                await child.ask(REQUEST, seconds)
        finally:
            await child.close()
        return raised.value

    return asyncio.run(asked())


MISBEHAVED = {
    "says nothing and ends": ("pass", ModelFault.SERVER),
    "ends when asked": (READY + "sys.stdin.readline()", ModelFault.SERVER),
    "says what is not JSON": ("print('llama!')", ModelFault.UNREADABLE),
    "says what is no object": ("print('[1]')", ModelFault.UNREADABLE),
    "answers somebody else": (
        READY + "print('{\"id\": 99}'); time.sleep(60)",
        ModelFault.UNREADABLE,
    ),
    "cannot load": ('print(\'{"failed": "broken"}\')', ModelFault.UNKNOWN_MODEL),
}


@pytest.mark.parametrize("name", MISBEHAVED)
def test_a_process_that_misbehaves_is_a_failure(name: str) -> None:
    script, kind = MISBEHAVED[name]

    assert failure(Child(process(script))).kind is kind


def test_one_that_never_answers_is_ended() -> None:
    child = Child(process(READY + "time.sleep(600)"), hung_seconds=1.0)

    error = failure(child)

    assert error.kind is ModelFault.TIMEOUT
    assert child.pid is None


def test_what_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    assert failure(Child((str(tmp_path / "nothing"),))).kind is ModelFault.SERVER


def test_closing_ends_the_process_also_in_the_middle_of_a_question() -> None:
    async def closed() -> int | None:
        child = Child(process(READY + "time.sleep(600)"))
        asking = asyncio.create_task(child.ask(REQUEST, PATIENT))
        while not child.sha256:
            await asyncio.sleep(0.01)
        pid = child.pid
        await child.close()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return pid

    pid = asyncio.run(closed())

    assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_file_that_nobody_vouched_for_is_not_loaded(tmp_path: Path) -> None:
    file = tmp_path / "unknown.gguf"
    file.write_bytes(b"GGUF of an unknown hand")

    async def asked() -> None:
        await Child(worker(str(file), ["00" * 32])).ask(REQUEST, PATIENT)

    with pytest.raises(UnknownFile) as raised:
        asyncio.run(asked())

    assert len(raised.value.sha256) == 64


def test_a_process_ends_when_nobody_asks_and_with_its_owner(weights: Path, checksum: str) -> None:
    program = worker(str(weights), [checksum])

    async def ended() -> tuple[int, int]:
        pipe = asyncio.subprocess.PIPE
        idle = await asyncio.create_subprocess_exec(
            *(*program[:5], "0.1", *program[6:]), stdin=pipe, stdout=pipe
        )
        left = await asyncio.create_subprocess_exec(*program, stdin=pipe, stdout=pipe)
        async with asyncio.timeout(PATIENT):
            await left.communicate(b"")  # closes its input
            return await idle.wait(), await left.wait()

    assert asyncio.run(ended()) == (0, 0)
