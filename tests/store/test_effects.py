"""What a record says of the decision behind it."""

from dataclasses import replace

import pytest

from automode.core.decision import Failure, Remark, Verdict
from automode.core.record import Record
from automode.store.effects import allowed, counts, denied, judged, walked
from tests.store.examples import record

DENIED = record(1, Verdict.DENY)
ASKED = replace(
    DENIED,
    verdict=Verdict.ASK,
    source="breaker.consecutive",
    trail=(Remark("breaker", "deny", "classifier.deliberate: no: really"),),
)
RECORDS = {
    # counts, denied by a policy, allowed, judged
    "a denial": (DENIED, (True, True, False, False)),
    "an allow": (record(1), (True, False, True, True)),
    "in shadow mode": (replace(DENIED, enforced=False), (True, False, False, False)),
    "an outage": (replace(DENIED, error=Failure.UNAVAILABLE), (True, False, False, False)),
    "a cancelled call": (replace(DENIED, error=Failure.CANCELLED), (False, False, False, False)),
    "what a person did": (record(1, source="person.reset"), (False, False, False, False)),
    "asked by the breaker": (ASKED, (True, True, False, True)),
}


@pytest.mark.parametrize(("one", "expected"), RECORDS.values(), ids=RECORDS)
def test_what_becomes_of_a_record(one: Record, expected: tuple[bool, ...]) -> None:
    assert (counts(one), denied(one), allowed(one), judged(one)) == expected


def test_the_breaker_hides_nothing() -> None:
    assert walked(ASKED) == (Verdict.DENY, "classifier.deliberate", "no: really")


def test_a_trail_that_cannot_be_read_is_none() -> None:
    strange = replace(ASKED, trail=(Remark("breaker", "perhaps", "x"),))

    assert walked(strange) == (Verdict.ASK, ASKED.source, ASKED.reason)
