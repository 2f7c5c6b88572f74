"""The user's words are worked out once, and never stand for other words."""

from automode.core.transcript import PriorCall, UserMessage
from automode.judge.requests import LONGEST_MESSAGE, MOST_MESSAGES, users_words


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
