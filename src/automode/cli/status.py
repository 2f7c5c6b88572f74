"""`automode status`, `status-line` and `doctor`: the state in full, in one line, and checked."""

import json
import sys
from collections.abc import Mapping

import click

from automode.cli.bar import (
    LARGEST_HOST_BYTES,
    MOST_SESSIONS,
    SECONDS,
    line_for,
    read_host,
    sessions_in,
)
from automode.cli.options import Surroundings, cwd_option, runs, usual_options
from automode.cli.printing import wants_json
from automode.core.errors import AutomodeError
from automode.daemon.client import request

_COLOURS = {"●": "green", "◐": "yellow", "○": "cyan", "■": "red", "!": "red", "?": "yellow"}


@click.command()
@click.option(
    "--session",
    metavar="ID",
    help="One session alone; `-` takes the id out of the JSON that the host pipes in.",
)
@click.option("--colour", is_flag=True, help="Colour the mark, also where no terminal is.")
@usual_options
def status_line(surroundings: Surroundings, session: str | None, *, colour: bool) -> None:
    """Print one line for the status bar of a host: `AM● a:12 d:2 ca:5 cd:1`.

    Actions not denied (allowed, or asked about), actions denied, and how many the classifier
    allowed and denied; without --session of all sessions that run. Where a model judged and its
    price is known, `judge $0.0123` follows, with the agent's own cost beside it where the host
    tells that (`agent $0.42`). `AM○` is off, `AM◐` shadow,
    `AM■` halted, `AM!` no daemon, `AM?` a session that the daemon has not seen.
    """
    worked, usd = False, 0.0
    if session == "-":
        session, worked, usd = read_host(_host_input())
    line = line_for(_sessions(surroundings), session, worked=worked, agent_usd=usd)
    if wants_json():
        click.echo(json.dumps({"line": str(line), "mark": line.mark, **line.counts}))
        return
    text = str(line)
    if colour:
        text = click.style(f"AM{line.mark}", fg=_COLOURS[line.mark]) + text[2 + len(line.mark) :]
    click.echo(text, color=True if colour else None)


def _sessions(surroundings: Surroundings) -> list[Mapping[str, object]] | None:
    """A status bar shows no errors: every failure is shown as "no daemon answers"."""
    try:
        answer = request(
            surroundings.known_state(), "sessions", {"limit": MOST_SESSIONS}, seconds=SECONDS
        )
    except (AutomodeError, OSError):
        return None
    return sessions_in(answer)


def _host_input() -> bytes:
    try:
        return sys.stdin.buffer.read(LARGEST_HOST_BYTES)
    except (AttributeError, OSError):
        return b""


@click.command()
@click.option("--session", metavar="ID", help="One session alone, by its id or how it begins.")
@cwd_option
@usual_options
@runs("status_report.show_status")
def status() -> None:
    """Show whether automode is on, the daemon and its sessions, which files count, and what is
    wrong with them."""


@click.command()
@click.argument("agent", required=False, metavar="[AGENT]")
@cwd_option
@click.option("--no-start", is_flag=True, help="Start no agent: it stays unknown whether it asks.")
@click.option("--offline", is_flag=True, help="Ask no model: it stays unknown whether it answers.")
@click.option("--online", is_flag=True, hidden=True)  # what it asked for is done anyway
@usual_options
@runs("doctor.run_doctor")
def doctor() -> None:
    """Check that AGENT, or every agent, asks automode before each tool call, and that a call is
    judged by what you chose. Prints the command that fixes each problem, and changes no settings.
    An agent that it starts leaves a session with a denied call in your records, and the daemon
    running; see --no-start. The model is sent one made-up, harmless call; see --offline.

    Exit code 0: no problem. 1: there are problems.
    """
