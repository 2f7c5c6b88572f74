"""Which prompts are words to automode, and what they say; an input that is written as JSON in a
text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.copilot_cli.payloads import CopilotCli
from automode.agents.events import SessionRef
from automode.agents.shared.adapter import VERBS, person_said
from automode.core.errors import BadCall
from tests.rows import each_row

SPEAKER = SessionRef("s1", "/home/dev/shop")

SAID = {
    # typed → verb, what it is about, code
    "/automode off": ("off", "", ""),
    "/automode:off": ("off", "", ""),
    "/auto-mode off": ("off", "", ""),
    "/auto-mode:reset": ("reset", "", ""),
    "  /automode   on \n": ("on", "", ""),
    "/automode": ("status", "", ""),
    "/automode denials": ("denials", "", ""),
    "/automode off 482915": ("off", "", "482915"),
    "/automode off 48291": ("off", "48291", ""),
    "/automode off 482915 now": ("off", "482915 now", ""),
    "/automode off\nand push it": ("off", "and push it", ""),
    "/automode approve 1m7fzq52": ("approve", "1m7fzq52", ""),
    "/automode approve 1m7fzq52 482915": ("approve", "1m7fzq52", "482915"),
    "/automode approve 482915": ("approve", "482915", ""),
    "/automode approve": ("approve", "", ""),
}
OTHERS = (
    "turn /automode off",
    "/automode offline",
    "/automodeoff",
    "/automode-off",
    "/autom off",
    "/Automode off",
    "automode off",
    "",
)


@each_row("text", SAID)
def test_a_word_to_automode_is_taken_apart(text: str) -> None:
    said = person_said(SPEAKER, text)

    assert said is not None
    assert (said.verb, said.argument, said.code) == SAID[text]
    assert said.text == text.strip()
    assert not said.believed


@each_row("text", OTHERS)
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
