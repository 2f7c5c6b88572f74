"""`automode status-line`: one short line for the status bar of a host. Asks the daemon alone."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import click

from automode.cli.surroundings import OWN_HOST, Surroundings, settings_options
from automode.core.errors import AutomodeError, BadCall
from automode.daemon.client import request

SECONDS = 1.0
MOST_SESSIONS = 1000
LARGEST_HOST_BYTES = 1024 * 1024
COUNTERS = {
    "a": "checkedActions",
    "d": "blockedActions",
    "ca": "classifierAllowed",
    "cd": "classifierDenied",
}
_COLOURS = {"●": "green", "◐": "yellow", "○": "cyan", "■": "red", "!": "red", "?": "yellow"}


@dataclass(frozen=True, slots=True)
class Line:
    """`mark`: `●` on, `◐` shadow, `○` off, `■` halted, `!` no daemon, `?` no such session."""

    mark: str
    counts: Mapping[str, int]

    def __str__(self) -> str:
        return " ".join([f"AM{self.mark}", *(f"{name}:{n}" for name, n in self.counts.items())])


@click.command(short_help="Print one line for a status bar.")
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

    Actions let through, actions denied, and how many of each the classifier decided; without
    --session of all sessions that run. `AM○` is off, `AM◐` shadow, `AM■` halted, `AM!` no daemon,
    `AM?` a session that the daemon has not seen.
    """
    wanted = _piped_in() if session == "-" else session
    line = line_for(_sessions(surroundings), wanted)
    if as_json:
        click.echo(json.dumps({"line": str(line), "mark": line.mark, **line.counts}))
        return
    text = str(line)
    if colour:
        text = click.style(f"AM{line.mark}", fg=_COLOURS[line.mark]) + text[2 + len(line.mark) :]
    click.echo(text, color=True if colour else None)


def line_for(known: Sequence[Mapping[str, object]] | None, wanted: str | None) -> Line:
    """None: no daemon answers."""
    if known is None:
        return Line("!", {})
    shown = [one for one in known if _fits(one, wanted)]
    if wanted is not None and not shown:
        return Line("?", {})
    counts = {name: sum(_count(one, key) for one in shown) for name, key in COUNTERS.items()}
    counts["a"] = max(0, counts["a"] - counts["d"])
    return Line(_mark(shown), counts)


def _mark(shown: Sequence[Mapping[str, object]]) -> str:
    if any(one.get("halted") is True for one in shown):
        return "■"
    modes = {str(one.get("mode")) for one in shown}
    if modes == {"off"}:
        return "○"
    return "◐" if modes == {"shadow"} else "●"


def _fits(one: Mapping[str, object], wanted: str | None) -> bool:
    if wanted is None:
        return one.get("ended") is None and one.get("host") != OWN_HOST
    return wanted in (one.get("session"), f"{one.get('host')}/{one.get('session')}")


def _count(one: Mapping[str, object], name: str) -> int:
    match one.get(name):
        case int(number):
            return number
        case _:
            return 0


def _sessions(surroundings: Surroundings) -> list[Mapping[str, object]] | None:
    """A bar that shows an error helps nobody: whatever fails means that no daemon answers."""
    try:
        answer = request(
            surroundings.known_state(), "sessions", {"limit": MOST_SESSIONS}, seconds=SECONDS
        )
    except AutomodeError:
        return None
    match answer.get("sessions"):
        case [*found]:
            return list(_objects(found))
        case _:
            return None


def _objects(found: Iterable[object]) -> Iterable[Mapping[str, object]]:
    return (one for one in found if isinstance(one, Mapping))


def _piped_in() -> str:
    """Hosts call it `session_id`."""
    try:
        found: object = json.loads(sys.stdin.buffer.read(LARGEST_HOST_BYTES))
    except (ValueError, AttributeError, OSError):
        found = None
    match found:
        case {"session_id": str(session)} if session:
            return session
        case _:
            raise BadCall("no `session_id` on standard input", "name the session with --session")
