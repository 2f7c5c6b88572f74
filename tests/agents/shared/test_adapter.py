"""Which prompts are words to automode, and what they say; an input that is written as JSON in a
text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.copilot_cli.payloads import CopilotCli
from automode.agents.events import SessionRef
from automode.agents.shared.adapter import VERBS, person_said
from automode.core.errors import BadCall
from tests.rows import each_row, rows, texts

SPEAKER = SessionRef("s1", "/home/dev/shop")


@each_row("text, verb, argument, code", rows("agents", "words-to-automode"))
def test_a_word_to_automode_is_taken_apart(text: str, verb: str, argument: str, code: str) -> None:
    said = person_said(SPEAKER, text)

    assert said is not None
    assert (said.verb, said.argument, said.code) == (verb, argument, code)
    assert said.text == text.strip()
    assert not said.believed


@each_row("text", texts("agents", "other-prompts"))
def test_every_other_text_is_left_alone(text: str) -> None:
    assert person_said(SPEAKER, text) is None


@given(st.sampled_from(VERBS), st.text(max_size=40))
def test_whatever_follows_a_word_never_reaches_the_agent_as_text(verb: str, rest: str) -> None:
    said = person_said(SPEAKER, f"/automode {verb} {rest}")

    assert said is not None
    assert (said.verb, said.argument.split() + said.code.split()) == (verb, rest.split())


TWO_MEANINGS = (
    *(
        '{"command": NaN}',
        '{"command": [Infinity]}',
        '{"command": -Infinity}',
        '{"command": 1e999}',
    ),
    *('{"command": "ls", "command": "rm -rf ~"}', "{", "[" * 100_000),
)


@each_row("text", TWO_MEANINGS)
def test_a_written_input_has_one_meaning_or_is_refused(text: str) -> None:
    fields = CopilotCli().fields

    assert fields.object_at({"toolArgs": '{"n": 1.5}'}, "toolArgs", written=True) == {"n": 1.5}
    with pytest.raises(BadCall, match="is no JSON"):
        fields.object_at({"toolArgs": text}, "toolArgs", written=True)
