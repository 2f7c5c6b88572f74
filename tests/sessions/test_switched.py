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
from tests.sessions.offices import Office, said, working

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
def file(office: Office) -> Path:
    path = office.project / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    return path


@pytest.mark.parametrize("attended", [True, False])
@pytest.mark.parametrize("name", PROJECTS)
def test_every_prompt_and_every_call_is_refused_while_it_stands(
    office: Office, file: Path, name: str, attended: bool
) -> None:
    content, with_person, alone = PROJECTS[name]
    verdict = with_person if attended else alone
    refused = verdict == REFUSED
    file.write_text(json.dumps(content))
    prompt = office.typed("go on", attended=attended)

    async def work(desk: DecisionService) -> None:
        began = await desk.hear(SessionStarted(office.speaker(attended=attended)), HOST)
        assert bool(began.refusal) is refused
        told = verdict == ASKED or (name == "hooks off" and attended)
        assert bool(began.notice) is told
        for text in ("go on", "please"):
            heard = await desk.hear(office.typed(text, attended=attended), HOST)
            assert (str(file) in heard.refusal) is refused
            assert heard.notice == ""
        assert said(await desk.decide(office.bash("ls"), HOST)) == verdict
        file.unlink()
        assert await desk.hear(prompt, HOST) == NO_REMARKS
        assert said(await desk.decide(office.bash("ls"), HOST)) == READ

    working(office, work)


def test_what_is_denied_stays_denied_where_calls_are_asked_about(
    office: Office, file: Path
) -> None:
    file.write_text(json.dumps(FOLDERS))

    async def work(desk: DecisionService) -> None:
        verdict, source = said(await desk.decide(office.bash("rm -rf ~"), HOST))
        assert verdict == "deny"
        assert source.startswith("floor.")
        ruling = await desk.decide(office.bash("ls"), HOST)
        assert ruling.decision is not None
        for part in (str(file), "permissions.additionalDirectories", "automode trust --project"):
            assert part in f"{ruling.decision.reason} {ruling.decision.advice}"

    working(office, work)


def test_a_session_whose_beginning_was_never_heard_is_looked_at_with_its_first_call(
    office: Office, file: Path
) -> None:
    file.write_text(json.dumps(PROJECTS["another program"][0]))

    async def work(desk: DecisionService) -> None:
        ruling = await desk.decide(office.bash("ls"), HOST)
        assert said(ruling) == REFUSED
        assert ruling.decision is not None
        assert "CLAUDE_CODE_SHELL_PREFIX" in ruling.decision.reason
        below = office.bash("ls", session="s/sub", parent="s")
        assert said(await desk.decide(below, HOST)) == REFUSED
        file.unlink()
        assert said(await desk.decide(office.bash("ls"), HOST)) == READ

    working(office, work)


def test_what_comes_in_the_middle_of_a_session_is_told_with_the_next_prompt_once(
    office: Office, file: Path
) -> None:
    async def work(desk: DecisionService) -> None:
        assert await desk.hear(SessionStarted(office.speaker()), HOST) == NO_REMARKS
        assert await desk.hear(office.typed("go on"), HOST) == NO_REMARKS
        file.write_text(json.dumps({"disableAllHooks": True}))
        assert str(file) in (await desk.hear(office.typed("and on"), HOST)).notice
        assert await desk.hear(office.typed("and again"), HOST) == NO_REMARKS
        file.write_text(json.dumps(PROJECTS["a proxy"][0]))
        for text in ("still there?", "and now?"):
            assert str(file) in (await desk.hear(office.typed(text), HOST)).refusal

    working(office, work)


def test_in_shadow_no_prompt_is_stopped(office: Office, file: Path) -> None:
    office.settings = {"autoMode": {"mode": "shadow"}}
    file.write_text(json.dumps(PROJECTS["a proxy"][0]))

    async def work(desk: DecisionService) -> None:
        assert str(file) in (await desk.hear(SessionStarted(office.speaker()), HOST)).notice
        assert await desk.hear(office.typed("go on"), HOST) == NO_REMARKS

    working(office, work)


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
    office: Office, attended: bool
) -> None:
    folder = mod(office.project / ".claude/skills/a")

    async def work(desk: DecisionService) -> None:
        began = await desk.hear(SessionStarted(office.speaker(attended=attended)), HOST)
        heard = await desk.hear(office.typed("go on", attended=attended), HOST)
        assert str(folder) in began.refusal
        assert "automode trust --project" in heard.refusal
        assert said(await desk.decide(office.bash("ls"), HOST)) == REFUSED
        shutil.rmtree(folder)
        assert said(await desk.decide(office.bash("ls"), HOST)) == READ

    working(office, work)


def test_one_that_comes_while_a_session_runs_stops_it_with_the_next_call(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker()), HOST)
        assert said(await desk.decide(office.bash("ls"), HOST)) == READ
        mod(office.home / ".claude/skills/a")
        assert said(await desk.decide(office.bash("ls"), HOST)) == REFUSED
        below = office.bash("ls", session="sub", parent="s")
        assert said(await desk.decide(below, HOST)) == REFUSED

    working(office, work)


def test_settings_that_come_while_a_session_runs_count_with_the_next_call(
    office: Office, file: Path
) -> None:
    async def work(desk: DecisionService) -> None:
        assert said(await desk.decide(office.bash("ls"), HOST)) == READ
        file.write_text(json.dumps(FOLDERS))
        assert said(await desk.decide(office.bash("ls"), HOST)) == ASKED
        file.write_text(json.dumps(hook("PreToolUse")))
        assert said(await desk.decide(office.bash("ls"), HOST)) == REFUSED

    working(office, work)


def test_one_that_a_person_has_looked_at_stops_nothing_until_it_changes(office: Office) -> None:
    folder = mod(office.project / ".claude/skills/a")
    home, system = str(office.home), str(office.home / "etc")
    registry = office.home / "trust.json"
    [known] = to_look_at(str(office.project), home=home, agent=HOST)
    trust_folders(str(registry), {known.real: known.digest})
    office.host_checks = live_host_checks(home, system=system, trust_file=str(registry))

    async def work(desk: DecisionService) -> None:
        assert (await desk.hear(office.typed("go on"), HOST)).refusal == ""
        assert said(await desk.decide(office.bash("ls"), HOST)) == READ
        (folder / "hooks/register.js").write_text("something else")
        assert said(await desk.decide(office.bash("ls"), HOST)) == REFUSED
        assert (await desk.hear(office.typed("please"), HOST)).refusal

    working(office, work)
