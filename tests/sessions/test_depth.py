"""An input that is nested too deeply is denied and recorded, whatever tool it is for."""

import pytest

from automode.agents.events import CallProposed
from automode.core.transcript import Outcome
from automode.sessions.decision_service import DecisionService
from automode.sessions.gate_run import MOST_NESTED, shallow, too_deep
from tests.sessions.service_setup import HOST, Judging, Setup, records, said, working


def nested(levels: int, *, lists: bool = False) -> dict[str, object]:
    """So many containers, the outermost one included."""
    value: object = "x"
    for _ in range(levels - 1):
        value = [value] if lists else {"a": value}
    return {"a": value}


@pytest.mark.parametrize("lists", [False, True])
def test_what_is_nested_no_deeper_than_the_most_stays_as_it_is(lists: bool) -> None:
    fits = nested(MOST_NESTED, lists=lists)

    assert shallow(fits) is fits
    assert too_deep(nested(MOST_NESTED + 1, lists=lists))


@pytest.mark.parametrize("tool", ["mcp__a__b", "bash", "Write", "WebSearch"])
@pytest.mark.parametrize("levels", [101, 600, 950])
def test_what_is_nested_too_deeply_is_denied_and_recorded(
    setup: Setup, tool: str, levels: int
) -> None:
    setup.layers = [Judging()]
    event = CallProposed(setup.speaker(), tool, nested(levels), "c1")

    async def work(service: DecisionService) -> None:
        ruling = await service.decide(event, HOST)
        await service.hear(setup.ran(event, Outcome.DENIED), HOST)

        assert said(ruling) == ("deny", "gate.bad-call")
        [record] = await records(service)
        assert "nested more than 100 levels deep" in record.reason
        assert said(await service.decide(setup.bash("ls"), HOST)) == ("allow", "read-only")

    working(setup, work)
