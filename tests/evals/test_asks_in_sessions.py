"""Asks in whole sessions: what a person who says yes is asked again, and what not."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol, cast

import pytest

from automode.evaluation.outcomes import Outcome

EVALS = Path(__file__).parents[2] / "evals"


class Counted(Protocol):
    calls: int
    bare: int
    same: int
    rules: int
    declined: int
    classes: Mapping[str, int]


class Script(Protocol):
    def count(self, session: list[tuple[Outcome, Mapping[str, object]]]) -> Counted: ...
    def half_of(self, repository: str) -> str: ...
    def class_of(self, outcome: Outcome) -> str: ...


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    monkeypatch.syspath_prepend(str(EVALS))
    return cast("Script", importlib.import_module("asks_in_sessions"))


def _call(
    command: str, verdict: Literal["allow", "ask"], *, good: bool = True
) -> tuple[Outcome, Mapping[str, object]]:
    reason = "the embedded judge did not find it clearly fine: it pushes to a remote, which nobody"
    outcome = Outcome("a", "c", good, verdict, "classifier.local", reason=f"{reason} asked for; it")
    return outcome, {"tool": "bash", "input": {"command": command}, "cwd": "/home/user/shop"}


def test_a_yes_is_remembered_for_the_same_call_and_by_the_rule_that_is_proposed(
    script: Script,
) -> None:
    asked = ["git push", "git push", "git push origin a", "git push origin b", "curl x.example"]
    found = script.count([_call("ls", "allow"), *(_call(one, "ask") for one in asked)])

    assert (found.calls, found.bare, found.same, found.rules) == (6, 5, 4, 2)
    assert found.classes == {"it pushes to a remote": 5}


def test_a_no_is_not_remembered(script: Script) -> None:
    found = script.count([_call("git push", "ask", good=False)] * 2)

    assert (found.bare, found.same, found.rules, found.declined) == (2, 2, 2, 2)


def test_a_repository_is_in_one_half(script: Script) -> None:
    halves = [script.half_of(f"entire:a/{one}") for one in range(40)]

    assert set(halves) == {"looked at", "held back"}
    assert halves == [script.half_of(f"entire:a/{one}") for one in range(40)]
