"""`automode inbox`: the asks that wait for a person, to look at and to answer."""

import sys
import time
from collections.abc import Iterable
from contextlib import suppress

import click

from automode.cli.options import Surroundings, usual_options
from automode.cli.printing import (
    duration,
    note,
    one_line,
    say,
    say_json,
    say_rows,
    section,
    verdict_text,
    wants_json,
)
from automode.cli.records.answering import Inbox, Stopped, answer_waiting, look, rules_for
from automode.core.errors import AutomodeError
from automode.core.record import PART_REPLACED, beside

FOLLOWED_SECONDS = 60.0
_KEYS = "o once, s this session, a always, n no, enter later, q quit"
_KINDS = {"o": "once", "s": "session", "a": "always", "n": "deny"}


class _Enough(Exception):
    """The person wants no more questions."""


@click.command()
@click.option("--follow", is_flag=True, help="Stay, and ask about each one that comes.")
@click.option("--list", "only_list", is_flag=True, help="Only list them, also in a terminal.")
@usual_options
def inbox(surroundings: Surroundings, *, follow: bool, only_list: bool) -> None:
    """List the asks that wait for you, and what was stopped lately and can still be approved.

    In a terminal it asks about each that waits: allow it once, for the rest of the session, always
    (it shows the rule, which you can edit), or say no with a reason that the agent reads. Asks wait
    where `autoMode.asks.hold` says how long. An agent cannot answer.
    """
    found = look(surroundings)
    if wants_json():
        say_json(found.data)
        return
    asks = not only_list and sys.stdin is not None and sys.stdin.isatty()
    if not asks or not (found.waiting or follow):
        show(found)
        return
    with suppress(_Enough, KeyboardInterrupt, click.Abort):
        seen = ask_about(surroundings, found.waiting)
        while follow:
            found = look(surroundings, found.revision, FOLLOWED_SECONDS)
            seen |= ask_about(
                surroundings, (one for one in found.waiting if one.record not in seen)
            )


def show(found: Inbox) -> None:
    if not found.waiting:
        say("nothing waits for an answer")
    for one in found.waiting:
        show_stopped(one)
    if found.recent:
        section("stopped lately; `automode approve ID` lets an exact retry through")
    for one in found.recent:
        show_stopped(one)


def show_stopped(one: Stopped) -> None:
    now = time.time()
    when = f"{duration(now - one.at)} ago"
    if one.until is not None:
        when = f"waits {duration(max(0.0, one.until - now))} more"
    say(f"{one.record}  {verdict_text(one.verdict)}  {one_line(one.source)}, {when}")
    say_rows(
        [
            ("action", f"{one.tool}  {one.action}"),
            ("with", beside(one.action, one.given)),
            ("hidden", PART_REPLACED if one.replaced else ""),
            ("session", one.session),
            ("folder", one.cwd),
            ("reason", one.reason),
        ],
        indent=2,
    )


def ask_about(surroundings: Surroundings, waiting: Iterable[Stopped]) -> set[str]:
    """Asks a person about one after the other. Returns which."""
    seen: set[str] = set()
    for one in waiting:
        seen.add(one.record)
        show_stopped(one)
        while not _answered(surroundings, one):
            pass
        say()
    return seen


def _answered(surroundings: Surroundings, one: Stopped) -> bool:
    """Whether it needs no other question: an answer that did not count may be given again."""
    key = click.prompt(_KEYS, default="", show_default=False).strip().casefold()[:1]
    if key == "q":
        raise _Enough
    if not key:
        return True
    kind = _KINDS.get(key)
    if kind is None:
        note("type one of the letters")
        return False
    try:
        reason = rule = ""
        if kind == "deny":
            reason = click.prompt("why (the agent reads it)", default="", show_default=False)
        if kind == "always":
            rule = _rule(surroundings, one.record)
            if not rule:
                return False
        say(answer_waiting(surroundings, one.record, kind, reason, rule))
    except AutomodeError as error:
        note(f"{error}" + (f" ({error.hint})" if error.hint else ""))
        return "waits any more" in str(error)
    return True


def _rule(surroundings: Surroundings, record: str) -> str:
    """The rule that a person wants; empty where they think again."""
    found, remarks = rules_for(surroundings, record)
    for number, one in enumerate(found, start=1):
        say(f"{number}. {one_line('; '.join(one.rule.splitlines()))}")
        say_rows([("covers", one.note), ("void", one.void)], indent=3)
    say_rows([("note", remark) for remark in remarks], indent=3)
    question = "a number, a rule of your own, or enter to think again"
    given = str(click.prompt(question, default="", show_default=False)).strip()
    if given.isdigit() and 0 < int(given) <= len(found):
        return found[int(given) - 1].rule
    return given
