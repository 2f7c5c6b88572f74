"""Notices for people: one of a kind for each session, and never more than a few."""

import logging

import pytest

from automode.core.record import SessionKey
from automode.sessions.status import MOST_NOTICES, Notices

ONE, OTHER = SessionKey("plain", "a"), SessionKey("plain", "b")


def test_a_newer_notice_takes_the_place_of_the_older_and_both_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notices = Notices()
    with caplog.at_level(logging.WARNING):
        notices.tell(ONE, "silent", "1 call")
        notices.tell(OTHER, "silent", "7 calls")
        notices.tell(ONE, "silent", "2 calls")

    assert notices.all() == ("plain/b: 7 calls", "plain/a: 2 calls")
    assert len(caplog.records) == 3


def test_notices_are_dropped_by_session_and_by_kind() -> None:
    notices = Notices()
    for key in (ONE, OTHER):
        for kind in ("silent", "switched"):
            notices.tell(key, kind, kind)

    notices.drop(ONE, "silent")
    assert notices.all() == ("plain/a: switched", "plain/b: silent", "plain/b: switched")
    notices.drop(OTHER)
    assert notices.all() == ("plain/a: switched",)
    notices.drop(None)
    assert notices.all() == ()


def test_only_the_newest_are_kept() -> None:
    notices = Notices()
    for number in range(3 * MOST_NOTICES):
        notices.tell(SessionKey("plain", str(number)), "silent", "x")

    assert len(notices.all()) == MOST_NOTICES
