"""`automode usage`: the tokens and the money that the classifier used, by session, stage, model."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import click

from automode.cli.options import Surroundings, usual_options
from automode.cli.printing import attributes, faint, heading, one_line, say, say_more, tell
from automode.cli.tables import show_table
from automode.core.record import session_meant
from automode.llm.ledger import Bill, Total
from automode.llm.prices import CURRENCY
from automode.sessions.usage import bill_of
from automode.store.open import reading
from automode.store.tables import usage_rows

MOST_SESSIONS = 10
_HEADS = ("stage", "model", "requests", "input", "output", "cache read", "write", "cached")
_WORDS = 2  # so many columns hold words, the others numbers
UNKNOWN = "unknown"


@click.command()
@click.option("--session", metavar="ID", help="One session alone, by its id or how it begins.")
@usual_options
def usage(surroundings: Surroundings, session: str | None) -> None:
    """Show the tokens and the money that the classifier used, by session, stage and model.

    A session counts with its sub-sessions. The agent's own tokens are not in it.
    """
    bill = bill_for(surroundings)
    shown = _roots(bill)
    if session is not None:
        shown = [session_meant((*bill.sessions(), *shown), session, "automode usage")]
    tell(lambda: usage_data(bill, shown), lambda: _show(bill, shown))


def bill_for(surroundings: Surroundings) -> Bill:
    """Every request in the store; none where `--isolated` leaves out the store."""
    folder = surroundings.state()
    if folder is None:
        return Bill()
    with reading(folder, surroundings.store()) as db:
        return bill_of(usage_rows(db))


def usage_data(bill: Bill, roots: Sequence[str]) -> dict[str, object]:
    return {
        "currency": CURRENCY,
        "sessions": [_session_data(bill, root) for root in roots],
        "total": total_data(bill.total(_members(bill, roots))),
    }


def _session_data(bill: Bill, root: str) -> dict[str, object]:
    family = bill.family(root)
    return {
        "session": root,
        "parent": bill.parent(root),
        "sub_sessions": list(family[1:]),
        "last_request": _last(bill, family),
        "lines": [
            {"stage": stage, "model": model, **total_data(total)}
            for (stage, model), total in bill.lines(family).items()
        ],
        "total": total_data(bill.total(family)),
    }


def total_data(total: Total) -> dict[str, object]:
    return {
        **attributes(total, "requests millis"),
        **attributes(total.usage, "input output cache_read cache_write"),
        "cache_share": None if total.cache_share is None else round(total.cache_share, 4),
        # A text, because money is no float; null when nothing in it has a known price.
        "usd": None if total.requests == total.unpriced else str(total.money),
        "unpriced_requests": total.unpriced,
    }


def _roots(bill: Bill) -> list[str]:
    """Every session without a parent, the latest first."""
    return list(dict.fromkeys(bill.root(one) for one in reversed(bill.sessions())))


def _members(bill: Bill, roots: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(one for root in roots for one in bill.family(root)))


def _last(bill: Bill, family: Sequence[str]) -> str:
    times = [request.at for one in family if (request := bill.last_request(one))]
    return datetime.fromtimestamp(max(times), UTC).isoformat(timespec="seconds")


def _show(bill: Bill, roots: Sequence[str]) -> None:
    for root in roots[:MOST_SESSIONS]:
        _show_session(bill, root)
    total = bill.total(_members(bill, roots))
    if not total.requests:
        say("no request to a model has been recorded")
    say_more(len(roots), MOST_SESSIONS)
    if len(roots) > 1:
        say(f"all {len(roots)} sessions: {_summary(total)}")


def _show_session(bill: Bill, root: str) -> None:
    family = bill.family(root)
    below = f" with {len(family) - 1} sub-sessions" if len(family) > 1 else ""
    heading(f"{one_line(root)}{below}")
    say(faint(f"  {_summary(bill.total(family))}; last {_last(bill, family)}"))
    lines = bill.lines(family).items()
    rows = [(stage, model, *_numbers(total)) for (stage, model), total in lines]
    show_table(rows, (*_HEADS, CURRENCY), words=_WORDS)
    say()


def _numbers(total: Total) -> tuple[str, ...]:
    used = total.usage
    counts = (total.requests, used.input, used.output, used.cache_read, used.cache_write)
    share = "-" if total.cache_share is None else f"{100 * total.cache_share:.0f} %"
    return (*(f"{count:,}" for count in counts), share, money(total).replace(f" {CURRENCY}", ""))


def _summary(total: Total) -> str:
    return f"{total.requests:,} requests, {total.usage.prompt:,} prompt tokens, cost {money(total)}"


def money(total: Total) -> str:
    """What is known, and how many requests it leaves out: an unknown price is not a price of 0."""
    if total.requests and total.unpriced == total.requests:
        return UNKNOWN
    known = f"{dollars(total.money)} {CURRENCY}"
    return f"{known} + {total.unpriced} {UNKNOWN}" if total.unpriced else known


def dollars(amount: Decimal) -> str:
    return f"{amount:,.2f}" if amount >= 10 else f"{amount:.4f}"
