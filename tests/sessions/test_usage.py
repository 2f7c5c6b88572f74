"""Requests go to the store and come back as they were."""

from dataclasses import replace
from decimal import Decimal

import pytest

from automode.core.record import SessionKey
from automode.llm.ledger import Request, Total
from automode.llm.model import Usage
from automode.sessions.usage import bill_of, request_of, spent
from automode.store.changes import Used, usage_of

KEY = SessionKey("plain", "child")
REQUEST = Request(
    5.0, "plain/child", "plain/top", "fast", "a/m", Usage(1, 2, 3, 4), 7, Decimal("0.25")
)


def used(parent: str | None) -> Used:
    [row] = usage_of("r", REQUEST.at, KEY, parent, [spent(REQUEST)])
    return row


def test_a_request_comes_back_from_the_store() -> None:
    assert request_of(used("top")) == REQUEST


def test_a_record_keeps_tokens_time_and_money() -> None:
    stage = spent(REQUEST)

    assert (stage.stage, stage.model, stage.millis, stage.usd) == ("fast", "a/m", 7, "0.25")
    assert (stage.input, stage.output, stage.cache_read, stage.cache_write) == (1, 2, 3, 4)


def test_a_bill_counts_a_session_with_those_below_it() -> None:
    bill = bill_of([used("top")] * 3)

    assert bill.spent("plain/top") == Total(3, Usage(3, 6, 9, 12), 21, Decimal("0.75"))
    assert bill.sessions() == ("plain/child",)


@pytest.mark.parametrize("money", ["", "much", "NaN", "-1", "Infinity", None])
def test_what_is_no_amount_of_money_is_not_known(money: str | None) -> None:
    kept = replace(used(None), usd=money)

    assert request_of(kept).money is None
