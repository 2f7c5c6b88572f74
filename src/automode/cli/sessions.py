"""Which session a person means, and the commands about sessions: on, off, reset, reload."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import click

from automode.cli.daemon import person_request
from automode.cli.options import Surroundings, usual_options, workspace_at
from automode.cli.printing import tell
from automode.core.errors import BadCall
from automode.core.record import OWN_HOST
from automode.daemon.client import NoDaemon, NotAnswering, present, request

MOST = 1000


@dataclass(frozen=True, slots=True)
class KnownSession:
    """`fields` has the names that hosts read: `checkedActions`, `enabledOverride` and so on."""

    fields: Mapping[str, object]

    @classmethod
    def each_in(cls, found: object) -> "list[KnownSession]":
        """Also for denials, which are objects of the same kind."""
        rows = found if isinstance(found, list) else []
        return [cls(one) for one in rows if isinstance(one, Mapping)]

    @property
    def name(self) -> str:
        return f"{self.text('host')}/{self.text('session')}"

    def text(self, key: str) -> str:
        found = self.fields.get(key)
        return found if isinstance(found, str) else ""

    def number(self, key: str) -> int:
        found = self.fields.get(key)
        return found if isinstance(found, int) else 0

    def seconds(self, key: str) -> float:
        """A time since the epoch; 0 for one that is not known."""
        found = self.fields.get(key)
        return float(found) if isinstance(found, int | float) else 0.0

    @property
    def ended(self) -> bool:
        return self.fields.get("ended") is not None

    @property
    def halted(self) -> bool:
        return self.fields.get("halted") is True


def known_sessions(surroundings: Surroundings) -> list[KnownSession]:
    """The last seen first; none where `--isolated` leaves out the state folder."""
    folder = surroundings.state()
    if folder is None:
        return []
    asked = {"limit": MOST}
    try:
        answer = request(folder, "sessions", asked)
    except (NoDaemon, NotAnswering):  # nothing is changed, so that one which hangs may live on
        from automode.cli.without_daemon import look_up

        answer = look_up(surroundings, "sessions", asked)
    return KnownSession.each_in(answer.get("sessions"))


RECENT_SECONDS = 24 * 3600.0
MOST_LISTED = 8


def _session_command(verb: str, data: Mapping[str, object], done: str, text: str) -> click.Command:
    """A command that changes one session or all. `done` says so of a session's name."""

    @click.command(help=text)
    @click.option(
        "--session", metavar="ID", help="The session, by its id, `host/id` or how it begins."
    )
    @click.option("--all", "every", is_flag=True, help="Every session that is known.")
    @usual_options
    def command(surroundings: Surroundings, session: str | None, *, every: bool) -> None:
        if session is not None and every:
            raise BadCall("--session and --all exclude each other", "leave one of them out")
        which = {"all": True} if every else {"session": session or _only_one(surroundings)}
        answer = person_request(surroundings, verb, {**data, **which})
        names = answer.get("sessions")
        found = names if isinstance(names, list) and names else ["no session: none is known"]
        tell(answer, "\n".join(f"{done} {name}" for name in found))

    return command


on = _session_command(
    "mode",
    {"mode": "on"},
    "auto mode is on for",
    """Switch auto mode on for a session, whatever the settings say.

    Without an option: for the one session that runs in this project.
    """,
)
off = _session_command(
    "mode",
    {"mode": "off"},
    "auto mode is off for",
    """Switch auto mode off for a session: its host asks you again, as without automode.

    Deny rules of the administrator hold all the same, and `automode check` decides all the same.
    Without an option: for the one session that runs in this project. An agent cannot do this.
    """,
)
reset = _session_command(
    "reset",
    {},
    "reset:",
    """Clear a session's counters, recent denials and approvals. A session that was halted may go
    on.

    What was learnt in its project is forgotten. Settings stay, and so do the records: `automode
    audit` still shows every decision. An agent cannot do this.
    """,
)


def _only_one(surroundings: Surroundings) -> str:
    root = workspace_at(None).root
    since = time.time() - RECENT_SECONDS
    running = [
        one
        for one in known_sessions(surroundings)
        if not one.ended and one.seconds("seen") >= since and one.text("host") != OWN_HOST
    ]
    here = [one for one in running if one.text("root") == root]
    if len(here) == 1:
        return here[0].name
    what = f"{len(here)} sessions run" if here else "no session runs"
    names = [f"{one.name} in {one.text('root')}" for one in here or running]
    more = len(names) - MOST_LISTED
    listed = ", ".join(names[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
    known = listed or "none is known; `automode status` lists them"
    raise BadCall(f"{what} in `{root}`", f"name one with --session: {known}")


@click.command()
@usual_options
def reload(surroundings: Surroundings) -> None:
    """Have the daemon read every settings file anew.

    It notices changed files by itself; this is for when it cannot, as on some network file
    systems. Keys of providers come from its environment: `automode daemon restart` brings new ones.
    """
    runs = present(surroundings.known_state()) is not None
    if runs:
        person_request(surroundings, "reload", {})
    done = "reloaded: the next call of each project reads its settings again"
    tell({"reloaded": runs}, done if runs else "no daemon runs, so there is nothing to reload")
