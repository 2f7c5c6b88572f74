"""Modes of Claude Code in which nobody is asked, as the doctor tells them."""

import pytest

from automode.doctor.finding import Level
from automode.doctor.modes import check_modes
from tests.doctor.conftest import Machine

ASKS = [
    "{}",
    "{",
    '{"permissions": {"denyInsteadOfPrompting": true}}',
    '{"permissions": {"defaultMode": "auto", "denyInsteadOfPrompting": false}}',
]
UNASKED = {
    "denyInsteadOfPrompting": '{"permissions": {"denyInsteadOfPrompting": true}}',
    "dontAsk": '{"permissions": {"defaultMode": "dontAsk"}}',
}


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("h/.claude/settings.json", "denyInsteadOfPrompting"),
        ("h/.claude/settings.json", "dontAsk"),
        ("p/.claude/settings.local.json", "dontAsk"),
    ],
)
def test_a_setting_that_keeps_the_dialog_shut_is_worth_a_word(
    machine: Machine, place: str, name: str
) -> None:
    path = machine.file(place, UNASKED[name])

    (found,) = check_modes("claude-code", machine.case())

    assert found.level is Level.WARNING
    assert str(path) in found.says
    assert name in found.says
    assert check_modes("codex", machine.case()) == []


@pytest.mark.parametrize("text", ASKS)
def test_where_the_dialog_opens_nothing_is_said(machine: Machine, text: str) -> None:
    machine.file("p/.claude/settings.json", text)

    assert check_modes("claude-code", machine.case()) == []
