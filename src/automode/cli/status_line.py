"""`automode status-line`: one short line for the status bar of a host. Asks the daemon alone."""

import json
import sys
from collections.abc import Mapping

import click

from automode.cli.bar import (
    LARGEST_HOST_BYTES,
    MOST_SESSIONS,
    SECONDS,
    has_worked,
    line_for,
    piped_in,
    sessions_in,
)
from automode.cli.surroundings import Surroundings, settings_options
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def status_line(
    surroundings: Surroundings, session: str | None, *, colour: bool, as_json: bool
) -> None:
    """Print one line for the status bar of a host: `AM● a:12 d:2 ca:5 cd:1`.

    Actions not denied (allowed, or asked about), actions denied, and how many the classifier
    allowed and denied; without --session of all sessions that run. `AM○` is off, `AM◐` shadow,
    `AM■` halted, `AM!` no daemon, `AM?` a session that the daemon has not seen.
    """
    told = _piped() if session == "-" else b""
    wanted = piped_in(told) if session == "-" else session
    line = line_for(_sessions(surroundings), wanted, worked=has_worked(told))
    if as_json:
        click.echo(json.dumps({"line": str(line), "mark": line.mark, **line.counts}))
        return
    text = str(line)
    if colour:
        text = click.style(f"AM{line.mark}", fg=_COLOURS[line.mark]) + text[2 + len(line.mark) :]
    click.echo(text, color=True if colour else None)


def _sessions(surroundings: Surroundings) -> list[Mapping[str, object]] | None:
    """A bar that shows an error helps nobody: whatever fails means that no daemon answers."""
    try:
        answer = request(
            surroundings.known_state(), "sessions", {"limit": MOST_SESSIONS}, seconds=SECONDS
        )
    except (AutomodeError, OSError):
        return None
    return sessions_in(answer)


def _piped() -> bytes:
    try:
        return sys.stdin.buffer.read(LARGEST_HOST_BYTES)
    except (AttributeError, OSError):
        return b""
