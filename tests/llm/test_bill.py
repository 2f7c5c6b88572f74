"""What was written down of requests, added up by session, stage and model."""

from decimal import Decimal

from automode.llm.bill import Bill
from automode.llm.ledger import Request, Total
from automode.llm.model import Usage

USED = Usage(10, 2, 80, 10)


def request(
    session: str,
    parent: str | None = None,
    stage: str = "fast",
    model: str = "known/m",
    at: float = 1.0,
) -> Request:
    money = Decimal(102) if model.startswith("known/") else None
    return Request(at, session, parent, stage, model, USED, 5, money)


def test_a_session_counts_with_its_sub_sessions() -> None:
    bill = Bill.of(
        [
            request("top"),
            request("child", "top"),
            request("grandchild", "child"),
            request("other"),
        ]
    )

    assert bill.spent("top") == Total(3, USED + USED + USED, 15, Decimal(306))
    assert bill.spent("child").requests == 2
    assert bill.spent("nobody") == Total()
    assert (bill.root("grandchild"), bill.root("other")) == ("top", "other")
    assert (bill.parent("child"), bill.parent("top")) == ("top", None)


def test_links_that_go_round_end_and_count_once() -> None:
    bill = Bill.of([request("a", "b"), request("b", "c"), request("c", "a"), request("x", "x")])

    assert {bill.spent(one).requests for one in "abc"} == {3}
    assert {bill.root(one) for one in "abc"} == {"a"}
    assert bill.family("x") == ("x",)


def test_a_session_keeps_the_first_parent_it_named() -> None:
    bill = Bill.of([request("child", "top"), request("child", "thief")])

    assert bill.parent("child") == "top"
    assert bill.spent("thief").requests == 0


def test_an_unknown_price_is_counted_apart_and_never_as_nothing() -> None:
    spent = Bill.of([request("s"), request("s", model="mine/m")]).spent("s")

    assert (spent.requests, spent.money, spent.unpriced) == (2, Decimal(102), 1)


def test_sums_stand_apart_by_stage_and_model() -> None:
    bill = Bill.of(
        [
            request("s"),
            request("s"),
            request("s", stage="deliberate"),
            request("s", model="mine/m"),
        ]
    )

    found = {key: total.requests for key, total in bill.lines(["s"]).items()}

    assert found == {("fast", "known/m"): 2, ("deliberate", "known/m"): 1, ("fast", "mine/m"): 1}


def test_sessions_stand_in_the_order_of_their_last_request() -> None:
    bill = Bill.of([request("a", at=1), request("b", at=2), request("a", at=3)])

    assert bill.sessions() == ("b", "a")
    last = bill.last_request("a")
    assert last is not None
    assert last.at == 3
    assert bill.last_request("nobody") is None
