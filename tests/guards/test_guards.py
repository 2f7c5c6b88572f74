"""Every guard's own examples, decided by the whole floor."""

import pytest

from automode.core.call import Shell, ToolCall, Write
from automode.core.decision import Decision, Verdict
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.floor import GUARDS, Floor
from automode.guards.guard import Guard
from tests.reading import facts_of

WORKSPACE = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))
FLOOR = Floor()


def decided(example: str) -> Decision | None:
    """The floor's answer to an example as guards write them."""
    if example.startswith("write: "):
        call = ToolCall("write", Write((example.removeprefix("write: "),)))
    else:
        call = ToolCall("bash", Shell(example))
    return FLOOR.judge(facts_of(call, WORKSPACE))


STOPS = [pytest.param(g, e, id=f"{g.id}: {e}") for g in GUARDS for e in g.stops]
PASSES = [pytest.param(g, e, id=f"{g.id}: {e}") for g in GUARDS for e in g.passes]


@pytest.mark.parametrize(("guard", "example"), STOPS)
def test_it_stops_what_it_says_it_stops(guard: Guard, example: str) -> None:
    decision = decided(example)
    assert decision is not None
    assert decision.verdict is Verdict.DENY
    assert not decision.clearable
    assert decision.advice


@pytest.mark.parametrize(("guard", "example"), STOPS)
def test_it_fires_alone_on_its_own_examples(guard: Guard, example: str) -> None:
    alone = Floor(guards=(guard,))
    action = (
        Write((example.removeprefix("write: "),))
        if example.startswith("write: ")
        else Shell(example)
    )
    decision = alone.judge(facts_of(ToolCall("tool", action), WORKSPACE))
    assert decision is not None
    assert decision.source == f"floor.{guard.id}"


@pytest.mark.parametrize(("guard", "example"), PASSES)
def test_it_lets_look_alikes_pass(guard: Guard, example: str) -> None:
    assert decided(example) is None


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.id)
def test_every_guard_has_enough_examples_of_both_kinds(guard: Guard) -> None:
    assert len(guard.stops) >= 6
    assert len(guard.passes) >= 6
    assert guard.about
    assert guard.reason == guard.reason.strip(". ")


def test_ids_are_unique() -> None:
    assert len({guard.id for guard in GUARDS}) == len(GUARDS)
