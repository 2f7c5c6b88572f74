"""`automode usage`: the tokens and the money that the classifier used, by session, stage, model."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import click

from automode.cli.printing import faint, heading, one_line, say, say_json, wrapped
from automode.core.errors import BadCall
from automode.facts.place import home_folder
from automode.llm.ledger import Ledger, Total, usage_file
from automode.llm.prices import CURRENCY

MOST_SESSIONS = 10
_HEADS = ("stage", "model", "requests", "input", "output", "cache read", "write", "cached")
_LEFT = 2  # so many columns hold words, the others numbers
UNKNOWN = "unknown"


@click.command(short_help="Show what the classifier used and cost.")
@click.option("--session", metavar="ID", help="One session alone, by its id or how it begins.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def usage(session: str | None, *, as_json: bool) -> None:
    """Show the tokens and the money that the classifier used, by session, stage and model.

    A session counts with its sub-sessions. The agent's own tokens are not in it.
    """
    ledger = Ledger.opened(usage_file(home_folder(), dict(os.environ)))
    shown = _roots(ledger) if session is None else [_named(ledger, session)]
    if as_json:
        say_json(usage_data(ledger, shown))
    else:
        _show(ledger, shown)


def usage_data(ledger: Ledger, roots: Sequence[str]) -> dict[str, object]:
    return {
        "currency": CURRENCY,
        "sessions": [_session_data(ledger, root) for root in roots],
        "total": _total_data(ledger.total(_members(ledger, roots))),
        "notices": ledger.notices,
    }


def _session_data(ledger: Ledger, root: str) -> dict[str, object]:
    family = ledger.family(root)
    return {
        "session": root,
        "parent": ledger.parent(root),
        "sub_sessions": list(family[1:]),
        "last_request": _last(ledger, family),
        "lines": [
            {"stage": stage, "model": model, **_total_data(total)}
            for (stage, model), total in ledger.lines(family).items()
        ],
        "total": _total_data(ledger.total(family)),
    }


def _total_data(total: Total) -> dict[str, object]:
    return {
        "requests": total.requests,
        "input": total.usage.input,
        "output": total.usage.output,
        "cache_read": total.usage.cache_read,
        "cache_write": total.usage.cache_write,
        "cache_share": None if total.cache_share is None else round(total.cache_share, 4),
        "millis": total.millis,
        # A text, because money is no float; null when nothing in it has a known price.
        "usd": None if total.requests == total.unpriced else str(total.money),
        "unpriced_requests": total.unpriced,
    }


def _roots(ledger: Ledger) -> list[str]:
    """Every session without a parent, the latest first."""
    return list(dict.fromkeys(ledger.root(one) for one in reversed(ledger.sessions())))


def _members(ledger: Ledger, roots: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(one for root in roots for one in ledger.family(root)))


def _named(ledger: Ledger, wanted: str) -> str:
    known = {*ledger.sessions(), *_roots(ledger)}
    fitting = (
        [wanted] if wanted in known else sorted(one for one in known if one.startswith(wanted))
    )
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise BadCall(
            f"no session `{wanted}` has asked a model", "`automode usage` lists the sessions"
        )
    raise BadCall(f"{len(fitting)} sessions begin with `{wanted}`", "give more of the id")


def _last(ledger: Ledger, family: Sequence[str]) -> str:
    times = [request.at for one in family if (request := ledger.last_request(one))]
    return datetime.fromtimestamp(max(times), UTC).isoformat(timespec="seconds")


def _show(ledger: Ledger, roots: Sequence[str]) -> None:
    for root in roots[:MOST_SESSIONS]:
        _show_session(ledger, root)
    total = ledger.total(_members(ledger, roots))
    if not total.requests:
        say("no request to a model has been recorded")
    if len(roots) > MOST_SESSIONS:
        say(faint(f"and {len(roots) - MOST_SESSIONS} earlier sessions; --json lists all"))
    if len(roots) > 1:
        say(f"all {len(roots)} sessions: {_summary(total)}")
    for notice in ledger.notices:
        for line in wrapped(f"notice: {notice}"):
            click.echo(line, err=True)


def _show_session(ledger: Ledger, root: str) -> None:
    family = ledger.family(root)
    below = f" with {len(family) - 1} sub-sessions" if len(family) > 1 else ""
    heading(f"{one_line(root)}{below}")
    say(faint(f"  {_summary(ledger.total(family))}; last {_last(ledger, family)}"))
    rows = [(*_HEADS, CURRENCY)] + [
        (stage, one_line(model), *_numbers(total))
        for (stage, model), total in ledger.lines(family).items()
    ]
    _table(rows)
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


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        words = [cell.ljust(wide) for cell, wide in zip(row[:_LEFT], widths, strict=False)]
        numbers = [cell.rjust(wide) for cell, wide in zip(row[_LEFT:], widths[_LEFT:], strict=True)]
        say("  " + "  ".join((*words, *numbers)).rstrip())
