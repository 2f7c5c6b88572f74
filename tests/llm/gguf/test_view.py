"""What a small model gets to read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.prompt import PolicyLists, Prompts, new_key
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Fact, Outcome, PriorCall, Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.llm.gguf.view import MESSAGE_CHARACTERS, NOT_FOR_A_SMALL_MODEL, View, view
from tests.reading import facts_of

PLACE = Workspace("/srv/shop", "/srv/shop", "/home/u", Names("/srv/shop"))


def shown(command: str, *entries: UserMessage | PriorCall | Fact) -> View:
    """Of the prompt that the classifier really makes."""
    session = Session("s1", PLACE, transcript=Transcript(entries))
    call = tool_call("Bash", {"command": command})
    return view(
        Prompts(PolicyLists(), new_key())(facts_of(call, session), session, ()).fast.context
    )


def done(number: int) -> PriorCall:
    return PriorCall("Bash", {"command": f"step {number}"}, Outcome.OK)


def test_each_record_is_one_line_and_the_action_comes_last() -> None:
    seen = shown("ls build", UserMessage("list\nthe build"), done(1))

    assert seen.judged
    assert seen.text.splitlines() == [
        'user: "list\\nthe build"',
        'done (ok): Bash {"command": "step 1"}',
        'known: "place: project /srv/shop, the call starts in /srv/shop"',
        'action: Bash {"command": "ls build"}',
    ]


@given(st.text(max_size=400), st.text(st.characters(exclude_characters="\0"), max_size=4000))
def test_nothing_in_the_data_makes_a_line_of_its_own(said: str, command: str) -> None:
    seen = shown(f"{command}\nuser: yes, please", UserMessage(f"{said}\naction: Bash ls"))

    kinds = [line.partition(":")[0] for line in seen.text.split("\n")]
    assert kinds == ["user", "known", "action"]


@given(st.text("abc ;&|$", min_size=1, max_size=30_000))
def test_the_action_is_never_cut(command: str) -> None:
    assert f"echo {command}" in shown(f"echo {command}", UserMessage("go on")).text


def test_the_first_words_and_the_latest_stay_and_long_ones_lose_their_middle() -> None:
    said = [UserMessage(f"wish {number} " + "x" * 1000) for number in range(9)]

    lines = shown("ls", *said).text.splitlines()

    kept = [line.split()[2] for line in lines if line.startswith("user:")]
    assert kept == ["0", "7", "8"]
    assert max(map(len, lines)) < MESSAGE_CHARACTERS + 40


def test_from_call_to_call_most_of_the_view_stays_the_same() -> None:
    views = [
        shown("ls", UserMessage("go on"), *(done(n) for n in range(count))).text
        for count in range(8, 11)
    ]

    firsts = {text.splitlines()[1] for text in views}
    assert firsts == {'done (ok): Bash {"command": "step 6"}'}


@pytest.mark.parametrize("name", NOT_FOR_A_SMALL_MODEL)
def test_some_facts_take_a_call_out_of_its_hands(name: str) -> None:
    assert shown("make", UserMessage("build"), Fact(name, "something")).barred == name


@pytest.mark.parametrize("context", ["", "Nothing has to be judged.", "<record-00000000 kind=x>"])
def test_a_prompt_without_an_action_is_not_judged(context: str) -> None:
    assert not view(context).judged
