"""A transcript survives a restart: events become lines and come back, without secrets."""

import json

from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.events import (
    AgentParagraph,
    Event,
    FactNoted,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
)
from automode.core.transcript import Fact, Outcome
from automode.sessions.transcript_text import PROMPT_START, call_text, event_text, events_of
from tests.rows import each_row

texts = st.text(max_size=40)
inputs = st.dictionaries(texts, st.one_of(texts, st.integers(), st.none(), st.lists(texts)))
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(UserPrompt, texts, st.sampled_from(Origin)),
    st.builds(AgentParagraph, texts),
    st.builds(ToolProposed, texts, texts, inputs),
    st.builds(ToolFinished, texts, st.sampled_from(Outcome)),
    st.builds(HostQuestionAnswered, texts, texts, st.booleans()),
    st.builds(FactNoted, st.builds(Fact, texts, texts)),
)


def plain(text: str) -> str:
    return text


@given(events)
def test_every_event_comes_back_as_it_was(event: Event) -> None:
    assert events_of(event_text(event, plain)) == (event,)


@given(texts, texts, inputs, st.sampled_from([None, *Outcome]))
def test_a_call_and_what_became_of_it_share_a_line(
    identity: str, tool: str, given_: dict[str, object], outcome: Outcome | None
) -> None:
    line = call_text(identity, tool, json.dumps(given_), outcome)

    proposed = ToolProposed(identity, tool, given_)
    ended = () if outcome is None else (ToolFinished(identity, outcome),)
    assert events_of(line) == (proposed, *ended)


def test_secrets_are_taken_out_of_every_text() -> None:
    told: list[Event] = [
        UserPrompt("secret"),
        AgentParagraph("secret"),
        HostQuestionAnswered("secret", "secret", own_tool=True),
        FactNoted(Fact("f", "secret")),
    ]

    lines = [event_text(event, lambda text: text.replace("secret", "*")) for event in told]

    assert not any("secret" in line for line in lines)


def test_a_prompt_can_be_told_from_the_beginning_of_its_line() -> None:
    assert event_text(UserPrompt("do it"), plain).startswith(PROMPT_START)


@each_row(
    "line", ["", "{", "[]", "5", "null", '{"heard":"else"}', '{"heard":"prompt"}', "[" * 100_000]
)
def test_what_cannot_be_read_says_nothing(line: str) -> None:
    assert events_of(line) == ()


def test_words_of_an_unknown_origin_are_not_the_persons() -> None:
    line = '{"heard":"prompt","text":"yes","origin":"new kind"}'

    assert events_of(line) == (UserPrompt("yes", Origin.MACHINE),)


@given(st.text(max_size=60))
def test_no_line_raises(line: str) -> None:
    assert isinstance(events_of(line), tuple)
