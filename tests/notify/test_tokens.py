"""A token answers one call once, in time; anything else changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.notify.tokens import DENY, ONCE, Answered, AnswerTokens, RefusedToken
from tests.rows import each_row

KEY = bytes(32)
OTHER_KEY = bytes(range(32))
RECORD = "0kq3v7yz"
DIGEST = "d" * 64


class Clock:
    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def tokens(clock: Clock | None = None, key: bytes = KEY) -> AnswerTokens:
    return AnswerTokens(key, clock or Clock())


def test_a_genuine_token_says_its_answer_once() -> None:
    known = tokens()
    made = known.issue(RECORD, DIGEST, 1_060.0, (ONCE, DENY))

    assert known.redeem(made[DENY]) == Answered(RECORD, DENY)
    with pytest.raises(RefusedToken, match="answered before"):
        known.redeem(made[DENY])
    with pytest.raises(RefusedToken, match="answered before"):
        known.redeem(made[ONCE])


def test_after_its_time_a_token_is_refused() -> None:
    clock = Clock()
    known = tokens(clock)
    made = known.issue(RECORD, DIGEST, 1_060.0, (ONCE,))

    clock.now = 1_060.0
    with pytest.raises(RefusedToken, match="too late"):
        known.redeem(made[ONCE])


def test_a_token_of_another_daemon_is_refused() -> None:
    """After a restart nothing waits, and another key signs nothing here."""
    made = tokens(key=OTHER_KEY).issue(RECORD, DIGEST, 1_060.0, (ONCE,))
    fresh = tokens()

    with pytest.raises(RefusedToken, match="no call waits"):
        fresh.redeem(made[ONCE])
    fresh.issue(RECORD, DIGEST, 1_060.0, (ONCE,))
    with pytest.raises(RefusedToken, match="signature"):
        fresh.redeem(made[ONCE])


def test_a_token_for_a_call_with_another_digest_is_refused() -> None:
    known = tokens()
    made = known.issue(RECORD, DIGEST, 1_060.0, (ONCE,))
    earlier = made[ONCE]
    known.issue(RECORD, "e" * 64, 1_060.0, (ONCE,))

    with pytest.raises(RefusedToken, match="signature"):
        known.redeem(earlier)


def test_only_the_answers_that_were_offered_count() -> None:
    known = tokens()
    made = known.issue(RECORD, DIGEST, 1_060.0, (DENY,))
    forged = made[DENY].replace(".deny.", ".once.")

    with pytest.raises(RefusedToken, match="signature"):
        known.redeem(forged)
    assert known.redeem(made[DENY]).answer == DENY


@each_row(
    "text",
    [
        "",
        "am1",
        "yes",
        "am1.once..1060.0.0",
        "x" * 10_000,
        "am1.once." + "\u0660" * 4,
        "am1.once.r.1060." + "0" * 32 + "." + "0" * 64 + "\n",
    ],
)
def test_what_is_no_token_is_refused(text: str) -> None:
    known = tokens()
    known.issue("r", DIGEST, 1_060.0, (ONCE,))

    with pytest.raises(RefusedToken):
        known.redeem(text)


@given(st.data())
def test_no_altered_token_is_taken(data: st.DataObject) -> None:
    """Whatever is changed, cut, added or put together from two, and however often."""
    known = tokens()
    made = known.issue(RECORD, DIGEST, 1_060.0, (ONCE, DENY))
    other = known.issue("0another", "e" * 64, 1_090.0, (ONCE,))
    genuine = {*made.values(), *other.values()}
    parts = [token.split(".") for token in genuine]
    mixed = ".".join(data.draw(st.sampled_from(parts))[at] for at in range(6))
    at = data.draw(st.integers(0, len(mixed) - 1))
    letter = data.draw(st.characters(codec="utf-8"))
    altered = data.draw(
        st.sampled_from([mixed, mixed[:at] + letter + mixed[at + 1 :], mixed[:at], mixed + letter])
    )

    if altered in genuine:
        assert known.redeem(altered).answer in (ONCE, DENY)
        return
    with pytest.raises(RefusedToken):
        known.redeem(altered)
    assert known.redeem(made[ONCE]) == Answered(RECORD, ONCE)  # it waits as before
