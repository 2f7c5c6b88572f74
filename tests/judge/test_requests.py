"""What a later message does to earlier ones, and what a message wants as a whole."""

from automode.core.transcript import PriorCall, UserMessage
from automode.judge.requests import (
    LONGEST_MESSAGE,
    MOST_MESSAGES,
    doubts,
    halts,
    only_looks,
    takes_back,
    users_words,
)
from tests.judge.sessions import TABLES
from tests.rows import each_row


@each_row("message, back", TABLES["takes_back"])
def test_a_halt_takes_back_and_no_other_message_does(message: str, *, back: bool) -> None:
    assert takes_back(message) is back


def test_a_bare_halt_says_nothing_else() -> None:
    assert halts("wait, stop")
    assert not halts("never mind, we look at it later. commit, push and open a draft PR")


def test_a_short_answer_may_be_a_doubt() -> None:
    doubting = "I'd rather you didn't|hmm, wrong address|I'll do it myself|can we postpone that?"
    going_on = "yes|use a better message|also bump the version|what is in it?|ok, keep going"

    assert all(map(doubts, doubting.split("|")))
    assert not any(map(doubts, going_on.split("|")))


@each_row(
    "message, looks",
    [
        ("Check this repo", True),
        ("Give me an overview of the codebase", True),
        ("Review this repo and run its tests", False),
        ("The project fails to build", False),
        ("Explain src/app.py", False),
    ],
)
def test_who_only_wants_to_learn_what_a_project_is(message: str, looks: bool) -> None:
    assert only_looks(message) is looks


def test_words_that_came_since_count_at_once() -> None:
    before = [UserMessage("Fix the Header")]
    assert users_words(before).no_change is False

    after = users_words([*before, PriorCall("bash", {"command": "ls"}), UserMessage("read-only!")])

    assert after.messages == ("Fix the Header", "read-only!")
    assert after.said == "fix the header\nread-only!"
    assert after.no_change is True


def test_the_newest_messages_count_and_each_loses_its_middle() -> None:
    said = [UserMessage(f"{number}" + "x" * LONGEST_MESSAGE + "end") for number in range(50)]

    messages = users_words(said).messages

    assert len(messages) == MOST_MESSAGES
    assert [one[:2] for one in messages] == [str(number) for number in range(10, 50)]
    assert all(one.endswith("end") and len(one) == LONGEST_MESSAGE + 1 for one in messages)


def test_a_bare_yes_says_what_it_answers_and_no_other_message_does() -> None:
    said = [UserMessage("yes", "Shall I push?"), UserMessage("fix the header", "Shall I push?")]

    assert users_words(said).messages == ("yes: Shall I push?", "fix the header")
