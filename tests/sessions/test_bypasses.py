"""Gate silent: calls that ran and never were proposed are told of, once; others never."""

import json
import logging
import shutil
from pathlib import Path

import pytest

from automode.agents.events import NO_FEEDBACK, CallFinished, SessionStarted, TurnEnded
from automode.config.trust import trust_folders
from automode.core.decision import Verdict
from automode.core.transcript import Fact, Outcome, PriorCall
from automode.facts.switches import to_look_at
from automode.sessions.host_checks import live_host_checks
from automode.sessions.live_session import Override
from automode.store.writer import Writer
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, decision, records, said

CLAUDE = "claude-code"
ALLOWED = ("allow", "read-only")


def turn(setup: Setup, *calls: str, session: str = "s") -> TurnEnded:
    return TurnEnded(setup.ref(session), "done", calls)


async def test_calls_of_a_turn_that_never_were_proposed_are_told_of_once(
    setup: Setup, caplog: pytest.LogCaptureFixture
) -> None:
    async with setup.open() as service:
        await service.decide(setup.bash("ls", call="c1"), HOST)
        with caplog.at_level(logging.WARNING):
            feedback = await service.hear(turn(setup, "c1", "c2", "c3"), HOST)
        again = await service.hear(turn(setup, "c1", "c2", "c3"), HOST)
        more = await service.hear(turn(setup, "c4"), HOST)

        assert "gate silent: 2 calls never reached automode" in feedback.notice
        assert "automode doctor" in feedback.notice
        assert again == NO_FEEDBACK
        assert "gate silent: 1 call never" in more.notice
        [notice] = service.status().notices
        assert notice.startswith(f"{KEY}: gate silent: 1 call never")

    assert "gate silent" in caplog.text


async def test_calls_of_sub_agents_and_of_before_a_restart_are_known(setup: Setup) -> None:
    async with setup.open() as service:
        await service.decide(setup.bash("ls", call="c1"), HOST)
        await service.decide(setup.bash("ls", call="c2", session="sub", parent="s"), HOST)
        assert await service.hear(turn(setup, "c1", "c2"), HOST) == NO_FEEDBACK
    async with setup.open() as service:
        assert await service.hear(turn(setup, "c1"), HOST) == NO_FEEDBACK


@pytest.mark.parametrize("call", ["c1", ""])
async def test_a_call_that_ran_unproposed_counts_the_same(setup: Setup, call: str) -> None:
    event = setup.bash("make", call=call)
    async with setup.open() as service:
        feedback = await service.hear(setup.ran(event), HOST)
        again = await service.hear(setup.ran(event), HOST)

        assert "gate silent" in feedback.notice
        assert again == NO_FEEDBACK
        assert any("gate silent: 1 call" in one for one in service.status().notices)
        if call:
            assert await service.hear(turn(setup, call), HOST) == NO_FEEDBACK


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR, Outcome.REJECTED, Outcome.DENIED])
async def test_a_call_that_was_proposed_or_never_ran_is_fine(
    setup: Setup, outcome: Outcome
) -> None:
    event = setup.bash("ls", call="c1")
    async with setup.open() as service:
        await service.decide(event, HOST)
        assert await service.hear(setup.ran(event, outcome), HOST) == NO_FEEDBACK
        if outcome in (Outcome.REJECTED, Outcome.DENIED):
            other = setup.ran(setup.bash("ls", call="c9"), outcome)
            assert await service.hear(other, HOST) == NO_FEEDBACK


@pytest.mark.parametrize("attended", [True, False])
async def test_a_call_that_nobody_proposed_ends_the_turn_and_all_others_are_asked(
    setup: Setup, attended: bool
) -> None:
    asked = ("ask" if attended else "deny", "gate.gate-silent")
    setup.settings = {"autoMode": {"escalation": {"consecutive": 20}}}
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref(attended=attended)), HOST)
        assert await setup.says("ls", call="c0") == ALLOWED
        feedback = await service.hear(setup.ran(setup.bash("make", call="c1")), HOST)

        assert "gate silent: 1 call never reached automode" in feedback.refusal
        for command in ("ls", "touch x"):
            assert await setup.says(command) == asked
        assert await setup.says("ls", session="sub", parent="s") == asked
        assert await setup.says("ls", session="other") == ALLOWED
        [record] = [one for one in await records(service) if one.tool == "automode"]
        assert (record.source, record.verdict) == ("gate.gate-silent", Verdict.ASK)
    async with setup.open() as service:
        assert await setup.says("ls") == asked
        await service.person.reset(KEY)
        assert await setup.says("ls") == ALLOWED


async def test_a_call_of_a_sub_agent_that_nobody_proposed_holds_above_it_too(setup: Setup) -> None:
    below = setup.bash("make", call="c1", session="sub", parent="s")
    async with setup.open() as service:
        await service.decide(setup.bash("ls", call="c0"), HOST)
        assert (await service.hear(setup.ran(below), HOST)).refusal
        assert await setup.says("ls") == ("ask", "gate.gate-silent")


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR, Outcome.DENIED])
async def test_a_denied_call_that_ran_all_the_same_is_told_of(
    setup: Setup, outcome: Outcome
) -> None:
    event = setup.bash("rm -rf /", call="c1")
    ran = outcome is Outcome.OK
    async with setup.open() as service:
        assert decision(await service.decide(event, HOST)).verdict is Verdict.DENY
        feedback = await service.hear(setup.ran(event, outcome), HOST)

        assert ("a denied call ran" in feedback.refusal) is ran
        assert ("a call ran that automode denied" in feedback.notice) is ran
        after = await setup.says("ls")
        assert after == (("ask", "gate.gate-silent") if ran else ALLOWED)


async def test_in_shadow_mode_it_is_only_told(setup: Setup) -> None:
    setup.settings = {"autoMode": {"mode": "shadow"}}
    async with setup.open() as service:
        feedback = await service.hear(setup.ran(setup.bash("make", call="c1")), HOST)

        assert "gate silent" in feedback.notice
        assert feedback.refusal == ""


async def test_a_call_of_that_id_in_another_session_hides_nothing(setup: Setup) -> None:
    async with setup.open() as service:
        await service.decide(setup.bash("ls", call="c1", session="other"), HOST)
        await service.decide(setup.bash("ls", call="c2", session="deep", parent="sub"), HOST)
        await service.decide(setup.bash("ls", call="c3", session="sub", parent="s"), HOST)
        feedback = await service.hear(turn(setup, "c1", "c2", "c3"), HOST)

        assert "gate silent: 1 call never" in feedback.notice


async def test_while_auto_mode_is_off_nothing_is_missed(setup: Setup) -> None:
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref()), HOST)
        await service.person.set_mode(KEY, Override.OFF)
        assert await service.hear(turn(setup, "c1"), HOST) == NO_FEEDBACK
        assert await service.hear(setup.ran(setup.bash("ls", call="c2")), HOST) == NO_FEEDBACK


async def test_a_call_that_a_hook_decided_alone_was_not_silent(setup: Setup) -> None:
    event = setup.bash("ls", call="c1")
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref()), HOST)
        writer = service.store
        assert isinstance(writer, Writer)
        alone = setup.service(writer)
        assert decision(await alone.decide(event, HOST)).verdict is Verdict.ALLOW

        assert await service.hear(setup.ran(event), HOST) == NO_FEEDBACK
        assert await service.hear(turn(setup, "c1"), HOST) == NO_FEEDBACK
        # Nor is it forgotten, or written over.
        live = setup.live()
        known = (PriorCall("bash", {"command": "ls"}, Outcome.OK),)
        assert live.recorder.transcript.entries == known
    async with setup.open() as service:
        await service.hear(turn(setup, "c1"), HOST)
        live = setup.live()
        assert len(live.recorder.transcript.entries) == 1


def record(folder: Path, *calls: str) -> str:
    """As Claude Code keeps it: a prompt, and calls with their results."""
    path = folder / "projects" / "p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    rows: list[dict[str, object]] = [{"type": "user", "message": {"content": "go on"}}]
    for call in calls:
        used = {"type": "tool_use", "id": call, "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": call, "content": "x"}
        rows.append({"type": "assistant", "message": {"content": [used]}})
        rows.append({"type": "user", "message": {"content": [result]}})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    path.chmod(0o600)
    return str(path)


@pytest.mark.parametrize(("calls", "missed"), [((), 0), (("c1",), 0), (("c1", "c2", "c3"), 2)])
async def test_the_record_of_claude_code_tells_where_its_hooks_do_not(
    setup: Setup, calls: tuple[str, ...], missed: int
) -> None:
    ended = TurnEnded(setup.ref(record=record(setup.home, *calls)), "done")
    async with setup.open() as service:
        await service.decide(setup.bash("ls", call="c1"), CLAUDE)
        feedback = await service.hear(ended, CLAUDE)

        told = f"{missed} calls never reached"
        assert (told in feedback.notice) if missed else (feedback == NO_FEEDBACK)


QUESTION: dict[str, object] = {"questions": [{"question": "Which?"}]}


def finished(
    setup: Setup, given: dict[str, object], outcome: Outcome = Outcome.OK, **more: object
) -> CallFinished:
    proposed = setup.bash("make it", call="c1")
    return setup.ran(proposed, outcome, input=given, **more)


CHANGED: dict[str, tuple[dict[str, object], Outcome, bool, bool]] = {
    # what has run, how it ended, whether a call was proposed → whether it is told
    "the very call": ({"command": "make it"}, Outcome.OK, True, False),
    "another command": ({"command": "make that"}, Outcome.OK, True, True),
    "another command that failed": ({"command": "make that"}, Outcome.ERROR, True, True),
    "one more field": ({"command": "make it", "timeout": 5}, Outcome.OK, True, True),
    "one that did not run": ({"command": "make that"}, Outcome.REJECTED, True, False),
    "one that was never proposed": ({"command": "make that"}, Outcome.OK, False, False),
}


@pytest.mark.parametrize("name", CHANGED)
async def test_a_call_that_is_not_the_one_that_was_decided_is_told(setup: Setup, name: str) -> None:
    given, outcome, proposed, told = CHANGED[name]
    setup.layers = [Judging()]
    async with setup.open() as service:
        if proposed:
            await service.decide(setup.bash("make it", call="c1"), HOST)
        feedback = await service.hear(finished(setup, given, outcome), HOST)

        assert ("changed after automode decided it" in feedback.notice) is told
        assert any("changed after" in one for one in service.status().notices) is told


async def test_the_classifier_is_told_and_sees_what_really_ran(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    (setup.project / "x").parent.mkdir(parents=True, exist_ok=True)
    async with setup.open() as service:
        await service.decide(setup.bash("make it", call="c1"), HOST)
        await service.hear(finished(setup, {"command": "echo > ./written.sh"}), HOST)
    async with setup.open() as service:
        await service.decide(setup.bash("make more"), HOST)
        entries = judge.seen[-1].transcript.entries

        assert [one.name for one in entries if isinstance(one, Fact)] == ["changed-call"]
        ran = [one.input for one in entries if isinstance(one, PriorCall)]
        assert ran == [{"command": "make it"}, {"command": "echo > ./written.sh"}]
        written = judge.seen[-1].written_around
        assert written is not None
        assert any(path.endswith("/written.sh") for path in written)


async def test_what_the_agent_fills_in_by_itself_is_no_change(setup: Setup) -> None:
    setup.layers = [Judging()]
    proposed = setup.bash("", call="q1")
    asked = CallFinished(proposed.ref, "q1", "AskUserQuestion", QUESTION, Outcome.OK)
    answered = {**QUESTION, "answers": {"Which?": "that"}, "annotations": {}}
    async with setup.open() as service:
        for added, told in ((("answers", "annotations"), False), ((), True)):
            call = setup.bash("", call="q1")
            await service.decide(type(call)(call.ref, "AskUserQuestion", QUESTION, "q1"), HOST)
            done = CallFinished(asked.ref, "q1", asked.tool, answered, Outcome.OK, added=added)
            feedback = await service.hear(done, HOST)
            assert ("changed after" in feedback.notice) is told


AGENT = "claude-code"
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
async def test_every_prompt_and_every_call_is_refused_while_it_stands(
    setup: Setup, file: Path, name: str, attended: bool
) -> None:
    content, with_person, alone = PROJECTS[name]
    verdict = with_person if attended else alone
    refused = verdict == REFUSED
    file.write_text(json.dumps(content))
    prompt = setup.typed("go on", attended=attended)
    async with setup.open() as service:
        began = await service.hear(SessionStarted(setup.ref(attended=attended)), AGENT)
        assert bool(began.refusal) is refused
        told = verdict == ASKED or (name == "hooks off" and attended)
        assert bool(began.notice) is told
        for text in ("go on", "please"):
            heard = await service.hear(setup.typed(text, attended=attended), AGENT)
            assert (str(file) in heard.refusal) is refused
            assert heard.notice == ""
        assert await setup.says("ls", host=AGENT) == verdict
        assert any(str(file) in one for one in service.status().notices) is (told or refused)
        file.unlink()
        assert await service.hear(prompt, AGENT) == NO_FEEDBACK
        assert service.status().notices == ()
        assert await setup.says("ls", host=AGENT) == READ


async def test_what_is_denied_stays_denied_where_calls_are_asked_about(
    setup: Setup, file: Path
) -> None:
    file.write_text(json.dumps(FOLDERS))
    async with setup.open() as service:
        verdict, source = await setup.says("rm -rf ~", host=AGENT)
        assert verdict == "deny"
        assert source.startswith("floor.")
        ruling = await service.decide(setup.bash("ls"), AGENT)
        assert ruling.decision is not None
        for part in (str(file), "permissions.additionalDirectories", "automode trust --project"):
            assert part in f"{ruling.decision.reason} {ruling.decision.remedy}"


async def test_a_session_whose_beginning_was_never_heard_is_looked_at_with_its_first_call(
    setup: Setup, file: Path
) -> None:
    file.write_text(json.dumps(PROJECTS["another program"][0]))
    async with setup.open() as service:
        ruling = await service.decide(setup.bash("ls"), AGENT)
        assert said(ruling) == REFUSED
        assert ruling.decision is not None
        assert "CLAUDE_CODE_SHELL_PREFIX" in ruling.decision.reason
        assert await setup.says("ls", session="s/sub", parent="s", host=AGENT) == REFUSED
        file.unlink()
        assert await setup.says("ls", host=AGENT) == READ


async def test_what_comes_in_the_middle_of_a_session_is_told_with_the_next_prompt_once(
    setup: Setup, file: Path
) -> None:
    async with setup.open() as service:
        assert await service.hear(SessionStarted(setup.ref()), AGENT) == NO_FEEDBACK
        assert await service.hear(setup.typed("go on"), AGENT) == NO_FEEDBACK
        file.write_text(json.dumps({"disableAllHooks": True}))
        assert str(file) in (await service.hear(setup.typed("and on"), AGENT)).notice
        assert await service.hear(setup.typed("and again"), AGENT) == NO_FEEDBACK
        file.write_text(json.dumps(PROJECTS["a proxy"][0]))
        for text in ("still there?", "and now?"):
            assert str(file) in (await service.hear(setup.typed(text), AGENT)).refusal


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
async def test_a_plug_in_that_answers_before_the_gate_stops_a_session_until_it_is_gone(
    setup: Setup, attended: bool
) -> None:
    folder = mod(setup.project / ".claude/skills/a")
    async with setup.open() as service:
        began = await service.hear(SessionStarted(setup.ref(attended=attended)), AGENT)
        heard = await service.hear(setup.typed("go on", attended=attended), AGENT)
        assert str(folder) in began.refusal
        assert "automode trust --project" in heard.refusal
        assert await setup.says("ls", host=AGENT) == REFUSED
        shutil.rmtree(folder)
        assert await setup.says("ls", host=AGENT) == READ


async def test_settings_that_come_while_a_session_runs_count_with_the_next_call(
    setup: Setup, file: Path
) -> None:
    async with setup.open():
        assert await setup.says("ls", host=AGENT) == READ
        file.write_text(json.dumps(FOLDERS))
        assert await setup.says("ls", host=AGENT) == ASKED
        file.write_text(json.dumps(hook("PreToolUse")))
        assert await setup.says("ls", host=AGENT) == REFUSED


async def test_one_that_a_person_has_looked_at_stops_nothing_until_it_changes(
    setup: Setup,
) -> None:
    folder = mod(setup.project / ".claude/skills/a")
    home, system = str(setup.home), str(setup.home / "etc")
    registry = setup.home / "trust.json"
    [known] = to_look_at(str(setup.project), home=home, agent=AGENT)
    trust_folders(str(registry), {known.real: known.digest})
    setup.host_checks = live_host_checks(home, system=system, trust_file=str(registry))
    async with setup.open() as service:
        assert (await service.hear(setup.typed("go on"), AGENT)).refusal == ""
        assert await setup.says("ls", host=AGENT) == READ
        (folder / "hooks/register.js").write_text("something else")
        assert await setup.says("ls", host=AGENT) == REFUSED
        assert (await service.hear(setup.typed("please"), AGENT)).refusal
