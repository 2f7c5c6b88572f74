"""What a later message does to earlier ones, and what a message wants as a whole."""

import pytest

from automode.judge.requests import doubts, halts, only_looks, takes_back
from tests.rows import each_row

BACK = [
    *("wait, stop", "Stop!", "hold on, let me look", "not yet", "never mind", "Actually, keep it"),
    *("first show me the diff", "Let's not do that today", "no", "warte mal", "scrap that"),
]
NOT_BACK = [
    *("stop the server on port 3000", "keep going", "let's note both", "skip 5 and do the rest"),
    *(
        "first problem: it crashes",
        "First run the tests, then push",
        "wait for CI",
        "keep it simple",
    ),
    *("before we continue, check the comments", "yes", "use tabs"),
]


@each_row("message", BACK)
def test_a_halt_takes_back(message: str) -> None:
    assert takes_back(message)


@each_row("message", NOT_BACK)
def test_other_messages_do_not(message: str) -> None:
    assert not takes_back(message)


def test_a_bare_halt_says_nothing_else() -> None:
    assert halts("wait, stop")
    assert not halts("never mind, we look at it later. commit, push and open a draft PR")


@pytest.mark.parametrize(
    "message",
    ["I'd rather you didn't", "hmm, wrong address", "I'll do it myself", "can we postpone that?"],
)
def test_a_short_answer_may_be_a_doubt(message: str) -> None:
    assert doubts(message)


@pytest.mark.parametrize(
    "message",
    ["yes", "use a better message", "also bump the version", "what is in it?", "ok, keep going"],
)
def test_who_goes_on_has_no_doubt(message: str) -> None:
    assert not doubts(message)


@pytest.mark.parametrize(
    ("message", "looks"),
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
