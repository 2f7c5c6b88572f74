"""Which session a person means: the one they name, all of them, or the only one of this project."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import click

from automode.cli.known_sessions import KnownSession, known_sessions
from automode.cli.surroundings import OWN_HOST, Surroundings, workspace_at
from automode.core.errors import BadCall

RECENT_SECONDS = 24 * 3600.0
MOST_LISTED = 8
Function = TypeVar("Function", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Chosen:
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


def chosen(surroundings: Surroundings, session: str | None, *, every: bool) -> Chosen:
    """BadCall where it is not clear which one is meant."""
    if session is not None and every:
        raise BadCall("--session and --all exclude each other", "leave one of them out")
    if every:
        return Chosen({"all": True})
    if session is not None:
        return Chosen({"session": session})
    return Chosen({"session": _only_one(surroundings)})


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
