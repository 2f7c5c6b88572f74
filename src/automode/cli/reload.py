"""`automode reload`: has the daemon read every settings file anew."""

import click

from automode.cli.person import person_request
from automode.cli.printing import say, say_json
from automode.cli.surroundings import Surroundings, settings_options
from automode.daemon.client import present


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def reload(surroundings: Surroundings, *, as_json: bool) -> None:
    """Have the daemon read every settings file anew.

    It notices changed files by itself; this is for when it cannot, as on some network file
    systems. Keys of providers come from its environment: `automode daemon restart` brings new ones.
    """
    runs = present(surroundings.known_state()) is not None
    if runs:
        person_request(surroundings, "reload", {})
    if as_json:
        say_json({"reloaded": runs})
    elif runs:
        say("reloaded: the next call of each project reads its settings anew")
    else:
        say("no daemon runs, so there is nothing to reload")
