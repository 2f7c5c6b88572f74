"""`automode daemon`: starts, stops and shows the process that decides for hooks; what only a person
may ask of it, or do on the store."""

import os
import sys
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress

import click

from automode.cli.options import Surroundings, usual_options
from automode.cli.printing import duration, note, one_line, say_json, say_rows, tell, wants_json
from automode.core.errors import AutomodeError, BadSettings
from automode.daemon import lifecycle
from automode.daemon.client import NoDaemon, NotAnswering, Status, present, request
from automode.daemon.frames import Right
from automode.daemon.placement import Placement, usual_config
from automode.doctor.daemon_state import DaemonState, daemon_state
from automode.facts.place import home_folder
from automode.store.folder import StateFolder, default_folder

PERSON_SECONDS = 60.0  # a purge of a large store takes a while


class NotAPerson(AutomodeError):
    pass


def person_request(
    surroundings: Surroundings, verb: str, data: Mapping[str, object]
) -> dict[str, object]:
    """The answer of `verb` (`approve`, `purge`, `reset`, `mode`, `reload`): by the daemon when one
    runs, else by this process. AutomodeError says what went wrong."""
    folder = surroundings.known_state()
    refuse_agents(folder)
    try:
        return request(folder, verb, data, token=Right.PERSON, seconds=PERSON_SECONDS)
    except NoDaemon:
        from automode.cli.without_daemon import change_store

        return change_store(surroundings, verb, data)


def refuse_agents(folder: StateFolder, *besides: StateFolder) -> None:
    """Raises NotAPerson for a process below an agent that one of these folders knows, or the
    account's usual one. The daemon refuses them too; this is for when none runs."""
    from automode.agents.catalog import ADAPTERS
    from automode.daemon.agents import refusal

    usual = default_folder(home_folder(), {})
    why = refusal(folder, os.getpid(), ADAPTERS, besides=(usual, *besides))
    if why is not None:
        raise NotAPerson(
            f"only a person may do this, and {why}", "type it in a terminal of your own"
        )


def daemon_data(state: DaemonState) -> dict[str, object]:
    found = state.status
    return {
        "running": found is not None,
        "hangs": state.hangs,
        "pid": state.holder if found is None else found.pid,
        "version": None if found is None else found.version,
        "started": None if found is None else found.started,
        "uptime_seconds": None if found is None else round(time.time() - found.started),
        "http_port": None if found is None else found.http_port,
        "state_folder": state.folder.path,
        "decided": state.told.get("decided"),
        "trouble": state.trouble or state.silent or None,
        "notices": state.notices,
    }


def daemon_rows(state: DaemonState) -> list[tuple[str, str]]:
    status, text = state.status, state.silent
    if status is not None:
        up = duration(time.time() - status.started, 2)
        text = f"running: pid {status.pid}, version {status.version}, up {up}"
    text = text or "not running; the next hook, or `automode daemon start`, starts it"
    rows = [("daemon", text), ("state", state.folder.path)]
    if state.trouble:
        rows.append(("trouble", state.trouble))
    return rows + [("notice", notice) for notice in state.notices]


EXIT_DOWN = 1
LOG_LINES = 50


@click.group()
def daemon() -> None:
    """The daemon decides for the hooks of your agents. They start it when they need it; you need
    these commands only to look at it, to end it, or to give it the keys of this terminal."""


@daemon.command(short_help="Start it in the background.")
@usual_options
def start(surroundings: Surroundings) -> None:
    """Start it in the background, with the providers' keys of this terminal's environment.

    One that runs already stays.
    """
    placement = _person_placement(surroundings)
    note_ignored(surroundings)
    known = lifecycle.status(placement)
    found = lifecycle.start_detached(placement)
    same = known is not None and known.pid == found.pid
    _report(found, "runs already" if same else "started")


@daemon.command(short_help="End it, once it has answered what it was asked.")
@usual_options
def stop(surroundings: Surroundings) -> None:
    """End it, once it has answered what it was asked. The next hook starts another one."""
    placement = _person_placement(surroundings)
    _tell_hanging(placement)
    ended = lifecycle.stop(placement)
    tell({"stopped": ended}, "stopped" if ended else "no daemon was running")


@daemon.command(short_help="End it and start a new one.")
@usual_options
def restart(surroundings: Surroundings) -> None:
    """End it and start a new one, with the providers' keys of this terminal's environment."""
    placement = _person_placement(surroundings)
    note_ignored(surroundings)
    _tell_hanging(placement)
    lifecycle.stop(placement)
    _report(lifecycle.start_detached(placement), "started")


@daemon.command(short_help="Show whether it runs and how it is.")
@usual_options
def status(surroundings: Surroundings) -> None:
    """Show whether it runs and how it is. Ends with 1 when it does not run, or does not answer."""
    placement = Placement(state_of(surroundings), surroundings.config_folder)
    state = daemon_state(placement, compared=not surroundings.isolated)
    tell(daemon_data(state), lambda: say_rows(daemon_rows(state)))
    if state.status is None:
        sys.exit(EXIT_DOWN)


@daemon.command(short_help="Print the end of its log.")
@click.option(
    "--lines",
    type=click.IntRange(1, 100_000),
    default=LOG_LINES,
    show_default=True,
    metavar="N",
    help="How many.",
)
@usual_options
def logs(surroundings: Surroundings, lines: int) -> None:
    """Print the end of its log. No call stands in it: `automode audit` has those."""
    folder = state_of(surroundings)
    found: list[str] = []
    with suppress(FileNotFoundError), open(folder.log, encoding="utf-8", errors="replace") as file:
        found = [one_line(line.rstrip("\n")) for line in deque(file, maxlen=lines)]
    nothing = f"nothing has been logged in {folder.log}"
    tell({"file": folder.log, "lines": found}, "\n".join(found) or nothing)


@daemon.command(short_help="Run it here, in the foreground.")
@click.option("--detached", is_flag=True, hidden=True, help="Whoever started it does not wait.")
@usual_options
def run(surroundings: Surroundings, *, detached: bool) -> None:
    """Run it here, in the foreground, until ctrl-C: for supervisors such as systemd."""
    placement = placement_of(surroundings)
    note_ignored(surroundings)
    if wants_json():
        say_json({"state": placement.state.path})
    sys.exit(lifecycle.run(placement, detached=detached))


def placement_of(surroundings: Surroundings) -> Placement:
    if surroundings.isolated:
        raise BadSettings(
            "a daemon reads settings files, and --isolated ignores them", "leave it out"
        )
    folder = surroundings.config_folder
    # It works in another folder than this one. It need not exist: there may be no settings yet.
    return Placement(state_of(surroundings), None if folder is None else os.path.abspath(folder))


def _person_placement(surroundings: Surroundings) -> Placement:
    """An agent might name settings of its own."""
    placement = placement_of(surroundings)
    refuse_agents(placement.state)
    return placement


def state_of(surroundings: Surroundings) -> StateFolder:
    """The daemon of this folder is meant. Hooks do not look at variables, so neither do these
    commands: a project's own would lead to a daemon that nobody asks, or to another's."""
    if surroundings.state_folder is not None or surroundings.isolated:
        return surroundings.known_state()
    return default_folder(home_folder(), {})


def note_ignored(surroundings: Surroundings) -> None:
    """Names each variable that other commands heed and a daemon does not."""
    state = state_of(surroundings).path
    named = {
        "XDG_CONFIG_HOME": ("--config-folder", surroundings.config_folder, usual_config()),
        "XDG_STATE_HOME": ("--state-folder", surroundings.state_folder, state),
    }
    for name, (option, given, folder) in named.items():
        if os.environ.get(name) and given is None:
            note(f"{name} does not move a daemon: it uses {folder}, or name {option}")


def _tell_hanging(placement: Placement) -> None:
    """Before the long wait for it: nobody should take the command for stuck as well."""
    try:
        present(placement.state)
    except NotAnswering as error:
        note(f"{error}: it has some seconds to end, then it is killed")
    except AutomodeError:
        pass  # one that answers, whatever it says, can be stopped


def _report(found: Status, what: str) -> None:
    data = {"pid": found.pid, "version": found.version, "started": what == "started"}
    tell(data, f"{what}: pid {found.pid}, version {found.version}")
