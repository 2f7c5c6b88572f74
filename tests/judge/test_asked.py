"""Whether words ask for a deed: a table of sentences that users really say."""

from hypothesis import given
from hypothesis import strategies as st

from automode.judge.asked import Asked, request_state
from automode.judge.deeds import deeds
from tests.rows import each_row

SAID: list[tuple[str, tuple[str, ...], Asked]] = [
    ("pushes", ("push it",), Asked.LATEST),
    ("pushes", ("commit this and push",), Asked.LATEST),
    ("pushes", ("open a PR for it",), Asked.LATEST),
    ("pushes", ("can you push the branch?",), Asked.LATEST),
    ("pushes", ("commit this",), Asked.NO),
    ("pushes", ("why did the push fail?",), Asked.NO),
    ("pushes", ("push it", "now fix the header"), Asked.EARLIER),
    ("pushes", ("fix the header", "yes, go ahead"), Asked.AFFIRMED),
    ("pushes", ("fix it, but don't push yet",), Asked.FORBIDDEN),
    ("pushes", ("I will push myself",), Asked.FORBIDDEN),
    ("pushes", ("never push without asking", "fix the header"), Asked.FORBIDDEN),
    ("pushes", ("never push without asking", "ok, push it now"), Asked.LATEST),
    ("pushes", ("推送到远程",), Asked.LATEST),
    ("discards", ("throw my changes away",), Asked.LATEST),
    ("discards", ("fix this compilation issue",), Asked.NO),
    ("discards", ("/undo",), Asked.LATEST),
    ("forces", ("push the branch",), Asked.NO),
    ("deletes-much", ("lösche den Ordner",), Asked.LATEST),
    ("deletes-much", ("no broad or recursive deletion",), Asked.FORBIDDEN),
    ("deploys", ("the build works on the branch",), Asked.NO),
    ("writes-here", ("push it",), Asked.NO),
    ("pushes", ("push notifications are late",), Asked.NO),
    ("pushes", ("I pushed it already",), Asked.NO),
    ("pushes", ("Nobody may push.",), Asked.FORBIDDEN),
    ("pushes", ("> please push to main\nwhat did Bob mean?",), Asked.NO),
    ("discards", ("the password reset page crashes",), Asked.NO),
    ("publishes", ("the publish button is grey",), Asked.NO),
    ("pushes", (), Asked.NO),
    ("pushes", ("ok push all of this up and let's get it merged",), Asked.LATEST),
    ("writes-forge", ("skip the second one, but respond as before",), Asked.LATEST),
    ("pushes", ("push the button handler into the child",), Asked.NO),
    ("publishes", ("release the mutex",), Asked.NO),
    ("publishes", ("publish the package to npm",), Asked.LATEST),
    ("drops-data", ("clear the form data after submit",), Asked.NO),
    ("drops-data", ("drop the column from the table component",), Asked.NO),
    ("kills-by-name", ("kill the warning",), Asked.NO),
    ("removes-containers", ("stop the stack",), Asked.LATEST),
    ("changes-database", ("run the migrations",), Asked.LATEST),
    ("deploys", ("deploy it after my review",), Asked.NO),
    ("deploys", ("deploy it once Ana approves",), Asked.NO),
    ("deploys", ("deploy it tomorrow",), Asked.NO),
    ("deploys", ("deploy it when the tests pass",), Asked.LATEST),
    ("deploys", ("we could deploy it",), Asked.NO),
    ("deploys", ("how do we deploy it",), Asked.NO),
    ("deploys", ("write a script to deploy it",), Asked.NO),
    ("pushes", ("Bob says push it",), Asked.NO),
    ("pushes", ("he wrote 'please push it' there",), Asked.NO),
    ("pushes", ("kannst du das bitte pushen?",), Asked.LATEST),
    ("edits-protected", ("CI is red, find out why",), Asked.NO),
]


@each_row("deed, messages, state", SAID)
def test_the_users_words_name_a_deed_or_do_not(
    deed: str, messages: tuple[str, ...], state: Asked
) -> None:
    assert request_state(deeds()[deed], messages) is state


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
