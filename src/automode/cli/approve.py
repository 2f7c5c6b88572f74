"""`automode approve`: a person's yes to one denied call."""

import click

from automode.cli.moments import local
from automode.cli.person import person_request
from automode.cli.printing import labelled, say, say_json
from automode.cli.surroundings import OWN_HOST, Surroundings, settings_options
from automode.core.clearance import Clearance, clearance
from automode.core.errors import BadCall
from automode.core.record import Record
from automode.store.open import reading
from automode.store.tables import record


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--session", is_flag=True, help="For the rest of the session, not once.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def approve(surroundings: Surroundings, id_: str, *, session: bool, as_json: bool) -> None:
    """Let the denied call of the record ID through when the agent tries it again: exactly the same
    call in the same session and folder, with the same content of every file it names.

    Once, within 10 minutes; with --session as often as it comes. What a deny rule, the floor or a
    `hard_deny` rule denied stays denied. This command is for people: an agent that calls it is
    denied.
    """
    found = _record(surroundings, id_)
    data = {"record": found.id, "session_long": session}
    answer = person_request(surroundings, "approve", data)
    if as_json:
        say_json(answer)
        return
    say(f"approved: {_until(answer)}")
    labelled("action", f"{found.tool}  {found.action}"[:600], indent=2)
    labelled("session", str(found.session), indent=2)
    if answer.get("ended") is True:
        say("That session has ended. The approval counts when the agent resumes it (`--resume`).")
        say(f"For other sessions write a rule: `automode denials --propose {found.id}`")
        return
    say("Tell the agent to try exactly that again.")


def _record(surroundings: Surroundings, wanted: str) -> Record:
    """Looked at before anybody is asked, so that a refusal names the reason."""
    with reading(surroundings.known_state(), surroundings.store()) as db:
        stored = record(db, wanted)
    if stored.record is None:
        raise BadCall(f"the content of record `{stored.id}` was purged", "let the agent try again")
    allowed = clearance_here(stored.record)
    if not allowed.possible:
        raise BadCall(f"`{stored.id}` cannot be approved: {allowed.refusal}", allowed.instead)
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


def _until(answer: dict[str, object]) -> str:
    match answer.get("expires"):
        case int(moment) | float(moment):
            return f"one retry, until {local(moment)}"
        case _:
            return "as often as it comes, for the rest of the session"
