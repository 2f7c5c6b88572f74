"""How answers look: times as people read and type them."""

from datetime import datetime

import pytest

from automode.cli.printing import duration, local, moment
from automode.core.errors import BadCall

NOW = 1_800_000_000.0

AGES = {
    0: "0 s",
    59: "59 s",
    60: "1 min",
    3599: "59 min",
    3600: "1 h",
    86_399: "23 h",
    90_000: "1 d",
}


@pytest.mark.parametrize("seconds", AGES)
def test_an_age_is_told_roughly(seconds: int) -> None:
    assert duration(seconds) == AGES[seconds]


def test_a_clock_that_went_back_makes_nothing_younger_than_now() -> None:
    assert duration(-50) == "0 s"


AGO = {"10s": 10, "5m": 300, "5 min": 300, "2h": 7200, "3d": 259_200, "1W": 604_800, " 2h ": 7200}


@pytest.mark.parametrize("text", AGO)
def test_an_age_names_a_moment(text: str) -> None:
    assert moment(text, NOW) == NOW - AGO[text]


@pytest.mark.parametrize("text", ["2026-11-15", "2026-11-15T14:30", "2026-11-15T14:30:05+02:00"])
def test_a_date_names_a_moment(text: str) -> None:
    assert moment(text, NOW) == datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize("text", ["", "soon", "2x", "-3d", "2026-13-01", "99999999d", "1e9"])
def test_what_is_no_time_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(BadCall, match="no time") as caught:
        moment(text, NOW)

    assert "`2h`" in caught.value.hint


def test_a_time_that_no_calendar_has_is_shown_all_the_same() -> None:
    assert local(1e30) == f"{1e30:.0f} s"
    assert local(NOW).startswith("2027-01-1")
