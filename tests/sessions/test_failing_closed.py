"""Whatever goes wrong at the service ends in ask or deny: errors, time, calls nobody can read."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import CallProposed, Speaker
from automode.config.places import Places
from automode.core.decision import Failure, Verdict
from automode.core.record import SessionKey
from automode.sessions.decision_service import DecisionService
from automode.store.changes import Approved, Change, Kept
from automode.store.database import Database, ErrorKind, StoreError
from automode.store.writer import Writer
from tests.sessions.service_setup import (
    HOST,
    Judging,
    Losing,
    Setup,
    decision,
    records,
    said,
    working,
)

T = TypeVar("T")


@dataclass
class Ailing(Losing):
    """A store that cannot be read, or that raises when it is written."""

    reading: Exception | None = None
    writing: Exception | None = None

    async def run(self, work: Callable[[Database], T]) -> T:
        if self.reading is not None:
            raise self.reading
        return await self.writer.run(work)

    async def append(self, changes: Sequence[Change]) -> Kept:
        if self.writing is not None:
            raise self.writing
        return await self.writer.append(changes)


TROUBLE = StoreError(ErrorKind.LOCKED, "the database is locked", "wait")


@pytest.mark.parametrize(("attended", "word"), [(True, "ask"), (False, "deny")])
@pytest.mark.parametrize("error", [TROUBLE, RuntimeError("quotes the call")])
async def test_a_session_that_cannot_be_restored_is_not_guessed(
    setup: Setup, attended: bool, word: str, error: Exception
) -> None:
    store: list[Ailing] = []

    def keeping(writer: Writer) -> Ailing:
        store.append(Ailing(writer, losing=False))
        return store[-1]

    setup.keeping = keeping
    setup.layers = [Judging()]
    async with setup.open() as service:
        await setup.deny(3, attended=False)
    async with setup.open() as service:
        store[-1].reading = error
        ruling = await service.decide(setup.bash("ls", attended=attended), HOST)
        store[-1].reading = None
        again = await service.decide(setup.bash("ls", attended=False), HOST)

        assert said(ruling) == (word, "gate.desk-failed")
        assert decision(ruling).error is Failure.UNAVAILABLE
        assert "quotes the call" not in decision(ruling).reason
        # It is recorded, and did not overwrite what the store knew.
        assert (await records(service))[-2].source == "gate.desk-failed"
        assert said(again) == ("halt", "breaker.consecutive")


@pytest.mark.parametrize(("attended", "word"), [(True, "ask"), (False, "deny")])
async def test_whatever_raises_while_recording_is_no_allow(
    setup: Setup, attended: bool, word: str
) -> None:
    setup.keeping = lambda writer: Ailing(writer, writing=OSError("no"))
    async with setup.open() as service:
        ruling = await service.decide(setup.bash("ls", attended=attended), HOST)

        assert said(ruling) == (word, "gate.desk-failed")
        assert ruling.record is None


class Unreadable(Setup):
    def places(self, root: str) -> Places:
        raise OSError("gone")


async def test_settings_that_cannot_be_loaded_close(tmp_path: Path) -> None:
    setup = Unreadable(tmp_path)
    async with setup.open() as service:
        assert await setup.says("ls") == ("ask", "gate.desk-failed")
        assert len(await records(service)) == 1


BAD_CALLS = {
    "an input that does not fit the tool": CallProposed(Speaker("s", "."), "bash", {}),
    "a folder that does not exist": CallProposed(
        Speaker("s", "/no/such/folder"), "bash", {"command": "ls"}
    ),
    "no folder": CallProposed(Speaker("s", ""), "bash", {"command": "ls"}),
}


@pytest.mark.parametrize("name", BAD_CALLS)
async def test_a_call_that_cannot_be_read_is_denied_and_counts_as_no_denial(
    setup: Setup, name: str
) -> None:
    event = BAD_CALLS[name]
    if event.speaker.cwd == ".":
        event = replace(event, speaker=setup.speaker())
    async with setup.open() as service:
        for _ in range(4):
            ruling = await service.decide(event, HOST)
            assert said(ruling) == ("deny", "gate.bad-call")
        assert len(await records(service)) == 4


@pytest.mark.parametrize("mode", ["enforce", "shadow"])
@pytest.mark.parametrize(("attended", "word"), [(True, "ask"), (False, "deny")])
async def test_a_decision_that_takes_too_long_closes_and_is_recorded(
    setup: Setup, attended: bool, word: str, mode: str
) -> None:
    """What is late in shadow is not enforced either."""
    setup.settings, setup.layers = {"autoMode": {"mode": mode}}, [Judging(seconds=60)]
    async with setup.open() as service:
        event = setup.bash("make", attended=attended)
        ruling = await service.decide(event, HOST, seconds=0.05 if mode == "enforce" else 1.5)

        [record] = await records(service)
        assert said(ruling) == (word, "gate.deadline")
        assert decision(ruling).error is Failure.UNAVAILABLE
        assert decision(ruling).enforced is (mode == "enforce")
        assert record.source == "gate.deadline"


@dataclass
class Hanging(Losing):
    """A store that does not answer."""

    async def run(self, work: Callable[[Database], T]) -> T:
        await asyncio.sleep(3600)
        raise AssertionError


async def test_a_store_that_does_not_answer_is_waited_for_no_longer_than_there_is_time(
    setup: Setup,
) -> None:
    setup.keeping = lambda writer: Hanging(writer, losing=False)
    async with setup.open() as service:
        ruling = await service.decide(setup.bash("ls"), HOST, seconds=0.05)

        assert said(ruling) == ("ask", "gate.deadline")


async def test_waiting_for_ones_turn_is_bounded_as_well(setup: Setup) -> None:
    judge = Judging(seconds=3600)
    setup.layers = [judge]
    async with setup.open() as service:
        first = asyncio.create_task(service.decide(setup.bash("make"), HOST, seconds=600))
        await judge.asked()
        second = await service.decide(setup.bash("ls"), HOST, seconds=0.05)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        third = await service.decide(setup.bash("ls"), HOST)

        assert said(second) == ("ask", "gate.deadline")
        assert said(third) == ("allow", "read-only")


async def test_what_is_late_stops_no_run_that_the_settings_would_not_stop(setup: Setup) -> None:
    setup.settings = {"autoMode": {"escalation": {"consecutive": 9, "unattended": "deny"}}}
    judge = Judging()
    setup.layers = [judge]
    async with setup.open() as service:
        judge.seconds = 0
        await setup.deny(4, attended=False)
        judge.seconds = 60
        ruling = await service.decide(setup.bash("make", attended=False), HOST, seconds=0.05)
        assert said(ruling) == ("deny", "gate.deadline")


async def test_the_settings_may_bound_a_decision_too(setup: Setup) -> None:
    setup.settings = {"autoMode": {"deadlineMs": 1000}}
    setup.layers = [Judging(seconds=60)]
    async with setup.open():
        assert await setup.says("make") == ("ask", "gate.deadline")


@dataclass
class Faulty(Losing):
    """Raises where it is told to, and remembers that it did."""

    faults: tuple[str, ...] = ()
    error: Exception = TROUBLE
    fired: bool = False

    def strike(self, point: str) -> None:
        if point in self.faults:
            self.fired = True
            raise self.error

    async def append(self, changes: Sequence[Change]) -> Kept:
        self.strike("append")
        return await self.writer.append(changes)

    async def consume(self, session: SessionKey, digest: str, now: float) -> Approved | None:
        self.strike("consume")
        return await self.writer.consume(session, digest, now)

    async def run(self, work: Callable[[Database], T]) -> T:
        self.strike("run")
        return await self.writer.run(work)


class Shaky(Setup):
    store: Faulty

    def places(self, root: str) -> Places:
        self.store.strike("places")
        return super().places(root)


ERRORS = [TROUBLE, OSError("x"), RuntimeError("x"), MemoryError(), RecursionError(), KeyError("x")]


@given(
    st.sets(st.sampled_from(["append", "consume", "run", "places"]), min_size=1),
    st.sampled_from(ERRORS),
    st.sampled_from(["ls", "make fine", "make raise", "make approved deny"]),
    st.booleans(),
)
def test_whatever_raises_ends_in_ask_or_deny(
    points: set[str], error: Exception, command: str, attended: bool
) -> None:
    async def work(service: DecisionService) -> None:
        event = setup.bash("make approved deny", attended=attended)
        first = await service.decide(event, HOST)
        assert first.record is not None
        await service.person.approve(first.record)
        service.registry.drop(None)
        service.reload()
        store = setup.store
        store.faults = tuple(points)
        ruling = await service.decide(setup.bash(command, attended=attended), HOST)
        store.faults = ()

        if store.fired:
            assert decision(ruling).verdict is not Verdict.ALLOW
            assert attended or decision(ruling).verdict >= Verdict.DENY
        # And the next call works.
        assert await setup.says("ls", attended=attended) == ("allow", "read-only")

    with TemporaryDirectory() as folder:
        setup = Shaky(Path(folder), layers=[Judging()])

        def keeping(writer: Writer) -> Faulty:
            setup.store = Faulty(writer, losing=False, error=error)
            return setup.store

        setup.keeping = keeping
        working(setup, work)
