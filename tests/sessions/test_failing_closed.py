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

from automode.agents.events import CallProposed, SessionRef
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


TROUBLE = StoreError(ErrorKind.LOCKED, "the database is locked", "wait")


BAD_CALLS = {
    "an input that does not fit the tool": CallProposed(SessionRef("s", "."), "bash", {}),
    "a folder that does not exist": CallProposed(
        SessionRef("s", "/no/such/folder"), "bash", {"command": "ls"}
    ),
    "no folder": CallProposed(SessionRef("s", ""), "bash", {"command": "ls"}),
}


@pytest.mark.parametrize("name", BAD_CALLS)
async def test_a_call_that_cannot_be_read_is_denied_and_counts_as_no_denial(
    setup: Setup, name: str
) -> None:
    event = BAD_CALLS[name]
    if event.ref.cwd == ".":
        event = replace(event, ref=setup.ref())
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
