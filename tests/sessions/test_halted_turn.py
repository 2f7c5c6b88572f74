"""A run that was halted does not go on by itself, in agents that no denial can stop."""

from automode.agents.events import NO_REMARKS, TurnContinues
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.offices import HOST, KEY, Judging, Office, said, working


def test_a_halted_run_is_stopped_before_its_model_reads_on(office: Office) -> None:
    office.configure(autoMode={"escalation": {"consecutive": 1}})
    office.layers = [Judging()]
    speaker = office.speaker(attended=False)

    async def work(desk: DecisionService) -> None:
        before = await desk.hear(TurnContinues(speaker), HOST)
        ruling = await desk.decide(office.bash("make deny", attended=False), HOST)
        after = await desk.hear(TurnContinues(speaker), HOST)
        await desk.set_mode(KEY, Override.OFF)
        switched_off = await desk.hear(TurnContinues(speaker), HOST)

        assert said(ruling)[0] == "halt"
        assert "stopped this run" in after.refusal
        assert (before, switched_off) == (NO_REMARKS, NO_REMARKS)

    working(office, work)


def test_where_a_person_is_there_nothing_is_stopped(office: Office) -> None:
    office.configure(autoMode={"escalation": {"consecutive": 1}})
    office.layers = [Judging()]

    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("make deny"), HOST)

        assert await desk.hear(TurnContinues(office.speaker()), HOST) == NO_REMARKS

    working(office, work)
