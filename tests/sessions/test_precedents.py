"""A person's yes covers later calls of its class in the project; nothing else teaches, and a no, a
reset and a purge end it."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from automode.agents.events import CallFinished
from automode.core.decision import Verdict, taught_by
from automode.core.record import SessionKey
from automode.core.transcript import Outcome
from automode.sessions.decision_service import DecisionService
from automode.sessions.precedents import DAY_SECONDS, DAYS
from automode.store import tables
from automode.store.chain import Chain
from automode.store.retention import purge_session
from tests.sessions.service_setup import HOST, KEY, Losing, Setup, decision, records, said

PUSH = "git push origin fix-cart"
ASKED, ALLOWED = ("ask", "classifier.local"), ("allow", "classifier.local")
CLASS = "pushes: plain pushes of `fix-cart` to `origin`"


@pytest.fixture
def setup(setup: Setup) -> Setup:
    setup.settings = {"autoMode": {"stages": "local", "local": {"learn": "project"}}}
    return setup


async def say_yes(setup: Setup, service: DecisionService) -> None:
    event = setup.bash(PUSH, call="c1")
    assert said(await service.decide(event, HOST)) == ASKED
    await service.hear(setup.ran(event), HOST)


async def test_a_yes_counts_in_later_sessions_of_the_project_and_names_the_call(
    setup: Setup,
) -> None:
    async with setup.open() as service:
        await say_yes(setup, service)
    async with setup.open() as service:
        found = decision(await service.decide(setup.bash(PUSH, "other", "c2"), HOST))
        assert (found.verdict, found.source) == (Verdict.ALLOW, "classifier.local")
        assert f"and the user said yes to `{PUSH}` on 20" in found.reason
        assert await setup.says("git push origin other", "other", "c3") == ASKED


async def test_the_ask_says_what_a_yes_covers_and_its_record_keeps_it(setup: Setup) -> None:
    async with setup.open() as service:
        found = decision(await service.decide(setup.bash(PUSH, call="c1"), HOST))
        assert taught_by(found.trail) == (CLASS,)
        assert taught_by((await records(service))[-1].trail) == (CLASS,)


LEARN = {
    '{"learn": "project"}': (ALLOWED, ALLOWED),
    '{"learn": "session"}': (ALLOWED, ASKED),
    '{"learn": "off"}': (ASKED, ASKED),
    "{}": (ASKED, ASKED),
}


@pytest.mark.parametrize(("learn", "found"), LEARN.items())
async def test_where_a_yes_counts_is_a_setting(
    setup: Setup, learn: str, found: tuple[tuple[str, str], tuple[str, str]]
) -> None:
    setup.settings = {"autoMode": {"stages": "local", "local": json.loads(learn)}}
    async with setup.open() as service:
        await say_yes(setup, service)
        here, there = await setup.says(PUSH, call="c2"), await setup.says(PUSH, "other", "c3")
        assert (here, there) == found


NO_YES: list[Mapping[str, object]] = [
    {"outcome": Outcome.ERROR},
    {"doubted": True},
    {"input": {"command": f"{PUSH} --force"}},
    {"input": {"command": PUSH, "approved": True}},
]


@pytest.mark.parametrize("change", NO_YES)
async def test_nothing_else_teaches(setup: Setup, change: Mapping[str, object]) -> None:
    event = setup.bash(PUSH, call="c1")
    ended: CallFinished = replace(setup.ran(event), **change)  # type: ignore[arg-type]
    async with setup.open() as service:
        await service.decide(event, HOST)
        await service.hear(ended, HOST)
        assert await setup.says(PUSH, call="c2") == ASKED


async def test_a_call_that_nobody_was_asked_about_teaches_nothing(setup: Setup) -> None:
    """Also where the agent reports one that never came before the gate."""
    async with setup.open() as service:
        await service.hear(setup.ran(setup.bash(PUSH, call="c1")), HOST)
        assert await setup.says(PUSH, "other", "c2") == ASKED


async def test_an_approval_teaches_too(setup: Setup) -> None:
    async with setup.open() as service:
        assert await setup.says(PUSH, call="c1") == ASKED
        await service.person.approve((await records(service))[-1].id)
        assert await setup.says(PUSH, "other", "c2") == ALLOWED


async def test_nobody_there_means_no_earlier_yes(setup: Setup) -> None:
    async with setup.open() as service:
        await say_yes(setup, service)
        unattended = await setup.says(PUSH, "other", "c2", attended=False)
        assert unattended == ("deny", "classifier.local")


async def test_a_no_ends_it(setup: Setup) -> None:
    both = f"{PUSH} && gh pr comment 12 --body Done"
    async with setup.open() as service:
        await say_yes(setup, service)
        event = setup.bash(both, call="c2")
        assert said(await service.decide(event, HOST)) == ASKED
        asked = (await records(service))[-1]
        assert CLASS not in taught_by(asked.trail)  # it is covered already
        await service.person.decline(asked, "", by="inbox")
        assert await setup.says(PUSH, call="c3") == ALLOWED

        first = await records(service)
        await service.person.decline(first[0], "", by="inbox")
        assert await setup.says(PUSH, call="c4") == ASKED


async def test_a_no_in_the_agents_dialog_ends_it_in_the_project(setup: Setup) -> None:
    setup.settings = {"autoMode": {"stages": "local", "local": {"learn": "session"}}}
    async with setup.open() as service:
        await say_yes(setup, service)
        event = setup.bash(PUSH, "other", "c2")
        assert said(await service.decide(event, HOST)) == ASKED
        await service.hear(setup.ran(event, Outcome.REJECTED), HOST)
        assert await setup.says(PUSH, call="c3") == ASKED


@pytest.mark.parametrize("key", [KEY, SessionKey(HOST, "other"), None])
async def test_a_reset_forgets_all_that_was_learnt_in_the_project(
    setup: Setup, key: SessionKey | None
) -> None:
    async with setup.open() as service:
        await say_yes(setup, service)
        assert await setup.says(PUSH, "other", "c2") == ALLOWED
        await service.person.reset(key)
        assert await setup.says(PUSH, "other", "c3") == ASKED
    async with setup.open():
        assert await setup.says(PUSH, "other", "c4") == ASKED


async def test_a_purge_of_the_session_forgets_it(setup: Setup) -> None:
    async with setup.open() as service:
        await say_yes(setup, service)
        chain = Chain.of(setup.folder)
        await service.store.run(lambda db: purge_session(db, chain, KEY, 1.0))
        await service.person.record_purge("purged a session")
        assert await setup.says(PUSH, "other", "c2") == ASKED


async def test_after_thirty_days_it_is_asked_about_again(setup: Setup) -> None:
    now = [1_800_000_000.0]
    setup.clock = lambda: now[0]
    async with setup.open() as service:
        await say_yes(setup, service)
        now[0] += DAYS * DAY_SECONDS - 1
        assert await setup.says(PUSH, "other", "c2") == ALLOWED
        now[0] += 2
        assert await setup.says(PUSH, "third", "c3") == ASKED


async def test_a_clock_that_was_set_back_makes_it_invalid(setup: Setup) -> None:
    now = [1_800_000_000.0]
    setup.clock = lambda: now[0]
    async with setup.open() as service:
        await say_yes(setup, service)
        now[0] -= 60
        assert await setup.says(PUSH, "other", "c2") == ASKED


async def test_what_another_program_wrote_into_the_store_teaches_nothing(setup: Setup) -> None:
    forged = (
        "INSERT INTO precedent (id, at, host, session, root, covers, told, seal)"
        " VALUES ('x', 1, 'plain', 's', ?, ?, 'it', 'made up')"
    )
    async with setup.open() as service:
        cells = (str(setup.project), CLASS)
        await service.store.run(lambda db: db.execute(forged, cells))
        assert (
            await service.store.run(lambda db: tables.precedents(db, str(setup.project), 0.0, 9))
            == []
        )
        assert await setup.says(PUSH, call="c1") == ASKED


async def test_a_yes_that_the_store_did_not_keep_was_not_said(setup: Setup) -> None:
    losing: list[Losing] = []

    def keeping(writer: object) -> Losing:
        losing.append(Losing(writer, losing=False))  # type: ignore[arg-type]
        return losing[0]

    setup.keeping = keeping
    async with setup.open() as service:
        event = setup.bash(PUSH, call="c1")
        assert said(await service.decide(event, HOST)) == ASKED
        losing[0].losing = True
        with pytest.raises(Exception, match="not kept"):
            await service.hear(setup.ran(event), HOST)
        losing[0].losing = False
        assert await setup.says(PUSH, "other", "c2") == ASKED


async def test_a_class_with_a_secret_in_it_is_not_kept(setup: Setup) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    command = f"TOKEN={token[:40]} ./tools/sync.sh status"
    async with setup.open() as service:
        event = setup.bash(command, call="c1")
        await service.decide(event, HOST)
        await service.hear(setup.ran(event), HOST)
        rows = await service.store.run(lambda db: db.rows("SELECT covers, told FROM precedent"))
        assert token[:40] not in json.dumps(rows)
