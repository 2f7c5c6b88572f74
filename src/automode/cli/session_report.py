"""How `status` shows sessions: a table of those that are known, or everything about one."""

import time
from collections.abc import Mapping, Sequence

from automode.cli.printing import columns, duration, faint, heading, one_line, say, say_row
from automode.cli.sessions import KnownSession

MOST_SHOWN = 10
LONGEST_ACTION = 200
_LONGEST_NAME = 28


def show_table(known: Sequence[KnownSession]) -> None:
    now = time.time()
    columns(
        [
            (
                one_line(one.name, _LONGEST_NAME),
                session_mode(one),
                f"{one.number('checkedActions'):,} checked",
                f"{one.number('blockedActions'):,} denied",
                f"{duration(now - one.seconds('seen'), 2)} ago",
                one.text("root"),
            )
            for one in known[:MOST_SHOWN]
        ]
    )
    if len(known) > MOST_SHOWN:
        say(faint(f"  and {len(known) - MOST_SHOWN} more; --json lists all"))


def session_mode(one: KnownSession) -> str:
    """`on` and `off` where a person said so; an end or a halt comes first."""
    if one.halted:
        return "halted"
    if one.ended:
        return "ended"
    return one.text("enabledOverride") or one.text("mode")


def show_session(one: KnownSession, used: Mapping[str, object] | None) -> None:
    now = time.time()
    heading(one_line(one.name))
    rows = [
        ("mode", session_mode(one)),
        ("project", one.text("root")),
        ("attended", "yes" if one.fields.get("attended") else "no: every ask becomes a deny"),
        ("seen", f"{duration(now - one.seconds('seen'), 2)} ago"),
        ("checked", f"{one.number('checkedActions'):,}, of these denied {_blocked(one)}"),
        ("classifier", f"allowed {one.number('classifierAllowed'):,}, {_denied(one)}"),
        ("last", _last(one)),
    ]
    if one.text("parent"):
        rows.insert(1, ("parent", one.text("parent")))
    if used is not None:
        cost = f"{used['requests']} requests, cost {used['usd'] or 'unknown'}"
        rows.append(("used", cost if used["requests"] else "no request to a model"))
    for label, text in rows:
        say_row(label, text, indent=2)
    _show_denials(one, now)


def _blocked(one: KnownSession) -> str:
    return f"{one.number('blockedActions'):,} ({one.number('deniedInARow'):,} in a row)"


def _denied(one: KnownSession) -> str:
    return f"denied {one.number('classifierDenied'):,}"


def _last(one: KnownSession) -> str:
    if not one.text("lastDecision"):
        return "nothing decided yet"
    return f"{one.text('lastDecision')} by {one.text('lastSource')}: {one.text('lastReason')}"


def _show_denials(one: KnownSession, now: float) -> None:
    match one.fields.get("recentDenials"):
        case [_, *_] as found:
            denials = [KnownSession(each) for each in found if isinstance(each, Mapping)]
        case _:
            return
    say()
    heading("Recent denials")
    for denial in reversed(denials):
        when = duration(now - denial.seconds("timestamp"), 2)
        say(f"  {when} ago  {one_line(denial.text('tool'))}  {faint(denial.text('record'))}")
        say_row("action", one_line(denial.text("action"), LONGEST_ACTION), indent=4)
        say_row("reason", f"{denial.text('kind')}: {denial.text('reason')}", indent=4)
