"""What a command takes from the machine: folders, settings, environment. Nothing else reads it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

import click

from automode.assemble import build_classifier, chosen_model, load_settings
from automode.config.load import Loaded
from automode.config.places import Places
from automode.config.settings import Settings
from automode.core.errors import BadCall, BadSettings
from automode.core.layer import Layer
from automode.core.session import Mode, Session
from automode.core.transcript import Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts.place import home_folder, live_workspace
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger, usage_file
from automode.llm.model import Model
from automode.llm.prices import cost_beside

NOWHERE = Places((), (), (), (), (), trust_file="")
"""No file and no variable: what is left are the built-in defaults."""

Function = TypeVar("Function", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where settings come from, as the options of the command line say."""

    config_folder: str | None = None
    isolated: bool = False

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

    def load(self, project: str | None) -> Loaded:
        return load_settings(self.places(project))

    def model(self, settings: Settings) -> Model | Missing:
        """The classifier's model, with the key of this account."""
        return chosen_model(settings, {} if self.isolated else dict(os.environ))

    def ledger(self, settings: Settings) -> Ledger | None:
        """What this account has used so far: without it no budget could ever be spent. The user's
        own servers have no price, whatever they are called."""
        if self.isolated:
            return None
        own = {server.name for server in settings.providers}
        return Ledger.opened(usage_file(home_folder(), dict(os.environ)), cost_beside(own))

    def judges(
        self, settings: Settings, *, wanted: bool, recorded: bool = True
    ) -> tuple[Layer, ...]:
        """The classifier. Unless it is `recorded`, its use counts for no budget."""
        if not wanted:
            return ()
        model = self.model(settings)
        # Without a model nothing is ever used: the file need not be read.
        used = recorded and not isinstance(model, Missing)
        return (build_classifier(settings, model, ledger=self.ledger(settings) if used else None),)


def workspace_at(folder: str | None) -> Workspace:
    """The workspace around `folder`, or around the current one. BadCall when it does not exist."""
    try:
        return live_workspace(folder if folder is not None else os.getcwd())
    except (FileNotFoundError, ValueError) as error:
        raise BadCall("the folder is gone or has no valid name", "name one with --cwd") from error


def session_for(
    settings: Settings,
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
    return Session(todays_session(), workspace, attended, mode, transcript=said)


def todays_session() -> str:
    """One session per day (UTC), so that a budget holds for all calls of a day and for no more."""
    return f"cli-{datetime.now(UTC):%Y-%m-%d}"


def wants_colour() -> bool | None:
    """False when the person asked for none; None leaves it to whether a terminal is there."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return False if plain else None


def settings_options(command: Function) -> Function:
    """The options that say where settings come from; they may stand before or after a command."""
    options = (
        click.option(
            "--config-folder",
            type=click.Path(file_okay=False),
            metavar="DIR",
            expose_value=False,
            callback=_remembered,
            help="Read your own settings from DIR instead of the usual folder.",
        ),
        click.option(
            "--isolated",
            is_flag=True,
            expose_value=False,
            callback=_remembered,
            help="Ignore every settings file and variable: built-in defaults only.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _remembered(context: click.Context, option: click.Parameter, value: object) -> None:
    known: Surroundings = context.ensure_object(Surroundings)
    if isinstance(value, str):
        context.obj = replace(known, config_folder=value)
    elif value is True:
        context.obj = replace(known, isolated=True)
