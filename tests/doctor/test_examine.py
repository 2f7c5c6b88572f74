"""The whole look, and each check of an agent: what cannot be looked at is never fine."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.installing.plan import Scope
from automode.agents.installing.site import AgentProgram, Registration, found_program
from automode.agents.scripted.firing import Fired
from automode.core.errors import AutomodeError
from automode.daemon.placement import own_version
from automode.doctor.examine import (
    LEFT,
    check_firing,
    check_hold,
    check_others,
    check_program,
    check_registered,
    check_switches,
    examine,
)
from automode.doctor.finding import AGENTS, Case, Finding, Level, fine, problem, sound, warning
from tests.doctor.conftest import Machine
from tests.rows import each_row


def place(
    scope: Scope = Scope.USER, version: str = own_version(), wrong: tuple[str, ...] = ()
) -> Registration:
    return Registration("claude-code", scope, "/home/kim/settings", version, wrong=wrong)


def unreadable(agent: str) -> tuple[Registration, ...]:
    raise AutomodeError("`x` is a link in a circle", "remove it")


def by_check(case: Case) -> dict[str, Finding]:
    return {one.check: one for one in examine(case)}


def test_only_a_problem_is_not_sound() -> None:
    assert sound([])
    assert sound([fine("a", "well"), warning("b", "hm")])
    assert not sound([fine("a", "well"), problem("b", "bad", "mend it")])


def test_agents_that_are_not_there_share_a_line_unless_they_are_named(machine: Machine) -> None:
    nobody, named = by_check(machine.case(*AGENTS)), by_check(machine.case("pi"))
    machine.program("claude", "echo 2.1.325")
    one = by_check(machine.case(*AGENTS))

    assert (nobody["agents"].level, nobody["agents"].fix) == (
        Level.PROBLEM,
        "automode install AGENT",
    )
    assert "no agent asks automode" in nobody["agents"].says
    assert named["pi: program"].level is Level.WARNING
    assert "agents" not in named
    assert one["other agents"].level is Level.OK
    assert [agent for agent in AGENTS if agent not in one["other agents"].says] == ["claude-code"]
    assert not any(name.startswith("pi") for name in one)


def test_an_agent_that_is_gone_and_still_registered_is_told_of(machine: Machine) -> None:
    case = replace(
        machine.case(*AGENTS), registrations=lambda agent: [place()] if agent == "pi" else []
    )

    found = by_check(case)

    assert found["pi: program"].level is Level.WARNING
    assert "pi: registered" in found
    assert "pi" not in found["other agents"].says.split(": ")[1].split(", ")


def test_what_cannot_be_looked_at_is_a_warning(machine: Machine) -> None:
    machine.program("pi", "echo 0.87.1")

    found = by_check(replace(machine.case(*AGENTS), registrations=unreadable))

    assert all(found[f"{agent}: registered"].level is Level.WARNING for agent in AGENTS)
    assert found["pi: registered"].fix == "remove it"
    assert "could not be looked at" in found["pi: registered"].says


def test_an_agent_that_is_there_is_looked_at_whole(machine: Machine) -> None:
    machine.program("claude", "echo 2.1.325")

    found = by_check(machine.case("claude-code"))

    looked = [name.partition(": ")[2] for name in found if name.startswith("claude-code")]
    assert looked == ["program", "registered", "switches", "others", "fires"]
    assert found["claude-code: registered"].level is Level.PROBLEM
    assert found["claude-code: fires"].level is Level.WARNING


def test_a_folder_of_an_agent_that_may_be_anywhere_is_told(machine: Machine) -> None:
    machine.program("claude", "echo 2.1.325")
    machine.variables["CLAUDE_CONFIG_DIR"] = "not/absolute"

    doubts = [one for one in examine(machine.case("claude-code")) if "CLAUDE_CONF" in one.says]

    assert {one.level for one in doubts} == {Level.WARNING}


def test_a_plugin_that_is_on_counts_as_registered(machine: Machine) -> None:
    machine.program("claude", "echo 2.1.325")
    machine.file("h/.claude/settings.json", '{"enabledPlugins": {"automode@automode": true}}')
    Path(machine.file("h/.local/bin/automode", "")).chmod(0o755)

    found = by_check(replace(machine.case("claude-code"), account_home=str(machine.home)))

    assert found["claude-code: registered"].level is Level.OK
    assert found["claude-code: plugin"].level is Level.OK


PACKAGE_FILE = '{"name": "automode"}'
PACKAGES = {
    '"npm:automode@/x/automode-0.1.0.tgz"': "npm/node_modules/automode",
    '"git:host.example/org/automode@v1"': "git/host.example/org/automode",
    '"https://host.example/org/automode.git"': "git/host.example/org/automode",
    '"../../package"': "../../package",
    '{"source": "npm:automode"}': "npm/node_modules/automode",
}


@pytest.mark.parametrize(("source", "folder"), PACKAGES.items())
def test_a_package_in_pi_counts_as_registered(machine: Machine, source: str, folder: str) -> None:
    machine.program("pi", "echo 0.87.1")
    machine.file("h/.pi/agent/settings.json", f'{{"packages": ["npm:other", {source}]}}')
    case = replace(machine.case("pi"), account_home=str(machine.home))
    skipped = by_check(case)
    machine.file(os.path.normpath(f"h/.pi/agent/{folder}/package.json"), PACKAGE_FILE)
    blind = by_check(case)
    Path(machine.file("h/.local/bin/automode", "")).chmod(0o755)
    found = by_check(case)

    levels = [skipped["pi: registered"].level, blind["pi: registered"].level]
    assert levels == [Level.PROBLEM, Level.OK]
    assert (blind["pi: package"].level, found["pi: package"].level) == (Level.PROBLEM, Level.OK)


@pytest.mark.parametrize(
    "packages", ['[{"source": "npm:automode", "extensions": []}]', "[7, {}]", '"npm:x"']
)
def test_a_package_without_its_extension_does_not_count(machine: Machine, packages: str) -> None:
    machine.program("pi", "echo 0.87.1")
    machine.file("h/.pi/agent/settings.json", f'{{"packages": {packages}}}')
    machine.file("h/.pi/agent/npm/node_modules/automode/package.json", PACKAGE_FILE)

    assert by_check(machine.case("pi"))["pi: registered"].level is Level.PROBLEM


def test_an_agent_that_cannot_be_started_is_a_warning(machine: Machine) -> None:
    machine.program("pi", "echo 0.87.1")

    def broken(agent: str, program: str) -> Fired:
        raise AutomodeError(f"`{program}` does not start", "install it again")

    case = replace(machine.case("pi"), registrations=lambda agent: [place()], fires=broken)
    found = by_check(case)["pi: fires"]

    assert (found.level, found.fix) == (Level.WARNING, "install it again")


@each_row(
    "agent, release, level, words",
    [
        ("claude-code", None, Level.WARNING, "not on PATH"),
        ("claude-code", (), Level.WARNING, "does not say"),
        ("claude-code", (2, 0, 9), Level.WARNING, "older than 2.1.197"),
        ("claude-code", (2, 1, 197), Level.OK, "release 2.1.197"),
        ("claude-code", (2, 1, 999), Level.OK, "release 2.1.999"),
        ("claude-code", (3, 0, 0), Level.WARNING, "not with this generation"),
        ("pi", (0, 5, 0), Level.WARNING, "older than 0.73.1"),
        ("pi", (0, 88, 0), Level.OK, "measured with 0.87.1"),
        ("pi", (1, 6, 0), Level.OK, "measured with 1.5.0"),
    ],
)
def test_a_release_is_measured_or_not(
    agent: str, release: tuple[int, ...] | None, level: Level, words: str
) -> None:
    found = check_program(agent, None if release is None else AgentProgram("/bin/agent", release))

    assert found.level is level
    assert words in found.says
    assert bool(found.fix) == (level is not Level.OK)


def test_the_release_is_what_the_program_itself_says(machine: Machine) -> None:
    path = machine.program("claude", "echo '2.1.325 (Claude Code)'")

    found = check_program(
        "claude-code", found_program("claude-code", machine.case().site.environment)
    )

    assert found.level is Level.OK
    assert f"{path}, release 2.1.325" in found.says


INSTALL = "automode install claude-code"


@each_row(
    "places, plugin, expected",
    [
        ([], False, [(Level.PROBLEM, INSTALL)]),
        ([], True, [(Level.OK, "")]),
        ([place()], False, [(Level.OK, "")]),
        ([place(version="0.0.1")], False, [(Level.WARNING, f"{INSTALL} --user")]),
        ([place(version="")], False, [(Level.WARNING, f"{INSTALL} --user")]),
        ([place(wrong=("a", "b"))], False, [(Level.PROBLEM, f"{INSTALL} --user")] * 2),
        (
            [place(), place(Scope.PROJECT, wrong=("no hook for PreToolUse",))],
            False,
            [(Level.OK, ""), (Level.PROBLEM, f"{INSTALL} --project")],
        ),
    ],
)
def test_a_registration_is_told_with_what_mends_it(
    places: list[Registration], plugin: bool, expected: list[tuple[Level, str]]
) -> None:
    found = check_registered("claude-code", places, by_plugin=plugin)

    assert [(one.level, one.fix) for one in found] == expected


def fired(machine: Machine, outcome: Fired | None, *scopes: Scope, starts: bool = True) -> Finding:
    fires = None if outcome is None else lambda _agent, _program: outcome
    case = replace(machine.case(starts=starts), fires=fires)
    return check_firing("pi", case, "/bin/pi", scopes)


def test_only_a_call_that_came_is_fine_and_what_it_leaves_is_said(machine: Machine) -> None:
    asks = fired(machine, Fired(ok=True, detail="in 2 s"), Scope.USER)
    does_not = fired(machine, Fired(ok=False, detail="the call ran"), Scope.USER)

    assert (asks.level, asks.says) == (Level.OK, f"in 2 s; {LEFT}")
    assert does_not.level is Level.PROBLEM
    assert "the call ran" in does_not.says


def test_what_was_not_tried_is_said_loudly(machine: Machine) -> None:
    good = Fired(ok=True, detail="")
    install, again = "automode install pi", "automode doctor pi"
    untried = [
        (fired(machine, good, Scope.USER, starts=False), again),
        (fired(machine, None, Scope.USER), again),
        (fired(machine, good), install),
        (fired(machine, good, Scope.PROJECT), install),
        (fired(machine, good, Scope.MANAGED, Scope.PROJECT), install),
    ]
    for found, fix in untried:
        assert (found.level, found.fix) == (Level.WARNING, fix)
        assert "NOT TRIED" in found.says


@each_row(
    "place, text",
    [
        (place, text)
        for place in ("p/.claude/settings.json", "p/.claude/settings.local.json")
        for text in ('{"disableAllHooks": true}', "{")
    ]
    + [("h/.claude/settings.json", '{"disableAllHooks": true}'), ("h/.claude/settings.json", "{")],
)
def test_a_switch_is_a_problem_with_the_file_to_edit(
    machine: Machine, place: str, text: str
) -> None:
    path = machine.file(place, text)
    try:
        (found,) = check_switches("claude-code", machine.case())
    finally:
        path.unlink()

    assert found.level is Level.PROBLEM
    assert str(path) in found.says
    assert found.fix.startswith(f"${{EDITOR:-vi}} {path}  # ")


def test_of_another_agent_nothing_is_told(machine: Machine) -> None:
    machine.file("p/.codex/config.toml", "[features]\nhooks = false\n")

    assert [one.level for one in check_switches("claude-code", machine.case())] == [Level.OK]


@each_row("event", ["PreToolUse", "PostToolUse"])
def test_a_hook_of_the_project_has_to_be_looked_at(machine: Machine, event: str) -> None:
    machine.file("p/.claude/settings.json", hooks(event, {"type": "command", "command": "x"}))

    (found,) = check_switches("claude-code", machine.case())

    assert found.level is Level.PROBLEM
    assert "automode trust --project" in found.fix


def test_the_folder_that_an_agent_starts_in_counts(machine: Machine) -> None:
    path = machine.file("p/part/.claude/settings.json", '{"disableAllHooks": true}')
    above = machine.case()

    (found,) = check_switches("claude-code", replace(above, cwd=str(machine.project / "part")))

    assert found.level is Level.PROBLEM
    assert str(path) in found.says
    assert [one.level for one in check_switches("claude-code", above)] == [Level.OK]


def test_a_variable_that_takes_the_hooks_away_is_a_problem(machine: Machine) -> None:
    case = machine.case()
    site = replace(case.site, environment={"CLAUDE_CODE_SIMPLE": "1", "OPENCODE_PURE": "0"})
    case = replace(case, site=site)

    (found,) = check_switches("claude-code", case)

    assert (found.level, found.fix) == (Level.PROBLEM, "unset CLAUDE_CODE_SIMPLE")
    assert [one.level for one in check_switches("opencode", case)] == [Level.OK]


OURS = {"type": "http", "url": "http://127.0.0.1:7001/hook/claude-code/proposed"}
OTHER = {"type": "command", "command": "/opt/other/hook --fast"}
CLAUDE = "h/.claude/settings.json"


def hooks(event: str, *handlers: object) -> str:
    return json.dumps({"hooks": {event: [{"matcher": "*", "hooks": list(handlers)}]}})


@each_row(
    "agent, file, settings, words",
    [
        ("claude-code", CLAUDE, "", ""),
        ("claude-code", CLAUDE, hooks("PreToolUse", OURS), ""),
        ("claude-code", CLAUDE, hooks("PreToolUse", OURS, OTHER), "/opt/other/hook"),
        ("claude-code", CLAUDE, hooks("PermissionRequest", OTHER), "in the person's place"),
        ("claude-code", CLAUDE, hooks("PostToolUse", OTHER), ""),
        ("claude-code", CLAUDE, hooks("PreToolUse", {"type": "agent"}), "unknown kind"),
        ("claude-code", CLAUDE, '{"hooks": {"PreToolUse": {"a": 1}}}', ""),
        ("claude-code", CLAUDE, "{", "cannot be read"),
        (
            "gemini-cli",
            "h/.gemini/settings.json",
            f"// mine\n{hooks('BeforeTool', OTHER)}",
            "/opt/other/hook",
        ),
        (
            "qwen-code",
            "h/.qwen/settings.json",
            f"// mine\n{hooks('PreToolUse', OTHER)}",
            "/opt/other/hook",
        ),
        ("pi", "h/.pi/agent/extensions/automode.ts", "", ""),
        ("pi", "h/.pi/agent/extensions/other.ts", "", "other.ts is another extension"),
        ("cline", "h/unused", "", ""),
    ],
)
def test_others_that_answer_are_named(
    machine: Machine, agent: str, file: str, settings: str, words: str
) -> None:
    machine.file(file, settings)

    (found,) = check_others(agent, machine.case())

    assert found.level is (Level.WARNING if words else Level.OK)
    assert (words or "no other program") in found.says


def test_many_others_do_not_flood(machine: Machine) -> None:
    machine.file(CLAUDE, hooks("PreToolUse", *[OTHER] * 50))

    found: Sequence[Finding] = check_others("claude-code", machine.case())

    assert len(found) == 11
    assert found[-1].says == "and 40 more"


WAITS = {  # agent, what its file says, hold → level and part of what is said
    ("claude-code", "", 0): (),
    ("claude-code", "", 300): ((Level.WARNING, "waits 55 seconds"),),
    ("claude-code", "x --deadline-ms 355000 y", 300): ((Level.OK, "up to 300 seconds"),),
    ("claude-code", "?settings=-&deadline=90000", 300): ((Level.WARNING, "waits 90 seconds"),),
    ("pi", '"hold": 300', 300): ((Level.OK, "up to 300 seconds"),),
    ("cline", "x --deadline-ms 115000 y", 300): ((Level.OK, "less than 115 seconds"),),
    ("qwen-code", "", 300): ((Level.OK, "less than 55 seconds"),),
}


def test_how_long_an_ask_can_wait_is_said(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    for (agent, text, hold), expected in WAITS.items():
        file.write_text(text)
        place = Registration(agent, Scope.USER, str(file))

        found = list(check_hold(agent, [place], hold))

        assert len(found) == len(expected), (agent, text)
        for one, (level, said) in zip(found, expected, strict=True):
            assert one.level is level, one
            assert said in one.says, one
