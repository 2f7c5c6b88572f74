"""A session's counters follow from its records; a damaged store revives no stopped session."""

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from automode.agents.events import SessionStarted
from automode.core.errors import AutomodeError, BadCall
from automode.core.recent import Recent
from automode.core.record import SessionKey
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import DOUBTED_SECONDS, MOST_ASKED, Standing
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, decision, said, working

ASKED, DENIED = ("ask", "gate.service-failed"), ("deny", "gate.service-failed")
READ = ("allow", "read-only")


def _files(setup: Setup) -> list[Path]:
    return [Path(setup.folder.database + end) for end in ("", "-wal", "-shm")]


def _deleted(setup: Setup) -> None:
    for file in _files(setup):
        file.unlink(missing_ok=True)


def _corrupt(setup: Setup) -> None:
    Path(setup.folder.database).write_bytes(b"\0" * 8192)


def _put_back(setup: Setup) -> None:
    _deleted(setup)
    shutil.copy(setup.home / "copy.db", setup.folder.database)


DAMAGES: dict[str, Callable[[Setup], None]] = {
    "deleted": _deleted,
    "corrupt": _corrupt,
    "an older copy": _put_back,
}


def halted(setup: Setup) -> None:
    """`s` is stopped, and a copy of the store is older than it."""
    setup.layers = [Judging()]

    async def other(service: DecisionService) -> None:
        await service.decide(setup.bash("ls", "old"), HOST)

    async def stopped(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.ref(attended=False)), HOST)
        for session in ("s", "old"):
            for number in range(3):
                await service.decide(setup.bash(f"deny {number}", session, attended=False), HOST)

    working(setup, other)
    shutil.copy(setup.folder.database, setup.home / "copy.db")
    working(setup, stopped)


@pytest.fixture(params=DAMAGES)
def damaged(setup: Setup, request: pytest.FixtureRequest) -> Setup:
    halted(setup)
    DAMAGES[request.param](setup)
    return setup


def test_nobody_knows_whether_it_was_stopped_so_it_is_asked_about(damaged: Setup) -> None:
    async def work(service: DecisionService) -> None:
        for session in ("s", "old"):
            asked = await service.decide(damaged.bash("ls", session), HOST)
            alone = await service.decide(damaged.bash("ls", session, attended=False), HOST)
            floor = await service.decide(damaged.bash("rm -rf /", session), HOST)

            assert (said(asked), said(alone)) == (ASKED, DENIED)
            assert said(floor)[0] == "deny"
            assert "whether this session was stopped" in decision(asked).reason
            assert "automode reset" in decision(asked).remedy
            assert asked.record is not None
            with pytest.raises(BadCall, match="cannot be approved"):
                await service.person.approve(asked.record)

    # Asking about it makes it no more known.
    working(damaged, work, work)


async def test_a_session_that_a_person_resets_goes_on(damaged: Setup) -> None:
    async with damaged.open() as service:
        assert await damaged.says("ls") == ASKED
        await service.person.reset(KEY)
        assert await damaged.says("ls") == READ
    async with damaged.open() as service:
        assert await damaged.says("ls") == READ
        assert await damaged.says("ls", "old") == ASKED


async def test_a_session_that_begins_anew_goes_on(damaged: Setup) -> None:
    begins = SessionStarted(damaged.ref())
    async with damaged.open() as service:
        with pytest.raises(AutomodeError, match="it is unknown"):
            await service.hear(SessionStarted(damaged.ref(), doubted=True), HOST)
        assert await damaged.says("ls") == ASKED
        await service.hear(begins, HOST)
        assert await damaged.says("ls") == READ
    async with damaged.open() as service:
        assert await damaged.says("ls") == READ


async def test_a_reset_of_all_is_for_those_as_well_that_nobody_has_seen_since(
    damaged: Setup,
) -> None:
    async with damaged.open() as service:
        await service.person.reset(None)
    async with damaged.open() as service:
        for session in ("s", "old", "new"):
            assert await damaged.says("ls", session) == READ


async def test_a_sub_agent_is_as_known_as_who_started_it(damaged: Setup) -> None:
    async with damaged.open() as service:
        below = damaged.bash("ls", "sub", parent="s")
        assert said(await service.decide(below, HOST)) == ASKED
        await service.hear(SessionStarted(damaged.ref()), HOST)
        assert said(await service.decide(below, HOST)) == READ


def test_after_a_while_whoever_is_not_known_is_new(damaged: Setup) -> None:
    async def opened(service: DecisionService) -> None:
        assert await damaged.says("ls", "other") == ASKED

    async def later(service: DecisionService) -> None:
        assert await damaged.says("ls", "other") == READ

    working(damaged, opened)
    damaged.clock = lambda: time.time() + DOUBTED_SECONDS + 60
    working(damaged, later)


async def test_a_store_that_was_never_damaged_doubts_nobody(setup: Setup) -> None:
    await asyncio.to_thread(halted, setup)
    async with setup.open() as service:
        assert await setup.says("ls", "new") == READ
        assert await setup.says("ls") == ("halt", "breaker.consecutive")
        assert SessionKey(HOST, "new") in await service.person.reset(None)


ANY_TEXT = st.text(max_size=20)


@given(st.dictionaries(ANY_TEXT, ANY_TEXT, max_size=3), st.booleans(), ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_what_stands_comes_back(
    asked: dict[str, str], unattended: bool, switched: str, suspect: str, silent: str
) -> None:
    standing = Standing(Recent(MOST_ASKED, asked.items()), unattended, switched, suspect, silent)

    assert Standing.of(standing.text(str)) == standing


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"asked": 3, "suspect": []}', "[" * 9999])
def test_what_cannot_be_read_stands_for_nothing(text: str) -> None:
    assert Standing.of(text) == Standing()


def test_a_row_of_version_0_1_still_says_what_stood() -> None:
    row = '{"checked":3,"row":2,"asked":{"c":"o"},"unattended":true,"silent":"x","denials":[]}'

    assert Standing.of(row) == Standing(Recent(MOST_ASKED, [("c", "o")]), True, silent="x")


STEPS = {
    "allowed": "allow {}",
    "denied": "deny {}",
    "failed": "raise {}",
    "floor": "rm -rf /",
    "read": "ls",
}


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(st.sampled_from([*STEPS, "yes", "reset"]), max_size=9),
    below=st.sets(st.integers(0, 8)),
    attended=st.booleans(),
)
@example(steps=["allowed", "allowed"], below={1}, attended=True)
@example(steps=["denied", "denied", "denied", "yes", "allowed"], below={1, 3}, attended=True)
@example(steps=["denied", "floor", "reset", "denied"], below=set(), attended=False)
def test_after_a_restart_a_session_is_as_it_was(
    setup: Setup, steps: list[str], below: set[int], attended: bool
) -> None:
    """Also the one above it, which counts what is denied below."""
    setup.layers, setup.settings = [Judging()], {"escalation": {"total": 4}}
    above, own = setup.ref(f"t{time.time_ns()}", attended=attended), "sub"
    before = {}

    async def work(service: DecisionService) -> None:
        for number, step in enumerate(steps):
            name = own if number in below else ""
            parent = {"parent": above.session} if name else {}
            session = f"{above.session}/{name}" if name else above.session
            if step == "reset" and service.registry.get(SessionKey(HOST, session)):
                await service.person.reset(SessionKey(HOST, session))
                continue
            text = STEPS.get(step, "deny {}").format(number)
            call = setup.bash(text, session, f"c{number}", attended=attended, **parent)
            verdict = said(await service.decide(call, HOST))[0]
            if step == "yes" and verdict == "ask":
                await service.hear(setup.ran(call), HOST)
        before.update({one.key: one.session.history for one in service.registry.live()})

    async def restarted(service: DecisionService) -> None:
        for key, history in before.items():
            live = await service.registry.find(key)
            if live is not None:
                await service.registry.restore(live)
                assert live.session.history == history

    working(setup, work, restarted)
