"""A run that was halted does not go on by itself, in agents that no denial can stop."""

from automode.agents.events import NO_REMARKS, TurnContinues
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, said, working


def test_a_halted_run_is_stopped_before_its_model_reads_on(setup: Setup) -> None:
    setup.configure(autoMode={"escalation": {"consecutive": 1}})
    setup.layers = [Judging()]
    speaker = setup.speaker(attended=False)

    async def work(service: DecisionService) -> None:
        before = await service.hear(TurnContinues(speaker), HOST)
        ruling = await service.decide(setup.bash("make deny", attended=False), HOST)
        after = await service.hear(TurnContinues(speaker), HOST)
        await service.person.set_mode(KEY, Override.OFF)
        switched_off = await service.hear(TurnContinues(speaker), HOST)

        assert said(ruling)[0] == "halt"
        assert "stopped this run" in after.refusal
        assert (before, switched_off) == (NO_REMARKS, NO_REMARKS)

    working(setup, work)


def test_where_a_person_is_there_nothing_is_stopped(setup: Setup) -> None:
    setup.configure(autoMode={"escalation": {"consecutive": 1}})
    setup.layers = [Judging()]

    async def work(service: DecisionService) -> None:
        await service.decide(setup.bash("make deny"), HOST)

        assert await service.hear(TurnContinues(setup.speaker()), HOST) == NO_REMARKS

    working(setup, work)
