"""`automode denials`: what was denied lately, and what would clear it."""

import time
from collections.abc import Mapping, Sequence

import click

from automode.cli.approve import clearance_here
from automode.cli.moments import age, local
from automode.cli.printing import coloured, labelled, one_line, say, say_json
from automode.cli.records import note_waiting
from automode.cli.surroundings import Surroundings, settings_options
from automode.core.errors import BadCall
from automode.core.record import Record
from automode.store.changes import Approval, RecordQuery
from automode.store.open import reading
from automode.store.session_records import recorded_session
from automode.store.tables import approvals, records

_LISTED = 12


class Count(click.IntRange):
    name = "whole number"  # what click calls it is no word for a person


@click.command(short_help="List recent denials, and what would clear them.")
@click.option("--session", metavar="ID", help="Of one session: its id, or how it begins.")
@click.option("--limit", type=Count(1), default=_LISTED, show_default=True, metavar="N")
@click.option("--propose", metavar="ID", help="Show the rule that would have covered this record.")
@click.option(
    "--write",
    is_flag=True,
    help="With --propose: add the rule that covers exactly this call to your settings.",
)
@click.option(
    "--choice",
    type=Count(1),
    metavar="N",
    help="With --write: which of the proposals, also a wider one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def denials(
    surroundings: Surroundings,
    session: str | None,
    limit: int,
    propose: str | None,
    choice: int | None,
    *,
    write: bool,
    as_json: bool,
) -> None:
    """List recent denials, the newest first: who denied, why, and what would clear it.

    `automode approve ID` lets one exact retry through. `--propose ID` shows the allow rule or the
    sentence of the policy that would have covered the call, or an ask rule for one that was
    allowed; `--write` adds it to your own settings.
    """
    if propose is not None:
        # What decides takes time to load, and only a proposal needs it.
        from automode.cli.proposals import propose_rule

        propose_rule(surroundings, propose, choice, write=write, as_json=as_json)
        return
    if write or choice is not None:
        raise BadCall("nothing is proposed that could be written", "name a record with --propose")
    folder = surroundings.known_state()
    note_waiting(folder)
    with reading(folder, surroundings.store()) as db:
        key = None if session is None else recorded_session(db, session)
        found = records(db, RecordQuery(key, ("deny", "halt"), limit=limit))
        given = {approval.record: approval for approval in reversed(approvals(db, key))}
    denied = [one.record for one in found if one.record is not None]
    if as_json:
        say_json([_data(record, given.get(record.id)) for record in denied])
        return
    _show(denied, given)


def _show(denied: Sequence[Record], given: Mapping[str, Approval]) -> None:
    now = time.time()
    for at, record in enumerate(denied):
        if at:
            say()
        verdict = coloured(record.verdict.word)
        say(f"{record.id}  {verdict}  {one_line(record.source)}, {age(now - record.at)} ago")
        labelled("action", f"{record.tool}  {record.action}"[:600], indent=2)
        labelled("reason", record.reason, indent=2)
        labelled("session", str(record.session), indent=2)
        for text in _ways_out(record, given.get(record.id), now):
            labelled("clear", text, indent=2)
    if not denied:
        say("nothing was denied")


def _ways_out(record: Record, approval: Approval | None, now: float) -> list[str]:
    state = _state(approval, now)
    if state:
        return [state]
    found = clearance_here(record)
    if not found.possible:
        return ["; ".join(part for part in (found.refusal, found.instead) if part)]
    return [
        f"`automode approve {record.id}`: one exact retry within 10 minutes",
        f"`automode denials --propose {record.id}`: a rule for calls like it",
    ]


def _state(approval: Approval | None, now: float) -> str:
    """What became of a person's yes; empty where it does not count any more."""
    if approval is None:
        return ""
    if approval.consumed is not None:
        return f"approved, and used up at {local(approval.consumed)}"
    if approval.expires is None:
        return "approved for the rest of the session"
    return f"approved until {local(approval.expires)}" if approval.expires > now else ""


def _data(record: Record, approval: Approval | None) -> dict[str, object]:
    found = clearance_here(record)
    return {
        "id": record.id,
        "timestamp": record.at,
        "session": str(record.session),
        "tool": record.tool,
        "action": record.action,
        "verdict": record.verdict.word,
        "source": record.source,
        "kind": record.kind,
        "reason": record.reason,
        "advice": record.advice,
        "clearable": record.clearable,
        "approvable": found.possible,
        "refusal": found.refusal or None,
        "instead": found.instead or None,
        "approval": None
        if approval is None
        else {
            "once": approval.once,
            "expires": approval.expires,
            "consumed": approval.consumed,
        },
    }
