"""Whoever else answers when a call is proposed."""

import json

import pytest

from automode.doctor.finding import Level
from automode.doctor.others import check_others
from tests.doctor.conftest import Machine

OURS = {"type": "http", "url": "http://127.0.0.1:7001/hook/claude-code/proposed"}
OTHER = {"type": "command", "command": "/opt/other/hook --fast"}


def hooks(event: str, *handlers: object) -> str:
    return json.dumps({"hooks": {event: [{"matcher": "*", "hooks": list(handlers)}]}})


CLAUDE = {
    "no file": (None, Level.OK, "nobody else"),
    "an empty file": ("", Level.OK, "nobody else"),
    "only ours": (hooks("PreToolUse", OURS), Level.OK, "nobody else"),
    "another one beside ours": (hooks("PreToolUse", OURS, OTHER), Level.WARNING, "/opt/other/hook"),
    "one that answers questions": (
        hooks("PermissionRequest", OTHER),
        Level.WARNING,
        "in the person's place",
    ),
    "one that only listens": (hooks("PostToolUse", OTHER), Level.OK, "nobody else"),
    "of an unknown kind": (hooks("PreToolUse", {"type": "agent"}), Level.WARNING, "unknown kind"),
    "of another shape": ('{"hooks": {"PreToolUse": {"a": 1}}}', Level.OK, "nobody else"),
    "not to be read": ("{", Level.WARNING, "cannot be read"),
}


@pytest.mark.parametrize(("settings", "level", "words"), CLAUDE.values(), ids=CLAUDE.keys())
def test_other_hooks_of_claude_code_are_named(
    machine: Machine, settings: str | None, level: Level, words: str
) -> None:
    if settings is not None:
        machine.file("h/.claude/settings.json", settings)

    (found,) = check_others("claude-code", machine.case())

    assert found.level is level
    assert words in found.says


RELATIVES = {
    "gemini-cli": ("h/.gemini/settings.json", "BeforeTool"),
    "qwen-code": ("h/.qwen/settings.json", "PreToolUse"),
}


@pytest.mark.parametrize("agent", RELATIVES)
def test_other_hooks_are_named_also_behind_a_comment(machine: Machine, agent: str) -> None:
    path, event = RELATIVES[agent]
    machine.file(path, f"// mine\n{hooks(event, OTHER)}")

    (found,) = check_others(agent, machine.case())

    assert found.level is Level.WARNING
    assert "/opt/other/hook" in found.says


def test_other_extensions_of_pi_are_named(machine: Machine) -> None:
    machine.file("h/.pi/agent/extensions/automode.ts", "")
    assert [one.level for one in check_others("pi", machine.case())] == [Level.OK]

    other = machine.file("h/.pi/agent/extensions/other.ts", "")
    (found,) = check_others("pi", machine.case())
    assert found.level is Level.WARNING
    assert str(other) in found.says


def test_many_others_do_not_flood(machine: Machine) -> None:
    machine.file("h/.claude/settings.json", hooks("PreToolUse", *[OTHER] * 50))

    found = check_others("claude-code", machine.case())

    assert len(found) == 11
    assert found[-1].says == "and 40 more"
