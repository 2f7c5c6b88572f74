"""Whatever goes wrong at the desk ends in ask or deny: errors, time, calls nobody can read."""

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
from automode.core.errors import AutomodeError
from automode.core.record import SessionKey
from automode.sessions.decision_service import DecisionService
from automode.store.changes import Approval, Change, Kept
from automode.store.database import Database, ErrorKind, StoreError
from automode.store.writer import Writer
from tests.sessions.offices import (
    HOST,
    Judging,
    Losing,
    Office,
    decision,
    records,
    said,
    working,
)

T = TypeVar("T")


def test_what_cannot_be_kept_of_a_prompt_is_said(office: Office) -> None:
    office.keeping = Losing

    async def work(desk: DecisionService) -> None:
        with pytest.raises(AutomodeError, match="the disk is full"):
            await desk.hear(office.typed("do it"), HOST)

    working(office, work)


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
def test_a_session_that_cannot_be_restored_is_not_guessed(
    office: Office, attended: bool, word: str, error: Exception
) -> None:
    store: list[Ailing] = []

    def keeping(writer: Writer) -> Ailing:
        store.append(Ailing(writer, losing=False))
        return store[-1]

    office.keeping = keeping
    office.layers = [Judging()]

    async def before(desk: DecisionService) -> None:
        for number in range(3):
            await desk.decide(office.bash(f"deny {number}", attended=False), HOST)

    async def after(desk: DecisionService) -> None:
        store[-1].reading = error
        ruling = await desk.decide(office.bash("ls", attended=attended), HOST)
        store[-1].reading = None
        again = await desk.decide(office.bash("ls", attended=False), HOST)

        assert said(ruling) == (word, "gate.desk-failed")
        assert decision(ruling).error is Failure.UNAVAILABLE
        assert "quotes the call" not in decision(ruling).reason
        # It is recorded, and did not overwrite what the store knew.
        assert (await records(desk))[-2].source == "gate.desk-failed"
        assert said(again) == ("halt", "breaker.consecutive")

    working(office, before, after)


@pytest.mark.parametrize(("attended", "word"), [(True, "ask"), (False, "deny")])
def test_whatever_raises_while_recording_is_no_allow(
    office: Office, attended: bool, word: str
) -> None:
    office.keeping = lambda writer: Ailing(writer, writing=OSError("no"))

    async def work(desk: DecisionService) -> None:
        ruling = await desk.decide(office.bash("ls", attended=attended), HOST)

        assert said(ruling) == (word, "gate.desk-failed")
        assert ruling.record is None

    working(office, work)


class Unreadable(Office):
    def places(self, root: str) -> Places:
        raise OSError("gone")


def test_settings_that_cannot_be_loaded_close(tmp_path: Path) -> None:
    office = Unreadable(tmp_path)

    async def work(desk: DecisionService) -> None:
        ruling = await desk.decide(office.bash("ls"), HOST)

        assert said(ruling) == ("ask", "gate.desk-failed")
        assert len(await records(desk)) == 1

    working(office, work)


def test_a_layer_that_raises_is_asked_about_and_recorded(office: Office) -> None:
    office.layers = [Judging()]

    async def work(desk: DecisionService) -> None:
        ruling = await desk.decide(office.bash("make raise"), HOST)

        [record] = await records(desk)
        assert said(ruling) == ("ask", "gate.classifier-failed")
        assert record.source == "gate.classifier-failed"

    working(office, work)


BAD_CALLS = {
    "an input that does not fit the tool": CallProposed(Speaker("s", "."), "bash", {}),
    "a folder that does not exist": CallProposed(
        Speaker("s", "/no/such/folder"), "bash", {"command": "ls"}
    ),
    "no folder": CallProposed(Speaker("s", ""), "bash", {"command": "ls"}),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_call_that_cannot_be_read_is_denied_and_counts_as_no_denial(
    office: Office, name: str
) -> None:
    event = BAD_CALLS[name]
    if event.speaker.cwd == ".":
        event = replace(event, speaker=office.speaker())

    async def work(desk: DecisionService) -> None:
        for _ in range(4):
            ruling = await desk.decide(event, HOST)
            assert said(ruling) == ("deny", "gate.bad-call")
        assert len(await records(desk)) == 4

    working(office, work)


@pytest.mark.parametrize(("attended", "word"), [(True, "ask"), (False, "deny")])
def test_a_decision_that_takes_too_long_closes_and_is_recorded(
    office: Office, attended: bool, word: str
) -> None:
    office.layers = [Judging(seconds=60)]

    async def work(desk: DecisionService) -> None:
        ruling = await desk.decide(office.bash("make", attended=attended), HOST, seconds=0.05)

        [record] = await records(desk)
        assert said(ruling) == (word, "gate.deadline")
        assert decision(ruling).error is Failure.UNAVAILABLE
        assert record.source == "gate.deadline"

    working(office, work)


def test_what_is_late_in_shadow_is_not_enforced_either(office: Office) -> None:
    office.settings = {"autoMode": {"mode": "shadow"}}
    office.layers = [Judging(seconds=60)]

    async def work(desk: DecisionService) -> None:
        # Long enough for a busy machine to read the settings, which say so.
        ruling = await desk.decide(office.bash("make"), HOST, seconds=1.5)

        assert said(ruling) == ("ask", "gate.deadline")
        assert not decision(ruling).enforced

    working(office, work)


@dataclass
class Hanging(Losing):
    """A store that does not answer."""

    async def run(self, work: Callable[[Database], T]) -> T:
        await asyncio.sleep(3600)
        raise AssertionError


def test_a_store_that_does_not_answer_is_waited_for_no_longer_than_there_is_time(
    office: Office,
) -> None:
    office.keeping = lambda writer: Hanging(writer, losing=False)

    async def work(desk: DecisionService) -> None:
        ruling = await desk.decide(office.bash("ls"), HOST, seconds=0.05)

        assert said(ruling) == ("ask", "gate.deadline")

    working(office, work)


def test_waiting_for_ones_turn_is_bounded_as_well(office: Office) -> None:
    judge = Judging(seconds=3600)
    office.layers = [judge]

    async def work(desk: DecisionService) -> None:
        first = asyncio.create_task(desk.decide(office.bash("make"), HOST, seconds=600))
        await judge.asked()
        second = await desk.decide(office.bash("ls"), HOST, seconds=0.05)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        third = await desk.decide(office.bash("ls"), HOST)

        assert said(second) == ("ask", "gate.deadline")
        assert said(third) == ("allow", "read-only")

    working(office, work)


def test_what_is_late_stops_no_run_that_the_settings_would_not_stop(office: Office) -> None:
    office.settings = {"autoMode": {"escalation": {"consecutive": 9, "unattended": "deny"}}}
    judge = Judging()
    office.layers = [judge]

    async def work(desk: DecisionService) -> None:
        judge.seconds = 0
        for number in range(4):
            await desk.decide(office.bash(f"deny {number}", attended=False), HOST)
        judge.seconds = 60
        ruling = await desk.decide(office.bash("make", attended=False), HOST, seconds=0.05)
        assert said(ruling) == ("deny", "gate.deadline")

    working(office, work)


def test_the_settings_may_bound_a_decision_too(office: Office) -> None:
    office.settings = {"autoMode": {"deadlineMs": 1000}}
    office.layers = [Judging(seconds=60)]

    async def work(desk: DecisionService) -> None:
        assert said(await desk.decide(office.bash("make"), HOST)) == ("ask", "gate.deadline")

    working(office, work)


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

    async def consume(self, session: SessionKey, digest: str, now: float) -> Approval | None:
        self.strike("consume")
        return await self.writer.consume(session, digest, now)

    async def run(self, work: Callable[[Database], T]) -> T:
        self.strike("run")
        return await self.writer.run(work)


class Shaky(Office):
    keeper: Faulty

    def places(self, root: str) -> Places:
        self.keeper.strike("places")
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
    async def work(desk: DecisionService) -> None:
        event = office.bash("make approved deny", attended=attended)
        first = await desk.decide(event, HOST)
        assert first.record is not None
        await desk.approve(first.record)
        desk.registry.drop(None)
        desk.reload()
        keeper = office.keeper
        keeper.faults = tuple(points)
        ruling = await desk.decide(office.bash(command, attended=attended), HOST)
        keeper.faults = ()

        if keeper.fired:
            assert decision(ruling).verdict is not Verdict.ALLOW
            assert attended or decision(ruling).verdict >= Verdict.DENY
        # And the next call works.
        again = await desk.decide(office.bash("ls", attended=attended), HOST)
        assert said(again) == ("allow", "read-only")

    with TemporaryDirectory() as folder:
        office = Shaky(Path(folder), layers=[Judging()])

        def keeping(writer: Writer) -> Faulty:
            office.keeper = Faulty(writer, losing=False, error=error)
            return office.keeper

        office.keeping = keeping
        working(office, work)
