"""Requests to models, between the ledger that counts them and the store that keeps them."""

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from automode.core.record import SessionKey, StageSpent
from automode.llm.ledger import Bill, Request
from automode.llm.model import Usage
from automode.store.changes import Used


def spent(request: Request) -> StageSpent:
    """As a record keeps it."""
    usage = request.usage
    return StageSpent(
        request.stage,
        request.model,
        usage.input,
        usage.output,
        usage.cache_read,
        usage.cache_write,
        request.millis,
        None if request.money is None else str(request.money),
    )


def request_of(kept: Used) -> Request:
    """Back from the store; sessions are named `host/id`."""
    usage = Usage(kept.input, kept.output, kept.cache_read, kept.cache_write)
    parent = None if kept.parent is None else str(SessionKey(kept.session.host, kept.parent))
    words = (str(kept.session), parent, kept.stage, kept.model)
    return Request(kept.at, *words, usage, kept.millis, _money(kept.usd))


def bill_of(rows: Iterable[Used]) -> Bill:
    return Bill(request_of(row) for row in rows)


def _money(text: str | None) -> Decimal | None:
    """What is no amount of money is not known."""
    try:
        money = None if text is None else Decimal(text)
    except InvalidOperation:
        return None
    return money if money is not None and money.is_finite() and money >= 0 else None
