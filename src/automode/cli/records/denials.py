"""`automode denials` and `approve`: what was denied lately, what would clear it, a person's yes."""

import time
from collections.abc import Mapping, Sequence

import click

from automode.agents.scripted import CANARY
from automode.cli.daemon import person_request, refuse_agents
from automode.cli.options import Surroundings, usual_options
from automode.cli.printing import (
    attributes,
    duration,
    local,
    one_line,
    say,
    say_json,
    say_rows,
    tell,
    verdict_text,
    wants_json,
)
from automode.cli.records.audit import note_waiting
from automode.core.errors import BadCall
from automode.core.record import OWN_HOST, Clearance, Record, clearance
from automode.store.changes import Approved, RecordQuery
from automode.store.open import reading
from automode.store.tables import approvals, find_session, record, records


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--session", is_flag=True, help="For the rest of the session, not once.")
@click.option("--always", is_flag=True, help="Save a rule that covers exactly this call.")
@click.option(
    "--rule", metavar="PATTERN", help="With --always: this rule instead; it must cover it."
)
@usual_options
def approve(
    surroundings: Surroundings, id_: str, rule: str | None, *, session: bool, always: bool
) -> None:
    """Let the call of the record ID through that was asked about or denied: at once where it waits,
    else when the agent tries it again. It has to be exactly the same call in the same session and
    folder, with the same content of every file it names.

    Once, within 10 minutes; with --session as often as it comes. With --always a rule in your own
    settings covers it from now on, in every session. What a deny rule, the floor or a `hard_deny`
    rule denied stays denied. This command is for people: an agent that calls it is denied.
    """
    if session and always:
        raise BadCall("--session and --always are two answers", "choose one of them")
    if rule is not None and not always:
        raise BadCall("--rule is for --always", "add --always")
    if always:
        _approve_always(surroundings, id_, rule)
        return
    found = _record(surroundings, id_)
    answer = give_approval(surroundings, found, session=session)
    if wants_json():
        say_json(answer)
        return
    approved, *then = approval_lines(found, answer)
    say(approved)
    say_rows(_call_rows(found), indent=2)
    for line in then:
        say(line)


def _approve_always(surroundings: Surroundings, id_: str, rule: str | None) -> None:
    from automode.cli.records.answering import narrowest_rule

    refuse_agents(surroundings.known_state())
    found = _stored(surroundings, id_)
    text = narrowest_rule(surroundings, found.id) if rule is None else rule
    answer = person_request(surroundings, "approve", {"record": found.id, "rule": text})
    if wants_json():
        say_json(answer | {"rule": text})
        return
    say(f"saved in {answer.get('saved')}:")
    for line in text.splitlines():
        say(f"  {one_line(line)}")
    say("It counts from now on, in every session.")


def give_approval(
    surroundings: Surroundings, found: Record, *, session: bool = False
) -> dict[str, object]:
    """What the daemon answers. Refused to whatever an agent started: AutomodeError."""
    data = {"record": found.id, "session_long": session}
    return person_request(surroundings, "approve", data)


def approval_lines(found: Record, answer: Mapping[str, object]) -> list[str]:
    expires = answer.get("expires")
    once = f"one retry, until {local(expires)}" if isinstance(expires, int | float) else ""
    approved = f"approved: {once or 'as often as it comes, for the rest of the session'}"
    if answer.get("ended") is True:
        return [
            approved,
            "That session has ended. The approval counts when the agent resumes it (`--resume`).",
            f"For other sessions save a rule: `automode approve {found.id} --always`",
        ]
    return [approved, "Tell the agent to try exactly that again."]


def _record(surroundings: Surroundings, wanted: str) -> Record:
    """Looked at before anybody is asked, so that a refusal names the reason."""
    found = _stored(surroundings, wanted)
    allowed = clearance_here(found)
    if not allowed.possible:
        raise BadCall(f"`{found.id}` cannot be approved: {allowed.refusal}", allowed.instead)
    return found


def _stored(surroundings: Surroundings, wanted: str) -> Record:
    with reading(surroundings.known_state(), surroundings.store()) as db:
        stored = record(db, wanted)
    if stored.record is None:
        raise BadCall(f"the content of record `{stored.id}` was purged", "let the agent try again")
    return stored.record


def clearance_here(record: Record) -> Clearance:
    """What a person may do about it: an approval waits for an agent to try again, and for a call of
    the command line no agent will."""
    found = clearance(record)
    if not found.possible or record.session.host != OWN_HOST:
        return found
    return Clearance(
        "it was asked on the command line, where nothing runs and so no approval counts",
        f"a rule counts there too: `automode denials --propose {record.id}`",
    )


_LISTED = 12
MOST_CANARIES = 100


class Count(click.IntRange):
    name = "whole number"  # what click calls it is no word for a person


@click.command()
@click.option("--session", metavar="ID", help="Of one session: its id, or how it begins.")
@click.option("--asked", is_flag=True, help="What was asked about, too.")
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
@usual_options
def denials(
    surroundings: Surroundings,
    session: str | None,
    limit: int,
    propose: str | None,
    choice: int | None,
    *,
    asked: bool,
    write: bool,
) -> None:
    """List recent denials, the newest first: who denied, why, and what would clear it.

    `automode approve ID` lets one exact retry through. `--propose ID` shows the allow rule or the
    sentence of the policy that would have covered the call, or an ask rule for one that was
    allowed; `--write` adds it to your own settings.
    """
    if propose is not None:
        # What decides takes time to load, and only a proposal needs it.
        from automode.cli.records.proposals import propose_rule

        propose_rule(surroundings, propose, choice, write=write)
        return
    if write or choice is not None:
        raise BadCall("nothing is proposed that could be written", "name a record with --propose")
    folder = surroundings.known_state()
    note_waiting(folder)
    with reading(folder, surroundings.store()) as db:
        key = None if session is None else find_session(db, session)
        verdicts = ("ask", "deny", "halt") if asked else ("deny", "halt")
        found = records(db, RecordQuery(key, verdicts, limit=limit + MOST_CANARIES))
        given = {approval.record: approval for approval in reversed(approvals(db, key))}
    whole = (one.record for one in found if one.record is not None)
    denied = [one for one in whole if one.action != CANARY][:limit]
    data = [_data(record, given.get(record.id)) for record in denied]
    tell(data, lambda: _show(denied, given))


def _call_rows(record: Record) -> list[tuple[str, str]]:
    action = f"{record.tool}  {record.action}"[:600]
    return [("action", action), ("session", str(record.session))]


def _show(denied: Sequence[Record], given: Mapping[str, Approved]) -> None:
    now = time.time()
    for at, one in enumerate(denied):
        if at:
            say()
        verdict = verdict_text(one.verdict.word)
        say(f"{one.id}  {verdict}  {one_line(one.source)}, {duration(now - one.at)} ago")
        rows = [*_call_rows(one), ("reason", one.reason)]
        rows += [("clear", text) for text in _ways_out(one, given.get(one.id), now)]
        say_rows(rows, indent=2)
    if not denied:
        say("nothing was denied")


def _ways_out(record: Record, approval: Approved | None, now: float) -> list[str]:
    if approval is not None and approval.consumed is not None:
        return [f"approved, and used up at {local(approval.consumed)}"]
    if approval is not None and approval.expires is None:
        return ["approved for the rest of the session"]
    if approval is not None and approval.expires is not None and approval.expires > now:
        return [f"approved until {local(approval.expires)}"]
    found = clearance_here(record)
    if not found.possible:
        return ["; ".join(part for part in (found.refusal, found.instead) if part)]
    return [
        f"`automode approve {record.id}`: one exact retry within 10 minutes",
        f"`automode approve {record.id} --always`, or `automode denials --propose {record.id}`: a"
        " rule for calls like it",
    ]


def _data(record: Record, approval: Approved | None) -> dict[str, object]:
    found = clearance_here(record)
    names = "id tool action verdict source kind reason advice clearable"
    return {
        **attributes(record, names),
        "timestamp": record.at,
        "session": str(record.session),
        "approvable": found.possible,
        **attributes(found, "refusal? instead?"),
        "approval": None if approval is None else attributes(approval, "once expires consumed"),
    }
