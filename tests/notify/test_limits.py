"""Quiet hours, messages an hour, and records of refused answers."""

import time

import pytest

from automode.core.errors import BadSettings
from automode.notify.limits import HourlyLimit, RefusedAnswers, is_quiet
from tests.notify.test_tokens import Clock
from tests.rows import each_row


def at(hour: int, minute: int) -> float:
    return time.mktime((2026, 3, 4, hour, minute, 0, 0, 0, -1))


@each_row(
    "hours, hour, minute, quiet",
    [
        ("22:00-07:00", 21, 59, False),
        ("22:00-07:00", 22, 0, True),
        ("22:00-07:00", 3, 0, True),
        ("22:00-07:00", 7, 0, False),
        ("12:30-13:30", 12, 29, False),
        ("12:30-13:30", 13, 0, True),
        ("12:30-13:30", 13, 30, False),
        (None, 3, 0, False),
    ],
)
def test_quiet_hours_may_reach_over_midnight(
    hours: str | None, hour: int, minute: int, *, quiet: bool
) -> None:
    assert is_quiet(hours, at(hour, minute)) is quiet


def test_hours_that_are_none_are_an_error() -> None:
    with pytest.raises(BadSettings, match="25:00-07:00"):
        is_quiet("25:00-07:00", 0.0)


def test_an_hour_has_so_many_messages() -> None:
    clock = Clock()
    limit = HourlyLimit(clock)

    assert limit.left(2) == 2
    limit.note()
    clock.now += 1800
    limit.note()
    assert limit.left(2) == 0
    clock.now += 1800
    assert limit.left(2) == 1


def test_a_flood_of_refused_answers_is_a_record_a_minute() -> None:
    clock = Clock()
    refused = RefusedAnswers(clock)

    told = [refused.told("it came too late", "phone") for _ in range(1000)]
    assert told[0] == "an answer by phone was refused, and nothing changed: it came too late"
    assert told[1:] == [None] * 999
    clock.now += 60
    again = refused.told("it came too late", "phone")
    assert again is not None
    assert again.endswith("; 999 more before it")
    assert refused.total == 1001
