"""What the doctor looks at in Claude Code alone: its plugin, and modes that never ask."""

import json
from dataclasses import replace

from automode.agents.claude_code.checks import check_modes, switched_on
from automode.doctor.examine import check_plugin
from automode.doctor.finding import Level
from tests.doctor.conftest import Machine
from tests.rows import each_row

PLUGINS: list[tuple[object, bool]] = [
    ({"enabledPlugins": {"automode@automode": True}}, True),
    ({"enabledPlugins": {"automode@ours": True}}, True),
    ({"enabledPlugins": {"automode@automode": False}}, False),
    ({"enabledPlugins": {"automodeller@x": True}}, False),
    ({"enabledPlugins": ["automode@automode"]}, False),
    ([], False),
]
PLACES = ("h/.claude/settings.json", "p/.claude/settings.local.json")


@each_row("place, settings, on", [(place, *row) for place in PLACES for row in PLUGINS])
def test_the_plugin_is_on_where_settings_say_so(
    machine: Machine, place: str, settings: object, on: bool
) -> None:
    file = machine.file(place, json.dumps(settings))
    found = switched_on(machine.case())
    file.unlink()

    assert found is on
    assert switched_on(machine.case()) is False


def test_a_plugin_that_finds_no_automode_denies_everything(machine: Machine) -> None:
    case = replace(machine.case(), account_home=str(machine.home), program="/opt/am/bin/automode")

    (found,) = check_plugin("claude-code", "plugin", case, hooks=False)

    assert found.level is Level.PROBLEM
    assert found.fix.endswith(f"ln -s /opt/am/bin/automode {machine.home}/.local/bin/automode")


def test_both_the_plugin_and_the_settings_decide_twice(machine: Machine) -> None:
    machine.file("h/.local/bin/automode", "").chmod(0o755)
    case = replace(machine.case(), account_home=str(machine.home))

    both = check_plugin("claude-code", "plugin", case, hooks=True)

    assert [one.level for one in check_plugin("claude-code", "plugin", case, hooks=False)] == [
        Level.OK
    ]
    assert [one.level for one in both] == [Level.OK, Level.WARNING]
    assert both[1].fix == "automode uninstall claude-code"


DENIES = '{"permissions": {"denyInsteadOfPrompting": true}}'
NEVER = '{"permissions": {"defaultMode": "dontAsk"}}'
OPENS = '{"permissions": {"defaultMode": "auto", "denyInsteadOfPrompting": false}}'


@each_row(
    "place, text, named",
    [
        ("h/.claude/settings.json", DENIES, "denyInsteadOfPrompting"),
        ("h/.claude/settings.json", NEVER, "dontAsk"),
        ("p/.claude/settings.local.json", NEVER, "dontAsk"),
        *(("p/.claude/settings.json", text, "") for text in ("{}", "{", DENIES, OPENS)),
    ],
)
def test_a_setting_that_keeps_the_dialog_shut_is_named(
    machine: Machine, place: str, text: str, named: str
) -> None:
    path = machine.file(place, text)
    found = check_modes(machine.case())
    path.unlink()

    assert [one.level for one in found] == ([Level.WARNING] if named else [])
    assert all(str(path) in one.says and named in one.says for one in found)
