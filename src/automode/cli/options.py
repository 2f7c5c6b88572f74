"""The options that commands share, and what they take from the machine."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, wraps
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

import click

from automode.cli.printing import note_json
from automode.config.places import Places
from automode.core.errors import BadCall, BadSettings
from automode.core.record import OWN_HOST, SessionKey
from automode.core.session import Mode, Session
from automode.core.transcript import Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts.place import home_folder, live_workspace
from automode.store.folder import StateFolder, default_folder

if TYPE_CHECKING:  # loaded where it is used: a status line cannot wait for what decides
    from automode.config.load import Loaded
    from automode.config.settings import Settings
    from automode.guards.own_files import OwnFolders
    from automode.llm.keys import Keyring

NOWHERE = Places((), (), (), (), (), trust_file="")
"""No file and no variable: what is left are the built-in defaults."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where settings come from and where state lies, as the options of the command line say."""

    config_folder: str | None = None
    isolated: bool = False
    state_folder: str | None = None

    def state(self) -> StateFolder | None:
        """The folder of records, sessions and the daemon; None where `--isolated` leaves out the
        account's own and no other one is named. It need not exist."""
        if self.state_folder is not None:
            return StateFolder(os.path.abspath(self.state_folder))
        return None if self.isolated else default_folder(home_folder(), dict(os.environ))

    def known_state(self) -> StateFolder:
        """The same for a command that is about nothing else."""
        state = self.state()
        if state is None:
            raise BadSettings("--isolated leaves out the state folder", "name a --state-folder")
        if self.state_folder is None:
            _tell_moved(state.path)
        return state

    def places(self, project: str | None, *, daemon: bool = False) -> Places:
        """`project` is the folder whose own settings count; None when there is none. `daemon`:
        where a daemon looks, for which no variable of this terminal counts."""
        if self.isolated:
            return NOWHERE
        folder = self.config_folder
        if folder is not None and not os.path.isdir(folder):
            # Going on with other settings than the ones named would be a guess.
            raise BadSettings(f"no such folder: `{folder}`", "name an existing --config-folder")
        return Places.of(
            home=home_folder(),
            environment={} if daemon else dict(os.environ),
            project=project,
            config_folder=None if folder is None else os.path.abspath(folder),
        )

    def own_folders(self) -> "OwnFolders":
        """Automode's own folders, as the floor has to know them."""
        from automode.assemble import own_folders

        state = self.state()
        return own_folders(self.places(None), None if state is None else state.path)

    def load(self, project: str | None, *, daemon: bool = False) -> "Loaded":
        from automode.assemble import load_settings

        return load_settings(self.places(project, daemon=daemon))

    def keys(self) -> "Keyring":
        """The keys that the person stored; none where files are ignored."""
        from automode.assemble import key_store
        from automode.llm.keys import no_keyring

        state = self.state()
        return no_keyring if self.isolated or state is None else key_store(state)

    def store(self) -> str:
        """The setting `store`, found without loading anything that decides."""
        from automode.config.load import load
        from automode.config.settings import Builtins

        return load(self.places(None), Builtins()).settings.store


@cache
def _tell_moved(path: str) -> None:
    """A project can set variables in a person's terminal: then this is not the agents' folder."""
    if path != default_folder(home_folder(), {}).path and sys.stderr.isatty():
        click.echo(f"note: XDG_STATE_HOME leads to {path}; hooks and daemons ignore it", err=True)


def workspace_at(folder: str | None) -> Workspace:
    """The workspace around `folder`, or around the current one. BadCall when it does not exist."""
    try:
        return live_workspace(folder if folder is not None else os.getcwd())
    except (FileNotFoundError, ValueError) as error:
        raise BadCall("the folder is gone or has no valid name", "name one with --cwd") from error


def session_for(
    settings: "Settings",
    workspace: Workspace,
    *,
    attended: bool,
    transcript: Transcript | None = None,
    user: str | None = None,
) -> Session:
    """`user` is what the user says after everything in `transcript`."""
    mode = settings.mode if settings.enabled else Mode.OFF
    said = Transcript() if transcript is None else transcript
    if user is not None:
        said = Transcript((*said.entries, UserMessage(user)))
    return Session(str(own_session()), workspace, attended, mode, OWN_HOST, transcript=said)


def own_session() -> SessionKey:
    """One session per day (UTC), so that a budget holds for all calls of a day and for no more."""
    return SessionKey(OWN_HOST, f"{OWN_HOST}-{datetime.now(UTC):%Y-%m-%d}")


def wants_colour() -> bool | None:
    """False when the person asked for none; None leaves it to whether a terminal is there."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return False if plain else None


Function = TypeVar("Function", bound=Callable[..., object])


def settings_options(command: Function) -> Function:
    """The options that say where settings come from; they may stand before or after a command."""
    folder = click.Path(file_okay=False)
    for name, type_, text in (
        ("--isolated", None, "Ignore every settings file and variable, and keep no records."),
        ("--state-folder", folder, "Keep and read records, sessions and the daemon in DIR."),
        ("--config-folder", folder, "Read your own settings from DIR instead of the usual folder."),
    ):
        option = click.option(
            name,
            type=type_,
            is_flag=type_ is None,
            metavar=None if type_ is None else "DIR",
            expose_value=False,
            callback=_remember,
            help=text,
        )
        command = option(command)
    return command


def usual_options(command: Function) -> Function:
    """`--json`, and where settings come from; the command gets its Surroundings first."""
    return json_option(settings_options(click.pass_obj(command)))  # type: ignore[return-value]


json_option = click.option(
    "--json", is_flag=True, expose_value=False, callback=note_json, help="Print JSON."
)


def runs(
    target: str, kind: Callable[..., object] | None = None
) -> Callable[[Callable[[], None]], Callable[..., None]]:
    """A command that does what the function `target` of this room says. Its module is loaded when
    the command is called, and what comes back is the exit status. With `kind` all options go over
    as one object."""

    def decorate(function: Callable[[], None]) -> Callable[..., None]:
        @wraps(function)
        def command(*given: object, **options: object) -> None:
            if click.get_current_context().invoked_subcommand is not None:
                return
            module, _, name = target.rpartition(".")
            work = getattr(import_module(f"automode.cli.{module}"), name)
            sys.exit(work(*given, **options) if kind is None else work(*given, kind(**options)))

        return command

    return decorate


cwd_option = click.option(
    "--cwd",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="The folder of the project or the call; default: the current one.",
)
no_classifier_option = click.option(
    "--no-classifier", is_flag=True, help="Only what needs no model. Costs nothing."
)


def _remember(context: click.Context, option: click.Parameter, value: object) -> None:
    known: Surroundings = context.ensure_object(Surroundings)
    if isinstance(value, str) and option.name == "state_folder":
        context.obj = replace(known, state_folder=value)
    elif isinstance(value, str):
        context.obj = replace(known, config_folder=value)
    elif value is True:
        context.obj = replace(known, isolated=True)


@dataclass(frozen=True, slots=True)
class CallOptions:
    """What the options of `check` and `explain` ask for."""

    tool: str | None
    argument: str | tuple[str, ...]
    user: str | None
    cwd: str | None
    unattended: bool
    no_classifier: bool
    file: str | None = None
    no_record: bool = False
    record: bool = False
    fail_on: str | None = None


@dataclass(frozen=True, slots=True)
class EvalOptions:
    data: str | None
    names: tuple[str, ...]
    model: str | None
    stages: str | None
    no_classifier: bool
    limit: int | None
    seed: int
    jobs: int | None
    out: str | None
    cost_cap: float | None


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    files: tuple[str, ...]
    places: tuple[str, ...]
    config: str | None
    policy: str | None
    model: str | None
    no_classifier: bool
    since: str | None
    limit: int | None
    jobs: int | None
    cost_cap: float | None
