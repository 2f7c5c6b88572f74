"""What frameworks are told of a decision. No framework is needed for this."""

import asyncio

import pytest

from automode import Decision, Gate, ToolCall, Verdict
from automode.integrations.ruling import (
    Halted,
    Ruled,
    fronted,
    ruled,
    ruled_sync,
    warned,
    warned_sync,
)

TOLD = {
    # verdict and whether it is enforced           runs   asks   halts
    (Verdict.ALLOW, True): (True, False, False),
    (Verdict.ASK, True): (False, True, False),
    (Verdict.DENY, True): (False, False, False),
    (Verdict.HALT, True): (False, False, True),
    (Verdict.DENY, False): (True, False, False),
    (Verdict.HALT, False): (True, False, False),
}
CALL = ToolCall("bash", {"command": "ls"})


class Decided:
    """A gate with one answer, or one fault."""

    attended = True

    def __init__(self, answer: Decision | Exception) -> None:
        self._answer = answer

    def decide_sync(self, call: ToolCall) -> Decision:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    async def decide(self, call: ToolCall) -> Decision:
        return self.decide_sync(call)

    def finished_sync(self, call: ToolCall, result: object, *, failed: bool = False) -> str:
        if isinstance(self._answer, Exception):
            raise self._answer
        return ""

    async def finished(self, call: ToolCall, result: object, *, failed: bool = False) -> str:
        return self.finished_sync(call, result, failed=failed)


@pytest.mark.parametrize("case", TOLD)
def test_only_an_allowed_call_runs_unless_nothing_is_enforced(case: tuple[Verdict, bool]) -> None:
    verdict, enforced = case
    gate = Decided(Decision(verdict, "some.source", "a reason", enforced=enforced))

    for said in (ruled_sync(gate, CALL), asyncio.run(ruled(gate, CALL))):
        assert (said.runs, said.asks, said.halts) == TOLD[case]
        assert said.text.startswith("automode (some.source): a reason.")


FAULTS = [RuntimeError("no loop"), ValueError("secret"), OSError(), StopIteration(), KeyError("k")]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_gate_that_fails_is_no_permission(fault: Exception) -> None:
    gate = Decided(fault)

    for said in (asyncio.run(ruled(gate, CALL)), ruled_sync(gate, CALL)):
        assert not said.runs
        assert "secret" not in said.text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_result_that_nobody_could_look_at_is_said_to_be_so(fault: Exception) -> None:
    gate = Decided(fault)

    for warning in (asyncio.run(warned(gate, CALL, "r")), warned_sync(gate, CALL, "r")):
        assert warning
        assert "secret" not in warning


def test_a_closed_gate_is_no_permission(closed: Gate) -> None:
    for said in (ruled_sync(closed, CALL), asyncio.run(ruled(closed, CALL))):
        assert not said.runs
        assert "this call must not run: this gate is closed" in said.text


def test_a_halt_stops_the_agent() -> None:
    with pytest.raises(Halted, match="enough"):
        Ruled(runs=False, text="enough", halts=True).stopped()


def test_a_warning_stands_in_front_of_every_shape_of_result() -> None:
    assert fronted("text", "W") == "W\n\ntext"
    assert fronted({"a": 1}, "W") == {"automode_warning": "W", "a": 1}
    assert fronted({"a": 1, "automode_warning": "all is well"}, "W") == {
        "automode_warning": "W\n\nall is well",
        "a": 1,
    }
    assert fronted(["a"], "W") == ["W", "a"]
    assert fronted(7, "W") == "W\n\n7"
    assert fronted(7, "") == 7
