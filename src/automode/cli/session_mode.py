"""`automode on` and `automode off`: switch auto mode for a session, or for all of them."""

import click

from automode.cli.named_sessions import Chosen, chosen, session_options
from automode.cli.person import person_request
from automode.cli.printing import say, say_json
from automode.cli.surroundings import OWN_HOST, Surroundings, settings_options


@click.command()
@session_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def on(surroundings: Surroundings, session: str | None, *, every: bool, as_json: bool) -> None:
    """Switch auto mode on for a session, whatever the settings say.

    Without an option: for the one session that runs in this project.
    """
    _switch(surroundings, "on", chosen(surroundings, session, every=every), as_json=as_json)


@click.command()
@session_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def off(surroundings: Surroundings, session: str | None, *, every: bool, as_json: bool) -> None:
    """Switch auto mode off for a session: its host asks you again, as without automode.

    Deny rules of the administrator hold all the same. Without an option: for the one session that
    runs in this project. An agent cannot do this.
    """
    _switch(surroundings, "off", chosen(surroundings, session, every=every), as_json=as_json)


def _switch(surroundings: Surroundings, mode: str, sessions: Chosen, *, as_json: bool) -> None:
    answer = person_request(surroundings, "mode", {"mode": mode, **sessions.request})
    if as_json:
        say_json(answer)
        return
    for name in sessions.touched(answer):
        # What nobody runs has no host to ask in automode's place.
        still = "; `automode check` decides all the same" if name.startswith(f"{OWN_HOST}/") else ""
        say(f"auto mode is {mode} for {name}{still}")
