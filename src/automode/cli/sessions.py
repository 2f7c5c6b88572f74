"""Which session a person means, and the commands about sessions: on, off, reset, reload."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import click

from automode.cli.options import OWN_HOST, Surroundings, usual_options, workspace_at
from automode.cli.person import person_request
from automode.cli.printing import say, say_json
from automode.core.errors import BadCall
from automode.daemon.client import NoDaemon, NotAnswering, present, request

MOST = 1000


@dataclass(frozen=True, slots=True)
class KnownSession:
    """`fields` has the names that hosts read: `checkedActions`, `enabledOverride` and so on."""

    fields: Mapping[str, object]

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
    return sessions_in(answer)


def find_session(names: Iterable[str], wanted: str, unknown: str, where: str) -> str:
    """The one that is meant, by its whole name `host/id`, by its id, or by how either begins.
    BadCall, with what is `unknown` and `where` the names are listed."""
    known = [(name, name.partition("/")[2]) for name in names]
    exact = [name for name, own in known if wanted in (name, own)]
    begun = [
        name
        for name, own in known
        if wanted and (name.startswith(wanted) or own.startswith(wanted))
    ]
    fitting = exact or begun
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise BadCall(unknown, where)
    raise BadCall(f"{len(fitting)} sessions begin with `{wanted}`", "give more of the id")


def sessions_in(answer: Mapping[str, object]) -> list[KnownSession]:
    match answer.get("sessions"):
        case [*found]:
            return [KnownSession(one) for one in found if isinstance(one, Mapping)]
        case _:
            return []


RECENT_SECONDS = 24 * 3600.0
MOST_LISTED = 8
Function = TypeVar("Function", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """`request` is how the daemon is told."""

    request: Mapping[str, object]

    def touched(self, answer: Mapping[str, object]) -> list[str]:
        match answer.get("sessions"):
            case [*names]:
                return [str(name) for name in names] or ["no session: none is known"]
            case _:
                return []


def session_options(command: Function) -> Function:
    options = (
        click.option(
            "--session", metavar="ID", help="The session, by its id, `host/id` or how it begins."
        ),
        click.option("--all", "every", is_flag=True, help="Every session that is known."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def choose_sessions(
    surroundings: Surroundings, session: str | None, *, every: bool
) -> SessionChoice:
    """BadCall where it is not clear which one is meant."""
    if session is not None and every:
        raise BadCall("--session and --all exclude each other", "leave one of them out")
    if every:
        return SessionChoice({"all": True})
    if session is not None:
        return SessionChoice({"session": session})
    return SessionChoice({"session": _only_one(surroundings)})


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
    raise BadCall(f"{what} in `{root}`", f"name one with --session: {_listed(here or running)}")


def _listed(sessions: Sequence[KnownSession]) -> str:
    if not sessions:
        return "none is known; `automode status` lists them"
    names = [f"{one.name} in {one.text('root')}" for one in sessions[:MOST_LISTED]]
    more = len(sessions) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


@click.command()
@session_options
@usual_options
def on(surroundings: Surroundings, session: str | None, *, every: bool, as_json: bool) -> None:
    """Switch auto mode on for a session, whatever the settings say.

    Without an option: for the one session that runs in this project.
    """
    _switch(
        surroundings, "on", choose_sessions(surroundings, session, every=every), as_json=as_json
    )


@click.command()
@session_options
@usual_options
def off(surroundings: Surroundings, session: str | None, *, every: bool, as_json: bool) -> None:
    """Switch auto mode off for a session: its host asks you again, as without automode.

    Deny rules of the administrator hold all the same. Without an option: for the one session that
    runs in this project. An agent cannot do this.
    """
    _switch(
        surroundings, "off", choose_sessions(surroundings, session, every=every), as_json=as_json
    )


def _switch(
    surroundings: Surroundings, mode: str, sessions: SessionChoice, *, as_json: bool
) -> None:
    answer = person_request(surroundings, "mode", {"mode": mode, **sessions.request})
    if as_json:
        say_json(answer)
        return
    for name in sessions.touched(answer):
        # What nobody runs has no host to ask in automode's place.
        still = "; `automode check` decides all the same" if name.startswith(f"{OWN_HOST}/") else ""
        say(f"auto mode is {mode} for {name}{still}")


@click.command()
@session_options
@usual_options
def reset(surroundings: Surroundings, session: str | None, *, every: bool, as_json: bool) -> None:
    """Clear a session's counters, recent denials and approvals. A session that was halted may go
    on.

    Settings stay, and so do the records: `automode audit` still shows every decision. An agent
    cannot do this.
    """
    which = choose_sessions(surroundings, session, every=every)
    answer = person_request(surroundings, "reset", which.request)
    if as_json:
        say_json(answer)
        return
    for name in which.touched(answer):
        say(f"reset: {name}")


@click.command()
@usual_options
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
