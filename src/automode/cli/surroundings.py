"""What a command takes from the machine: folders, settings, environment. Nothing else reads it."""

import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

import click

from automode.config.places import Places
from automode.core.errors import BadCall, BadSettings
from automode.core.record import SessionKey
from automode.core.session import Mode, Session
from automode.core.transcript import Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts.place import home_folder, live_workspace
from automode.store.folder import StateFolder, default_folder

if TYPE_CHECKING:  # loaded where it is used: a status line cannot wait for what decides
    from automode.config.load import Loaded
    from automode.config.settings import Settings
    from automode.guards.own_files import OwnFolders

OWN_HOST = "cli"  # what commands decide belongs to no agent
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

    def places(self, project: str | None) -> Places:
        """`project` is the folder whose own settings count; None when there is none."""
        if self.isolated:
            return NOWHERE
        folder = self.config_folder
        if folder is not None and not os.path.isdir(folder):
            # Going on with other settings than the ones named would be a guess.
            raise BadSettings(f"no such folder: `{folder}`", "name an existing --config-folder")
        return Places.of(
            home=home_folder(),
            environment=dict(os.environ),
            project=project,
            config_folder=None if folder is None else os.path.abspath(folder),
        )

    def own_folders(self) -> "OwnFolders":
        """Automode's own folders, as the floor has to know them."""
        from automode.assemble import own_folders

        state = self.state()
        return own_folders(self.places(None), None if state is None else state.path)

    def load(self, project: str | None) -> "Loaded":
        from automode.assemble import load_settings

        return load_settings(self.places(project))

    def store(self) -> str:
        """The setting `store`, found without loading anything that decides."""
        from automode.config.load import load
        from automode.config.settings import Builtins

        return load(self.places(None), Builtins(), _any_pattern).settings.store


@cache
def _tell_moved(path: str) -> None:
    """A project can set variables in a person's terminal: then this is not the agents' folder."""
    if path != default_folder(home_folder(), {}).path and sys.stderr.isatty():
        click.echo(f"note: XDG_STATE_HOME leads to {path}; hooks and daemons ignore it", err=True)


def _any_pattern(_text: str) -> None:
    """For whoever reads no permission pattern."""


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
