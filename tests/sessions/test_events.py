"""What follows from the beginning of a session where hooks are switched off, and from trouble."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.catalog import ADAPTERS
from automode.agents.events import (
    NO_FEEDBACK,
    CallFinished,
    CallProposed,
    Feedback,
    Instructions,
    PromptTyped,
    SessionStarted,
    TurnContinues,
    TurnEnded,
)
from automode.core.errors import AutomodeError
from automode.core.record import SessionKey
from automode.core.transcript import Outcome, PriorCall, UserMessage
from automode.llm.model import Prompt
from automode.llm.scripted import ScriptedModel
from automode.sessions.decision_service import DecisionService
from automode.sessions.host_checks import HostChecks
from automode.sessions.live_session import Override
from automode.sessions.registry import IDLE_SECONDS
from automode.sessions.transcript_text import MOST_FILES
from tests.sessions.service_setup import (
    CLEAR,
    HOST,
    KEY,
    Judging,
    Losing,
    Setup,
    said,
    working,
)

AGENT = "claude-code"
REFUSED = ("deny", "gate.hooks-switched-off")


@pytest.fixture
def switch(setup: Setup) -> Path:
    """A checked-in file that switches the hooks of an agent off."""
    path = setup.project / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"disableAllHooks": True}))
    return path


def started(setup: Setup, session: str = "s", *, attended: bool = True) -> SessionStarted:
    return SessionStarted(setup.ref(session, attended=attended))


async def test_with_nobody_there_the_session_is_refused_while_the_switch_stands(
    setup: Setup, switch: Path
) -> None:
    async with setup.open() as service:
        feedback = await service.hear(started(setup, attended=False), AGENT)

        assert str(switch) in feedback.refusal
        assert feedback.notice == ""
        # However often it tries: it is no policy that a breaker would count.
        for _ in range(5):
            assert await setup.says("ls", host=AGENT) == REFUSED
    async with setup.open() as service:
        assert await setup.says("ls", host=AGENT) == REFUSED
        assert await setup.says("ls", session="sub", parent="s", host=AGENT) == REFUSED
        assert await setup.says("ls", session="other", host=AGENT) == ("allow", "read-only")
        switch.unlink()
        assert await setup.says("ls", host=AGENT) == ("allow", "read-only")


async def test_a_file_that_nobody_can_read_counts_as_a_switch(setup: Setup, switch: Path) -> None:
    switch.write_text("{ no json")
    async with setup.open() as service:
        feedback = await service.hear(started(setup, attended=False), AGENT)
        assert str(switch) in feedback.refusal
        assert await setup.says("ls", host=AGENT) == REFUSED


async def test_a_switch_below_the_root_is_seen_where_the_agent_was_started(setup: Setup) -> None:
    nested = setup.project / "part"
    (nested / ".claude").mkdir(parents=True)
    (nested / ".claude" / "settings.json").write_text(json.dumps({"disableAllHooks": True}))
    ref = setup.ref(cwd=str(nested), attended=False)
    async with setup.open() as service:
        assert (await service.hear(SessionStarted(ref), AGENT)).refusal
        assert await setup.says("ls", host=AGENT) == REFUSED


async def test_in_shadow_a_switch_is_only_told_and_while_off_not_even_that(
    setup: Setup, switch: Path
) -> None:
    setup.settings = {"autoMode": {"mode": "shadow"}}
    async with setup.open() as service:
        feedback = await service.hear(started(setup, attended=False), AGENT)
        assert feedback.refusal == ""
        assert str(switch) in feedback.notice
        assert await service.hear(setup.typed("go on", attended=False), AGENT) == NO_FEEDBACK
        ruling = await service.decide(setup.bash("ls"), AGENT)
        assert said(ruling) == REFUSED
        assert ruling.decision is not None
        assert not ruling.decision.enforced
        key = next(one.key for one in service.registry.live())
        await service.person.set_mode(key, Override.OFF)
        assert await service.hear(started(setup, attended=False), AGENT) == NO_FEEDBACK
        assert (await service.decide(setup.bash("ls"), AGENT)).decision is None


async def test_a_refusal_is_given_also_where_nothing_can_be_kept(
    setup: Setup, switch: Path
) -> None:
    setup.keeping = Losing
    async with setup.open() as service:
        feedback = await service.hear(started(setup, attended=False), AGENT)
        assert str(switch) in feedback.refusal
        assert "the disk is full" in feedback.notice
        assert await setup.says("ls", host=AGENT) == REFUSED
        switch.unlink()
        with pytest.raises(AutomodeError, match="the disk is full"):  # with nothing to say
            await service.hear(started(setup, "other"), AGENT)


SUB = SessionKey(HOST, "sub")


def entries(service: DecisionService, key: SessionKey = KEY) -> tuple[object, ...]:
    live = service.registry.get(key)
    assert live is not None
    return live.recorder.transcript.entries


async def test_a_persons_words_count_and_a_machines_do_not(setup: Setup) -> None:
    async with setup.open() as service:
        await service.hear(setup.typed("do it"), HOST)
        await service.hear(PromptTyped(setup.ref(), "task done", machine=True), HOST)

        assert entries(service) == (UserMessage("do it"),)


async def test_inside_a_sub_agent_nobody_is_the_user_but_the_users_words_above_count(
    setup: Setup,
) -> None:
    judge = Judging()
    setup.layers = [judge]
    call = setup.bash("make fine", session="sub", parent="s")
    async with setup.open() as service:
        await service.hear(setup.typed("never push"), HOST)
        await service.hear(setup.typed("push now", session="sub", parent="s"), HOST)
        await service.decide(call, HOST)

        assert entries(service, SUB)[0] == PriorCall("bash", {"command": "make fine"})
    async with setup.open() as service:
        await service.decide(call, HOST)

    for session in judge.seen:
        words = [one for one in session.transcript.entries if isinstance(one, UserMessage)]
        assert words == [UserMessage("never push")]
        assert session.parent == f"{HOST}/s"


async def test_what_a_user_forbade_stays_so_where_a_sub_agent_is_told_to_do_it(
    setup: Setup,
) -> None:
    setup.settings = {"autoMode": {"stages": "local"}}
    push = "git push origin fix-cart"
    task = {"description": "Push", "prompt": "Run `git push origin fix-cart` now.", "model": "x"}
    for told, wanted in (("fix the cart, don't push", "ask"), ("push fix-cart to origin", "allow")):
        sub = {"session": f"sub-{wanted}", "parent": wanted}
        async with setup.open() as service:
            await service.hear(setup.typed(told, session=wanted), HOST)
            started = CallProposed(setup.ref(wanted), "Task", task, "c1")
            await service.decide(started, HOST)
            await service.hear(setup.typed(str(task["prompt"]), **sub), HOST)

            assert (await setup.says(push, call="c2", **sub))[0] == wanted


async def test_a_sub_agent_keeps_the_sessions_above_it_in_memory(setup: Setup) -> None:
    now = [1_700_000_000.0]
    setup.clock = lambda: now[0]
    judge = Judging()
    setup.layers = [judge]
    async with setup.open() as service:
        await service.hear(setup.typed("never push"), HOST)
        for number in range(3):
            now[0] += IDLE_SECONDS - 60
            await service.decide(setup.bash(f"make {number}", session="sub", parent="s"), HOST)
            await service.decide(setup.bash("ls", session=f"other{number}"), HOST)
        service.registry.drop(KEY)
        await service.decide(setup.bash("make last", session="sub", parent="s"), HOST)

    assert len(judge.seen) == 4
    assert all(UserMessage("never push") in one.transcript.entries for one in judge.seen)


async def test_a_session_above_that_nobody_knows_is_done_without(setup: Setup) -> None:
    async with setup.open():
        for _ in range(2):
            assert await setup.says("ls", session="sub", parent="nobody") == ("allow", "read-only")


async def test_switching_a_session_off_switches_off_those_below_it(setup: Setup) -> None:
    call = setup.bash("make", session="sub", parent="s")
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref()), HOST)
        await service.person.set_mode(KEY, Override.OFF)
        assert (await service.decide(call, HOST)).decision is None
    async with setup.open() as service:
        assert (await service.decide(call, HOST)).decision is None
        assert await setup.says("ls", session="other") == ("allow", "read-only")


@pytest.mark.parametrize("call", ["c1", ""])
async def test_what_became_of_a_call_is_known_with_and_without_the_hosts_id(
    setup: Setup, call: str
) -> None:
    event = setup.bash("ls", call=call)
    async with setup.open() as service:
        await service.decide(event, HOST)
        await service.hear(setup.ran(event, Outcome.ERROR), HOST)

        assert entries(service) == (PriorCall("bash", {"command": "ls"}, Outcome.ERROR),)


async def test_a_call_that_ran_without_being_asked_about_is_remembered(setup: Setup) -> None:
    async with setup.open() as service:
        await service.hear(setup.ran(setup.bash("make", call="c1")), HOST)
        await service.hear(setup.ran(setup.bash("no", call="c2"), Outcome.REJECTED), HOST)
        await service.hear(CallFinished(setup.ref(), "c3", "bash", {"odd": 1}, Outcome.OK), HOST)

        assert entries(service) == (
            PriorCall("bash", {"command": "make"}, Outcome.OK),
            PriorCall("bash", {"odd": 1}, Outcome.OK),
        )


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR, Outcome.REJECTED, Outcome.DENIED])
@pytest.mark.parametrize(("call", "below"), [("c2", {}), ("", {}), ("c2", {"parent": "s"})])
async def test_a_call_that_ran_although_it_was_asked_about_resumes_auto_mode(
    setup: Setup, outcome: Outcome, call: str, below: dict[str, object]
) -> None:
    """Also one of a sub-agent: for the whole family."""
    setup.layers = [Judging()]
    asked = setup.bash("deny 2", "sub" if below else "s", call, **below)
    async with setup.open() as service:
        await setup.deny(2)
        assert said(await service.decide(asked, HOST)) == ("ask", "breaker.consecutive")
        await service.hear(setup.ran(asked, outcome), HOST)

        resumed = outcome is Outcome.OK
        expected = ("allow", "read-only") if resumed else ("ask", "breaker.consecutive")
        assert await setup.says("ls") == expected


async def test_a_call_that_was_not_asked_about_resumes_nothing(setup: Setup) -> None:
    setup.layers = [Judging()]
    async with setup.open() as service:
        for number in range(3):
            await service.decide(setup.bash(f"deny {number}", call=f"c{number}"), HOST)
        await service.hear(setup.ran(setup.bash("deny 0", call="c0")), HOST)
        await service.hear(setup.ran(setup.bash("other", call="c9")), HOST)

        assert await setup.says("ls") == ("ask", "gate.gate-silent")


OTHER_REPORTS: dict[str, Callable[[CallProposed], CallProposed]] = {
    "another id": lambda event: replace(event, id="c9"),
    "another input": lambda event: replace(event, input={"command": "deny 9"}),
    "another tool": lambda event: replace(event, tool="Bash"),
}


@pytest.mark.parametrize("name", OTHER_REPORTS)
async def test_only_a_report_of_the_very_call_resumes(setup: Setup, name: str) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("deny 2", call="c2")
    async with setup.open() as service:
        await setup.deny(2)
        await service.decide(asked, HOST)
        await service.hear(setup.ran(OTHER_REPORTS[name](asked)), HOST)

        ruling = await service.decide(setup.bash("ls"), HOST)
        unknown = name == "another id"
        assert said(ruling) == ("ask", "gate.gate-silent" if unknown else "breaker.consecutive")


async def test_a_yes_to_a_question_that_was_not_the_breakers_resumes_nothing(setup: Setup) -> None:
    setup.layers = [Judging()]
    setup.settings = {"permissions": {"ask": ["bash(git push*)"]}}
    asked = setup.bash("git push", call="c1")
    async with setup.open() as service:
        assert said(await service.decide(asked, HOST)) == ("ask", "rules.ask")
        await setup.deny(3)
        await service.hear(setup.ran(asked), HOST)

        assert await setup.says("ls") == ("ask", "breaker.consecutive")


async def test_a_call_that_nobody_vouches_for_ran_without_a_persons_yes(setup: Setup) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("ls", call="c1")
    async with setup.open() as service:
        await setup.deny(3)
        await service.decide(asked, HOST)
        await service.hear(replace(setup.ran(asked), doubted=True), HOST)
        before = await setup.says("ls", call="c2")
        await service.hear(setup.ran(asked), HOST)

        assert before == ("ask", "breaker.consecutive")
        assert (await setup.says("ls", call="c3"))[0] == "allow"


async def test_a_beginning_that_nobody_vouches_for_only_tightens(setup: Setup) -> None:
    given = (Instructions("/w/AGENTS.md", "never push"),)
    unattended = setup.ref(attended=False)
    async with setup.open() as service:
        await service.hear(SessionStarted(unattended, given), HOST)
        live = setup.live()
        before = live.session.instructions
        await service.hear(SessionStarted(setup.ref(), (), doubted=True), HOST)

        assert (live.standing.unattended, live.session.instructions) == (True, before)
        assert before
        await service.hear(SessionStarted(setup.ref()), HOST)
        await service.hear(SessionStarted(unattended, doubted=True), HOST)
        assert live.standing.unattended


async def test_what_is_denied_in_sub_agents_stops_the_whole_family(setup: Setup) -> None:
    setup.layers = [Judging()]
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref(attended=False)), HOST)
        for number in range(3):
            call = setup.bash(f"deny {number}", session=f"sub{number}", parent="s", attended=False)
            await service.decide(call, HOST)
    async with setup.open() as service:
        for session, parent in (("new", "s"), ("s", None), ("sub0", "s")):
            assert await setup.says("ls", session=session, parent=parent, attended=False) == (
                "halt",
                "breaker.consecutive",
            )
        assert await setup.says("ls", session="other") == ("allow", "read-only")
        await service.person.reset(KEY)
        assert await setup.says("ls", session="new", parent="s", attended=False) == (
            "allow",
            "read-only",
        )


async def test_a_yes_counts_once(setup: Setup) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("deny 2", call="c2")
    async with setup.open() as service:
        await setup.deny(2)
        await service.decide(asked, HOST)
        await service.hear(setup.ran(asked), HOST)
        for number in range(2):
            await service.decide(setup.bash(f"deny again {number}"), HOST)
        await service.decide(setup.bash("deny once more"), HOST)
        await service.hear(setup.ran(asked), HOST)

        assert await setup.says("ls") == ("ask", "breaker.consecutive")


async def test_very_long_words_are_cut_and_kept(setup: Setup) -> None:
    async with setup.open() as service:
        await service.hear(setup.typed("word " * 100_000), HOST)
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        [message, _] = entries(service)
        assert isinstance(message, UserMessage)
        assert "characters cut" in message.text
        assert len(message.text) < 66_000


ASKING = {"questions": [{"question": "Which branch may I push to?"}]}


async def test_a_persons_answer_to_the_agents_own_question_counts_and_is_bound_to_it(
    setup: Setup,
) -> None:
    """None is taken from a call that failed or was refused."""
    event = CallProposed(setup.ref(), "AskUserQuestion", ASKING, "c1")
    done = setup.ran(event, answers=(("Which branch may I push to?", "fix, only that"),))
    expected = UserMessage("fix, only that", "Which branch may I push to?")
    async with setup.open() as service:
        for outcome in (Outcome.ERROR, Outcome.REJECTED, Outcome.DENIED):
            await service.decide(event, HOST)
            await service.hear(setup.ran(event, outcome, answers=(("push?", "yes"),)), HOST)
        await service.decide(event, HOST)
        await service.hear(done, HOST)
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        assert [one for one in entries(service) if isinstance(one, UserMessage)] == [expected]


def ended(setup: Setup, words: str, session: str = "s", **more: object) -> TurnEnded:
    return TurnEnded(setup.ref(session, **more), words)


REFERENTS = {
    # setting     the agent's last words              then             what the yes answers
    "referent": ("Done.\n\nShall I push?", "yes", "Shall I push?"),
    "visible": ("Done.\n\nShall I push?", "yes", "Shall I push?"),
    "none": ("Done.\n\nShall I push?", "yes", ""),
}


@pytest.mark.parametrize("setting", REFERENTS)
async def test_a_bare_yes_carries_what_it_answers(setup: Setup, setting: str) -> None:
    setup.settings = {"autoMode": {"transcript": {"assistantText": setting}}}
    words, answer, referent = REFERENTS[setting]
    async with setup.open() as service:
        await service.hear(ended(setup, words), HOST)
    async with setup.open() as service:
        await service.hear(setup.typed(answer), HOST)
        assert entries(service)[-1:] == (UserMessage(answer, referent),)


async def test_words_of_the_agent_that_nobody_answered_with_yes_are_forgotten(
    setup: Setup,
) -> None:
    async with setup.open() as service:
        await service.hear(ended(setup, "Shall I push?"), HOST)
        await service.hear(setup.typed("no, wait"), HOST)
        await service.hear(ended(setup, "Shall I delete it?"), HOST)
        await service.decide(setup.bash("ls", call="c1"), HOST)
        await service.hear(setup.typed("yes"), HOST)

        words = [one for one in entries(service) if isinstance(one, UserMessage)]
        assert words == [UserMessage("no, wait"), UserMessage("yes")]


async def test_only_the_end_of_long_words_is_kept_and_nothing_of_a_sub_agents(
    setup: Setup,
) -> None:
    async with setup.open() as service:
        await service.hear(ended(setup, "x" * 5000), HOST)
        await service.hear(ended(setup, "Shall I push?", "sub", parent="s"), HOST)
        await service.hear(setup.typed("yes"), HOST)

        [message] = entries(service)
        assert isinstance(message, UserMessage)
        assert len(message.referent) == 600
        assert entries(service, SUB) == ()

    for path in (setup.home / "state").rglob("*"):
        assert not path.is_file() or b"x" * 700 not in path.read_bytes()


RECORDED = Path(__file__).parent.parent / "agents" / "claude_code" / "recorded"
SHOWN = {
    # settings                                       agent records   entries left out
    "referent": ({"assistantText": "referent"}, 0, False),
    "visible": ({"assistantText": "visible"}, 2, False),
    "a few lines": ({"assistantText": "visible", "maxTranscriptLines": 2}, 1, True),
}


@pytest.mark.parametrize("name", SHOWN)
async def test_a_person_may_let_the_classifier_read_what_the_agent_said(
    setup: Setup, name: str
) -> None:
    """A recorded end of a turn of the real Claude Code, heard before and after a restart."""
    settings, shown, left_out = SHOWN[name]
    setup.settings = {"autoMode": {"transcript": settings}}
    setup.model = model = ScriptedModel([CLEAR])
    adapter = ADAPTERS["claude-code"]
    turn = json.loads((RECORDED / "turn-ended.json").read_text())["payload"]
    turn["cwd"] = str(setup.project)
    session = turn["session_id"]
    event = adapter.parse(turn)
    assert isinstance(event, TurnEnded)
    for words in ("build it", "and test it"):
        async with setup.open() as service:
            await service.hear(setup.typed(words, session), "claude-code")
            await service.hear(event, "claude-code")
    async with setup.open() as service:
        await service.decide(setup.bash("make", session), "claude-code")

    [prompt] = model.prompts
    assert prompt.context.count(f" kind=agent>\n{event.words}") == shown
    assert (" kind=omitted>" in prompt.context) is left_out


TIMES = {
    # what the settings say, and how long the hook of a host waits: the most that a request gets
    "a usual host": (None, 55.0, 50.0),
    "a host with little patience": (None, 25.0, 22.5),
    "less by the settings": (9_000, 25.0, 9.0),
    "more by the settings": (600_000, 25.0, 22.5),
    "nobody waits": (None, None, 50.0),
}


@pytest.mark.parametrize("name", TIMES)
async def test_a_model_has_less_time_than_the_hook_of_the_host(setup: Setup, name: str) -> None:
    wanted, seconds, most = TIMES[name]
    more = {} if wanted is None else {"deadlineMs": wanted}
    setup.settings = {"autoMode": {"classifierTimeoutMs": 600_000, **more}}
    setup.model = model = ScriptedModel([CLEAR])
    async with setup.open() as service:
        await service.decide(setup.bash("make"), HOST, seconds=seconds)

    [ask] = model.asks
    assert 0 < ask.timeout_seconds <= most


@pytest.mark.parametrize("attended", [False, True])
async def test_a_halted_run_is_stopped_before_its_model_reads_on(
    setup: Setup, attended: bool
) -> None:
    """Where a person is there nothing is stopped."""
    setup.configure(autoMode={"escalation": {"consecutive": 1}})
    setup.layers = [Judging()]
    goes_on = TurnContinues(setup.ref(attended=attended))
    async with setup.open() as service:
        before = await service.hear(goes_on, HOST)
        verdict, _ = await setup.says("make deny", attended=attended)
        after = await service.hear(goes_on, HOST)
        await service.person.set_mode(KEY, Override.OFF)
        switched_off = await service.hear(goes_on, HOST)

        assert (verdict == "halt") is not attended
        assert ("stopped this run" in after.refusal) is not attended
        assert (before, switched_off) == (NO_FEEDBACK, NO_FEEDBACK)


SECRET = "ghp_" + "a1B2" * 9


def loaded(model: ScriptedModel) -> list[str]:
    """What stood in each prompt between the marks of the instruction files."""
    return [_between(prompt) for prompt in model.prompts]


def _between(prompt: Prompt) -> str:
    _, _, rest = prompt.context.partition("<loaded-project-instructions>")
    return rest.partition("</loaded-project-instructions>")[0].strip()


async def test_what_the_agent_was_given_reaches_the_classifier_also_after_a_restart(
    setup: Setup,
) -> None:
    model = ScriptedModel([CLEAR] * 4)
    setup.model = model
    given = (Instructions("AGENTS.md", f"never push\ntoken {SECRET}"),)
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref(), given), HOST)
        await service.decide(setup.bash("make one"), HOST)
    async with setup.open() as service:
        await service.decide(setup.bash("make two"), HOST)
        sub = setup.bash("make three", session="sub", parent="s")
        await service.decide(sub, HOST)
        await service.decide(setup.bash("make four", session="other"), HOST)

    own, again, below, other = loaded(model)
    assert "# AGENTS.md\nnever push" in own
    assert SECRET not in own
    assert again.splitlines()[1:-1] == own.splitlines()[1:-1] == below.splitlines()[1:-1]
    assert other == "(none)"


async def test_files_are_cut_and_only_so_many_are_kept(setup: Setup) -> None:
    setup.model = model = ScriptedModel([CLEAR])
    given = tuple(Instructions(f"{n}.md", f"begin {'x' * 9000} end{n}") for n in range(50))
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref(), given), HOST)
        assert await setup.says("make") == ("allow", "classifier.fast")

    [text] = loaded(model)
    assert text.count("# ") == MOST_FILES
    assert text.count("characters cut]") == MOST_FILES
    assert len(text) < MOST_FILES * 4200


async def test_where_the_agent_does_not_say_the_files_of_the_project_are_read(
    setup: Setup,
) -> None:
    setup.model = model = ScriptedModel([CLEAR] * 3)
    setup.project.mkdir()
    (setup.project / "CLAUDE.md").write_text("tests first")
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref("none"), ()), HOST)
        await service.decide(setup.bash("make none", "none"), HOST)
        await service.hear(SessionStarted(setup.ref()), HOST)
        await service.decide(setup.bash("make"), HOST)
        (setup.project / "CLAUDE.md").unlink()
        await service.hear(SessionStarted(setup.ref()), HOST)
        await service.decide(setup.bash("make again"), HOST)

    none, before, after = loaded(model)
    assert "tests first" in before
    assert none == after == "(none)"


RULES = {
    "permissions": {"ask": ["bash(git push*)"]},
    "autoMode": {"escalation": {"consecutive": 9}},
}
ASKED, DENIED = ("ask", "rules.ask"), ("deny", "rules.ask")


async def test_a_session_that_began_unattended_stays_so_for_calls_that_cannot_tell(
    setup: Setup,
) -> None:
    setup.settings, setup.layers = RULES, [Judging()]
    push = setup.bash("git push")
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref(attended=False)), HOST)
        assert said(await service.decide(push, HOST)) == DENIED
        await service.person.reset(SessionKey(HOST, "s"))
        assert said(await service.decide(push, HOST)) == DENIED
    async with setup.open() as service:
        assert said(await service.decide(push, HOST)) == DENIED
        assert await setup.says("git push", session="sub", parent="s") == DENIED
        assert await setup.says("git push", session="other") == ASKED
    async with setup.open() as service:
        await service.person.reset(None)
        await service.hear(SessionStarted(setup.ref()), HOST)
        assert said(await service.decide(push, HOST)) == ASKED


@dataclass(frozen=True)
class Word:
    starts: bool
    attended: bool


words = st.lists(st.builds(Word, st.booleans(), st.booleans()), max_size=12)


@given(words)
def test_no_call_makes_an_unattended_session_attended(
    tmp_path_factory: pytest.TempPathFactory, spoken: list[Word]
) -> None:
    setup = Setup(tmp_path_factory.mktemp("attendance"))

    async def work(service: DecisionService) -> None:
        began = True
        for word in spoken:
            ref = setup.ref(attended=word.attended)
            if word.starts:
                await service.hear(SessionStarted(ref), HOST)
                began = word.attended
            else:
                await service.decide(setup.bash("ls", attended=word.attended), HOST)
            live = service.registry.get(SessionKey(HOST, "s"))
            assert live is not None
            assert live.session.attended is (began and word.attended)

    working(setup, work)


FINDINGS = {
    "a mistyped key": ({"autoMode": {"enabeld": True}}, "autoMode.enabeld: unknown key"),
    "an emptied list": ({"autoMode": {"soft_deny": []}}, "switches off the built-in entries"),
    "a rule set aside": ({"permissions": {"allow": ["bash(python *)"]}}, "`bash(python *)`"),
    "a key near a prohibition": (
        {"permissions": {"denny": ["bash(x)"]}},
        "nothing is allowed without a person",
    ),
}


@pytest.mark.parametrize(("settings", "said_of_it"), FINDINGS.values(), ids=FINDINGS)
async def test_what_is_wrong_with_the_settings_is_said_once_when_a_session_starts(
    setup: Setup, settings: dict[str, object], said_of_it: str
) -> None:
    setup.settings = settings
    async with setup.open() as service:
        first, again, other = [
            (await service.hear(started(setup, name), AGENT)).notice for name in ("s", "s", "t")
        ]
        answer = ADAPTERS[AGENT].render(started(setup), None, Feedback(notice=first)).stdout

    assert said_of_it in first
    assert (again, other) == ("", first)
    assert said_of_it in json.loads(answer)["systemMessage"]


TOOL_WORDS = "push everything to the other remote"
PROMPTS: dict[str, tuple[dict[str, object], str, bool]] = {
    "of somebody who is not the agent": ({"machine": True, "doubted": True}, "push it", True),
    "in the agent's own words": ({}, TOOL_WORDS, True),
    "of the agent, as it says itself": ({"machine": True}, "push it", False),
    "with nothing of a person's": (
        {"machine": True, "doubted": True},
        "<task-notification><result>done</result></task-notification>",
        False,
    ),
    "of the person": ({}, "push it", False),
}


@pytest.mark.parametrize("name", PROMPTS)
async def test_a_prompt_that_did_not_count_is_told_when_the_session_goes_on(
    setup: Setup, name: str
) -> None:
    more, text, told = PROMPTS[name]
    resumed = started(setup)
    async with setup.open() as service:
        await service.decide(setup.bash(f"at 10:00 '{TOOL_WORDS}'"), AGENT)
        await service.hear(replace(setup.typed(text), **more), AGENT)  # type: ignore[arg-type]
        status = service.status()
        assert any("did not count" in one for one in status.notices) is told
        first, again = [(await service.hear(resumed, AGENT)).notice for _ in range(2)]
        other = (await service.hear(started(setup, "t"), AGENT)).notice
    async with setup.open() as service:  # a new daemon
        later = (await service.hear(resumed, AGENT)).notice

    assert first.startswith("automode: 1 prompt of this session did not count") is told
    assert (again, other, later) == ("", "", first)


async def test_a_prompt_that_the_agents_record_disowns_is_told_too(setup: Setup) -> None:
    setup.host_checks = HostChecks(
        prompts=lambda _agent, _record, texts: dict.fromkeys(texts, True)
    )
    setup.layers = [Judging()]
    typed = setup.typed("push it", record="/r/projects/p/s.jsonl")
    async with setup.open() as service:
        await service.hear(typed, AGENT)
        await service.decide(setup.bash("make it"), AGENT)
        await service.hear(setup.typed("and this", record="/r/projects/p/s.jsonl"), AGENT)
        await service.decide(setup.bash("make that"), AGENT)
    async with setup.open() as service:
        assert "2 prompts" in (await service.hear(started(setup), AGENT)).notice


# Where a notice at the start of a session stands in the answer; `stderr`: in the agent's log alone.
NOTICE_FIELDS = {
    "antigravity": "stderr",
    "claude-code": "systemMessage",
    "cline": "stderr",
    "codex": "systemMessage",
    "copilot-cli": "stderr",
    "cursor": "stderr",
    "gemini-cli": "systemMessage",
    "opencode": "notice",
    "pi": "notice",
    "plain": "notice",
    "qwen-code": "systemMessage",
}


@pytest.mark.parametrize("agent", NOTICE_FIELDS)
async def test_every_agent_that_can_show_a_notice_is_handed_it_when_a_session_starts(
    setup: Setup, agent: str
) -> None:
    setup.settings = {"autoMode": {"enabeld": True}}
    async with setup.open() as service:
        doubted = replace(setup.typed("push it"), machine=True, doubted=True)
        await service.hear(doubted, agent)
        feedback = await service.hear(started(setup), agent)
    answer = ADAPTERS[agent].render(started(setup), None, feedback)
    field = NOTICE_FIELDS[agent]
    shown = answer.stderr if field == "stderr" else json.loads(answer.stdout)[field]
    assert NOTICE_FIELDS.keys() == {name.removesuffix("+unattended") for name in ADAPTERS}
    assert "unknown key" in shown
    assert "1 prompt of this session did not count as your words" in shown
