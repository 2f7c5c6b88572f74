"""One-time codes: good once, for one thing, for a minute, and not to be guessed."""

from hypothesis import given
from hypothesis import strategies as st

from automode.core.record import SessionKey
from automode.sessions.chat_commands import (
    CODE_SECONDS,
    DIGITS,
    LOCKED_SECONDS,
    MOST_KNOWN,
    MOST_TRIES,
    ConfirmationCodes,
    drawn,
)

KEY, OTHER = SessionKey("claude-code", "s1"), SessionKey("claude-code", "s2")


def test_a_code_confirms_what_it_was_given_for_once() -> None:
    codes = ConfirmationCodes(lambda: 0.0)
    code = codes.offered(KEY, "off", "")

    assert codes.confirmed(KEY, "off", "", code)
    assert not codes.confirmed(KEY, "off", "", code)


def test_a_code_is_for_its_session_verb_and_target_alone() -> None:
    codes = ConfirmationCodes(lambda: 0.0)
    for key, verb, about in (
        (OTHER, "approve", "r1"),
        (KEY, "off", ""),
        (KEY, "approve", "r2"),
    ):
        code = codes.offered(KEY, "approve", "r1")
        assert not codes.confirmed(key, verb, about, code)
        codes.void(KEY)


def test_a_code_grows_old_and_is_void_after_anything_else() -> None:
    now = [0.0]
    codes = ConfirmationCodes(lambda: now[0])
    code = codes.offered(KEY, "off", "")
    now[0] = CODE_SECONDS + 1
    assert not codes.confirmed(KEY, "off", "", code)
    code = codes.offered(KEY, "off", "")
    codes.void(KEY)
    assert codes.none_open
    assert not codes.confirmed(KEY, "off", "", code)


def test_after_three_wrong_ones_nothing_is_taken_for_a_while() -> None:
    now = [0.0]
    codes = ConfirmationCodes(lambda: now[0])
    for _ in range(MOST_TRIES):
        assert not codes.locked(KEY)
        codes.offered(KEY, "off", "")
        codes.confirmed(KEY, "off", "", "no")
    assert codes.locked(KEY)
    assert not codes.locked(OTHER)
    now[0] = LOCKED_SECONDS
    assert not codes.locked(KEY)


def test_codes_are_digits_and_differ() -> None:
    found = {drawn() for _ in range(50)}

    assert all(len(one) == DIGITS and one.isdigit() for one in found)
    assert len(found) > 40


@given(st.lists(st.text("0123456789", max_size=6), max_size=8))
def test_no_guess_but_the_code_itself_confirms(guesses: list[str]) -> None:
    codes = ConfirmationCodes(lambda: 0.0, lambda: "482915")
    for guess in guesses:
        codes.offered(KEY, "off", "")
        assert codes.confirmed(KEY, "off", "", guess) is (guess == "482915")


def test_memory_is_bounded() -> None:
    codes = ConfirmationCodes(lambda: 0.0)
    for number in range(2 * MOST_KNOWN):
        key = SessionKey("x", str(number))
        codes.offered(key, "off", "")
        codes.offered(SessionKey("y", str(number)), "off", "")
        codes.confirmed(key, "off", "", "no")

    assert max(len(one) for one in (codes._open, codes._wrong, codes._locked)) <= MOST_KNOWN
