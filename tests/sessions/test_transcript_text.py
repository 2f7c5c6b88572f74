"""A transcript survives a restart: events become lines and come back, without secrets."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.events import (
    AgentParagraph,
    ApprovalsForgotten,
    FactNoted,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
)
from automode.core.transcript import Entry, Fact, Outcome, PriorCall, Transcript, UserMessage
from automode.sessions.gate_run import PAUSES
from automode.sessions.host_checks import HostChecks
from automode.sessions.transcript_text import (
    LASTING,
    LEAST_QUOTED,
    MOST_DISOWNED,
    MOST_FILES,
    MOST_UNCHECKED,
    InstructionsGiven,
    Line,
    PromptDisowned,
    PromptOrigin,
    call_text,
    event_text,
    events_of,
    said_by_agent,
)
from tests.rows import each_row
from tests.sessions.service_setup import Judging, Setup

any_texts = st.text(max_size=40)
inputs = st.dictionaries(
    any_texts, st.one_of(any_texts, st.integers(), st.none(), st.lists(any_texts))
)
pairs = st.lists(st.tuples(any_texts, any_texts), max_size=MOST_FILES).map(tuple)
lines: st.SearchStrategy[Line] = st.one_of(
    st.builds(UserPrompt, any_texts, st.sampled_from(Origin)),
    st.builds(AgentParagraph, any_texts),
    st.builds(ToolProposed, any_texts, any_texts, inputs),
    st.builds(ToolFinished, any_texts, st.sampled_from(Outcome), st.booleans()),
    st.builds(ApprovalsForgotten),
    st.builds(HostQuestionAnswered, any_texts, any_texts, st.booleans()),
    st.builds(FactNoted, st.builds(Fact, any_texts, any_texts)),
    st.builds(InstructionsGiven, pairs),
    st.builds(PromptDisowned, any_texts),
)


def plain(text: str) -> str:
    return text


@given(lines)
def test_every_line_comes_back_as_it_was(event: Line) -> None:
    assert events_of(event_text(event, plain)) == (event,)


@given(any_texts, any_texts, inputs, st.sampled_from([None, *Outcome]))
def test_a_call_and_what_became_of_it_share_a_line(
    identity: str, tool: str, given_: dict[str, object], outcome: Outcome | None
) -> None:
    line = call_text(identity, tool, json.dumps(given_), outcome)

    proposed = ToolProposed(identity, tool, given_)
    ended = () if outcome is None else (ToolFinished(identity, outcome),)
    assert events_of(line) == (proposed, *ended)


def test_secrets_are_taken_out_of_every_text() -> None:
    told: list[Line] = [
        UserPrompt("secret"),
        AgentParagraph("secret"),
        HostQuestionAnswered("secret", "secret", own_tool=True),
        FactNoted(Fact("f", "secret")),
        PromptDisowned("secret"),
    ]

    lines = [event_text(event, lambda text: text.replace("secret", "*")) for event in told]

    assert not any("secret" in line for line in lines)


def test_a_prompt_can_be_told_from_the_beginning_of_its_line() -> None:
    assert event_text(UserPrompt("do it"), plain).startswith(LASTING)


@each_row(
    "line",
    [
        *("", "{", "[]", "5", "null", '{"heard":"else"}', '{"heard":"prompt"}', "[" * 100_000),
        *('{"heard":"disowned","text":7}', '{"heard":"disowned"', '{"heard":"instructions"}'),
    ],
)
def test_what_cannot_be_read_says_nothing(line: str) -> None:
    assert events_of(line) == ()


def test_words_of_an_unknown_origin_are_not_the_persons() -> None:
    line = '{"heard":"prompt","text":"yes","origin":"new kind"}'

    assert events_of(line) == (UserPrompt("yes", Origin.MACHINE),)


@given(st.text(max_size=60))
def test_no_line_raises(line: str) -> None:
    for start in ("", '{"heard":"instructions"', '{"heard":"prompt","text":'):
        assert isinstance(events_of(start + line), tuple)


HOST = "claude-code"
PLAN = "push everything to production now"
SCHEDULED: dict[str, object] = {"cron": "* * * * *", "prompt": PLAN}

SAID: dict[str, tuple[dict[str, object], str, bool]] = {
    # what the agent passed to a tool, what came in the user's place → whether it is the agent's
    "the same": (SCHEDULED, PLAN, True),
    "other blanks": (SCHEDULED, " push  everything\nto production now ", True),
    "a part of it": ({"text": f"# later: {PLAN}, please"}, PLAN, True),
    "deep inside": ({"jobs": [{"steps": [PLAN]}]}, PLAN, True),
    "more than it": (SCHEDULED, f"{PLAN}, and the tags", False),
    "other words": (SCHEDULED, "push nothing to production", False),
    "too short to tell": ({"command": "go on"}, "go on", False),
    "a name and no value": ({PLAN: 1}, PLAN, False),
}


@each_row("name", SAID)
def test_what_the_agent_passed_to_a_tool_is_its_own(name: str) -> None:
    passed, text, own = SAID[name]

    assert said_by_agent(text, [UserMessage(text), PriorCall("CronCreate", passed)]) is own


@given(st.text(min_size=1), st.text(), st.text())
def test_no_blanks_around_or_between_make_the_agents_words_a_persons(
    words: str, before: str, after: str
) -> None:
    plain = " ".join(words.split())
    spread = "\n\t ".join(words.split())
    call: list[Entry] = [PriorCall("x", {"y": [f"{before} {spread} {after}"]})]

    assert said_by_agent(f"  {words} ", call) is (len(plain) >= LEAST_QUOTED)


def texts(judge: Judging) -> list[str]:
    entries = judge.seen[-1].transcript.entries
    return [one.text for one in entries if isinstance(one, UserMessage)]


async def test_a_prompt_that_the_agent_scheduled_is_no_persons(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    cron = setup.bash("x", call="c1")
    async with setup.open() as service:
        await service.hear(setup.typed("look after the shop"), HOST)
        await service.decide(type(cron)(cron.ref, "CronCreate", SCHEDULED, "c1"), HOST)
        await service.hear(setup.typed(PLAN), HOST)
        await service.decide(setup.bash("make it"), HOST)
        assert texts(judge) == ["look after the shop"]
    async with setup.open() as service:
        await service.hear(setup.typed(f" {PLAN}\n"), HOST)
        await service.decide(setup.bash("make more"), HOST)
        assert texts(judge) == ["look after the shop"]


async def test_what_a_sub_agent_told_a_tool_counts_for_the_whole_family(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    below = setup.bash(f"echo '{PLAN}' > later.txt", session="s/sub", parent="s")
    async with setup.open() as service:
        await service.hear(setup.typed("look after the shop"), HOST)
        await service.decide(below, HOST)
        await service.hear(setup.typed(PLAN), HOST)
        await service.hear(setup.typed(PLAN, session="other"), HOST)
        await service.decide(setup.bash("make it"), HOST)
        assert texts(judge) == ["look after the shop"]
        await service.decide(setup.bash("make it", session="other"), HOST)
        assert texts(judge) == [PLAN]


async def test_what_was_passed_with_a_secret_is_known_after_a_restart_too(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    words = "deploy with API_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 to production"
    async with setup.open() as service:
        await service.decide(setup.bash(f"echo '{words}'"), HOST)
    async with setup.open() as service:
        await service.hear(setup.typed(words), HOST)
        await service.decide(setup.bash("make it"), HOST)
        assert texts(judge) == []


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "projects" / "p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.touch(0o600)
    return path


def row(text: str, **more: object) -> str:
    message = {"type": "user", "message": {"role": "user", "content": text}, **more}
    return f"{json.dumps(message)}\n"


async def test_what_the_record_marks_later_is_taken_from_the_user_and_stays_so(
    setup: Setup, record: Path
) -> None:
    judge = Judging()
    setup.layers = [judge]
    typed, scheduled = "fix the tests", "yes"
    async with setup.open() as service:
        for text in (typed, scheduled):
            await service.hear(setup.typed(text, record=str(record)), HOST)
        await service.decide(setup.bash("make it", record=str(record)), HOST)
        assert texts(judge) == [typed, scheduled]  # the record does not know yet
        record.write_text(row(typed, promptSource="typed") + row(scheduled, turnOrigin="scheduled"))
        await service.decide(setup.bash("make more", record=str(record)), HOST)
        assert texts(judge) == [typed]
        below = setup.bash("make less", session="s/sub", parent="s")
        await service.decide(below, HOST)
        assert texts(judge) == [typed]
    async with setup.open() as service:
        record.unlink()
        await service.decide(setup.bash("make that"), HOST)
        assert texts(judge) == [typed]


async def test_a_sub_agent_is_shown_no_words_that_the_record_takes_from_the_agent_above(
    setup: Setup, record: Path
) -> None:
    judge = Judging()
    setup.layers = [judge]
    record.write_text(row("go ahead", turnOrigin="scheduled"))
    async with setup.open() as service:
        await service.hear(setup.typed("go ahead", record=str(record)), HOST)
        await service.decide(setup.bash("make it", session="s/sub", parent="s"), HOST)
        assert texts(judge) == []


async def test_a_restart_between_a_prompt_and_its_first_call_forgets_no_look(
    setup: Setup, record: Path
) -> None:
    judge = Judging()
    setup.layers = [judge]
    async with setup.open() as service:
        await service.hear(setup.typed("go ahead", record=str(record)), HOST)
    async with setup.open() as service:
        record.write_text(row("go ahead", turnOrigin="scheduled"))
        await service.decide(setup.bash("make it", record=str(record)), HOST)
        assert texts(judge) == []


async def test_a_record_that_is_a_little_behind_is_waited_for(setup: Setup) -> None:
    judge = Judging()
    looks: list[bool] = []

    def prompts(agent: str, path: str, asked: Sequence[str]) -> Mapping[str, bool]:
        looks.append(len(looks) == 2)
        return dict.fromkeys(asked, True) if looks[-1] else {}

    setup.host_checks, setup.layers = HostChecks(prompts=prompts), [judge]
    async with setup.open() as service:
        await service.hear(setup.typed("go ahead", record="/r"), HOST)
        await service.decide(setup.bash("make it", record="/r"), HOST)
        assert looks == [False, False, True]
        assert texts(judge) == []


async def test_where_there_is_no_record_nobody_waits(setup: Setup) -> None:
    looks: list[str] = []

    def prompts(agent: str, path: str, asked: Sequence[str]) -> None:
        looks.append(path)

    setup.host_checks, setup.layers = HostChecks(prompts=prompts), [Judging()]
    async with setup.open() as service:
        await service.hear(setup.typed("go ahead", record="/r"), HOST)
        await service.decide(setup.bash("make it", record="/r"), HOST)
        assert looks == ["/r"]


async def test_the_record_is_read_only_for_a_judge_and_until_it_knows(setup: Setup) -> None:
    looks: list[tuple[str, ...]] = []

    def prompts(agent: str, path: str, asked: Sequence[str]) -> Mapping[str, bool]:
        looks.append(tuple(asked))
        return dict.fromkeys(asked, False) if len(looks) > 1 + len(PAUSES) else {}

    setup.host_checks, setup.layers = HostChecks(prompts=prompts), [Judging()]
    async with setup.open() as service:
        await service.hear(setup.typed("go ahead", record="/r"), HOST)
        await service.decide(setup.bash("ls", record="/r"), HOST)
        assert looks == []
        await service.decide(setup.bash("make it", record="/r"), HOST)
        assert len(looks) == 1 + len(PAUSES)  # it was given time, and did not know
        for _ in range(3):
            await service.decide(setup.bash("make it", record="/r"), HOST)
        assert len(looks) == 2 + len(PAUSES)
        assert set(looks) == {("go ahead",)}


@given(
    st.lists(st.sampled_from(["a", "b", "c", " a "]), max_size=20),
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.booleans()),
)
def test_no_record_ever_gives_words_to_the_user(said: list[str], marks: dict[str, bool]) -> None:
    transcript = Transcript(tuple(UserMessage(text.strip()) for text in said))
    words = PromptOrigin()
    for text in said:
        words.add_typed(text)
    before = words.persons(transcript)
    words.check(marks)
    after = words.persons(transcript)
    words.check(dict.fromkeys(marks, False))

    assert before == transcript
    assert set(after.entries) <= set(before.entries)
    assert words.persons(transcript) == after
    assert not any(marks.get(text, False) for text in words.unchecked)


def test_memory_is_bounded() -> None:
    words = PromptOrigin()
    for number in range(2 * MOST_DISOWNED):
        words.add_typed(f"{number}")
        words.disown(f"x{number}")

    assert len(words.unchecked) == MOST_UNCHECKED
    assert len(words.disowned) == MOST_DISOWNED
