"""The classifier is told which earlier calls a person was asked about and said yes to."""

import subprocess
from collections.abc import Mapping
from dataclasses import replace

import pytest

from automode.agents.events import BranchTaken, CallFinished
from automode.core.transcript import Outcome, PriorCall
from automode.sessions.decision_service import DecisionService
from tests.sessions.service_setup import HOST, KEY, Setup, records, said

PUSH = "git push origin fix-cart"


@pytest.fixture
def setup(setup: Setup) -> Setup:
    setup.settings = {"autoMode": {"stages": "local"}}
    return setup


def approved(setup: Setup) -> list[str]:
    entries = setup.live().recorder.transcript.entries
    calls = [one for one in entries if isinstance(one, PriorCall) and one.approved]
    return [str(one.input["command"]) for one in calls]


async def say_yes(setup: Setup, service: DecisionService) -> None:
    event = setup.bash(PUSH, call="c1")
    assert said(await service.decide(event, HOST)) == ("ask", "classifier.local")
    await service.hear(setup.ran(event), HOST)


async def test_a_yes_is_known_after_a_restart_and_until_a_reset(setup: Setup) -> None:
    async with setup.open() as service:
        await say_yes(setup, service)
        assert approved(setup) == [PUSH]
    async with setup.open() as service:
        await service.decide(setup.bash("ls", call="c2"), HOST)
        assert approved(setup) == [PUSH]
        await service.person.reset(KEY)
        assert approved(setup) == []
    async with setup.open() as service:
        await service.decide(setup.bash("ls", call="c3"), HOST)
        assert approved(setup) == []


async def test_the_same_call_is_asked_about_again_where_nothing_is_learnt(setup: Setup) -> None:
    setup.settings = {"autoMode": {"stages": "local", "local": {"learn": "off"}}}
    async with setup.open() as service:
        await say_yes(setup, service)
        assert await setup.says(PUSH, call="c2") == ("ask", "classifier.local")


NO_YES: list[Mapping[str, object]] = [
    {"outcome": Outcome.ERROR},  # it may have been refused
    {"outcome": Outcome.REJECTED},
    {"doubted": True},
    {"input": {"command": f"{PUSH} --force"}},  # another call ran than was asked about
]


@pytest.mark.parametrize("change", NO_YES)
async def test_nothing_else_is_a_yes(setup: Setup, change: Mapping[str, object]) -> None:
    event = setup.bash(PUSH, call="c1")
    ended: CallFinished = replace(setup.ran(event), **change)  # type: ignore[arg-type]
    async with setup.open() as service:
        await service.decide(event, HOST)
        await service.hear(ended, HOST)
        assert approved(setup) == []


async def test_another_branch_of_the_session_has_no_yes(setup: Setup) -> None:
    async with setup.open() as service:
        await say_yes(setup, service)
        await service.hear(BranchTaken(setup.ref(), (), ()), HOST)
        assert approved(setup) == []


async def test_an_approval_holds_on_the_same_branch_of_git_alone(setup: Setup) -> None:
    setup.project.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", setup.project], check=True)
    async with setup.open() as service:
        await setup.says("git push", call="c1")
        await service.person.approve((await records(service))[-1].id, session_long=True)
        assert await setup.says("git push", call="c2") == ("allow", "approval")
        (setup.project / ".git" / "HEAD").write_text("ref: refs/heads/other\n")
        assert await setup.says("git push", call="c3") == ("ask", "classifier.local")
