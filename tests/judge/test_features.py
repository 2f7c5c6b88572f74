"""The tokens of a call: with a vocabulary they are the same ones, less those it does not know."""

from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import ToolCall
from automode.core.tools import tool_call
from automode.judge.embedded import shipped_model, vocabulary_of
from automode.judge.features import Vocabulary, tokens_of
from automode.judge.reading import LONGEST_KEPT, Reading
from automode.programs.use import Effect
from automode.shell.script import Command, Script, Word
from tests.judge.sessions import bash

READING = Reading((), Script((Command((Word("nc"),)),)), Effect.NONE)
WORDS = st.lists(st.sampled_from("curl -d nc | sh 10 127 rm -rf /dev/tcp ä $( eval".split()))


def tokens(call: ToolCall, vocabulary: Vocabulary | None = None) -> tuple[str, ...]:
    return tokens_of(call, READING, vocabulary)


def test_programs_come_first_then_words_and_pairs_each_once() -> None:
    found = tokens(bash("nc 10 nc 22"))

    assert found == ("p:nc", "w:nc", "b: nc", "w:0", "b:nc 0", "b:0 nc")


def test_a_tool_that_is_no_shell_has_the_words_of_its_name() -> None:
    found = tokens(tool_call("mcp__mail__sendMail", {"to": "a"}))

    assert found[:3] == ("p:nc", "t:send", "t:mail")


@given(WORDS, st.integers(0, 2))
def test_a_vocabulary_leaves_out_what_it_does_not_know_and_nothing_else(
    words: list[str], longer: int
) -> None:
    known = shipped_model().tokens
    call = bash(" ".join(["true", *words]) + " true" * (longer * LONGEST_KEPT // 8))

    every = tokens(call)

    assert tokens(call, vocabulary_of(shipped_model())) == tuple(
        one for one in every if one in known
    )
    assert tokens(call, Vocabulary(["w:rm"])) == tuple(one for one in every if one == "w:rm")
