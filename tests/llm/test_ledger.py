"""What requests used and cost: counted for a family, taken once, bounded, added up afterwards."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.llm.ledger import MOST_FAMILIES, MOST_UNTAKEN, Bill, Ledger, Request, Total
from automode.llm.model import Usage

USED = Usage(10, 2, 80, 10)
Link = tuple[str, str | None]


def price(model: str, usage: Usage, at: datetime | None) -> Decimal | None:
    """A dollar per token, for the models of one provider."""
    return Decimal(usage.prompt + usage.output) if model.startswith("known/") else None


def note(
    ledger: Ledger,
    session: str,
    parent: str | None = None,
    model: str = "known/m",
    stage: str = "fast",
) -> None:
    ledger.record(session, parent, stage, model, USED, 5)


def ledger_of(links: Sequence[Link]) -> Ledger:
    ledger = Ledger(price=price)
    for session, parent in links:
        note(ledger, session, parent)
    return ledger


def bill_of(links: Sequence[Link]) -> Bill:
    return Bill(Request(1.0, *link, "fast", "known/m", USED, 5, Decimal(102)) for link in links)


counted_by_both = pytest.mark.parametrize("count", [ledger_of, bill_of], ids=["ledger", "bill"])


@counted_by_both
def test_a_session_counts_with_its_sub_sessions(
    count: Callable[[Sequence[Link]], Ledger | Bill],
) -> None:
    counted = count([("top", None), ("child", "top"), ("grandchild", "child"), ("other", None)])

    assert counted.spent("top") == Total(3, USED + USED + USED, 15, Decimal(306))
    assert counted.spent("other").requests == 1
    assert counted.spent("nobody") == Total()
    assert (counted.root("grandchild"), counted.root("other")) == ("top", "other")


@counted_by_both
def test_links_that_go_round_end_and_count_once(
    count: Callable[[Sequence[Link]], Ledger | Bill],
) -> None:
    counted = count([("a", "b"), ("b", "c"), ("c", "a"), ("self", "self")])

    assert {counted.root(one) for one in "abc"} == {"c"}
    assert counted.spent("c").requests == 3
    assert counted.spent("self").requests == 1


@counted_by_both
def test_a_session_keeps_the_first_parent_it_named(
    count: Callable[[Sequence[Link]], Ledger | Bill],
) -> None:
    counted = count([("child", "top"), ("child", "thief")])

    assert counted.root("child") == "top"
    assert counted.spent("thief").requests == 0


def test_a_ledger_counts_a_sub_session_with_its_whole_family() -> None:
    ledger = ledger_of([("grandchild", "child"), ("child", "top")])

    assert ledger.spent("grandchild") == ledger.spent("top")
    assert ledger.spent("top").requests == 2


def test_an_unknown_price_is_counted_apart_and_never_as_nothing() -> None:
    ledger = Ledger(price=price)
    note(ledger, "s")
    note(ledger, "s", model="mine/m")

    spent = ledger.spent("s")

    assert (spent.requests, spent.money, spent.unpriced) == (2, Decimal(102), 1)
    assert Bill(ledger.take("s")).spent("s") == spent


def test_requests_are_taken_once_and_by_their_own_session() -> None:
    ledger = Ledger(price=price, clock=lambda: 7.0)
    note(ledger, "s")
    note(ledger, "sub", "s")

    taken = ledger.take("s")

    assert taken == (Request(7.0, "s", None, "fast", "known/m", USED, 5, Decimal(102)),)
    assert ledger.take("s") == ()
    assert [one.parent for one in ledger.take("sub")] == ["s"]
    assert ledger.spent("s").requests == 2


def test_what_was_spent_before_counts_too() -> None:
    ledger = ledger_of([("s", None)])
    knew = [ledger.knows(one) for one in ("s", "new")]

    ledger.add_earlier("s", Total(2, USED, 3, Decimal(5)))
    ledger.add_earlier("new", Total())

    assert knew == [True, False]
    assert ledger.knows("new")
    assert (ledger.spent("s").requests, ledger.spent("s").money) == (3, Decimal(107))


def test_copies_with_another_price_count_into_the_same_book() -> None:
    ledger = Ledger(price=price)
    other = replace(ledger, price=lambda *_: Decimal(1))
    note(ledger, "s")
    note(other, "s", model="mine/m")

    assert ledger.spent("s").money == other.spent("s").money == Decimal(103)
    assert len(ledger.take("s")) == 2


def test_nothing_grows_without_limit() -> None:
    ledger = Ledger(price=lambda *_: None)
    for number in range(MOST_FAMILIES + 50):
        note(ledger, f"s{number}", f"p{number}")
    for _ in range(MOST_UNTAKEN + 50):
        note(ledger, "busy")

    assert len(ledger._spent) == len(ledger._parents) == len(ledger._untaken) == MOST_FAMILIES
    assert len(ledger.take("busy")) == MOST_UNTAKEN
    assert not ledger.knows("p0")


@pytest.mark.parametrize("trouble", [ImportError("gone"), ValueError("odd"), ArithmeticError()])
def test_a_price_that_cannot_be_looked_up_is_unknown(trouble: Exception) -> None:
    def broken(model: str, usage: Usage, at: datetime | None) -> Decimal | None:
        raise trouble

    ledger = Ledger(price=broken)
    note(ledger, "s")

    assert ledger.spent("s").unpriced == 1


def test_the_share_of_the_cache_is_of_the_whole_prompt() -> None:
    assert Total(usage=USED).cache_share == 0.8
    assert Total().cache_share is None


def test_a_bill_has_sums_by_stage_and_model() -> None:
    ledger = Ledger(price=price)
    for stage, model in (("fast", "a"), ("fast", "a"), ("deliberate", "a"), ("fast", "b")):
        note(ledger, "s", model=model, stage=stage)

    found = {key: total.requests for key, total in Bill(ledger.take("s")).lines(["s"]).items()}

    assert found == {("fast", "a"): 2, ("deliberate", "a"): 1, ("fast", "b"): 1}


def test_a_bill_has_its_sessions_in_the_order_of_their_last_request() -> None:
    made = [("a", 1), ("b", 2), ("a", 3)]
    bill = Bill(Request(at, session, None, "fast", "m", USED, 5) for session, at in made)

    last = bill.last_request("a")

    assert bill.sessions() == ("b", "a")
    assert last is not None
    assert last.at == 3
    assert bill.last_request("nobody") is None


links = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from([None, *"abcde"])), max_size=20
)


@given(links)
def test_the_ledger_and_the_bill_agree_on_what_all_families_spent(
    made: list[tuple[str, str | None]],
) -> None:
    ledger = ledger_of(made)

    roots = {ledger.root(session) for session, _ in made}
    counted = sum((ledger.spent(root) for root in roots), start=Total())
    bill = Bill([one for name in "abcde" for one in ledger.take(name)])

    assert counted == bill.total(bill.sessions())
