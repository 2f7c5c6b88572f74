"""`automode purge`: deletes what was recorded, and leaves a signed mark."""

import os
import sys
import time

import click

from automode.cli.moments import local, moment
from automode.cli.person import person_request
from automode.cli.printing import say, say_json
from automode.cli.surroundings import Surroundings, settings_options
from automode.core.errors import BadCall
from automode.store.open import reading
from automode.store.retention import leftovers
from automode.store.session_records import recorded_session

EXIT_DECLINED = 1


@click.command(short_help="Delete what was recorded, leaving a signed mark.")
@click.option("--session", metavar="ID", help="One session, with those of its sub-agents.")
@click.option("--before", metavar="TIME", help="Whatever is older than a date, or than `30d`.")
@click.option("--all", "everything", is_flag=True, help="Everything.")
@click.option("--yes", is_flag=True, help="Do not ask; needed when nobody is at a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def purge(
    surroundings: Surroundings,
    session: str | None,
    before: str | None,
    *,
    everything: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete recorded decisions, transcripts, approvals and usage: of one session, from before a
    day, or all of them. It cannot be undone.

    A signed mark stays that says when, how many and why, so that `automode audit verify` still
    tells a purge from tampering. This command is for people: an agent that calls it is denied.
    """
    data, what = _wanted(surroundings, session, before, everything=everything)
    if not yes:
        _ask(what, shown=not as_json)
    answer = person_request(surroundings, "purge", data)
    if everything:
        for file in leftovers(surroundings.known_state()):
            os.unlink(file)
    if as_json:
        say_json(answer)
        return
    say(f"purged: {what}")
    say(f"  {_count(answer, 'removed')} records are gone, {_count(answer, 'emptied')} emptied")


def _wanted(
    surroundings: Surroundings, session: str | None, before: str | None, *, everything: bool
) -> tuple[dict[str, object], str]:
    if [session is not None, before is not None, everything].count(True) != 1:
        raise BadCall("say what to purge", "give exactly one of --session, --before and --all")
    if session is not None:
        with reading(surroundings.known_state(), surroundings.store()) as db:
            key = recorded_session(db, session)
        return {"session": str(key)}, f"session {key} and its sub-sessions"
    if before is not None:
        start = moment(before, time.time())
        return {"before": start}, f"everything from before {local(start)}"
    return {"all": True}, "everything that was recorded"


def _ask(what: str, *, shown: bool) -> None:
    if not shown or sys.stdin is None or not sys.stdin.isatty():
        raise BadCall("nobody is there to confirm", "pass --yes")
    if not click.confirm(f"Delete {what}? It cannot be undone.", default=False):
        click.echo("nothing was deleted", err=True)
        sys.exit(EXIT_DECLINED)


def _count(answer: dict[str, object], name: str) -> int:
    match answer.get(name):
        case int(number):
            return number
        case _:
            return 0
