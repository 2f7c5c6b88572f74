"""A decision is written down before it is answered, without secrets, or it allows nothing."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from automode.core.transcript import Outcome, PriorCall
from automode.llm.scripted import ScriptedModel
from automode.store.changes import Change, Decided, Kept
from automode.store.writer import Writer
from tests.sessions.service_setup import (
    DENIED,
    HOST,
    KEY,
    Losing,
    Setup,
    records,
    said,
)

SECRET = "ghp_" + "a1B2" * 9


async def test_no_secret_reaches_the_disk(setup: Setup) -> None:
    async with setup.open() as service:
        await service.hear(setup.typed(f"use {SECRET} please"), HOST)
        await service.decide(setup.bash(f"curl -H 'Authorization: Bearer {SECRET}' x.test"), HOST)
        event = setup.bash(f"echo {SECRET} | cat")
        await service.decide(event, HOST)
        await service.hear(setup.ran(event), HOST)

    files = [path for path in Path(setup.folder.path).rglob("*") if path.is_file()]
    assert any(b"secret:" in path.read_bytes() for path in files)
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []


async def test_what_the_model_used_stands_in_the_record_and_in_the_usage(setup: Setup) -> None:
    setup.model = ScriptedModel(DENIED)
    async with setup.open() as service:
        await service.decide(setup.bash("make x"), HOST)

        [record] = await records(service)
        assert [stage.stage for stage in record.stages] == ["fast", "deliberate"]
        assert {stage.model for stage in record.stages} == {"scripted/model"}
        [state] = await service.person.sessions()
        assert (state.key, state.usd) == (KEY, "0")


async def test_a_deny_that_cannot_be_recorded_stays_a_deny_without_a_second_record(
    setup: Setup,
) -> None:
    setup.keeping = Losing
    setup.settings = {"permissions": {"deny": ["bash(git push*)"]}}
    async with setup.open() as service:
        assert await setup.says("git push") == ("deny", "rules.deny")
        store = service.registry.store
        assert isinstance(store, Losing)
        assert len([one for one in store.handed if isinstance(one, Decided)]) == 1


async def test_a_client_that_hangs_up_while_it_is_recorded_loses_no_record(setup: Setup) -> None:
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        for number in range(20):
            task = asyncio.create_task(service.decide(setup.bash(f"ls {number}"), HOST))
            await asyncio.sleep(0)  # it is decided at once, and waits for the writer now
            task.cancel()
            await asyncio.wait([task])

        assert len(await records(service)) == 21


@dataclass
class Slow(Losing):
    """A store that writes everything, and tells so too late."""

    async def append(self, changes: Sequence[Change]) -> Kept:
        kept = await self.writer.append(changes)
        await asyncio.sleep(3600)
        return kept


@pytest.mark.parametrize(("attended", "word"), [(True, "ask"), (False, "deny")])
async def test_what_the_record_says_and_what_the_agent_is_told_agree_also_when_time_runs_out(
    setup: Setup, attended: bool, word: str
) -> None:
    setup.keeping = lambda writer: Slow(writer, losing=False)
    async with setup.open() as service:
        ruling = await service.decide(setup.bash("ls", attended=attended), HOST, seconds=1.5)

        assert said(ruling) == (word, "gate.not-recorded")
        found = await records(service)
        told = [(one.verdict.word, one.source) for one in found]
        assert told == [("allow", "read-only"), (word, "gate.not-recorded")]
        assert found[-1].id == ruling.record
        assert found[-1].action == found[0].action
        live = setup.live()
        outcome = None if attended else Outcome.DENIED
        assert live.recorder.transcript.entries == (PriorCall("bash", {"command": "ls"}, outcome),)


@dataclass
class Remembering(Losing):
    """A store whose disk is full for a while: what could not be written then is written later."""

    async def append(self, changes: Sequence[Change]) -> Kept:
        if self.losing:
            self.handed += changes
            return Kept("the disk is full")
        return await self.writer.append([*self.handed, *changes])


@pytest.mark.parametrize(("attended", "word"), [(True, "ask"), (False, "deny")])
async def test_what_is_kept_only_later_says_in_the_end_what_the_agent_was_told(
    setup: Setup, attended: bool, word: str
) -> None:
    store: list[Remembering] = []

    def keeping(writer: Writer) -> Remembering:
        store.append(Remembering(writer))
        return store[-1]

    setup.keeping = keeping
    async with setup.open() as service:
        told = await service.decide(setup.bash("ls", attended=attended), HOST)
        store[-1].losing = False
        await service.decide(setup.bash("pwd"), HOST)

        assert said(told) == (word, "gate.not-recorded")
        found = {one.id: (one.verdict.word, one.source) for one in await records(service)}
        assert list(found.values())[:2] == [("allow", "read-only"), (word, "gate.not-recorded")]
        assert found[str(told.record)] == said(told)
