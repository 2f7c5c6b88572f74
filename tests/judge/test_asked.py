"""Whether words ask for a deed: a table of sentences that users really say."""

from hypothesis import given
from hypothesis import strategies as st

from automode.judge.asked import Asked, request_state
from automode.judge.deeds import deeds
from tests.judge.sessions import TABLES
from tests.rows import each_row


@each_row("deed, messages, state", TABLES["asked"])
def test_the_users_words_name_a_deed_or_do_not(deed: str, messages: list[str], state: str) -> None:
    assert request_state(deeds()[deed], messages) == state


@given(st.sampled_from(sorted(deeds())), st.lists(st.text(max_size=200), max_size=4))
def test_any_words_get_an_answer(deed: str, messages: list[str]) -> None:
    assert request_state(deeds()[deed], messages) in Asked


@given(st.sampled_from(sorted(deeds())), st.sampled_from(["continue", "fix the header", "1", "hm"]))
def test_only_words_that_name_a_deed_ask_for_it(deed: str, words: str) -> None:
    assert request_state(deeds()[deed], [words]) in (Asked.NO, Asked.AFFIRMED, Asked.FORBIDDEN)


def test_what_a_message_says_of_one_deed_is_not_said_of_another() -> None:
    message = "commit it, but don't push"

    twice = [
        request_state(deeds()[deed], [message])
        for deed in ("commits", "pushes", "commits", "pushes")
    ]

    assert twice == [Asked.LATEST, Asked.FORBIDDEN] * 2
