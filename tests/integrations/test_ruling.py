"""What frameworks are told of a decision. No framework is needed for this."""

import asyncio

import pytest

from automode import Decision, Gate, ToolCall, Verdict
from automode.integrations.ruling import (
    Halted,
    Ruling,
    rule,
    rule_sync,
    warning_of,
    warning_of_sync,
    with_warning,
)
from tests.rows import each_row

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


class Decided(Gate):
    """A gate with one answer, or one fault."""

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


@each_row("case", TOLD)
def test_only_an_allowed_call_runs_unless_nothing_is_enforced(case: tuple[Verdict, bool]) -> None:
    verdict, enforced = case
    gate = Decided(Decision(verdict, "some.source", "a reason", enforced=enforced))

    for said in (rule_sync(gate, CALL), asyncio.run(rule(gate, CALL))):
        assert (said.runs, said.asks, said.halts) == TOLD[case]
        assert said.text.startswith("automode (some.source): a reason.")


FAULTS = [RuntimeError("no loop"), ValueError("secret"), OSError(), StopIteration(), KeyError("k")]


@each_row("fault", FAULTS)
def test_a_gate_that_fails_is_no_permission_and_says_that_it_saw_no_result(
    fault: Exception,
) -> None:
    gate = Decided(fault)

    for said in (asyncio.run(rule(gate, CALL)), rule_sync(gate, CALL)):
        assert not said.runs
        assert "secret" not in said.text
    for warning in (asyncio.run(warning_of(gate, CALL, "r")), warning_of_sync(gate, CALL, "r")):
        assert warning
        assert "secret" not in warning


def test_a_closed_gate_is_no_permission(closed: Gate) -> None:
    for said in (rule_sync(closed, CALL), asyncio.run(rule(closed, CALL))):
        assert not said.runs
        assert "this call must not run: this gate is closed" in said.text


def test_a_halt_stops_the_agent() -> None:
    with pytest.raises(Halted, match="enough"):
        Ruling(runs=False, text="enough", halts=True).denial()


def test_a_warning_stands_in_front_of_every_shape_of_result() -> None:
    assert with_warning("text", "W") == "W\n\ntext"
    assert with_warning({"a": 1}, "W") == {"automode_warning": "W", "a": 1}
    assert with_warning({"a": 1, "automode_warning": "all is well"}, "W") == {
        "automode_warning": "W\n\nall is well",
        "a": 1,
    }
    assert with_warning(["a"], "W") == ["W", "a"]
    assert with_warning(7, "W") == "W\n\n7"
    assert with_warning(7, "") == 7
