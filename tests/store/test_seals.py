"""What was sealed says one thing in one place, and nothing else can be made of it."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from automode.core.record import SessionKey
from automode.store.encoding import encoded
from automode.store.seals import (
    NO_MODE,
    UNSEALED,
    approval_seal,
    believed_mode,
    mode_seal,
    opened_line,
    sealed_line,
)
from tests.store.examples import APPROVED, KEY, OTHER_KEY, SPOOLABLE

SIGNING = b"k" * 32
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)


def test_every_line_is_opened_as_it_was_sealed() -> None:
    for number, change in enumerate(SPOOLABLE, 1):
        line = sealed_line(SIGNING, "1-a.jsonl", number, encoded(change))

        assert opened_line(SIGNING, "1-a.jsonl", line) == (number, encoded(change))
        assert opened_line(SIGNING, "1-b.jsonl", line) is None
        assert opened_line(b"o" * 32, "1-a.jsonl", line) is None


@given(st.binary(max_size=200))
def test_bytes_that_nobody_sealed_say_nothing(line: bytes) -> None:
    assert opened_line(SIGNING, "1-a.jsonl", line) is None


@given(st.integers(0, 130), st.integers(0, 255))
def test_a_line_with_any_byte_changed_says_nothing_else(at: int, byte: int) -> None:
    line = sealed_line(SIGNING, "1-a.jsonl", 1, "x" * 64)
    changed = line[:at] + bytes([byte]) + line[at + 1 :]

    assert opened_line(SIGNING, "1-a.jsonl", changed) in (None, (1, "x" * 64))


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_a_switch_is_believed_for_its_session_alone(host: str, own: str, mode: str) -> None:
    key = SessionKey(host, own)
    seal = mode_seal(SIGNING, key, mode)

    assert believed_mode(SIGNING, key, mode, seal) == mode
    assert believed_mode(SIGNING, key, mode, UNSEALED) == NO_MODE
    for other in (KEY, OTHER_KEY):
        if other != key:
            assert believed_mode(SIGNING, other, mode, seal) == NO_MODE


def test_every_field_of_a_yes_is_sealed() -> None:
    others = (
        replace(APPROVED, id="a2"),
        replace(APPROVED, at=1.0),
        replace(APPROVED, session=OTHER_KEY),
        replace(APPROVED, record="r1"),
        replace(APPROVED, digest="e"),
        replace(APPROVED, once=False),
        replace(APPROVED, expires=None),
    )

    assert len({approval_seal(SIGNING, one) for one in (APPROVED, *others)}) == 8
