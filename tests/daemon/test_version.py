"""Which release is newer."""

import pytest

from automode.daemon.placement import UNKNOWN, code_state, newer, own_version

NEWER = [
    ("0.2.0", "0.1.0"),
    ("0.10", "0.9.9"),
    ("1.0", "0.99"),
    ("1.0.1", "1.0"),
    ("2", "1.9rc1"),
]
NOT_NEWER = [
    ("0.1.0", "0.1.0"),
    ("0.1", "0.1.0"),
    ("0.1.0", "0.2.0"),
    ("", "0.1.0"),
    ("banana", "0.1.0"),
    ("0.1.0", UNKNOWN),
    ("0.1.0+local", "0.1.0"),
]


@pytest.mark.parametrize(("one", "other"), NEWER)
def test_a_later_release_is_newer(one: str, other: str) -> None:
    assert newer(one, other)


@pytest.mark.parametrize(("one", "other"), NOT_NEWER)
def test_the_same_an_earlier_or_no_release_is_not(one: str, other: str) -> None:
    assert not newer(one, other)


def test_this_program_knows_its_release_and_that_its_code_is_there() -> None:
    assert not newer(own_version(), own_version())
    assert code_state() == code_state() is not None
