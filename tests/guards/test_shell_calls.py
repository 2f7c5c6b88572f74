"""What one-liners in other languages hand to a shell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Shell, ToolCall
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.floor.layer import Floor
from automode.programs.inline_code import shell_calls
from tests.reading import facts_of
from tests.rows import each_row, rows, texts

FLOOR = Floor()
WORKSPACE = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))


@each_row("code, found", rows("guards", "shell-calls-literal-commands-found"))
def test_literal_commands_are_found(code: str, found: list[str]) -> None:
    assert list(shell_calls(code)) == found


@each_row("command", texts("guards", "shell-calls-floor-sees-through"))
def test_the_floor_sees_through_them(command: str) -> None:
    decision = FLOOR.judge(facts_of(ToolCall("bash", Shell(command)), WORKSPACE))

    assert decision is not None
    assert decision.source == "floor.delete-root"


@pytest.mark.parametrize("command", ["perl -e 'print \"rm -rf /\"'", "awk '/rm -rf/ {print}' log"])
def test_mere_text_is_not_a_command(command: str) -> None:
    assert FLOOR.judge(facts_of(ToolCall("bash", Shell(command)), WORKSPACE)) is None


@given(st.text(max_size=80))
def test_no_text_raises(code: str) -> None:
    assert all(isinstance(text, str) for text in shell_calls(code))
