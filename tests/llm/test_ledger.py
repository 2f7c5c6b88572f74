"""What requests used and cost while they are made: counted for a family, taken once, bounded."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.llm.bill import Bill
from automode.llm.ledger import MOST_FAMILIES, MOST_NOTICES, MOST_UNTAKEN, Ledger, Request, Total
from automode.llm.model import Usage

USED = Usage(10, 2, 80, 10)


def price(model: str, usage: Usage, at: datetime | None) -> Decimal | None:
    """A dollar per token, for the models of one provider."""
    return Decimal(usage.prompt + usage.output) if model.startswith("known/") else None


def note(ledger: Ledger, session: str, parent: str | None = None, model: str = "known/m") -> None:
    ledger.record(session, parent, "fast", model, USED, 5)


def test_a_session_counts_with_the_whole_family_it_belongs_to() -> None:
    ledger = Ledger(price=price)
    note(ledger, "top")
    note(ledger, "child", "top")
    note(ledger, "grandchild", "child")
    note(ledger, "other")

    family = Total(3, USED + USED + USED, 15, Decimal(306))
    assert [ledger.spent(one) for one in ("top", "child", "grandchild")] == [family] * 3
    assert ledger.spent("other").requests == 1
    assert ledger.spent("nobody") == Total()
    assert (ledger.root("grandchild"), ledger.root("other")) == ("top", "other")


def test_a_parent_that_is_named_late_takes_over_what_was_spent() -> None:
    ledger = Ledger(price=price)
    note(ledger, "grandchild", "child")
    note(ledger, "child", "top")

    assert ledger.spent("top").requests == 2
    assert ledger.root("grandchild") == "top"


def test_links_that_go_round_end_and_count_once() -> None:
    ledger = Ledger(price=price)
    note(ledger, "a", "b")
    note(ledger, "b", "c")
    note(ledger, "c", "a")
    note(ledger, "self", "self")

    assert {ledger.spent(one).requests for one in "abc"} == {3}
    assert {ledger.root(one) for one in "abc"} == {"c"}
    assert ledger.spent("self").requests == 1


def test_a_session_keeps_the_first_parent_it_named() -> None:
    ledger = Ledger(price=price)
    note(ledger, "child", "top")
    note(ledger, "child", "thief")

    assert ledger.root("child") == "top"
    assert ledger.spent("thief").requests == 0


def test_an_unknown_price_is_counted_apart_and_never_as_nothing() -> None:
    ledger = Ledger(price=price)
    note(ledger, "s")
    note(ledger, "s", model="mine/m")

    spent = ledger.spent("s")

    assert (spent.requests, spent.money, spent.unpriced) == (2, Decimal(102), 1)


def test_requests_are_taken_once_and_by_their_own_session() -> None:
    ledger = Ledger(price=price, clock=lambda: 7.0)
    note(ledger, "s")
    note(ledger, "sub", "s")

    taken = ledger.taken("s")

    assert taken == (Request(7.0, "s", None, "fast", "known/m", USED, 5, Decimal(102)),)
    assert ledger.taken("s") == ()
    assert [one.parent for one in ledger.taken("sub")] == ["s"]
    assert ledger.spent("s").requests == 2


def test_what_was_spent_before_counts_too() -> None:
    ledger = Ledger(price=price)
    note(ledger, "s")
    knew = [ledger.knows(one) for one in ("s", "new")]

    ledger.seed("s", Total(2, USED, 3, Decimal(5)))
    ledger.seed("new", Total())

    assert knew == [True, False]
    assert ledger.knows("new")
    assert (ledger.spent("s").requests, ledger.spent("s").money) == (3, Decimal(107))


def test_copies_with_another_price_count_into_the_same_book() -> None:
    ledger = Ledger(price=price)
    other = replace(ledger, price=lambda *_: Decimal(1))
    note(ledger, "s")
    note(other, "s", model="mine/m")

    assert ledger.spent("s").money == other.spent("s").money == Decimal(103)
    assert len(ledger.taken("s")) == 2


def test_nothing_grows_without_limit() -> None:
    ledger = Ledger(price=lambda *_: None)
    for number in range(MOST_FAMILIES + 50):
        note(ledger, f"s{number}", f"p{number}")
    for _ in range(MOST_UNTAKEN + 50):
        note(ledger, "busy")

    assert len(ledger._spent) == len(ledger._parents) == len(ledger._untaken) == MOST_FAMILIES
    assert len(ledger.taken("busy")) == MOST_UNTAKEN
    assert not ledger.knows("p0")


@pytest.mark.parametrize("trouble", [ImportError("gone"), ValueError("odd"), ArithmeticError()])
def test_failing_to_find_a_price_is_a_notice(trouble: Exception) -> None:
    def broken(model: str, usage: Usage, at: datetime | None) -> Decimal | None:
        raise trouble

    ledger = Ledger(price=broken)
    for number in range(MOST_NOTICES + 5):
        note(ledger, "s", model=f"m{number}")
        note(ledger, "s", model=f"m{number}")

    assert ledger.spent("s").unpriced == 2 * (MOST_NOTICES + 5)
    assert "could not be looked up" in ledger.notices[0]
    assert len(ledger.notices) == MOST_NOTICES


def test_the_share_of_the_cache_is_of_the_whole_prompt() -> None:
    assert Total(usage=USED).cache_share == 0.8
    assert Total().cache_share is None


links = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from([None, *"abcde"])), max_size=20
)


@given(links)
def test_the_ledger_and_the_bill_agree_on_what_all_families_spent(
    made: list[tuple[str, str | None]],
) -> None:
    ledger = Ledger(price=price)
    for session, parent in made:
        note(ledger, session, parent)

    roots = {ledger.root(session) for session, _ in made}
    counted = sum((ledger.spent(root) for root in roots), start=Total())
    bill = Bill.of([one for name in "abcde" for one in ledger.taken(name)])

    assert counted == bill.total(bill.sessions())
