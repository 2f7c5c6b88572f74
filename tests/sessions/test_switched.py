"""Where a project leads calls around the gate: prompts stop, also with a person there where that
person could not see it."""

import json
import shutil
from pathlib import Path

import pytest

from automode.agents.events import NO_REMARKS, SessionStarted
from automode.config.trust import trust_folders
from automode.facts.switches import to_look_at
from automode.sessions.decision_service import DecisionService
from automode.sessions.host_checks import live_host_checks
from tests.sessions.service_setup import Setup, said, working

HOST = "claude-code"
REFUSED = ("deny", "gate.hooks-switched-off")
READ = ("allow", "read-only")
ASKED = ("ask", "gate.project-not-looked-at")


def hook(event: str) -> dict[str, object]:
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": "./x.sh"}]}]}}


# what the project's settings say → a call with a person there, a call with nobody there
FOLDERS: dict[str, object] = {"permissions": {"additionalDirectories": ["/srv"]}}
PROJECTS: dict[str, tuple[dict[str, object], tuple[str, str], tuple[str, str]]] = {
    "nothing": ({}, READ, READ),
    "ordinary settings": ({"model": "x", "permissions": {"allow": ["Bash"]}}, READ, READ),
    "hooks off": ({"disableAllHooks": True}, READ, REFUSED),
    "a proxy": ({"env": {"HTTPS_PROXY": "http://p:1"}}, REFUSED, REFUSED),
    "another program": ({"env": {"CLAUDE_CODE_SHELL_PREFIX": "./x"}}, REFUSED, REFUSED),
    "a hook that may rewrite": (hook("PreToolUse"), REFUSED, REFUSED),
    "a hook that may answer": (hook("PermissionRequest"), REFUSED, REFUSED),
    "a key that nobody knows": ({"comesLater": 1}, REFUSED, REFUSED),
    "a hook that tidies up": (hook("PostToolUse"), REFUSED, REFUSED),
    "another folder": (FOLDERS, ASKED, REFUSED),
}


@pytest.fixture
def file(setup: Setup) -> Path:
    path = setup.project / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    return path


@pytest.mark.parametrize("attended", [True, False])
@pytest.mark.parametrize("name", PROJECTS)
def test_every_prompt_and_every_call_is_refused_while_it_stands(
    setup: Setup, file: Path, name: str, attended: bool
) -> None:
    content, with_person, alone = PROJECTS[name]
    verdict = with_person if attended else alone
    refused = verdict == REFUSED
    file.write_text(json.dumps(content))
    prompt = setup.typed("go on", attended=attended)

    async def work(service: DecisionService) -> None:
        began = await service.hear(SessionStarted(setup.speaker(attended=attended)), HOST)
        assert bool(began.refusal) is refused
        told = verdict == ASKED or (name == "hooks off" and attended)
        assert bool(began.notice) is told
        for text in ("go on", "please"):
            heard = await service.hear(setup.typed(text, attended=attended), HOST)
            assert (str(file) in heard.refusal) is refused
            assert heard.notice == ""
        assert said(await service.decide(setup.bash("ls"), HOST)) == verdict
        file.unlink()
        assert await service.hear(prompt, HOST) == NO_REMARKS
        assert said(await service.decide(setup.bash("ls"), HOST)) == READ

    working(setup, work)


def test_what_is_denied_stays_denied_where_calls_are_asked_about(setup: Setup, file: Path) -> None:
    file.write_text(json.dumps(FOLDERS))

    async def work(service: DecisionService) -> None:
        verdict, source = said(await service.decide(setup.bash("rm -rf ~"), HOST))
        assert verdict == "deny"
        assert source.startswith("floor.")
        ruling = await service.decide(setup.bash("ls"), HOST)
        assert ruling.decision is not None
        for part in (str(file), "permissions.additionalDirectories", "automode trust --project"):
            assert part in f"{ruling.decision.reason} {ruling.decision.advice}"

    working(setup, work)


def test_a_session_whose_beginning_was_never_heard_is_looked_at_with_its_first_call(
    setup: Setup, file: Path
) -> None:
    file.write_text(json.dumps(PROJECTS["another program"][0]))

    async def work(service: DecisionService) -> None:
        ruling = await service.decide(setup.bash("ls"), HOST)
        assert said(ruling) == REFUSED
        assert ruling.decision is not None
        assert "CLAUDE_CODE_SHELL_PREFIX" in ruling.decision.reason
        below = setup.bash("ls", session="s/sub", parent="s")
        assert said(await service.decide(below, HOST)) == REFUSED
        file.unlink()
        assert said(await service.decide(setup.bash("ls"), HOST)) == READ

    working(setup, work)


def test_what_comes_in_the_middle_of_a_session_is_told_with_the_next_prompt_once(
    setup: Setup, file: Path
) -> None:
    async def work(service: DecisionService) -> None:
        assert await service.hear(SessionStarted(setup.speaker()), HOST) == NO_REMARKS
        assert await service.hear(setup.typed("go on"), HOST) == NO_REMARKS
        file.write_text(json.dumps({"disableAllHooks": True}))
        assert str(file) in (await service.hear(setup.typed("and on"), HOST)).notice
        assert await service.hear(setup.typed("and again"), HOST) == NO_REMARKS
        file.write_text(json.dumps(PROJECTS["a proxy"][0]))
        for text in ("still there?", "and now?"):
            assert str(file) in (await service.hear(setup.typed(text), HOST)).refusal

    working(setup, work)


def test_in_shadow_no_prompt_is_stopped(setup: Setup, file: Path) -> None:
    setup.settings = {"autoMode": {"mode": "shadow"}}
    file.write_text(json.dumps(PROJECTS["a proxy"][0]))

    async def work(service: DecisionService) -> None:
        assert str(file) in (await service.hear(SessionStarted(setup.speaker()), HOST)).notice
        assert await service.hear(setup.typed("go on"), HOST) == NO_REMARKS

    working(setup, work)


def mod(folder: Path) -> Path:
    for name, text in {
        ".claude-plugin/plugin.json": '{"name": "a"}',
        "hooks/hooks.json": '{"modules": ["./register.js"]}',
        "hooks/register.js": "export function register(on) {}",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("attended", [True, False])
def test_a_plug_in_that_answers_before_the_gate_stops_a_session_until_it_is_gone(
    setup: Setup, attended: bool
) -> None:
    folder = mod(setup.project / ".claude/skills/a")

    async def work(service: DecisionService) -> None:
        began = await service.hear(SessionStarted(setup.speaker(attended=attended)), HOST)
        heard = await service.hear(setup.typed("go on", attended=attended), HOST)
        assert str(folder) in began.refusal
        assert "automode trust --project" in heard.refusal
        assert said(await service.decide(setup.bash("ls"), HOST)) == REFUSED
        shutil.rmtree(folder)
        assert said(await service.decide(setup.bash("ls"), HOST)) == READ

    working(setup, work)


def test_one_that_comes_while_a_session_runs_stops_it_with_the_next_call(
    setup: Setup,
) -> None:
    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker()), HOST)
        assert said(await service.decide(setup.bash("ls"), HOST)) == READ
        mod(setup.home / ".claude/skills/a")
        assert said(await service.decide(setup.bash("ls"), HOST)) == REFUSED
        below = setup.bash("ls", session="sub", parent="s")
        assert said(await service.decide(below, HOST)) == REFUSED

    working(setup, work)


def test_settings_that_come_while_a_session_runs_count_with_the_next_call(
    setup: Setup, file: Path
) -> None:
    async def work(service: DecisionService) -> None:
        assert said(await service.decide(setup.bash("ls"), HOST)) == READ
        file.write_text(json.dumps(FOLDERS))
        assert said(await service.decide(setup.bash("ls"), HOST)) == ASKED
        file.write_text(json.dumps(hook("PreToolUse")))
        assert said(await service.decide(setup.bash("ls"), HOST)) == REFUSED

    working(setup, work)


def test_one_that_a_person_has_looked_at_stops_nothing_until_it_changes(
    setup: Setup,
) -> None:
    folder = mod(setup.project / ".claude/skills/a")
    home, system = str(setup.home), str(setup.home / "etc")
    registry = setup.home / "trust.json"
    [known] = to_look_at(str(setup.project), home=home, agent=HOST)
    trust_folders(str(registry), {known.real: known.digest})
    setup.host_checks = live_host_checks(home, system=system, trust_file=str(registry))

    async def work(service: DecisionService) -> None:
        assert (await service.hear(setup.typed("go on"), HOST)).refusal == ""
        assert said(await service.decide(setup.bash("ls"), HOST)) == READ
        (folder / "hooks/register.js").write_text("something else")
        assert said(await service.decide(setup.bash("ls"), HOST)) == REFUSED
        assert (await service.hear(setup.typed("please"), HOST)).refusal

    working(setup, work)
