"""`automode reset`: a session's counters, recent denials and approvals start anew."""

import click

from automode.cli.named_sessions import chosen, session_options
from automode.cli.person import person_request
from automode.cli.printing import say, say_json
from automode.cli.surroundings import Surroundings, settings_options


@click.command()
@session_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def reset(surroundings: Surroundings, session: str | None, *, every: bool, as_json: bool) -> None:
    """Clear a session's counters, recent denials and approvals. A session that was halted may go
    on.

    Settings stay, and so do the records: `automode audit` still shows every decision. An agent
    cannot do this.
    """
    which = chosen(surroundings, session, every=every)
    answer = person_request(surroundings, "reset", which.request)
    if as_json:
        say_json(answer)
        return
    for name in which.touched(answer):
        say(f"reset: {name}")
