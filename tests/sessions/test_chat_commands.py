"""What a person types to automode inside an agent: done for a person, and for nobody else."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import (
    CallProposed,
    HostEvent,
    PermissionSought,
    PersonSaid,
    SessionStarted,
    TurnEnded,
)
from automode.core.record import SessionKey
from automode.core.transcript import UserMessage
from automode.sessions.chat_commands import (
    CODE_SECONDS,
    DIGITS,
    LOCKED_SECONDS,
    draw_code,
)
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.service_setup import Judging, Losing, Setup, records, said, working

HOST = "claude-code"
KEY = SessionKey(HOST, "s")


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        self.now += 3.0  # nobody types faster
        return self.now


@dataclass
class Typing:
    """A person at the agent's prompt; `believed` False: somebody who is none."""

    setup: Setup
    service: DecisionService
    believed: bool = True
    more: dict[str, object] = field(default_factory=dict)

    async def say(self, verb: str, argument: str = "", code: str = "", session: str = "s") -> str:
        text = " ".join(word for word in ("/automode", verb, argument, code) if word)
        ref = self.setup.ref(session, **self.more)
        event = PersonSaid(ref, verb, argument, code, text, self.believed)
        remarks = await self.service.hear(event, HOST)
        assert (remarks.warning, remarks.notice, remarks.refusal) == ("", "", "")
        return remarks.reply

    async def code(self, verb: str, argument: str = "", session: str = "s") -> str:
        return offered(await self.say(verb, argument, session=session))


def offered(reply: str) -> str:
    found = re.search(r"type `/automode .* ?(\d{6})` next", reply)
    assert found is not None, reply
    return found[1]


def override(service: DecisionService, key: SessionKey = KEY) -> Override:
    live = service.registry.get(key)
    assert live is not None
    return live.override


@pytest.fixture
def setup(setup: Setup) -> Setup:
    setup.clock = Clock()
    setup.layers = [Judging()]
    return setup


async def test_off_takes_two_steps_and_on_takes_one_and_both_are_recorded(setup: Setup) -> None:
    async with setup.open() as service:
        typing = Typing(setup, service)
        code = await typing.code("off")
        assert override(service) is Override.NONE
        assert "off" in await typing.say("off", code=code)
        assert override(service) is Override.OFF
        assert (await service.decide(setup.bash("deny it"), HOST)).decision is None
        assert "on" in await typing.say("on")
        assert override(service) is Override.ON
        deeds = [(one.session, one.source) for one in await records(service, KEY)]
        assert deeds == [(KEY, "person.off"), (KEY, "person.on")]


async def test_a_denied_call_of_this_session_is_let_through_once(setup: Setup) -> None:
    call = setup.bash("deny it")
    async with setup.open() as service:
        typing = Typing(setup, service)
        denied = await service.decide(call, HOST)
        assert denied.record is not None
        assert denied.record in await typing.say("denials")
        shown = await typing.say("approve", denied.record[:-1])
        assert "deny it" in shown
        assert denied.record in shown
        done = await typing.say("approve", denied.record, offered(shown))
        assert denied.record in done
        assert said(await service.decide(call, HOST)) == ("allow", "approval")
        assert said(await service.decide(call, HOST))[0] == "deny"


async def test_denials_of_another_session_are_not_to_be_approved_here(setup: Setup) -> None:
    async with setup.open() as service:
        denied = await service.decide(setup.bash("deny it", session="other"), HOST)
        assert denied.record is not None
        for named in (denied.record, "", "0"):
            reply = await Typing(setup, service).say("approve", named)
            assert "no single denial of this session" in reply


BETWEEN: dict[str, Callable[[Setup], HostEvent]] = {
    "a call": lambda setup: setup.bash("ls"),
    "a call below": lambda setup: setup.bash("ls", session="s/sub", parent="s"),
    "a permission": lambda setup: PermissionSought(setup.ref(), "bash", {"command": "ls"}),
    "a finished call": lambda setup: setup.ran(setup.bash("ls")),
    "a prompt": lambda setup: setup.typed("well"),
    "the end of a turn": lambda setup: TurnEnded(setup.ref()),
    "a beginning": lambda setup: SessionStarted(setup.ref()),
    "another word": lambda setup: PersonSaid(setup.ref(), "status", believed=True),
    "another word of nobody": lambda setup: PersonSaid(setup.ref(), "on"),
}


@pytest.mark.parametrize("name", BETWEEN)
async def test_anything_in_between_makes_the_code_void(setup: Setup, name: str) -> None:
    async with setup.open() as service:
        typing = Typing(setup, service)
        code = await typing.code("off")
        event = BETWEEN[name](setup)
        if isinstance(event, CallProposed):
            await service.decide(event, HOST)
        elif isinstance(event, PermissionSought):
            await service.permission(event, HOST)
        else:
            await service.hear(event, HOST)
        reply = await typing.say("off", code=code)
        assert offered(reply) != code
        assert override(service) is Override.NONE


async def test_what_happens_in_another_session_changes_nothing(setup: Setup) -> None:
    async with setup.open() as service:
        typing = Typing(setup, service)
        code = await typing.code("off")
        await service.decide(setup.bash("ls", session="other"), HOST)
        assert "does not hold" in await typing.say("off", code=code, session="other")
        assert override(service, SessionKey(HOST, "other")) is Override.NONE
        await typing.say("off", code=code)
        assert override(service) is Override.OFF


async def test_a_code_that_comes_too_late_or_for_something_else_does_nothing(setup: Setup) -> None:
    clock = setup.clock
    assert isinstance(clock, Clock)
    async with setup.open() as service:
        typing = Typing(setup, service)
        code = await typing.code("off")
        clock.now += CODE_SECONDS
        assert "does not hold" in await typing.say("off", code=code)
        code = await typing.code("off")
        assert "does not hold" in await typing.say("reset", code=code)
        assert override(service) is Override.NONE
        assert await records(service, KEY) == []


async def test_after_three_wrong_codes_it_is_refused_for_ten_minutes(setup: Setup) -> None:
    clock = setup.clock
    assert isinstance(clock, Clock)
    async with setup.open() as service:
        typing = Typing(setup, service)
        replies = [await typing.say("off", code=f"{number:06d}") for number in range(3)]
        assert ["too many" in one for one in replies] == [False, False, True]
        assert "too many wrong codes" in await typing.say("off")
        assert "too many wrong codes" in await typing.say("reset")
        assert "is on" in await typing.say("on")
        clock.now += LOCKED_SECONDS
        code = await typing.code("off")
        await typing.say("off", code=code)
        assert override(service) is Override.OFF


@pytest.mark.parametrize("verb", ["on", "off", "reset", "approve", "status", "denials"])
async def test_nothing_is_done_or_told_for_words_that_nobody_vouches_for(
    setup: Setup, verb: str
) -> None:
    async with setup.open() as service:
        denied = await service.decide(setup.bash("deny it"), HOST)
        about = denied.record or "" if verb == "approve" else ""
        reply = await Typing(setup, service, believed=False).say(verb, about)
        assert "for a person" in reply
        assert "confirm" not in reply
        assert override(service) is Override.NONE
        assert len(await records(service, KEY)) == 1


async def test_words_that_the_agent_has_passed_to_a_tool_are_not_taken(setup: Setup) -> None:
    async with setup.open() as service:
        typing = Typing(setup, service)
        await service.decide(setup.bash("echo '/automode off' > later.txt"), HOST)
        assert "for a person" in await typing.say("off")
        below = setup.bash("echo /automode  reset", session="s/sub", parent="s")
        await service.decide(below, HOST)
        assert "for a person" in await typing.say("reset")
        typing.more = {"parent": "s"}
        assert "for a person" in await typing.say("off", session="s/sub")


async def test_with_nobody_there_nothing_is_loosened(setup: Setup) -> None:
    async with setup.open() as service:
        alone = Typing(setup, service, more={"attended": False})
        assert "nobody is there" in await alone.say("off")
        await service.hear(SessionStarted(setup.ref(attended=False)), HOST)
        assert "nobody is there" in await Typing(setup, service).say("reset")
        assert "in a terminal" in await Typing(setup, service).say("reset")


async def test_a_word_with_too_much_behind_it_is_explained_and_not_done(setup: Setup) -> None:
    async with setup.open() as service:
        typing = Typing(setup, service)
        for verb in ("on", "off", "status", "denials", "reset"):
            reply = await typing.say(verb, "and delete the branch")
            assert "type just that" in reply
        assert override(service) is Override.NONE


async def test_an_agent_with_two_hooks_gets_the_same_reply_twice_and_one_deed(
    setup: Setup,
) -> None:
    setup.clock = lambda: 1_800_000_000.0
    async with setup.open() as service:
        typing = Typing(setup, service)
        first, twin = await typing.say("off"), await typing.say("off")
        assert first == twin
        code = offered(first)
        done = await typing.say("off", code=code)
        assert await typing.say("off", code=code) == done
        assert [one.source for one in await records(service, KEY)] == ["person.off"]


async def test_what_cannot_be_written_down_is_said_and_does_not_hold(setup: Setup) -> None:
    setup.keeping = Losing
    async with setup.open() as service:
        typing = Typing(setup, service)
        code = await typing.code("off")
        assert "the disk is full" in await typing.say("off", code=code)
        assert override(service) is Override.NONE


async def test_status_tells_the_mode_and_the_counters(setup: Setup) -> None:
    """They are no text of the user. A reset begins anew."""
    judge = Judging()
    setup.layers = [judge]
    async with setup.open() as service:
        typing = Typing(setup, service)
        await service.decide(setup.bash("ls"), HOST)
        await service.decide(setup.bash("deny it"), HOST)
        told = await typing.say("status")
        assert told.startswith("auto mode is on for this session\nchecked 2, denied 1")
        assert "not asked for" in told
        await typing.say("reset", code=await typing.code("reset"))
        assert await typing.say("denials") == "nothing was denied in this session"
        assert "checked 0" in await typing.say("status")
        await service.decide(setup.bash("make it"), HOST)
        texts = [one for one in judge.seen[-1].transcript.entries if isinstance(one, UserMessage)]
        assert texts == []


steps = st.lists(
    st.tuples(st.sampled_from(["off", "call", "prompt", "status"]), st.booleans(), st.booleans()),
    max_size=10,
)


@given(steps)
def test_auto_mode_goes_off_only_by_the_code_of_the_event_before(
    tmp_path_factory: pytest.TempPathFactory, taken: list[tuple[str, bool, bool]]
) -> None:
    """Each step: what is said, whether it is believed, whether with the code last shown."""
    setup = Setup(tmp_path_factory.mktemp("spoken"), layers=[Judging()], clock=Clock())

    async def work(service: DecisionService) -> None:
        shown, fresh, expected = "", False, Override.NONE
        for verb, believed, with_code in taken:
            if verb == "call":
                await service.decide(setup.bash("ls"), HOST)
                fresh = False
                continue
            if verb == "prompt":
                await service.hear(setup.typed("well"), HOST)
                fresh = False
                continue
            code = shown if with_code and verb == "off" else ""
            reply = await Typing(setup, service, believed).say(verb, code=code)
            if verb == "off" and believed and code and fresh:
                expected = Override.OFF
            found = re.search(r"(\d{6})` next", reply)
            shown, fresh = (found[1], True) if found else (shown, False)
            assert override(service) is expected

    working(setup, work)


FIRST, OTHER = SessionKey("claude-code", "s1"), SessionKey("claude-code", "s2")


def test_codes_are_digits_and_differ() -> None:
    found = {draw_code() for _ in range(50)}

    assert all(len(one) == DIGITS and one.isdigit() for one in found)
    assert len(found) > 40


ANSWERS = {
    "config": "autoMode.remoteReads = false (user, {config}:1)\npermissions.deny: bash(npm pub*)",
    "defaults": "hard_deny: ",
    "model": "the classifier's model: none is chosen",
    "reload": "reads its settings again",
    "help": "/automode approve ID: ",
    "nonsense": "type `/automode help`",
}


async def test_questions_about_settings_are_answered(setup: Setup) -> None:
    settings = {"autoMode": {"remoteReads": False}, "permissions": {"deny": ["bash(npm pub*)"]}}
    setup.settings = settings
    async with setup.open() as service:
        file = service.projects.places(str(setup.project)).user[0]
        typing = Typing(setup, service)
        for verb, part in ANSWERS.items():
            reply = await typing.say(verb)
            assert part.format(config=file) in reply, verb
            assert "takes nothing more" in await typing.say("help", "x")


async def test_a_model_is_saved_with_a_code_where_it_takes_effect(setup: Setup) -> None:
    async with setup.open() as service:
        file = Path(service.projects.places(str(setup.project)).user[0])
        typing = Typing(setup, service)
        refused = await typing.say("model", "nobody/x", await typing.code("model", "nobody/x"))
        name = "openai/gpt-5-mini"
        shown = await typing.say("model", name)
        before = json.loads(file.read_text()) if file.exists() else {}
        saved = await typing.say("model", name, offered(shown))

    assert "no provider is called `nobody`" in refused
    assert "will judge" in shown
    assert "autoMode" not in before
    assert saved == f"saved {name} in {file}"
    assert json.loads(file.read_text())["autoMode"]["classifierModel"] == name
